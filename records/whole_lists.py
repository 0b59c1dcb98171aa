"""Lists read as a whole, in a handful of round trips however long they are.

`RedisLog.listed` walks through a list shard by shard, some streams at a time, which is right for a page.
Who needs a thousand hands at once would wait for Redis two hundred times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import redis

from records.log import StoredStream, Stream
from records.redis_client import store_errors
from records.redis_keys import SHARDS, TOMBSTONE, ids_key, list_name, stream_key
from records.redis_log import stored

_AT_ONCE: Final = 500
"""Streams that are asked for in one round trip: half a megabyte of answers."""


class Listed(NamedTuple):
    """A stream of a list, and where it stands: by the time of its first entry, then by shard and position."""

    shard: int
    position: int
    stream: Stream


def listed_streams(client: redis.Redis, kind: str, tenant: str, by: tuple[str, str]) -> list[Listed]:
    """The streams of a list, in no particular order. Raises `StoreUnavailable`."""
    keys = [ids_key(shard, kind, tenant) for shard in range(SHARDS)]
    name = list_name(by)
    with store_errors(), client.pipeline(transaction=False) as pipe:
        for key in keys:
            pipe.hget(f"{key}:lists", name)
            pipe.lrange(f"{key}:{name}", 0, -1)
        answers = pipe.execute()
    places = [
        (shard, position, int(place))
        for shard in range(SHARDS)
        for position, place in enumerate([*(answers[2 * shard] or b"").split(), *answers[2 * shard + 1]])
    ]
    with store_errors(), client.pipeline(transaction=False) as pipe:
        for shard, _, place in places:
            pipe.lindex(keys[shard], place)
        ids: list[bytes | None] = pipe.execute() if places else []
    return [
        Listed(shard, position, Stream(kind, tenant, id_.decode()))
        for (shard, position, _), id_ in zip(places, ids, strict=True)
        if id_ is not None and not id_.startswith(TOMBSTONE.encode())
    ]


def heads_of(client: redis.Redis, streams: Sequence[Stream]) -> list[StoredStream | None]:
    """Streams without any entry: what says whether something has changed. Raises `StoreUnavailable`."""
    return list(_heads_of(client, streams))


def _heads_of(client: redis.Redis, streams: Sequence[Stream]) -> Iterator[StoredStream | None]:
    for first in range(0, len(streams), _AT_ONCE):
        some = streams[first : first + _AT_ONCE]
        with store_errors(), client.pipeline(transaction=False) as pipe:
            for stream in some:
                pipe.lrange(stream_key(stream), 0, 1)
            answers: list[list[bytes]] = pipe.execute()
        for stream, parts in zip(some, answers, strict=True):
            yield stored(stream, parts)
