"""The event log in Redis: key names, and the script that appends.

A stream is a Redis list: its head, its view, then its entries in order. Streams are spread over
`SHARDS` shards, and every key of a shard carries the shard's hash tag, so that an append with all
that belongs to it is one script in one slot (docs/adr/0020-event-log-in-redis.md):

    {t07}:hand:default:<id>             the stream
    {t07}:hands:default                 the ids of the shard's streams, in the order of arrival
    {t07}:hands:default:lists           places in that list of, say, a session's streams: the first few
    {t07}:hands:default:session:<id>    the same: those that follow
    {t07}:due                           streams whose view is due, by the time of the next try
"""

from __future__ import annotations

import base64
import binascii
import heapq
import struct
from collections.abc import Iterator, Sequence
from typing import Any, Final, cast
from zlib import crc32

import orjson
import redis

from records.log import (
    Append,
    InvalidCursor,
    StoredEntry,
    StoredStream,
    Stream,
    VersionMismatch,
    View,
)
from records.redis_client import store_errors

SHARDS: Final = 16
"""How many slots the streams are spread over. Fixed: an id's shard is found by counting."""

# KEYS: stream, due, ids, short lists, then a long list for each list that the stream joins
# ARGV: expected version, events, head, entry, due ("1" or ""), id, name among what is due, then the
# names of the lists. The head begins with version, time of the first entry and place among the ids.
# A list is short for long: a Redis key costs 150 bytes, a field of a hash 30. It goes on in a key of
# its own so that an append never rewrites more than that.
_APPEND: Final = """
local stored = redis.call('LINDEX', KEYS[1], 0)
local version, created, place = 0, nil, nil
if stored then version, created, place = struct.unpack('>I4I6I4', stored) end
if version ~= tonumber(ARGV[1]) then return {0, version} end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
version = version + ARGV[2]
local entry = struct.pack('>I6', now) .. ARGV[4]
if stored then
  redis.call('LSET', KEYS[1], 0, struct.pack('>I4I6I4', version, created, place) .. ARGV[3])
  redis.call('RPUSH', KEYS[1], entry)
else
  place = redis.call('RPUSH', KEYS[3], ARGV[6]) - 1
  redis.call('RPUSH', KEYS[1], struct.pack('>I4I6I4', version, now, place) .. ARGV[3], '', entry)
end
for list = 5, #KEYS do
  local name = ARGV[list + 3]
  local short = redis.call('HGET', KEYS[4], name)
  if short and #short >= 56 then redis.call('RPUSH', KEYS[list], place)
  else redis.call('HSET', KEYS[4], name, (short and short .. ' ' or '') .. place) end
end
if ARGV[5] == '1' then redis.call('ZADD', KEYS[2], now, ARGV[7]) end
return {1, version}
"""

HEAD: Final = struct.Struct(">I6sI")
VERSION: Final = struct.Struct(">I")
_TIME_BYTES: Final = 6
_CHUNK: Final = 32


def shard_of(stream: Stream) -> int:
    """The shard that a stream lives in."""
    return crc32(f"{stream.tenant}/{stream.id}".encode()) % SHARDS


def stream_key(stream: Stream) -> str:
    """The key of a stream."""
    return f"{_tag(shard_of(stream))}:{due_name(stream)}"


def due_key(shard: int) -> str:
    """The key of what is due in a shard: a sorted set of `due_name`, by when it may be claimed (ms)."""
    return f"{_tag(shard)}:due"


def due_name(stream: Stream) -> str:
    """A stream's name among what is due."""
    return f"{stream.kind}:{stream.tenant}:{stream.id}"


def due_stream(name: bytes) -> Stream:
    """The stream of such a name."""
    kind, tenant, id_ = name.decode().split(":", 2)
    return Stream(kind, tenant, id_)


def _ids_key(shard: int, kind: str, tenant: str) -> str:
    return f"{_tag(shard)}:{kind}s:{tenant}"


def _list_name(by: tuple[str, str]) -> str:
    return f"{by[0]}:{by[1]}"


def _tag(shard: int) -> str:
    return f"{{t{shard:02}}}"


