"""The chunks of imports: claimed one after the other, and done once each.

Workers claim a chunk with a lease, as they claim hands that are due (`records.sheets`); who dies leaves one
that falls due again, and to do it twice changes nothing. A chunk is done when the outcomes of its lines are
stored, which takes it away in the same step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, cast

import orjson
import redis
from isal import isal_zlib

from records.import_jobs import KEPT_SECONDS
from records.import_keys import KIND, import_key, import_name, import_named, open_key, uploading_key
from records.import_records import Importing
from records.imports import Outcome
from records.lines import Block
from records.log import Stream
from records.octets import get_number
from records.redis_client import store_errors
from records.redis_keys import SHARDS, shard_of

LEASE: Final = 10.0
"""Seconds after which a claimed chunk may be claimed again."""

_MAX_LEASE: Final = 60.0

_COUNTS: Final[Mapping[int, str]] = {202: "created", 201: "created", 200: "existing"}

# KEYS: chunks, left    ARGV: lease and longest lease in ms
# Answers the number of the chunk, whether it was claimed before, and the chunk.
_CLAIM: Final = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local found = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'WITHSCORES', 'LIMIT', 0, 1)
if #found == 0 then
  found = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. now + ARGV[2], '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
end
if #found == 0 then return false end
redis.call('ZADD', KEYS[2], now + ARGV[1], found[1])
return {tonumber(found[1]), found[1] == found[2] and 0 or 1, redis.call('HGET', KEYS[1], found[1])}
"""

# KEYS: import, chunks, left, results, imports
# ARGV: name, seconds that a done import is kept, chunk, outcomes, then names of counts and what to add
# Answers how many chunks are left, or -1 where the chunk was done by another.
_FINISH: Final = """
if redis.call('ZREM', KEYS[3], ARGV[3]) == 0 then return -1 end
redis.call('HDEL', KEYS[2], ARGV[3])
redis.call('HSET', KEYS[4], ARGV[3], ARGV[4])
for at = 5, #ARGV, 2 do redis.call('HINCRBY', KEYS[1], ARGV[at], ARGV[at + 1]) end
local left = redis.call('ZCARD', KEYS[3])
if left == 0 then
  local time = redis.call('TIME')
  redis.call('HSET', KEYS[1], 'finished', time[1] * 1000 + math.floor(time[2] / 1000))
  redis.call('ZREM', KEYS[5], ARGV[1])
  redis.call('EXPIRE', KEYS[1], ARGV[2])
  redis.call('EXPIRE', KEYS[4], ARGV[2])
end
return left
"""


class Chunk(NamedTuple):
    """A part of an import that is to be done now, by nobody else for the time of the lease."""

    tenant: str
    import_id: str
    number: int
    block: Block
    by: Importing
    since: int | None
    """If it was claimed before, by somebody who did not end it: when the import was accepted."""


class ImportChunks:
    """The chunks of all imports. Makes no connection before it is used; threads may share it."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        self._claim = client.register_script(_CLAIM)
        self._finish = client.register_script(_FINISH)

    def left(self) -> list[Stream]:
        """The imports that are not done, the oldest of each shard first. Raises `StoreUnavailable`."""
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            for shard in range(SHARDS):
                pipe.zrange(open_key(shard), 0, -1)
            found: list[list[bytes]] = pipe.execute()
        return [import_named(name) for names in found for name in names]

    def are_under_way(self) -> bool:
        """Whether there is an import that is not done, or one is just being uploaded.

        What is not urgent waits meanwhile: who does it is in the way of both. Raises `StoreUnavailable`.
        """
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            for shard in range(SHARDS):
                pipe.exists(open_key(shard), uploading_key(shard))
            return any(pipe.execute())

    def claim(self, stream: Stream, lease: float = LEASE) -> Chunk | None:
        """A chunk of an import that nobody is at work on. Raises `StoreUnavailable`."""
        key = import_key(stream)
        with store_errors():
            found = self._claim([f"{key}:chunks", f"{key}:left"], [_ms(lease), _ms(_MAX_LEASE)])
            if found is None:
                return None
            by, accepted = cast(list[bytes], self._redis.hmget(key, ["by", "accepted"]))
        number, again, stored = cast(tuple[int, int, bytes], found)
        first, at = get_number(stored, 0)
        block = Block(first, isal_zlib.decompress(stored[at:], -15))
        since = int(accepted) if again else None
        return Chunk(stream.tenant, stream.id, number, block, Importing(*orjson.loads(by)), since)

    def finish(self, chunk: Chunk, outcomes: Iterable[Outcome]) -> int:
        """Keep the outcomes of a chunk's lines; how many chunks are left. Raises `StoreUnavailable`.

        Nothing is changed where another has done the chunk meanwhile.
        """
        told = list(outcomes)
        counts = Counter(_COUNTS.get(outcome.status, "failed") for outcome in told)
        lines = isal_zlib.compress(b"".join(outcome.as_line() for outcome in told), 2, -15)
        stream = Stream(KIND, chunk.tenant, chunk.import_id)
        key = import_key(stream)
        keys = [key, f"{key}:chunks", f"{key}:left", f"{key}:results", open_key(shard_of(stream))]
        added = [part for count in counts.items() for part in count]
        with store_errors():
            return cast(
                int, self._finish(keys, [import_name(stream), KEPT_SECONDS, chunk.number, lines, *added])
            )

    def waiting(self, stream: Stream, late: float = 0) -> int:
        """How many chunks of an import could have been claimed ``late`` seconds ago, and were not.

        Raises `StoreUnavailable`.
        """
        with store_errors():
            seconds, micros = self._redis.time()
            latest = seconds * 1000 + micros // 1000 - _ms(late)
            return self._redis.zcount(f"{import_key(stream)}:left", "-inf", latest)


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
