"""Files of records, read in chunks: one record a line, or one JSON document."""

from __future__ import annotations

import errno
import json
import os
import select
import stat
import sys
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import orjson

from cli.answers import BLANK, Chunk
from cli.resume import Walk
from records.limits import MAX_BODY

BLOCK: Final = 1 << 19
"""Bytes of a chunk: some 150 hands, long enough to be worth a message and short enough to stop soon."""

_PATIENCE: Final = 0.02
"""Seconds to wait for more from a pipe before going on with what is there."""

_BOM: Final = b"\xef\xbb\xbf"


class Source(NamedTuple):
    """A file that is open for reading."""

    name: str
    fd: int

    @property
    def size(self) -> int | None:
        """Its bytes; ``None`` for a pipe or a terminal."""
        about = os.fstat(self.fd)
        return about.st_size if stat.S_ISREG(about.st_mode) else None

    def close(self) -> None:
        """Close the file, unless it is the standard input, which is not ours."""
        if self.name != "-":
            os.close(self.fd)


def open_sources(names: Sequence[str]) -> list[Source]:
    """The files, in order; ``-`` is the standard input. Raises `OSError` for one that cannot be read."""
    sources = []
    for name in names:
        fd = sys.stdin.fileno() if name == "-" else os.open(name, os.O_RDONLY)
        if stat.S_ISDIR(os.fstat(fd).st_mode):  # can be opened, but not read
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
        sources.append(Source(name, fd))
    return sources


def chunks_of(sources: Sequence[Source], walk: Walk) -> Iterator[Chunk]:
    """All records of the sources but those that the walk has answers to already."""
    for index, source in enumerate(sources):
        for chunk in _file(index, source.fd):
            left = chunk if walk.done else walk.rest_of(chunk)
            if left is not None:
                yield left
    walk.end()


def _file(index: int, fd: int) -> Iterator[Chunk]:
    blocks = _blocks(fd)
    head, size = next(blocks, (b"", 0))
    head = head.removeprefix(_BOM)
    begins = _begins(head)
    if begins != "records":
        for more, read in blocks:
            head += more
            size += read
            if len(head) > MAX_BODY:
                break
        several = begins == "an object over lines" and _are_several(head)
        broken = several or begins in ("a list over lines", "an object over lines")
        if broken:
            # Refused once if it is too large or broken: its lines are nothing to try one by one.
            size += sum(read for _, read in blocks)
        if broken or (len(head) <= MAX_BODY and _is_json(head)):
            yield Chunk(index, 1, head, size, document=True, several=several)
            return
    line = 1
    while head:
        yield Chunk(index, line, head, size)
        line += head.count(b"\n")
        head, size = next(blocks, (b"", 0))


def _begins(block: bytes) -> str:
    """What a file begins with, as far as its first lines tell."""
    start = block.lstrip(BLANK)
    line, _, rest = start.partition(b"\n")
    if not line or (_is_json(line) and line[:1] != b"["):
        return "records"
    second = rest.lstrip(BLANK).partition(b"\n")[0]
    if line.rstrip(BLANK) == b"{" and second and not _is_json(second):
        return "an object over lines"
    return "a list over lines" if line[:1] == b"[" and not _is_json(line) else "one text, or none"


def _is_json(text: bytes) -> bool:
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return True


def _are_several(text: bytes) -> bool:
    """Whether a first JSON text ends before the bytes do."""
    try:
        told = text.decode(errors="replace").lstrip()
        return bool(told[json.JSONDecoder().raw_decode(told)[1] :].strip())
    except (ValueError, RecursionError):
        return False


def _blocks(fd: int) -> Iterator[tuple[bytes, int]]:
    """Whole lines, a `BLOCK` or so at a time, and how many bytes of the file they took.

    Of a line that is too long to be a record only so much is kept that this can be seen.
    """
    rest = b""
    size = 0
    while data := _read(fd):
        size += len(data)
        cut = data.rfind(b"\n") + 1
        if len(rest) <= MAX_BODY:
            rest += data[: cut or None]
        elif cut:
            rest += data[data.index(b"\n") : cut]
        if cut:
            yield rest, size
            rest = data[cut:]
            size = 0
    if rest:
        yield rest, size


def _read(fd: int) -> bytes:
    """Up to a `BLOCK`; less at the end, or where nothing more comes for a moment."""
    pieces: list[bytes] = []
    left = BLOCK
    while left and (not pieces or select.select([fd], [], [], _PATIENCE)[0]):
        piece = os.read(fd, left)
        if not piece:
            break
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)
