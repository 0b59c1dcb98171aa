"""The feed: what was appended, across all hands of a tenant, in one order that never changes.

The script that appends also leaves a few bytes in a list of its shard: what happened, when, to which
stream, up to which version. The events themselves are read from the hands when the feed is served.
A cursor is a position in the list of each shard, so that nothing is missed or given twice, whatever
the clocks do. Pages merge the lists by time, and hold back what is of the present millisecond: of
the time before it nothing can be appended any more, so that whoever reads from the same cursor reads the
same order (docs/adr/0053-feed.md).
"""

from __future__ import annotations

import base64
import binascii
import heapq
import struct
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any, Final, NamedTuple, cast
from zlib import crc32

import redis

from records import session_log, tournament_log, variant_store
from records.log import InvalidCursor, StoredStream, Stream
from records.octets import get_number, put_number
from records.redis_client import store_errors
from records.redis_keys import KINDS, SHARDS, TOMBSTONE, feed_key, ids_key
from records.redis_log import RedisLog
from records.rescore_keys import ENDINGS
from records.sheets import SHEET_STATUSES
from records.stored_hands import LoggedEvent, StoredHand, hand_of, rfc3339
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
_FARTHEST: Final = 1 << 40
"""No list grows so long; a cursor beyond it was made up, which a checksum does not tell for certain."""
ENTRY: Final = struct.Struct(">B6sI3sH")
"""What happened, when, the stream's place among its shard's ids, its version, number of events or status."""

_SHEETS: Final = {1: "hand.scored", 2: "hand.corrected"}
_GAP: Final = 3
_ENDED: Final = 4


class _Entry(NamedTuple):
    """What is in the list of a shard: an append of ``events`` events up to ``version``, or a sheet, or the
    end of a batch.

    ``place`` is that of the stream among its shard's. Of the latter, ``events`` is the number of the status.
    Or a gap of ``span`` entries, whose hands were archived (`records.shelving`).
    """

    time: int
    shard: int
    what: int
    kind: str
    place: int
    version: int
    events: int
    span: int = 1
    """How many elements of the list it stands for."""


@dataclass(slots=True)
class _Place:
    """Where a walk stands: the position in each shard's list, and how far it is within one append."""

    positions: list[int]
    shard: int = 0
    passed: int = 0
    """How many events of the next append of ``shard`` were served."""


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
            place = _Place([0] * SHARDS)
        elif cursor == LATEST:
            place = _Place(self._lengths(tenant))
        else:
            place = _read_cursor(cursor, tenant)
        return FeedWalk(self._redis, tenant, place, viewer, self._variants, notices=notices)

    def is_behind(self, tenant: str, cursor: str, lengths: Sequence[int]) -> bool:
        """Whether anything follows a cursor in lists of these lengths. Raises `InvalidCursor`."""
        return any(at < end for at, end in zip(_read_cursor(cursor, tenant).positions, lengths, strict=True))

    def end(self, tenant: str) -> tuple[str, list[int]]:
        """The end as it is: its cursor, and the length of each shard's list. Raises `StoreUnavailable`."""
        lengths = self._lengths(tenant)
        return _write_cursor(_Place([*lengths]), tenant), lengths

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
        place: _Place,
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
        return _write_cursor(self._at, self._tenant)

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
            streams = self._streams([one for one in group if _is_notice(one) or not self._notices])
            events = self._events(
                {streams[entry] for entry in group if entry in streams and _tells_events(entry)}
            )
            for entry in group:
                yield from self._told(entry, streams.get(entry), events)

    # --- what is next ----------------------------------------------------------------------------

    def _merged(self) -> Iterator[_Entry]:
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

    def _shard(self, shard: int, now: int, part: list[bytes]) -> Iterator[_Entry]:
        """What a shard has, ``part`` first, which was read already."""
        position, count = self._at.positions[shard], _CHUNK
        while part:
            for is_there, run in groupby(part, key=bool):
                if not is_there:
                    yield _Entry(0, shard, _GAP, "", 0, 0, 0, span=sum(1 for _ in run))
                    continue
                for stored in run:
                    entry = _read_entry(stored, shard)
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

    def _streams(self, entries: Sequence[_Entry]) -> dict[_Entry, Stream]:
        """The streams of entries, as far as they are in the store."""
        entries = [entry for entry in entries if entry.what != _GAP]
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
        self, entry: _Entry, stream: Stream | None, events: Mapping[Stream, list[LoggedEvent]]
    ) -> Iterator[dict[str, Any]]:
        """The items of an entry; none of a stream that is gone. Before each the place is moved on."""
        first = entry.version - entry.events
        items: list[dict[str, Any]] = []
        if stream is not None and entry.what:
            items = [_ended_item(entry, stream) if entry.what == _ENDED else _sheet_item(entry, stream)]
        elif stream is not None and not _tells_events(entry):
            items = [_stream_item(entry, stream)]
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


