"""Imports of any size: what was uploaded, which part of it is left to do, and what became of each line.

An upload is stored as it comes, in chunks of whole lines, deflated: a tenth of its size. When it is
complete it becomes an import, in one step. Workers claim chunk after chunk with a lease, as they claim hands
that are due (`records.sheets`); who dies leaves a chunk that falls due again, and to do it twice
changes nothing. A chunk is done when the outcomes of its lines are stored, which takes the chunk away.
All keys of an import are in one shard (docs/adr/0055-imports.md):

    {t07}:imports                          the imports that are not done: names, by the time of their upload
    {t07}:uploading                        for two seconds from each chunk of an upload that has just begun
    {t07}:import:default:<id>              what is known of an import, and how far it is
    {t07}:import:default:<id>:chunks       the chunks that are left, by their number
    {t07}:import:default:<id>:left         the same numbers, in order; once claimed, by the next try
    {t07}:import:default:<id>:results      the outcomes of the chunks that are done
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

import orjson
import redis
import uuid_utils
from isal import isal_zlib

from records.import_records import Importing
from records.imports import Outcome
from records.lines import Block
from records.log import StoreUnavailable, Stream
from records.octets import get_number, put_number
from records.redis_client import store_errors
from records.redis_keys import SHARDS, shard_of, tag_of

KIND: Final = "import"

CHUNK_BYTES: Final = 2_000_000
"""About how much of an upload is stored, and worked on, at once."""

KEPT_SECONDS: Final = 7 * 86_400
"""How long an import and its outcomes are kept once it is done."""

LEASE: Final = 10.0
"""Seconds after which a claimed chunk may be claimed again."""

_MAX_LEASE: Final = 60.0
_UPLOAD_SECONDS: Final = 3_600
"""After so long without another piece, what was stored of an upload goes."""

_HASTE_SECONDS: Final = 10.0
"""How long an upload may hold up what is not urgent. A slow one must not do so for hours."""
_UPLOADING_SECONDS: Final = 2
"""How long it does so after each chunk, in case that no other comes."""

# KEYS: import, chunks, left, imports, uploading
# ARGV: name, seconds that a done import is kept, number of chunks, then fields and values of the import
# Answers 1, also where it is done already; 0 where chunks are gone.
_ACCEPT: Final = """
if redis.call('EXISTS', KEYS[1]) == 1 then return 1 end
local count = tonumber(ARGV[3])
if redis.call('HLEN', KEYS[2]) ~= count then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[1], 'accepted', now, unpack(ARGV, 4))
redis.call('DEL', KEYS[5])
for chunk = 0, count - 1 do redis.call('ZADD', KEYS[3], chunk, chunk) end
if count > 0 then
  redis.call('PERSIST', KEYS[2])
  redis.call('ZADD', KEYS[4], now, ARGV[1])
else
  redis.call('HSET', KEYS[1], 'finished', now)
  redis.call('EXPIRE', KEYS[1], ARGV[2])
