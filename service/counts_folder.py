"""The folder in which the processes of the service count together; imports nothing that counts.

It is in memory where that can be: on a full disk a count would end its process.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Final

MULTIPLE: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The variable that names the folder; prometheus_client looks for it when it is imported."""

_MEMORY: Final = "/dev/shm"
_NAME: Final = re.compile(r"trull-counts-(\d+)-")


def make() -> Path:
    """Make the folder of this process and its children, and name it in the environment."""
    parent = Path(_MEMORY if os.access(_MEMORY, os.W_OK) else tempfile.gettempdir())
    _remove_left(parent)
    folder = Path(tempfile.mkdtemp(prefix=f"trull-counts-{os.getpid()}-", dir=parent))
    os.environ[MULTIPLE] = str(folder)
    return folder


def remove() -> None:
    """Remove it."""
    shutil.rmtree(os.environ[MULTIPLE], ignore_errors=True)


def _remove_left(parent: Path) -> None:
    """Remove the folders of processes that were killed."""
    for left in parent.glob("trull-counts-*"):
        owner = _NAME.match(left.name)
        if owner is None or left.stat().st_uid != os.getuid():
            continue
        try:
            os.kill(int(owner[1]), 0)
        except ProcessLookupError:
            shutil.rmtree(left, ignore_errors=True)
