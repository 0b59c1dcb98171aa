"""The event log in Redis: how it is appended to (`records.append_script`), and how streams are read."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, cast

import redis
from redis.exceptions import NoScriptError

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
from records.redis_client import spreads, store_errors
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
from records.redis_script import QuickScript

Planned = tuple[Stream, int, Append]
"""A stream, the version that it is expected to have, and what is to be appended."""

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
        version = self._append_in(shard_of(stream), [(stream, expected, append)])[0]
        if version <= 0:
            raise VersionMismatch(-version)
        return version

    def append_many(self, appends: Sequence[Planned]) -> list[int | VersionMismatch | StoreUnavailable]:
        """Appends to streams of one tenant and kind, each of them done or not by itself.

        Answers the new version of each, or why there is none, in their order. All go in one round trip,
        with one script for each shard, and share a wait for the disk.
        """
        shards: dict[int, list[int]] = {}
        for place, (stream, _, _) in enumerate(appends):
            shards.setdefault(shard_of(stream), []).append(place)
        calls = [(shard, [appends[place] for place in places]) for shard, places in shards.items()]
        answers: list[int | VersionMismatch | StoreUnavailable] = [0] * len(appends)
        for places, found in zip(shards.values(), self._append_all(calls), strict=True):
            for at, place in enumerate(places):
                if isinstance(found, StoreUnavailable):
                    answers[place] = found
                else:
                    answers[place] = found[at] if found[at] > 0 else VersionMismatch(-found[at])
        return answers

    def _append_all(
        self, calls: Sequence[tuple[int, Sequence[Planned]]]
    ) -> list[list[int] | StoreUnavailable]:
        """The scripts' answers for streams of several shards."""
        if spreads(self._redis):
            # redis-py takes no scripts in a cluster's pipeline, and would send again what got no answer.
            return [self._tried(shard, appends) for shard, appends in calls]
        try:
            with store_errors(), self._redis.pipeline(transaction=False) as pipe:
                for shard, appends in calls:
                    self._append_in(shard, appends, pipe)
                results = pipe.execute(raise_on_error=False)
        except StoreUnavailable as error:
            return [error] * len(calls)
        answers: list[list[int] | StoreUnavailable] = []
        for (shard, appends), result in zip(calls, results, strict=True):
            if isinstance(result, NoScriptError):  # nothing was done, and this tells the server the script
                answers.append(self._tried(shard, appends))
                continue
            try:
                with store_errors():
                    if isinstance(result, Exception):
                        raise result
                answers.append(result)
            except StoreUnavailable as error:
                answers.append(error)
        return answers

    def _tried(self, shard: int, appends: Sequence[Planned]) -> list[int] | StoreUnavailable:
        try:
            return self._append_in(shard, appends)
        except StoreUnavailable as error:
            return error

    def _append_in(
        self, shard: int, appends: Sequence[Planned], client: redis.Redis | None = None
    ) -> list[int]:
        """The script's answers for streams of one shard: versions, those in the way as negative numbers."""
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
        with store_errors():
            return cast(list[int], self._append(keys, arguments, client))

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