end
return 1
"""

# KEYS: import, chunks, uploading
_ABANDON: Final = """
if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('DEL', KEYS[2], KEYS[3]) end
"""

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


@dataclass(frozen=True, slots=True)
class ImportState:
    """How far an import is. Times are in milliseconds since 1970; ``total`` and what follows are lines."""

    import_id: str
    accepted: int
    finished: int | None
    size: int
    chunks: int
    total: int
    created: int
    existing: int
    failed: int

    @property
    def done(self) -> int:
        """The lines that have an outcome."""
        return self.created + self.existing + self.failed

    @property
    def status(self) -> str:
        """``queued``, ``running`` or ``done``."""
        if self.finished is not None:
            return "done"
        return "running" if self.done else "queued"


class Chunk(NamedTuple):
    """A part of an import that is to be done now, by nobody else for the time of the lease."""

    tenant: str
    import_id: str
    number: int
    block: Block
    by: Importing
    since: int | None
    """If it was claimed before, by somebody who did not end it: when the import was accepted."""


class Upload:
    """What is stored of an upload that still comes. Nothing is imported before `Imports.accept`."""

    def __init__(self, client: redis.Redis, tenant: str) -> None:
        self._redis = client
        self.stream = Stream(KIND, tenant, str(uuid_utils.uuid7()))
        self.size = self.chunks = self.total = 0
        self._until = time.monotonic() + _HASTE_SECONDS

    def add(self, block: Block) -> None:
        """Store the next lines. Raises `StoreUnavailable`."""
        chunk = bytearray()
        put_number(chunk, block.first)
        key = f"{_key(self.stream)}:chunks"
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            pipe.hset(key, str(self.chunks), bytes(chunk) + isal_zlib.compress(block.data, 1, -15))
            pipe.expire(key, _UPLOAD_SECONDS)
            if time.monotonic() < self._until:
                pipe.set(_uploading_key(shard_of(self.stream)), b"1", ex=_UPLOADING_SECONDS)
            pipe.execute()
        self.chunks += 1
        self.size += len(block.data)
        self.total += sum(1 for _ in block.lines())


class Imports:
    """The imports of all tenants. Makes no connection before it is used; threads may share it."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        self._accept = client.register_script(_ACCEPT)
        self._abandon = client.register_script(_ABANDON)
        self._claim = client.register_script(_CLAIM)
        self._finish = client.register_script(_FINISH)

    def upload(self, tenant: str) -> Upload:
        """A new upload."""
        return Upload(self._redis, tenant)

    def accept(self, upload: Upload, by: Importing) -> str:
        """Make an import of a complete upload; its id.

        Raises `StoreUnavailable`, also where it was abandoned or is too old by now.
        """
        stream = upload.stream
        key = _key(stream)
        fields: dict[str, Any] = {
            "by": orjson.dumps(list(by)),
            "size": upload.size,
            "chunks": upload.chunks,
            "total": upload.total,
        }
        pairs = [part for field in fields.items() for part in field]
        shard = shard_of(stream)
        keys = [key, f"{key}:chunks", f"{key}:left", _open_key(shard), _uploading_key(shard)]
        with store_errors():
            accepted = self._accept(keys, [_name(stream), KEPT_SECONDS, upload.chunks, *pairs])
        if not accepted:
            raise StoreUnavailable("what was stored of the upload is gone")
        return stream.id

    def abandon(self, upload: Upload) -> None:
        """Throw away an upload, unless it is an import by now: who accepted it may not have heard of that.

        Raises `StoreUnavailable`; it goes by itself then.
        """
        key = _key(upload.stream)
        with store_errors():
            self._abandon([key, f"{key}:chunks", _uploading_key(shard_of(upload.stream))])

    def state(self, tenant: str, import_id: str) -> ImportState | None:
        """How far an import is; None if there is none, or no longer. Raises `StoreUnavailable`."""
        with store_errors():
            found = cast(dict[bytes, bytes], self._redis.hgetall(_key(Stream(KIND, tenant, import_id))))
        if b"accepted" not in found:
            return None
        numbers = {name: int(found.get(name.encode(), 0)) for name in _NUMBERS}
        finished = found.get(b"finished")
        return ImportState(import_id, finished=None if finished is None else int(finished), **numbers)

    def results(self, tenant: str, state: ImportState) -> Iterator[bytes]:
        """The outcomes in the order of the lines, up to the first chunk that is not done.

        Raises `StoreUnavailable`.
        """
        key = f"{_key(Stream(KIND, tenant, state.import_id))}:results"
        for number in range(state.chunks):
            with store_errors():
                found = cast(bytes | None, self._redis.hget(key, str(number)))
            if found is None:
                return
            yield isal_zlib.decompress(found, -15)

    # --- for the workers -------------------------------------------------------------------------

    def left(self) -> list[Stream]:
        """The imports that are not done, the oldest of each shard first. Raises `StoreUnavailable`."""
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            for shard in range(SHARDS):
                pipe.zrange(_open_key(shard), 0, -1)
            found: list[list[bytes]] = pipe.execute()
        return [Stream(KIND, *name.decode().split(":", 1)) for names in found for name in names]

    def are_under_way(self) -> bool:
        """Whether there is an import that is not done, or one is just being uploaded.

        What is not urgent waits meanwhile: who does it is in the way of both. Raises `StoreUnavailable`.
        """
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            for shard in range(SHARDS):
                pipe.exists(_open_key(shard), _uploading_key(shard))
            return any(pipe.execute())

    def claim(self, stream: Stream, lease: float = LEASE) -> Chunk | None:
        """A chunk of an import that nobody is at work on. Raises `StoreUnavailable`."""
        key = _key(stream)
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
        key = _key(stream)
        keys = [key, f"{key}:chunks", f"{key}:left", f"{key}:results", _open_key(shard_of(stream))]
        added = [part for count in counts.items() for part in count]
        with store_errors():
            return cast(int, self._finish(keys, [_name(stream), KEPT_SECONDS, chunk.number, lines, *added]))

    def waiting(self, stream: Stream, late: float = 0) -> int:
        """How many chunks of an import could have been claimed ``late`` seconds ago, and were not.

        Raises `StoreUnavailable`.
        """
        with store_errors():
            seconds, micros = self._redis.time()
            latest = seconds * 1000 + micros // 1000 - _ms(late)
            return self._redis.zcount(f"{_key(stream)}:left", "-inf", latest)


_NUMBERS: Final = ("accepted", "size", "chunks", "total", "created", "existing", "failed")
_COUNTS: Final[Mapping[int, str]] = {202: "created", 201: "created", 200: "existing"}


def _open_key(shard: int) -> str:
    return f"{tag_of(shard)}:imports"


def _uploading_key(shard: int) -> str:
    return f"{tag_of(shard)}:uploading"


def _key(stream: Stream) -> str:
    return f"{tag_of(shard_of(stream))}:{KIND}:{_name(stream)}"


def _name(stream: Stream) -> str:
    return f"{stream.tenant}:{stream.id}"


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
