"""The hands: submitting them, reading them back, their sheets, and lists of them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Final, NamedTuple

import redis
import uuid_utils

from records.changes import Change, appended, lists_of
from records.codec import Opening, count_of, read_entry, write_entry
from records.hand_list import HandFilters, Page, page_of
from records.judging import Judged, opening_of_record
from records.log import Append, InvalidCursor, StoredStream, StoreUnavailable, Stream, VersionMismatch
from records.packing import Sent
from records.queue import WorkQueue
from records.readiness import Readiness, look
from records.record import HandRecord, LoadedEvents
from records.redis_log import RedisLog
from records.sheets import StoredSheet, sheet_of
from records.stored_hands import (
    KIND,
    LoggedEvent,
    StoredHand,
    hand_of,
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
    "VersionMismatch",
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

    def __init__(
        self,
        client: redis.Redis,
        variants: Mapping[str, Variant] = VARIANTS,
        queue: redis.Redis | None = None,
    ) -> None:
        """``queue`` is a client of the Redis that has the workers' queue, if that is another one."""
        self._redis = client
        self._log = RedisLog(client)
        self._queue = WorkQueue(queue or client)
        self._variants = variants

    def submit(
        self, tenant: str, actor: str, record: HandRecord, status: str, *, kept: bool = False
    ) -> Submission:
        """Store a new hand, and mark it as due for scoring if it is complete.

        The caller has judged the record (`records.judging.judge_record`): ``status`` and ``kept`` are
        what came of it. The same record once more, or the beginning of the stored one, changes nothing.
        A hand without an id gets one. Raises `HandExists`, `StoreUnavailable`.
        """
        hand_id = record.hand_id or str(uuid_utils.uuid7())
        stream = Stream(KIND, tenant, hand_id)
        opening = opening_of_record(record)
        due = status != "incomplete"
        append = Append(
            write_entry(actor, opening, record.events, record.sent),
            len(record.events),
            write_head(status, due=due, kept=kept),
            due,
            lists_of(opening),
        )
        try:
            version = self._create(stream, append)
        except VersionMismatch as taken:
            if not self._begins_with(stream, opening, record):
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

    def _begins_with(self, stream: Stream, opening: Opening, record: HandRecord) -> bool:
        """Whether the stored hand begins like this record."""
        found = self._log.read(stream)
        if found is None:
            return False
        return begins_like(hand_of(found, self._variants), opening, record.sent)

    def judged(self, hand: StoredHand) -> Judged:
        """What the rules make of a stored hand."""
        return hand.judged(self._variants)

    def status_at(self, hand: StoredHand, version: int) -> str:
        """How a hand stood when it had that version."""
        return hand.status_at(version, self._variants)

    def appended(self, hand: StoredHand, loaded: LoadedEvents) -> Change:
        """Events added to the hand, for `append`. Raises `RulesError` or `InvalidRecord`."""
        return appended(hand, loaded, self._variants)

    def append(self, tenant: str, actor: str, hand: StoredHand, change: Change) -> int:
        """Add a change to the hand that it was judged for; the hand's new version.

        Raises `VersionMismatch` when another one was faster, and `StoreUnavailable`; nothing is
        written then, unless the store took it and could not say so, twice.
        """
        assert hand.record.hand_id is not None
        stream = Stream(KIND, tenant, hand.record.hand_id)
        append = change.append(actor, hand)
        try:
            version = self._log.append(stream, hand.version, append)
        except StoreUnavailable:
            # Perhaps only the answer was lost. Once more writes nothing if the change is there by now.
            version = self._append_again(stream, hand.version, append)
        if append.due:
            self._queue.notify()
        return version

    def _append_again(self, stream: Stream, expected: int, append: Append) -> int:
        try:
            return self._log.append(stream, expected, append)
        except VersionMismatch:
            if _holds(self._log.read(stream), expected, append):
                return expected + append.events
            raise

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

    def notify(self) -> None:
        """Wake a worker for the sheets of hands that were imported."""
        self._queue.notify()

    def notify_import(self) -> None:
        """Wake a worker for an upload that is to be imported."""
        self._queue.notify_import()

    def notify_rescore(self) -> None:
        """Wake a worker for a batch."""
        self._queue.notify_rescore()

    def ready(self) -> Readiness:
        """Whether Redis answers and writes, and how many workers are there. Raises nothing."""
        return look(self._redis, self._queue)


def begins_like(hand: StoredHand, opening: Opening, sent: list[Sent]) -> bool:
    """Whether a stored hand begins like a record, as it was at first or as it now reads."""
    count = len(sent)
    at_first = hand.first == opening and [made.event for made in hand.entries[:count]] == sent
    return at_first or (hand.reading.opening == opening and hand.reading.sent[:count] == sent)


def _holds(found: StoredStream | None, expected: int, append: Append) -> bool:
    """Whether a stream went on from the expected version with just this append."""
    version = 0
    for entry in found.entries if found else ():
        if version == expected:
            # What they say: a bundle does not keep which entries were deflated.
            return read_entry(entry.body) == read_entry(append.body)
        version += count_of(read_entry(entry.body))
    return False
