"""Becomes another program, with two promises about its life: `python -m service.launch [options] program …`.

--lock FILE   holds a lock on FILE, together with others, for as long as the program or a child of it lives

The program is told to end when the process that started it dies, even by kill -9. Without that a
supervisor's sudden death would leave a Redis behind, and the next start would set a second one on
the same files. Ending takes a while; by the lock the next start knows when it is over.
"""

import ctypes
import fcntl
import os
import signal
import sys
from argparse import REMAINDER, ArgumentParser
from pathlib import Path

_PR_SET_PDEATHSIG = 1


def take_lock(path: Path, *, shared: bool = False) -> int | None:
    """An open file that holds the lock until it is closed everywhere; None if others are in the way."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    return handle


def die_with_parent(number: signal.Signals = signal.SIGTERM, parent: int | None = None) -> None:
    """Ask the kernel for that signal when the parent ends. Linux only; elsewhere nothing happens.

    ``parent`` is its process id where that is known from before it could end.
    """
    if sys.platform == "linux":
        parent = parent or os.getppid()
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)
        if os.getppid() != parent:  # it ended before the kernel knew
            os.kill(os.getpid(), number)


def main(arguments: list[str]) -> str:
    """Replace this process by the program; comes back only with the reason why it could not."""
    parser = ArgumentParser(prog="python -m service.launch")
    parser.add_argument("--lock", type=Path)
    parser.add_argument("program", nargs=REMAINDER)  # with its own options
    options = parser.parse_args(arguments)
    die_with_parent()
    if options.lock:
        handle = take_lock(options.lock, shared=True)
        if handle is None:
            return f"{options.lock} is held by a start that still looks around"
        os.set_inheritable(handle, True)
    try:
        os.execvp(options.program[0], options.program)
    except OSError as error:
        return f"{options.program[0]}: {error.strerror}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