class RedisLog:
    """The `EventLog` on one Redis, or on a cluster of them."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        self._append = client.register_script(_APPEND)

    def append(self, stream: Stream, expected: int, append: Append) -> int:
        """As in `EventLog`."""
        shard = shard_of(stream)
        ids = _ids_key(shard, stream.kind, stream.tenant)
        names = [_list_name(by) for by in append.lists]
        keys = [stream_key(stream), due_key(shard), ids, f"{ids}:lists", *(f"{ids}:{name}" for name in names)]
        due = "1" if append.due else ""
        arguments: list[str | int | bytes] = [expected, append.events, append.head, append.body, due]
        arguments += [stream.id, due_name(stream), *names]
        with store_errors():
            written, version = cast(tuple[int, int], self._append(keys, arguments))
        if not written:
            raise VersionMismatch(version)
        return version

    def read(self, stream: Stream) -> StoredStream | None:
        """As in `EventLog`."""
        with store_errors():
            parts = self._redis.lrange(stream_key(stream), 0, -1)
        return stored(stream, cast(list[bytes], parts))

    def read_many(self, streams: Sequence[Stream]) -> list[StoredStream | None]:
        """Several streams with all their entries, in one round trip."""
        return self._fetch(streams, -1)

    def glance(self, streams: Sequence[Stream]) -> list[StoredStream | None]:
        """As in `EventLog`."""
        return self._fetch(streams, 2)

    def _fetch(self, streams: Sequence[Stream], last: int) -> list[StoredStream | None]:
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            for stream in streams:
                pipe.lrange(stream_key(stream), 0, last)
            return [stored(stream, parts) for stream, parts in zip(streams, pipe.execute(), strict=True)]

    def listed(self, kind: str, tenant: str, by: tuple[str, str] | None, after: str | None) -> RedisListing:
        """As in `EventLog`. Raises `InvalidCursor`."""
        return RedisListing(self, self._redis, kind, tenant, by, after)


class RedisListing:
    """A walk through the lists of all shards at once, merged by the time of the first entry."""

    def __init__(
        self,
        log: RedisLog,
        client: redis.Redis,
        kind: str,
        tenant: str,
        by: tuple[str, str] | None,
        after: str | None,
    ) -> None:
        self._log = log
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
        while streams := self._names(shard, position):
            for found in self._log.glance(streams):
                yield found.created if found else 0, shard, position, found
                position += 1

    def _names(self, shard: int, position: int) -> list[Stream]:
        """The streams at the next positions of a shard's list."""
        key = _ids_key(shard, self._kind, self._tenant)
        with store_errors():
            if self._by is None:
                ids = cast(list[bytes], self._redis.lrange(key, position, position + _CHUNK - 1))
            else:
                ids = self._at(key, self._places(key, _list_name(self._by), position))
        return [Stream(self._kind, self._tenant, id_.decode()) for id_ in ids]

    def _places(self, key: str, name: str, position: int) -> list[bytes]:
        """The next places of a list, from its short part or from what follows it."""
        short = (cast(bytes | None, self._redis.hget(f"{key}:lists", name)) or b"").split()
        if position < len(short):
            return short[position : position + _CHUNK]
        first = position - len(short)
        return cast(list[bytes], self._redis.lrange(f"{key}:{name}", first, first + _CHUNK - 1))

    def _at(self, key: str, places: Sequence[bytes]) -> list[bytes]:
        """The ids at places among a shard's streams."""
        if not places:
            return []
        with self._redis.pipeline(transaction=False) as pipe:
            for place in places:
                pipe.lindex(key, int(place))
            ids: list[bytes] = pipe.execute()
        return ids


def stored(stream: Stream, parts: Sequence[bytes]) -> StoredStream | None:
    """The stream of the elements of its Redis list; None of none."""
    if not parts:
        return None
    head, view, *entries = parts
    version, created, _ = HEAD.unpack_from(head)
    return StoredStream(
        stream,
        version,
        int.from_bytes(created),
        head[HEAD.size :],
        read_view(view),
        tuple(StoredEntry(int.from_bytes(entry[:_TIME_BYTES]), entry[_TIME_BYTES:]) for entry in entries),
    )


def read_view(stored_view: bytes) -> View | None:
    """The view of the element of a Redis list that holds it, which is empty at first."""
    if not stored_view:
        return None
    return View(VERSION.unpack_from(stored_view)[0], stored_view[VERSION.size :])


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
