"""The keys of a batch. All are in one shard, apart from the log (docs/adr/0061-batches.md).

{t07}:rescores                         batches that are not over: names, by when a chunk was last claimed
{t07}:rescores:kept                    batches that are kept: names, by the time until when (ms)
{t07}:rescore:default:<id>             what is known of a batch, and how far it is
{t07}:rescore:default:<id>:ids         the hands, where they were named
{t07}:rescore:default:<id>:left        the chunks that are left, by number; once claimed, by the next try
{t07}:rescore:default:<id>:results     the results of the chunks that are done, by number
{t07}:rescore:default:<id>:sums        what each of them adds to the players' sums
{t07}:endings:default                  the ids of batches that ended, which the feed tells of
"""

from __future__ import annotations

from typing import Final

import redis

from records.log import Stream
from records.redis_keys import feed_key, ids_key, shard_of, tag_of

KIND: Final = "rescore"
ENDING: Final = "ending"
"""What the feed knows a batch as that has ended."""
ENDINGS: Final = ("done", "failed", "cancelled")
"""How a batch ends. Their numbers are in the store."""


def batch_key(stream: Stream) -> str:
    """The key of a batch; its other keys begin with it."""
    return f"{tag_of(shard_of(stream))}:{KIND}:{batch_name(stream)}"


def all_keys(stream: Stream) -> list[str]:
    """All keys of a batch, in the order that the scripts know."""
    key, shard = batch_key(stream), shard_of(stream)
    parts = [f"{key}:{part}" for part in ("left", "results", "sums", "ids")]
    told = [feed_key(shard, stream.tenant), ids_key(shard, ENDING, stream.tenant)]
    return [key, *parts, open_key(shard), kept_key(shard), *told]


def open_key(shard: int) -> str:
    """The key of a shard's batches that are not over."""
    return f"{tag_of(shard)}:rescores"


def kept_key(shard: int) -> str:
    """The key of a shard's batches that are kept."""
    return f"{tag_of(shard)}:rescores:kept"


def batch_name(stream: Stream) -> str:
    """The name of a batch in those lists."""
    return f"{stream.tenant}:{stream.id}"


def batch_named(name: bytes) -> Stream:
    """The batch of such a name."""
    return Stream(KIND, *name.decode().split(":", 1))


def store_time(client: redis.Redis) -> int:
    """The time by the store's clock, in milliseconds since 1970."""
    seconds, micros = client.time()
    return int(seconds) * 1000 + int(micros) // 1000
