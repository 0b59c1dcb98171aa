"""`make schemathesis`: ten thousand requests made from openapi.yaml in all phases, to a running service."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from tests.support.made_requests import CONFIG, KEY
from tests.support.processes import ROOT, RunningService

_COUNT: Final = re.compile(r"([\d,]+) generated")


def run(url: str, folder: Path, examples: int, seed: int | None) -> tuple[int, int]:
    """The exit code of Schemathesis, and how many cases it has made."""
    config = folder / "schemathesis.toml"
    config.write_text(CONFIG)
    command = [str(Path(sys.executable).with_name("schemathesis")), "--config-file", str(config)]
    # One thread: with more, Python 3.11 fails now and then at the source of a lambda that Hypothesis shows.
    command += ["run", f"{url}/openapi.json", "--workers", "1", "--max-examples", str(examples)]
    command += ["--request-timeout", "30", "--generation-database", "none", "--no-color"]
    command += [] if seed is None else ["--seed", str(seed)]
    hooks = {"SCHEMATHESIS_HOOKS": "tests.support.made_requests", "PYTHONPATH": str(ROOT)}
    count = 0
    with subprocess.Popen(
        command, cwd=folder, env={**os.environ, **hooks}, stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        for line in program.stdout:
            print(line, end="", flush=True)
            if found := _COUNT.search(line):
                count = int(found[1].replace(",", ""))
    return program.returncode, count


def main() -> int:
    """The command: 0 where nothing was found in as many cases as were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000, help="the fewest that will do")
    parser.add_argument("--examples", type=int, default=150, help="by chance, of each operation")
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args()
    env = {"TRULL_API_KEYS": f"operator:{KEY}", "TRULL_RATE_LIMIT": "off"}
    with tempfile.TemporaryDirectory() as folder, RunningService(Path(folder), env) as service:
        code, count = run(service.base_url, Path(folder), options.examples, options.seed)
        faults = service.api.output().count("request failed")
    if faults:
        print(f"{faults} requests failed, says the service's log")
    if count < options.cases:
        print(f"Only {count:,} cases of {options.cases:,}: give more --examples.")
    return code or bool(faults) or count < options.cases


if __name__ == "__main__":
    sys.exit(main())
