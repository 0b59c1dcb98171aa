"""Memory that a process of the service gives back."""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress
from typing import Final

_ARENA_MAX: Final = -8
_MMAP_THRESHOLD: Final = -3
_TRIM_THRESHOLD: Final = -1
"""Parameters of mallopt(3)."""

ARENAS: Final = 2
PIECE: Final = 262_144
"""Bytes of an upload that are read at once."""
LARGE: Final = 1_048_576
"""Bytes from which a block is a mapping of its own, which goes back to the system when it is freed, and how
many may be free at an arena's end before they go back too. A piece of an upload is less: to have its pages
from the system anew each time would take more time than all else that an upload needs."""


def give_back() -> None:
    """Have this process, and those that it forks, give back what an upload took. Linux with glibc only.

    By itself glibc makes an arena for each thread, and raises the size of what it maps with each large block
    that is freed. The pieces of an upload then stay in the arena of whichever thread had it, and a process
    grows by some fifteen megabytes for each thread that ever took one.
    """
    if sys.platform == "linux":
        with suppress(AttributeError):  # another C library
            set_option = ctypes.CDLL(None).mallopt
            set_option(_ARENA_MAX, ARENAS)
            set_option(_MMAP_THRESHOLD, LARGE)
            set_option(_TRIM_THRESHOLD, LARGE)
