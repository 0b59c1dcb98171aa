"""The cursor of the feed: a position in the list of each shard, in a form that tells if it was made up."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Final
from zlib import crc32

from records.log import InvalidCursor
from records.octets import get_number, put_number
from records.redis_keys import SHARDS

_FARTHEST: Final = 1 << 40
"""No list grows so long; a cursor beyond it was made up, which a checksum does not tell for certain."""


@dataclass(slots=True)
class Place:
    """Where a walk stands: the position in each shard's list, and how far it is within one append."""

    positions: list[int]
    shard: int = 0
    passed: int = 0
    """How many events of the next append of ``shard`` were served."""


def write_cursor(place: Place, tenant: str) -> str:
    """The cursor of a place in a tenant's feed."""
    out = bytearray()
    for number in (place.shard, place.passed, *place.positions):
        put_number(out, number)
    data = bytes(out)
    return base64.urlsafe_b64encode(_check(data, tenant) + data).decode().rstrip("=")


def read_cursor(cursor: str, tenant: str) -> Place:
    """The place of a cursor. Raises `InvalidCursor` for one that this tenant's feed has not given."""
    try:
        data = base64.b64decode(cursor + "=" * (-len(cursor) % 4), b"-_", validate=True)
        numbers = []
        at = 4
        while at < len(data):
            number, at = get_number(data, at)
            numbers.append(number)
    except (binascii.Error, ValueError, IndexError):
        raise InvalidCursor(cursor) from None
    given = data[:4] == _check(data[4:], tenant)
    if not given or len(numbers) != SHARDS + 2 or numbers[0] >= SHARDS or max(numbers) > _FARTHEST:
        raise InvalidCursor(cursor)
    return Place(numbers[2:], numbers[0], numbers[1])


def _check(data: bytes, tenant: str) -> bytes:
    """Four bytes that a cursor of another feed, or one that was cut off, does not have."""
    return crc32(data, crc32(f"feed {tenant}".encode())).to_bytes(4)
