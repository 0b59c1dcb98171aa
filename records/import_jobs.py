"""Imports of any size: what is uploaded, and how far the import that it becomes is.

An upload is stored as it comes, in chunks of whole lines, deflated: an eighth of its size. When it is
complete it becomes an import, in one step. The chunks are then done by workers (`records.import_chunks`).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, cast

import orjson
import redis
import uuid_utils
from isal import isal_zlib

from records.import_keys import KIND, import_key, import_name, open_key, uploading_key
from records.import_records import Importing
from records.lines import Block
from records.log import StoreUnavailable, Stream
from records.octets import put_number
from records.redis_client import store_errors
from records.redis_keys import shard_of

CHUNK_BYTES: Final = 2_000_000
"""About how much of an upload is stored, and worked on, at once."""

KEPT_SECONDS: Final = 7 * 86_400
"""How long an import and its outcomes are kept once it is done."""

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
        key = f"{import_key(self.stream)}:chunks"
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            pipe.hset(key, str(self.chunks), bytes(chunk) + isal_zlib.compress(block.data, 1, -15))
            pipe.expire(key, _UPLOAD_SECONDS)
            if time.monotonic() < self._until:
                pipe.set(uploading_key(shard_of(self.stream)), b"1", ex=_UPLOADING_SECONDS)
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

    def upload(self, tenant: str) -> Upload:
        """A new upload."""
        return Upload(self._redis, tenant)

    def accept(self, upload: Upload, by: Importing) -> str:
        """Make an import of a complete upload; its id.

        Raises `StoreUnavailable`, also where it was abandoned or is too old by now.
        """
        stream = upload.stream
        key = import_key(stream)
        fields: dict[str, Any] = {
            "by": orjson.dumps(list(by)),
            "size": upload.size,
            "chunks": upload.chunks,
            "total": upload.total,
        }
        pairs = [part for field in fields.items() for part in field]
        shard = shard_of(stream)
        keys = [key, f"{key}:chunks", f"{key}:left", open_key(shard), uploading_key(shard)]
        with store_errors():
            accepted = self._accept(keys, [import_name(stream), KEPT_SECONDS, upload.chunks, *pairs])
        if not accepted:
            raise StoreUnavailable("what was stored of the upload is gone")
        return stream.id

    def abandon(self, upload: Upload) -> None:
        """Throw away an upload, unless it is an import by now: who accepted it may not have heard of that.

        Raises `StoreUnavailable`; it goes by itself then.
        """
        key = import_key(upload.stream)
        with store_errors():
            self._abandon([key, f"{key}:chunks", uploading_key(shard_of(upload.stream))])

    def state(self, tenant: str, import_id: str) -> ImportState | None:
        """How far an import is; None if there is none, or no longer. Raises `StoreUnavailable`."""
        with store_errors():
            found = cast(dict[bytes, bytes], self._redis.hgetall(import_key(Stream(KIND, tenant, import_id))))
        if b"accepted" not in found:
            return None
        numbers = {name: int(found.get(name.encode(), 0)) for name in _NUMBERS}
        finished = found.get(b"finished")
        return ImportState(import_id, finished=None if finished is None else int(finished), **numbers)

    def results(self, tenant: str, state: ImportState) -> Iterator[bytes]:
        """The outcomes in the order of the lines, up to the first chunk that is not done.

        Raises `StoreUnavailable`.
        """
        key = f"{import_key(Stream(KIND, tenant, state.import_id))}:results"
        for number in range(state.chunks):
            with store_errors():
                found = cast(bytes | None, self._redis.hget(key, str(number)))
            if found is None:
                return
            yield isal_zlib.decompress(found, -15)


_NUMBERS: Final = ("accepted", "size", "chunks", "total", "created", "existing", "failed")
