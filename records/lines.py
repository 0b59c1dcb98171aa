"""NDJSON as it comes: cut into blocks of whole lines, in constant memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from records.limits import MAX_BODY

MAX_LINE: Final = MAX_BODY
"""Bytes of a line: as many as a body may have that is a record of its own."""

_BOM: Final = b"\xef\xbb\xbf"


class Block(NamedTuple):
    """Whole lines that follow each other, and the number of the first one, from 1."""

    first: int
    data: bytes

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """The lines that hold anything, with their numbers; of one that is too long only a part."""
        for number, line in enumerate(self.data.split(b"\n"), self.first):
            if line and not line.isspace():
                yield number, line


def blocks(pieces: Iterable[bytes], size: int) -> Iterator[Block]:
    """The lines of a stream in blocks of some ``size`` bytes.

    At most a piece and a line more than that is ever held, however long a line is: of one that is too
    long only as much is kept as tells that it is. A byte order mark at the beginning is left out.
    """
    kept = bytearray()
    first = 1
    is_cut = is_begun = False
    for piece in pieces:
        begin = piece.find(b"\n") if is_cut else 0
        if begin < 0:
            continue
        is_cut = False
        kept += piece[begin:] if begin else piece
        if not is_begun and len(kept) >= len(_BOM):
            is_begun = True
            if kept.startswith(_BOM):
                del kept[: len(_BOM)]
        if len(kept) < size:
            continue
        end = kept.rfind(b"\n") + 1
        if end:
            with memoryview(kept) as held:  # a slice of the array would be one more copy
                block = Block(first, bytes(held[:end]))
            yield block
            first += block.data.count(b"\n")
            del kept[:end]
        if len(kept) > MAX_LINE:
            del kept[MAX_LINE + 1 :]
            is_cut = True
    if kept:
        yield Block(first, bytes(kept))
