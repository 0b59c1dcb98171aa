"""Many entries of a stream in one element of its Redis list, which reads back as the same entries.

A hand that was played live is some eighty appends of one event each: four fifths of what they take is
what they all have in common. In a bundle the parts of the entries stand side by side instead: the
times as what lies between them, what entries begin with (schema, actor, count) once for all that have
it alike, then all packed events in a row, deflated where that helps. Ids that are random (UUIDs in their
usual spelling) are taken out and kept as their sixteen bytes, since nothing can shorten them further.

A bundle keeps where one append ended and the next began, with the time and actor of each: whoever
reads the stream cannot tell whether it was bundled (docs/adr/0058-compaction-and-archive.md).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final
from uuid import UUID

from records.codec import UnknownSchema, deflate, inflate, split_entry
from records.log import StoredEntry
from records.octets import get_bytes, get_number, put_bytes, put_number

SCHEMA: Final = 1

_DEFLATED, _UUIDS = 1, 2
_UUID: Final = re.compile(rb'"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"')
# Stands for a UUID. JSON holds no such byte; where packed cards happen to look like it, none are taken out.
_TAKEN: Final = b'"\x01"'


def bundle(entries: Sequence[StoredEntry]) -> bytes | None:
    """The entries as the body of one, whose time is that of the first; None where that is no use.

    It is no use where it takes more room, and no choice where an entry was written by a later version.
    """
    try:
        parts = [split_entry(entry.body) for entry in entries]
    except UnknownSchema:
        return None
    packed = b"".join(events for _, events in parts)
    uuids = [UUID(found.decode()).bytes for found in _UUID.findall(packed)] if _TAKEN not in packed else []
    columns = bytearray()
    put_number(columns, len(entries))
    for before, entry in pairwise(entries):
        put_number(columns, _unsigned(entry.recorded - before.recorded))
    fronts = list(dict.fromkeys(front for front, _ in parts))
    put_number(columns, len(fronts))
    for front in fronts:
        put_bytes(columns, front)
    for front, _ in parts:
        put_number(columns, fronts.index(front))
    for _, events in parts:
        put_number(columns, len(events))
    columns += _UUID.sub(_TAKEN, packed) if uuids else packed
    written = _write(bytes(columns), uuids)
    return written if len(written) < sum(len(entry.body) for entry in entries) else None


def _write(columns: bytes, uuids: Sequence[bytes]) -> bytes:
    deflated = deflate(columns)
    flags = _UUIDS if uuids else 0
    if len(deflated) < len(columns):
        columns, flags = deflated, flags | _DEFLATED
    out = bytearray((SCHEMA, flags))
    if uuids:
        put_bytes(out, b"".join(uuids))
    return bytes(out + columns)


def unbundle(recorded: int, body: bytes) -> list[StoredEntry]:
    """The entries of a bundle, whose time is that of the first. Raises `UnknownSchema`."""
    if body[0] != SCHEMA:
        raise UnknownSchema(f"a bundle of schema {body[0]}: this version knows up to {SCHEMA}")
    flags, at = body[1], 2
    uuids = b""
    if flags & _UUIDS:
        uuids, at = get_bytes(body, at)
    columns = body[at:]
    if flags & _DEFLATED:
        columns = inflate(columns)
    count, at = get_number(columns, 0)
    times = [recorded]
    for _ in range(count - 1):
        apart, at = get_number(columns, at)
        times.append(times[-1] + _signed(apart))
    fronts = []
    number, at = get_number(columns, at)
    for _ in range(number):
        front, at = get_bytes(columns, at)
        fronts.append(front)
    indices, at = _numbers(columns, at, count)
    lengths, at = _numbers(columns, at, count)
    packed = columns[at:]
    if uuids:
        taken = iter(range(0, len(uuids), 16))
        packed = re.sub(re.escape(_TAKEN), lambda _: _spelt(uuids, next(taken)), packed)
    entries = []
    at = 0
    for time, index, length in zip(times, indices, lengths, strict=True):
        entries.append(StoredEntry(time, fronts[index] + packed[at : at + length]))
        at += length
    return entries


def _spelt(uuids: bytes, at: int) -> bytes:
    return b'"%s"' % str(UUID(bytes=uuids[at : at + 16])).encode()


def _numbers(data: bytes, at: int, count: int) -> tuple[list[int], int]:
    """So many numbers from a position on, and where the next part begins."""
    numbers = []
    for _ in range(count):
        number, at = get_number(data, at)
        numbers.append(number)
    return numbers, at


def _unsigned(number: int) -> int:
    """A number of either sign as one from 0: clocks are set back now and then."""
    return number << 1 if number >= 0 else ~number << 1 | 1


def _signed(number: int) -> int:
    return ~(number >> 1) if number & 1 else number >> 1
