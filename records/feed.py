"""The feed: what was appended, across all hands of a tenant, in one order that never changes.

The script that appends also leaves a few bytes in a list of its shard: what happened, when, to which
stream, up to which version. The events themselves are read from the hands when the feed is served.
A cursor is a position in the list of each shard, so that nothing is missed or given twice, whatever
the clocks do. Pages merge the lists by time, and hold back what is of the present millisecond: of
the time before it nothing can be appended any more, so that whoever reads from the same cursor reads the
same order (docs/adr/0053-feed.md).
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Any, Final, NamedTuple, cast

import redis

from records import session_log, tournament_log
from records.feed_cursor import Place, read_cursor, write_cursor
from records.feed_entries import (
    ENDED,
    GAP,
    Entry,
    ended_item,
    is_notice,
    read_entry,
    sheet_item,
    stream_item,
    tells_events,
)
from records.log import StoredStream, Stream
from records.redis_client import store_errors
from records.redis_keys import SHARDS, TOMBSTONE, feed_key, ids_key
from records.redis_log import RedisLog
from records.stored_hands import LoggedEvent, StoredHand, hand_of
from records.visibility import Viewer, exposure_of, hide
from trull import Variant
from trull.variants import VARIANTS

LATEST: Final = "latest"
"""Stands for the cursor of the end as it is now."""

_CHUNK: Final = 64
_LONGEST_CHUNK: Final = 4096
_GROUP: Final = 100
"""Entries that are looked up at once."""
_WRONG_CLOCK: Final = 5_000
"""Milliseconds: what is further ahead was written before a clock was set back, and is served at once."""
_PAUSE: Final = 0.002


class FeedPage(NamedTuple):
    """A part of the feed as JSON, the cursor of what follows, and whether it ended for being full."""

    items: list[dict[str, Any]]
    next: str
    full: bool


class Feed:
    """The feeds of all tenants. Makes no connection before it is used; threads may share it."""

    def __init__(self, client: redis.Redis, variants: Mapping[str, Variant] = VARIANTS) -> None:
        self._redis = client
        self._variants = variants

    def page(self, tenant: str, cursor: str | None, limit: int, viewer: Viewer) -> FeedPage:
        """Up to ``limit`` items from a cursor on, or from the beginning.

        Raises `InvalidCursor`, `StoreUnavailable`.
        """
        walk = self.follow(tenant, cursor, viewer)
        items = walk.some(limit)
        if len(items) < limit and walk.held_back:
            # It is of the present millisecond, which is over by then.
            time.sleep(_PAUSE)
            items += walk.some(limit - len(items))
        return FeedPage(items, walk.cursor, len(items) == limit)

    def follow(self, tenant: str, cursor: str | None, viewer: Viewer, *, notices: bool = False) -> FeedWalk:
        """A walk from a cursor on, or from the beginning. Raises `InvalidCursor`, `StoreUnavailable`.

        ``notices``: over events of hands and tournaments it goes on without reading them.
        """
        if cursor is None:
            place = Place([0] * SHARDS)
        elif cursor == LATEST:
            place = Place(self._lengths(tenant))
        else:
            place = read_cursor(cursor, tenant)
        return FeedWalk(self._redis, tenant, place, viewer, self._variants, notices=notices)

    def is_behind(self, tenant: str, cursor: str, lengths: Sequence[int]) -> bool:
        """Whether anything follows a cursor in lists of these lengths. Raises `InvalidCursor`."""
        return any(at < end for at, end in zip(read_cursor(cursor, tenant).positions, lengths, strict=True))

    def end(self, tenant: str) -> tuple[str, list[int]]:
        """The end as it is: its cursor, and the length of each shard's list. Raises `StoreUnavailable`."""
        lengths = self._lengths(tenant)
        return write_cursor(Place([*lengths]), tenant), lengths

    def _lengths(self, tenant: str) -> list[int]:
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            for shard in range(SHARDS):
                pipe.llen(feed_key(shard, tenant))
            return cast(list[int], pipe.execute())


