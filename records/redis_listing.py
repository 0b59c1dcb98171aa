"""Walking through the streams of all shards at once, and where such a walk has come to."""

from __future__ import annotations

import base64
import binascii
import heapq
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, cast
from zlib import crc32

import orjson
import redis

from records.log import InvalidCursor, StoredStream, Stream
from records.redis_client import store_errors
from records.redis_keys import SHARDS, TOMBSTONE, ids_key, list_name

_CHUNK: Final = 32
_LONGEST_CHUNK: Final = 1024


class RedisListing:
    """A walk through the lists of all shards at once, merged by the time of the first entry."""

    def __init__(
        self,
        glance: Callable[[Sequence[Stream]], list[StoredStream | None]],
        client: redis.Redis,
        kind: str,
        tenant: str,
        by: tuple[str, str] | None,
        after: str | None,
    ) -> None:
        self._glance = glance
        self._redis = client
        self._kind, self._tenant, self._by = kind, tenant, by
        self._list = crc32(f"{kind} {tenant} {by}".encode())
        self._positions = _read_cursor(after, self._list) if after else [0] * SHARDS
        self._ended = False

    @property
    def cursor(self) -> str | None:
        """As in `Listing`."""
        return None if self._ended else _write_cursor(self._list, self._positions)

    def __iter__(self) -> Iterator[StoredStream]:
        shards = [self._shard(shard, self._positions[shard]) for shard in range(SHARDS)]
        for _, shard, position, found in heapq.merge(*shards, key=lambda item: item[:3]):
            self._positions[shard] = position + 1
            if found is not None:
                yield found
        self._ended = True

    def _shard(self, shard: int, position: int) -> Iterator[tuple[int, int, int, StoredStream | None]]:
        """What one shard has from a position on: its time, shard, position, and the stream itself."""
        count = _CHUNK
        while ids := self.ids(shard, position, count):
            there = [
                (at, Stream(self._kind, self._tenant, id_.decode()))
                for at, id_ in enumerate(ids, position)
                if not id_.startswith(TOMBSTONE.encode())
            ]
            if there:
                for (at, _), found in zip(there, self._glance([one for _, one in there]), strict=True):
                    yield found.created if found else 0, shard, at, found
            position += len(ids)
            # What was taken out may fill the beginning of a list: few steps lead over it.
            count = _CHUNK if there else min(2 * count, _LONGEST_CHUNK)

    def lengths(self) -> list[int]:
        """How many streams each shard has in the list. Raises `StoreUnavailable`."""
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            for shard in range(SHARDS):
                key = ids_key(shard, self._kind, self._tenant)
                if self._by is None:
                    pipe.llen(key)
                else:
                    pipe.hget(f"{key}:lists", list_name(self._by))
                    pipe.llen(f"{key}:{list_name(self._by)}")
            found: list[Any] = pipe.execute()
        if self._by is None:
            return found
        return [len((found[at] or b"").split()) + found[at + 1] for at in range(0, len(found), 2)]

    def ids(self, shard: int, position: int, count: int) -> list[bytes]:
        """The ids at the next positions of a shard's list, up to that many: some, where there are any.

        Some may be `TOMBSTONE`s. Raises `StoreUnavailable`.
        """
        key = ids_key(shard, self._kind, self._tenant)
        with store_errors():
            if self._by is None:
                return cast(list[bytes], self._redis.lrange(key, position, position + count - 1))
            return self._at(key, self._places(key, list_name(self._by), position, count))

    def _places(self, key: str, name: str, position: int, count: int) -> list[bytes]:
        """The next places of a list, from its short part or from what follows it."""
        short = (cast(bytes | None, self._redis.hget(f"{key}:lists", name)) or b"").split()
        if position < len(short):
            return short[position : position + count]
        first = position - len(short)
        return cast(list[bytes], self._redis.lrange(f"{key}:{name}", first, first + count - 1))

    def _at(self, key: str, places: Sequence[bytes]) -> list[bytes]:
        """The ids at places among a shard's streams."""
        if not places:
            return []
        with self._redis.pipeline(transaction=False) as pipe:
            for place in places:
                pipe.lindex(key, int(place))
            ids: list[bytes] = pipe.execute()
        return ids


def _write_cursor(list_: int, positions: Sequence[int]) -> str:
    return base64.urlsafe_b64encode(orjson.dumps([list_, *positions])).decode().rstrip("=")


def _read_cursor(cursor: str, list_: int) -> list[int]:
    """The positions of a cursor that was given for this list."""
    try:
        numbers: Any = orjson.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (binascii.Error, ValueError):
        raise InvalidCursor(cursor) from None
    if (
        not isinstance(numbers, list)
        or len(numbers) != 1 + SHARDS
        or numbers[0] != list_
        or not all(type(position) is int and 0 <= position < 2**32 for position in numbers)
    ):
        raise InvalidCursor(cursor)
    return numbers[1:]
