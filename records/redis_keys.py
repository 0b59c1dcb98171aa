"""The key names of what is kept in Redis.

A stream is a Redis list: its head, its view, then its entries in order. Streams are spread over
`SHARDS` shards, and every key of a shard carries the shard's hash tag, so that an append with all
that belongs to it is one script in one slot (docs/adr/0020-event-log-in-redis.md):

    {t07}:hand:default:<id>             the stream
    {t07}:hands:default                 the ids of the shard's streams, in the order of arrival
    {t07}:hands:default:lists           places in that list of, say, a session's streams: the first few
    {t07}:hands:default:session:<id>    the same: those that follow
    {t07}:due                           streams whose view is due, by the time of the next try
    {t07}:feed:default                  what happened in the shard, in order: see `records.feed`
"""

from __future__ import annotations

from typing import Final
from zlib import crc32

from records.log import Stream

SHARDS: Final = 16
"""How many slots the streams are spread over. Fixed: an id's shard is found by counting."""

KINDS: Final = ("hand", "session", "tournament", "variant", "ending")
"""The kinds of streams, and of batches that have ended. Their numbers are in the store."""

TOMBSTONE: Final = "!"
"""Begins what stands at the place of a stream that was taken out of the store. No id begins with it."""


def shard_of(stream: Stream) -> int:
    """The shard that a stream lives in."""
    return crc32(f"{stream.tenant}/{stream.id}".encode()) % SHARDS


def stream_key(stream: Stream) -> str:
    """The key of a stream."""
    return f"{tag_of(shard_of(stream))}:{due_name(stream)}"


def due_key(shard: int) -> str:
    """The key of what is due in a shard: a sorted set of `due_name`, by when it may be claimed (ms)."""
    return f"{tag_of(shard)}:due"


def due_name(stream: Stream) -> str:
    """A stream's name among what is due."""
    return f"{stream.kind}:{stream.tenant}:{stream.id}"


def due_stream(name: bytes) -> Stream:
    """The stream of such a name."""
    kind, tenant, id_ = name.decode().split(":", 2)
    return Stream(kind, tenant, id_)


def feed_key(shard: int, tenant: str) -> str:
    """The key of what happened in a shard: a list of entries that `records.feed_entries` reads."""
    return f"{tag_of(shard)}:feed:{tenant}"


def ids_key(shard: int, kind: str, tenant: str) -> str:
    """The key of the ids of a shard's streams, in the order of arrival."""
    return f"{tag_of(shard)}:{kind}s:{tenant}"


def list_name(by: tuple[str, str]) -> str:
    """A list's name among the short ones; a long one has a key of its own that ends in it."""
    return f"{by[0]}:{by[1]}"


def tag_of(shard: int) -> str:
    """The hash tag of a shard, which all its keys begin with."""
    return f"{{t{shard:02}}}"