class FeedWalk:
    """Walks the lists of all shards at once; where it stands can be told after each item."""

    def __init__(
        self,
        client: redis.Redis,
        tenant: str,
        place: Place,
        viewer: Viewer,
        variants: Mapping[str, Variant],
        *,
        notices: bool = False,
    ) -> None:
        self._redis = client
        self._log = RedisLog(client)
        self._tenant = tenant
        self._notices = notices
        self._at = place
        self._viewer = viewer
        self._variants = variants
        self.held_back = False
        """Whether the last look came upon something that is too new to be served."""

    @property
    def cursor(self) -> str:
        """Where to go on after the item that came last."""
        return write_cursor(self._at, self._tenant)

    def check(self) -> None:
        """Raises `StoreUnavailable` where the walk could not begin."""
        self._now()

    def some(self, limit: int) -> list[dict[str, Any]]:
        """Up to ``limit`` of the items that are there by now. Raises `StoreUnavailable`."""
        return list(islice(self.items(limit), limit))

    def items(self, wanted: int = _GROUP) -> Iterator[dict[str, Any]]:
        """The items that are there by now, as JSON. ``wanted``: how many are likely to be taken.

        Raises `StoreUnavailable`.
        """
        entries = self._merged()
        while group := _some_entries(entries, wanted):
            streams = self._streams([one for one in group if is_notice(one) or not self._notices])
            events = self._events(
                {streams[entry] for entry in group if entry in streams and tells_events(entry)}
            )
            for entry in group:
                yield from self._told(entry, streams.get(entry), events)

    # --- what is next ----------------------------------------------------------------------------

    def _merged(self) -> Iterator[Entry]:
        """The entries of all shards by time, up to those before which something may still come."""
        self.held_back = False
        now = self._now()
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            for shard, position in enumerate(self._at.positions):
                pipe.lrange(feed_key(shard, self._tenant), position, position + _CHUNK - 1)
            parts: list[list[bytes]] = pipe.execute()
        shards = [self._shard(shard, now, part) for shard, part in enumerate(parts)]
        if self._at.passed:
            # The rest of what was begun comes first, also where a clock has been set back since.
            yield from islice(shards[self._at.shard], 1)
        yield from heapq.merge(*shards, key=lambda entry: entry[:2])

    def _shard(self, shard: int, now: int, part: list[bytes]) -> Iterator[Entry]:
        """What a shard has, ``part`` first, which was read already."""
        position, count = self._at.positions[shard], _CHUNK
        while part:
            for is_there, run in groupby(part, key=bool):
                if not is_there:
                    yield Entry(0, shard, GAP, "", 0, 0, 0, span=sum(1 for _ in run))
                    continue
                for stored in run:
                    entry = read_entry(stored, shard)
                    if now <= entry.time < now + _WRONG_CLOCK:
                        self.held_back = True
                        return
                    yield entry
            if len(part) < count:
                return
            position += len(part)
            # What was archived may fill the beginning of a list: few steps lead over it.
            count = _CHUNK if any(part) else min(4 * count, _LONGEST_CHUNK)
            with store_errors():
                found = self._redis.lrange(feed_key(shard, self._tenant), position, position + count - 1)
            part = cast(list[bytes], found)

    def _now(self) -> int:
        """The store's time in milliseconds; of several nodes, that of the clock which is behind."""
        with store_errors():
            seconds, micros = self._redis.time()
        return seconds * 1000 + micros // 1000

    # --- what it tells ---------------------------------------------------------------------------

    def _streams(self, entries: Sequence[Entry]) -> dict[Entry, Stream]:
        """The streams of entries, as far as they are in the store."""
        entries = [entry for entry in entries if entry.what != GAP]
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            for entry in entries:
                pipe.lindex(ids_key(entry.shard, entry.kind, self._tenant), entry.place)
            ids: list[bytes | None] = pipe.execute()
        return {
            entry: Stream(entry.kind, self._tenant, id_.decode())
            for entry, id_ in zip(entries, ids, strict=True)
            if id_ is not None and not id_.startswith(TOMBSTONE.encode())
        }

    def _events(self, streams: set[Stream]) -> dict[Stream, list[LoggedEvent]]:
        """All events of the streams that are there, as far as the reader may see them."""
        return {
            found.stream: self._events_of(found)
            for found in self._log.read_many(list(streams))
            if found is not None
        }

    def _events_of(self, found: StoredStream) -> list[LoggedEvent]:
        if found.stream.kind == session_log.KIND:
            return session_log.session_of(found).log
        if found.stream.kind == tournament_log.KIND:
            return tournament_log.log_of(found)
        return self._shown(hand_of(found, self._variants))

    def _shown(self, hand: StoredHand) -> list[LoggedEvent]:
        if self._viewer.all_cards:
            return hand.entries
        return hide(hand.entries, exposure_of(hand.judged(self._variants)), self._viewer)

    def _told(
        self, entry: Entry, stream: Stream | None, events: Mapping[Stream, list[LoggedEvent]]
    ) -> Iterator[dict[str, Any]]:
        """The items of an entry; none of a stream that is gone. Before each the place is moved on."""
        first = entry.version - entry.events
        items: list[dict[str, Any]] = []
        if stream is not None and entry.what:
            items = [ended_item(entry, stream) if entry.what == ENDED else sheet_item(entry, stream)]
        elif stream is not None and not tells_events(entry):
            items = [stream_item(entry, stream)]
        elif stream is not None:
            found = events.get(stream, [])[first : entry.version]
            kind = stream.kind
            items = [{"type": f"{kind}.event", f"{kind}_id": stream.id, **event._asdict()} for event in found]
        for item in items[self._at.passed : -1]:
            self._at.shard, self._at.passed = entry.shard, self._at.passed + 1
            yield item
        self._at.positions[entry.shard] += entry.span
        self._at.passed = 0
        yield from items[-1:]


def _some_entries(entries: Iterator[Entry], wanted: int) -> list[Entry]:
    """The next entries: as many as have the wanted number of items, and not too many."""
    found: list[Entry] = []
    for entry in entries:
        found.append(entry)
        wanted -= 1 if entry.what else entry.events
        if wanted <= 0 or len(found) == _GROUP:
            break
    return found