def _some_entries(entries: Iterator[_Entry], wanted: int) -> list[_Entry]:
    """The next entries: as many as have the wanted number of items, and not too many."""
    found: list[_Entry] = []
    for entry in entries:
        found.append(entry)
        wanted -= 1 if entry.what else entry.events
        if wanted <= 0 or len(found) == _GROUP:
            break
    return found


def _tells_events(entry: _Entry) -> bool:
    """Whether the entry tells of events one by one; a house-rule variant is told as a whole."""
    return not entry.what and entry.kind != variant_store.KIND


def _stream_item(entry: _Entry, stream: Stream) -> dict[str, Any]:
    """What is told of streams that are made at once and never change."""
    return {
        "type": f"{stream.kind}.made",
        f"{stream.kind}_id": stream.id,
        "recorded_at": rfc3339(entry.time),
    }


def _sheet_item(entry: _Entry, stream: Stream) -> dict[str, Any]:
    return {
        "type": _SHEETS[entry.what],
        "hand_id": stream.id,
        "version": entry.version,
        "status": SHEET_STATUSES[entry.events],
        "recorded_at": rfc3339(entry.time),
    }


def _ended_item(entry: _Entry, stream: Stream) -> dict[str, Any]:
    return {
        "type": "rescore.done",
        "rescore_id": stream.id,
        "status": ENDINGS[entry.events],
        "recorded_at": rfc3339(entry.time),
    }


def _is_notice(entry: _Entry) -> bool:
    """Whether the entry may be more than an event of a hand or of a tournament."""
    return bool(entry.what) or entry.kind == session_log.KIND


def _read_entry(stored: bytes, shard: int) -> _Entry:
    what, recorded, place, version, events = ENTRY.unpack(stored)
    kind = KINDS[what & 15]
    return _Entry(int.from_bytes(recorded), shard, what >> 4, kind, place, int.from_bytes(version), events)


def _write_cursor(place: _Place, tenant: str) -> str:
    out = bytearray()
    for number in (place.shard, place.passed, *place.positions):
        put_number(out, number)
    data = bytes(out)
    return base64.urlsafe_b64encode(_check(data, tenant) + data).decode().rstrip("=")


def _read_cursor(cursor: str, tenant: str) -> _Place:
    """The place of a cursor. Raises `InvalidCursor` for one that this tenant's feed has not given."""
    try:
        data = base64.b64decode(cursor + "=" * (-len(cursor) % 4), b"-_", validate=True)
        numbers = []
        at = 4
        while at < len(data):
            number, at = get_number(data, at)
            numbers.append(number)
    except (binascii.Error, ValueError, IndexError):
        raise InvalidCursor(cursor) from None
    given = data[:4] == _check(data[4:], tenant)
    if not given or len(numbers) != SHARDS + 2 or numbers[0] >= SHARDS or max(numbers) > _FARTHEST:
        raise InvalidCursor(cursor)
    return _Place(numbers[2:], numbers[0], numbers[1])


def _check(data: bytes, tenant: str) -> bytes:
    """Four bytes that a cursor of another feed, or one that was cut off, does not have."""
    return crc32(data, crc32(f"feed {tenant}".encode())).to_bytes(4)
