"""The event log in Redis: how it is appended to (`records.append_script`), and how streams are read."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, cast

import redis

from records.append_script import APPEND
from records.bundles import unbundle
from records.log import (
    Append,
    StoredEntry,
    StoredStream,
    StoreUnavailable,
    Stream,
    VersionMismatch,
    View,
)
from records.redis_client import store_errors
from records.redis_keys import (
    KINDS,
    SHARDS,
    TOMBSTONE,
    due_key,
    due_name,
    feed_key,
    ids_key,
    list_name,
    shard_of,
    stream_key,
)
from records.redis_listing import RedisListing
from records.redis_script import Begun, QuickScript, Words

Planned = tuple[Stream, int, Append]
"""A stream, the version that it is expected to have, and what is to be appended."""

Appended = int | VersionMismatch | StoreUnavailable
"""The version that a stream has now, or why nothing was appended to it."""

HEAD: Final = struct.Struct(">I6sI")
VERSION: Final = struct.Struct(">I")
_TIME_BYTES: Final = 6
_BUNDLE: Final = 1 << 47
"""Set in the time of an element that holds many entries (`records.bundles`)."""
LAST_MOMENT: Final = _BUNDLE - 1
"""The last time that an entry can have, in milliseconds since 1970: in the year 6429."""
_VIEW, _FIRST_ENTRY = 1, 2
"""Places among the elements of a stream."""


class RedisLog:
    """The `EventLog` on one Redis, or on a cluster of them."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        self._append = QuickScript(client, APPEND)

    def append(self, stream: Stream, expected: int, append: Append) -> int:
        """As in `EventLog`."""
        with store_errors():
            version: int = self._append(*_words(shard_of(stream), [(stream, expected, append)]))[0]
        if version <= 0:
            raise VersionMismatch(-version)
        return version

    def append_many(self, appends: Sequence[Planned]) -> list[Appended]:
        """Appends to streams of one tenant and kind, each of them done or not by itself.

        Answers the new version of each, or why there is none, in their order. All go in one round trip,
        with one script for each shard, and share a wait for the disk.
        """
        return self.begin_many(appends).answers()

    def begin_many(self, appends: Sequence[Planned]) -> Appending:
        """The same without a wait for the answers."""
        shards: dict[int, list[int]] = {}
        for place, (stream, _, _) in enumerate(appends):
            shards.setdefault(shard_of(stream), []).append(place)
        calls = [_words(shard, [appends[place] for place in places]) for shard, places in shards.items()]
        return Appending([*shards.values()], self._append.begin(calls))

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
        return self._fetch(streams, _FIRST_ENTRY)

    def views(self, streams: Sequence[Stream]) -> list[StoredStream | None]:
        """Streams without entries: their heads and their views."""
        return self._fetch(streams, _VIEW)

    def _fetch(self, streams: Sequence[Stream], last: int) -> list[StoredStream | None]:
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            for stream in streams:
                pipe.lrange(stream_key(stream), 0, last)
            found = [stored(stream, parts) for stream, parts in zip(streams, pipe.execute(), strict=True)]
        if last == _FIRST_ENTRY:  # a bundle holds more than was asked for
            return [one and replace(one, entries=one.entries[:1]) for one in found]
        return found

    def ids(self, kind: str, tenant: str) -> list[list[str]]:
        """The ids of all streams of a kind, those of each shard in the order of arrival."""
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            for shard in range(SHARDS):
                pipe.lrange(ids_key(shard, kind, tenant), 0, -1)
            return [[id_.decode() for id_ in ids] for ids in pipe.execute()]

    def members(self, kind: str, tenant: str, by: tuple[str, str]) -> list[StoredStream]:
        """All streams of a list at once, oldest first, with no more than their first entry.

        Three round trips instead of some for each shard: for lists that are read whole, like a session's.
        """
        name = list_name(by)
        keys = [ids_key(shard, kind, tenant) for shard in range(SHARDS)]
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            for key in keys:
                pipe.hget(f"{key}:lists", name)
                pipe.lrange(f"{key}:{name}", 0, -1)
            parts: list[Any] = pipe.execute()
            for shard, key in enumerate(keys):
                for place in (*(parts[2 * shard] or b"").split(), *parts[2 * shard + 1]):
                    pipe.lindex(key, int(place))
            ids: list[bytes] = pipe.execute()
        there = [id_.decode() for id_ in ids if not id_.startswith(TOMBSTONE.encode())]
        found = self.glance([Stream(kind, tenant, id_) for id_ in there])
        # The order of a shard is kept, and so is that of the shards where the times are the same.
        return sorted((one for one in found if one is not None), key=lambda one: one.created)

    def listed(self, kind: str, tenant: str, by: tuple[str, str] | None, after: str | None) -> RedisListing:
        """As in `EventLog`. Raises `InvalidCursor`."""
        return RedisListing(self.glance, self._redis, kind, tenant, by, after)


