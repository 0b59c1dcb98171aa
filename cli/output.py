"""Where the answers go: the standard output, or files in which an earlier run is continued."""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import BinaryIO, Final, Self

from cli.answers import Answers, Order, known_variants
from cli.resume import CannotGoOn, OtherAnswers, Walk, past_of

REMEMBERED: Final = ".answered"
"""The end of the name of the file that tells which records the sheets beside it answer."""


class ReaderGone(Exception):
    """Whoever read the standard output does so no more."""


class Output:
    """The sheets, and the refusals where they go to a file of their own."""

    def __init__(self, sheets: BinaryIO, refusals: BinaryIO | None, digests: BinaryIO | None = None) -> None:
        self._sheets = sheets
        self._refusals = refusals
        self._digests = digests

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Close what was opened here; the standard output is Python's to close."""
        for file in (self._sheets, self._refusals, self._digests):
            if file is not None and file is not sys.stdout.buffer:
                file.close()

    def walk_on(self, order: Order) -> Walk:
        """The walk past what the files hold already, which are cut where they end whole."""
        past = past_of(self._sheets, order.targets, known_variants(order.houses))
        if order.apart and past.refused:
            raise OtherAnswers("it has errors among its sheets, which are to go to a file of their own now")
        self._sheets.truncate(past.end)
        self._sheets.seek(past.end)
        return Walk(past, self._refusals, order.names, self._digests)

    def write(self, answers: Answers) -> None:
        """Write the answers to a chunk. Raises `ReaderGone`, or `OSError` where the disk is full."""
        if self._digests is not None:
            self._digests.write(answers.digests)
            self._digests.flush()
        if self._refusals is not None:
            # First, so that no sheet is there without the refusals before it: see `cli.resume`.
            self._refusals.write(answers.refusals)
            self._refusals.flush()
        try:
            self._sheets.write(answers.sheets)
            self._sheets.flush()
        except BrokenPipeError:
            # Python would try once more at its end, and complain.
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._sheets.fileno())
            raise ReaderGone from None


def open_output(
    out: str | None, errors: str | None, inputs: Sequence[str], order: Order
) -> tuple[Output, Walk]:
    """The output, and the walk past the records that it answers already.

    Without ``out`` nothing is continued. Raises `OSError` and `CannotGoOn`.
    """
    written = [name for name in (out, errors, out and out + REMEMBERED) if name is not None]
    for name in written:
        if any(_same(name, other) for other in inputs):
            raise CannotGoOn(f"{name} is one of the files that are read")
    if any(_same(one, other) for one, other in combinations(written, 2)):
        raise CannotGoOn(f"sheets and errors go to different files, and {out}{REMEMBERED} is used too")
    if out is None or not _regular(out):
        sheets = sys.stdout.buffer if out is None else _new(out)
        return Output(sheets, None if errors is None else _new(errors)), Walk()
    sheets = _locked(out)
    refusals = None if errors is None else _locked(errors)
    output = Output(sheets, refusals, _locked(out + REMEMBERED))
    try:
        return output, output.walk_on(order)
    except BaseException:
        output.__exit__()
        raise


def _new(name: str) -> BinaryIO:
    """A file from its beginning, or a pipe or device."""
    return Path(name).open("wb")


def _regular(name: str) -> bool:
    """Whether it is a file, or will be one: no pipe and no device."""
    return not Path(name).exists() or Path(name).is_file()


def _same(name: str, other: str) -> bool:
    """Whether both are one file; a device or a pipe is as good as two."""
    if not _regular(name):
        return False
    one, two = Path(name), Path(other)
    return one.samefile(two) if one.exists() and two.exists() else one.resolve() == two.resolve()


def _locked(name: str) -> BinaryIO:
    """The file for reading and writing, made if it is not there, and this process's alone."""
    file = os.fdopen(os.open(name, os.O_RDWR | os.O_CREAT, 0o666), "r+b")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise CannotGoOn(f"another process is writing {name}") from None
    return file
