"""The stored tournaments: making them, directing them, reading them back with their hands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import redis
import uuid_utils

from records.changes import EventConflict
from records.faults import Fault
from records.feed import Feed
from records.hand_list import Page
from records.log import Append, StoreUnavailable, Stream, VersionMismatch
from records.redis_log import RedisLog
from records.sheet_codec import Sheet
from records.stored_hands import LoggedEvent
from records.tournament_hands import Facts, TournamentHands
from records.tournament_log import (
    CREATED,
    KIND,
    Event,
    Tournament,
    append_of,
    fold,
    stream_of,
    summary_of,
    tournament_of,
)
from records.tournament_rules import check_settings, directed
from trull import Variant
from trull.variants import VARIANTS


class TournamentExists(Exception):
    """The id is taken by a tournament that was made with other settings."""


class Created(NamedTuple):
    """What became of a new tournament. ``created``: it is new; else it was there, and is unchanged."""

    tournament: Tournament
    created: bool


class Tournaments:
    """The tournaments of all tenants. Makes no connection before it is used; threads may share it."""

    def __init__(self, client: redis.Redis, variants: Mapping[str, Variant] = VARIANTS) -> None:
        self._log = RedisLog(client)
        self._variants = variants
        self._hands = TournamentHands(client)
        self._feed = Feed(client, variants)

    def create(self, tenant: str, actor: str, settings: dict[str, Any]) -> Created:
        """Make a tournament of checked fields (`records.tournament_fields`); one without an id gets one.

        The same settings once more change nothing. Raises `InvalidRecord` where they do not go together,
        `TournamentExists`, `StoreUnavailable`.
        """
        check_settings(settings, self._variants[settings["variant"]])
        told = dict(settings)
        tournament_id = told.pop("tournament_id", None) or str(uuid_utils.uuid7())
        event: Event = {"type": CREATED, **told}
        made = fold(tournament_id, [LoggedEvent(1, "", actor, event)])
        try:
            self._append(stream_of(tenant, tournament_id), 0, append_of(actor, [event], made))
        except VersionMismatch:
            found = self.get(tenant, tournament_id)
            if found is None or found.log[0].event != event:
                raise TournamentExists(tournament_id) from None
            return Created(found, created=False)
        return Created(made, created=True)

    def get(self, tenant: str, tournament_id: str) -> Tournament | None:
        """A tournament, or None. Raises `StoreUnavailable`."""
        found = self._log.read(stream_of(tenant, tournament_id))
        return None if found is None else tournament_of(found)

    def hands(self, tenant: str, tournament_id: str) -> list[Facts]:
        """Its hands in the order of their arrival. Raises `StoreUnavailable`."""
        return self._hands.of(tenant, tournament_id)

    def sheets(self, tenant: str, hand_ids: Sequence[str]) -> dict[str, Sheet]:
        """The score sheets of some of them, as far as they are made. Raises `StoreUnavailable`."""
        return self._hands.sheets(tenant, hand_ids)

    def position(self, tenant: str) -> str:
        """Where the feed ends now: what is read from here on came after. Raises `StoreUnavailable`."""
        return self._feed.end(tenant)[0]

    def page(self, tenant: str, cursor: str | None, limit: int) -> Page:
        """A part of the list of tournaments, oldest first. Raises `InvalidCursor`, `StoreUnavailable`."""
        listing = self._log.listed(KIND, tenant, None, cursor)
        items: list[dict[str, Any]] = []
        walk = iter(listing)
        for found in walk:
            items.append(summary_of(found))
            if len(items) == limit:
                reached = listing.cursor
                return Page(items, reached if next(walk, None) else None)
        return Page(items, None)

    def direct(
        self, tenant: str, actor: str, tournament: Tournament, events: Sequence[Event], first: int = 0
    ) -> int:
        """Add events to a tournament as it was read; its new version. ``first`` is the index of the first
        in the body that they came in.

        Raises `InvalidRecord` and `CannotDirect` where one cannot be added, `VersionMismatch` when another
        call was faster, `StoreUnavailable`.
        """
        tournament_id = tournament.tournament_id
        variant = self._variants[tournament.settings["variant"]]
        stored, after = directed(
            tournament, variant, actor, events, cache(lambda: self.hands(tenant, tournament_id)), first
        )
        append = append_of(actor, stored, after)
        return self._append(stream_of(tenant, tournament_id), tournament.version, append)

    def _append(self, stream: Stream, expected: int, append: Append) -> int:
        """The new version. Raises `VersionMismatch`, `StoreUnavailable`."""
        try:
            return self._log.append(stream, expected, append)
        except StoreUnavailable:
            # Perhaps only the answer was lost. Once more writes nothing if the entry is there by now.
            try:
                return self._log.append(stream, expected, append)
            except VersionMismatch:
                found = self._log.read(stream)
                if found is not None and any(entry.body == append.body for entry in found.entries):
                    return expected + append.events
                raise


def known_events(tournament: Tournament, events: Sequence[Event]) -> int:
    """How many of the first events the tournament has already, by their ``event_id``.

    Raises `EventConflict` where an ``event_id`` stands for another event there.
    """
    stored = {made.event["event_id"]: made.event for made in tournament.log if "event_id" in made.event}
    count = 0
    faults: list[Fault] = []
    for index, event in enumerate(events):
        before = stored.get(event.get("event_id"))
        if before is None:
            continue
        added = ("over", "final")
        if {name: value for name, value in before.items() if name not in added} != event:
            detail = "An event of the tournament has this event_id and other content."
            faults.append(Fault(f"/events/{index}/event_id", EventConflict.code, detail))
        elif index == count:
            count += 1
        else:
            detail = "The tournament has this event; it cannot be sent again after one that is new."
            faults.append(Fault(f"/events/{index}/event_id", EventConflict.code, detail))
    if faults:
        raise EventConflict(faults)
    return count