class Appending:
    """Appends that were sent. ``places`` are those of each call's among all of them."""

    def __init__(self, places: Sequence[Sequence[int]], begun: Begun) -> None:
        self._places, self._begun = places, begun

    def answers(self) -> list[Appended]:
        """What became of each, in their order; to be asked for once."""
        answers: dict[int, Appended] = {}
        for places, found in zip(self._places, self._begun.answers(), strict=True):
            try:
                with store_errors():
                    if isinstance(found, Exception):
                        raise found
                answers |= zip(places, map(_version, found), strict=True)
            except StoreUnavailable as error:
                answers |= dict.fromkeys(places, error)
        return [answers[place] for place in range(len(answers))]

    def leave(self) -> None:
        """Nobody will ask for the answers any more."""
        self._begun.leave()


def _version(found: int) -> int | VersionMismatch:
    """What the script answers for a stream: its version, if another is in the way as a negative number."""
    return found if found > 0 else VersionMismatch(-found)


def _words(shard: int, appends: Sequence[Planned]) -> Words:
    """What the script is called with for streams of one shard."""
    first = appends[0][0]
    ids = ids_key(shard, first.kind, first.tenant)
    keys = [due_key(shard), ids, f"{ids}:lists", feed_key(shard, first.tenant)]
    arguments: list[str | int | bytes] = [KINDS.index(first.kind)]
    for stream, expected, append in appends:
        names = [list_name(by) for by in append.lists]
        keys.append(stream_key(stream))
        keys += [f"{ids}:{name}" for name in names]
        due = "" if not append.due else "1" if append.urgent else "2"
        arguments += [expected, append.events, append.head, due, stream.id, due_name(stream)]
        arguments += [len(names), *names, len(append.earlier) + 1]
        for recorded, body in (*append.earlier, (append.recorded, append.body)):
            arguments += [b"" if recorded is None else recorded.to_bytes(_TIME_BYTES), body]
    return keys, arguments


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
        tuple(_entries(entries)),
        len(entries),
    )


def _entries(parts: Iterable[bytes]) -> Iterator[StoredEntry]:
    """The entries of the elements of a Redis list that hold them, one each or many in a bundle."""
    for part in parts:
        recorded, body = int.from_bytes(part[:_TIME_BYTES]), part[_TIME_BYTES:]
        if recorded & _BUNDLE:
            yield from unbundle(recorded & ~_BUNDLE, body)
        else:
            yield StoredEntry(recorded, body)


def bundle_part(recorded: int, body: bytes) -> bytes:
    """The element of a Redis list that holds the bundle of entries of which the first was recorded then."""
    return (recorded | _BUNDLE).to_bytes(_TIME_BYTES) + body


def read_view(stored_view: bytes) -> View | None:
    """The view of the element of a Redis list that holds it, which is empty at first."""
    if not stored_view:
        return None
    return View(VERSION.unpack_from(stored_view)[0], stored_view[VERSION.size :])
