"""The hands: submitting them, reading them back, their sheets, and lists of them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Final, NamedTuple

import redis
import uuid_utils

from records.codec import Opening, write_entry
from records.hand_list import HandFilters, Page, page_of
from records.log import Append, InvalidCursor, StoreUnavailable, Stream, VersionMismatch
from records.packing import Sent
from records.queue import WorkQueue
from records.readiness import Readiness, look
from records.record import HandRecord
from records.redis_log import RedisLog
from records.sheets import StoredSheet, sheet_of
from records.stored_hands import (
    KIND,
    LoggedEvent,
    StoredHand,
    hand_of,
    logged_events_of,
    opening_of,
    wants_sheet,
    write_head,
)
from trull import Variant
from trull.variants import VARIANTS

__all__ = [
    "HandExists",
    "HandFilters",
    "Hands",
    "InvalidCursor",
    "LoggedEvent",
    "Page",
    "Readiness",
    "StoreUnavailable",
    "StoredHand",
    "StoredSheet",
    "Submission",
]

# Seconds between two looks for a sheet: most are there after the first, and waiting costs Redis little.
_FIRST_PAUSE: Final = 0.004
_LONGEST_PAUSE: Final = 0.05


class HandExists(Exception):
    """The id is taken by a hand that does not begin with what was submitted."""

    def __init__(self, hand_id: str) -> None:
        super().__init__(f"hand {hand_id} exists, and does not begin like this one")
        self.hand_id = hand_id


class Submission(NamedTuple):
    """What became of a submitted hand. ``created``: it is new; else it was there, and is unchanged."""

    hand_id: str
    version: int
    created: bool


class Hands:
    """The stored hands of all tenants. Makes no connection before it is used; threads may share it."""

    def __init__(self, client: redis.Redis, variants: Mapping[str, Variant] = VARIANTS) -> None:
        self._redis = client
        self._log = RedisLog(client)
        self._queue = WorkQueue(client)
        self._variants = variants

    def submit(self, tenant: str, actor: str, record: HandRecord, status: str) -> Submission:
        """Store a new hand, and mark it as due for scoring if it is complete.

        The caller has replayed the record: ``status`` is that of its `trull.Hand`. The same record
        once more, or the beginning of the stored one, changes nothing. A hand without an id gets one.
        Raises `HandExists`, `StoreUnavailable`.
        """
        hand_id = record.hand_id or str(uuid_utils.uuid7())
        stream = Stream(KIND, tenant, hand_id)
        opening = _opening(record)
        due = status != "incomplete"
        append = Append(
            write_entry(actor, opening, record.events, record.sent),
            len(record.events),
            write_head(status, due=due),
            due,
            _lists(opening),
        )
        try:
            version = self._create(stream, append)
        except VersionMismatch as taken:
            if not self._begins_with(stream, opening, record.sent):
                raise HandExists(hand_id) from taken
            return Submission(hand_id, taken.current, created=False)
        if due:
            self._queue.notify()
        return Submission(hand_id, version, created=True)

    def _create(self, stream: Stream, append: Append) -> int:
        try:
            return self._log.append(stream, 0, append)
        except StoreUnavailable:
            # Perhaps only the answer was lost. Once more writes nothing if the hand is there by now,
            # which is then recognised as the same one.
            return self._log.append(stream, 0, append)

    def _begins_with(self, stream: Stream, opening: Opening, sent: list[Sent]) -> bool:
        """Whether the stored hand has this opening and begins with these events."""
        found = self._log.read(stream)
        if found is None or opening_of(found) != opening:
            return False
        logged = logged_events_of(found, opening.players)
        return [event.event for event in logged[: len(sent)]] == sent

    def get(self, tenant: str, hand_id: str) -> StoredHand | None:
        """A hand with all its events, or None. Raises `StoreUnavailable`."""
        found = self._log.read(Stream(KIND, tenant, hand_id))
        return None if found is None else hand_of(found, self._variants)

    def sheet(self, tenant: str, hand_id: str) -> StoredSheet | None:
        """The latest sheet of a hand, and whether one is due; None if there is no such hand.

        Raises `StoreUnavailable`.
        """
        found = self._log.glance([Stream(KIND, tenant, hand_id)])[0]
        return None if found is None else sheet_of(found, wants_sheet(found))

    def wait_for_sheet(self, tenant: str, hand_id: str, version: int, seconds: float) -> StoredSheet | None:
        """The sheet of that version, or a later one, as soon as it is there; None after the time.

        Raises `StoreUnavailable`.
        """
        until = time.monotonic() + seconds
        pause = _FIRST_PAUSE
        while True:
            found = self.sheet(tenant, hand_id)
            if found is not None and (found.version or 0) >= version:
                return found
            left = until - time.monotonic()
            if left <= 0:
                return None
            time.sleep(min(pause, left))
            pause = min(pause * 1.5, _LONGEST_PAUSE)

    def page(self, tenant: str, filters: HandFilters, cursor: str | None, limit: int) -> Page:
        """A part of the list of hands: see `page_of`. Raises `InvalidCursor`, `StoreUnavailable`."""
        return page_of(self._log, tenant, filters, cursor, limit)

    def ready(self) -> Readiness:
        """Whether Redis answers and writes, and how many workers are there. Raises nothing."""
        return look(self._redis, self._queue)


def _opening(record: HandRecord) -> Opening:
    return Opening(
        record.variant.id,
        record.players,
        record.session_id,
        record.table,
        record.round,
        record.number,
        record.played_at,
        record.labels,
        record.format,
    )


def _lists(opening: Opening) -> tuple[tuple[str, str], ...]:
    """The lists that a hand joins."""
    players = [("player", player) for player in opening.players]
    return (("session", opening.session_id), *players) if opening.session_id else tuple(players)
