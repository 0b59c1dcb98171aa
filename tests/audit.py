"""`python -m tests.audit`: whether anything is known against a version in the lock files.

Ends with 1 where something is. Where the advisories cannot be had, nothing is known either way: that is said
loudly, and ends with 2, or with 0 after `--if-reachable`, so that work without a network goes on. Other
arguments are passed on to `uv audit`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
LOCKS: Final = ("requirements.lock", "requirements-e2e.lock")

_PIN: Final = re.compile(r"^([A-Za-z0-9._-]+(?:\[[^]]*\])?==[^ \\;]+)(?: *;([^\\\n]*))?", re.MULTILINE)
_CLEAN, _KNOWN, _UNREACHABLE = 0, 1, 2


def pins(lock: str) -> list[str]:
    """The requirements of a lock file's text: a version each, and where it is for some machines, which."""
    return [f"{pin} ; {marker.strip()}" if marker.strip() else pin for pin, marker in _PIN.findall(lock)]


def main(arguments: Sequence[str], locked: Iterable[str]) -> int:
    """Ask about these requirements; the exit code."""
    passed_on = [argument for argument in arguments if argument != "--if-reachable"]
    requirements = "".join(f"#   {requirement!r},\n" for requirement in locked)
    script = f"# /// script\n# requires-python = '>=3.11'\n# dependencies = [\n{requirements}# ]\n# ///\n"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "locked.py"
        file.write_text(script)
        uv = [str(Path(sys.executable).with_name("uv")), "--preview-features", "audit-command"]
        command = [*uv, "audit", "--script", str(file), *passed_on]
        code = subprocess.run(command, cwd=folder, env={"UV_HTTP_RETRIES": "1", **os.environ}).returncode
    if code not in (_CLEAN, _KNOWN):
        print("NOT AUDITED: the advisories cannot be had from here.", file=sys.stderr)
        return _CLEAN if "--if-reachable" in arguments else _UNREACHABLE
    return code


if __name__ == "__main__":
    texts = [(ROOT / name).read_text() for name in LOCKS]
    sys.exit(main(sys.argv[1:], dict.fromkeys(pin for text in texts for pin in pins(text))))
