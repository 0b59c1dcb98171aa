"""Lists of hands: what narrows them, and a page at a time."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from records.log import EventLog
from records.stored_hands import KIND, summary_of
from records.times import instant

_READ_FOR_EACH: Final = 100
"""Hands that a page may read for each that it may give, so that a rare label cannot hold up a call."""


class HandFilters(NamedTuple):
    """What a list of hands is narrowed to. A hand without ``played_at`` is in no span of time."""

    session_id: str | None = None
    player: str | None = None
    variant: str | None = None
    status: str | None = None
    label: str | None = None
    played_from: datetime | None = None
    """The first moment."""
    played_to: datetime | None = None
    """The first moment that is too late."""


class Page(NamedTuple):
    """A part of a list: summaries of hands, and the cursor of what follows (None at the end)."""

    items: list[dict[str, Any]]
    next: str | None


def page_of(log: EventLog, tenant: str, filters: HandFilters, cursor: str | None, limit: int) -> Page:
    """Up to ``limit`` hands in the order in which they were stored.

    The hands of a session or of a player have lists of their own. The other filters read every hand
    on the way, and after many in vain a page ends early: it may be short, or empty, and still have a
    next one. Raises `InvalidCursor`, `StoreUnavailable`.
    """
    listing = log.listed(KIND, tenant, list_of(filters), cursor)
    items: list[dict[str, Any]] = []
    walk = iter(listing)
    for seen, found in enumerate(walk, 1):
        summary = summary_of(found)
        if matches(summary, filters):
            items.append(summary)
        if len(items) == limit or seen == _READ_FOR_EACH * limit:
            reached = listing.cursor
            return Page(items, reached if next(walk, None) else None)
    return Page(items, None)


def list_of(filters: HandFilters) -> tuple[str, str] | None:
    """The list that has all hands which pass the filters; None for that of all hands."""
    if filters.session_id is not None:
        return ("session", filters.session_id)
    return None if filters.player is None else ("player", filters.player)


def matches(summary: Mapping[str, Any], filters: HandFilters) -> bool:
    """Whether a hand passes all filters."""
    for name in ("session_id", "variant", "status"):
        wanted = getattr(filters, name)
        if wanted is not None and summary[name] != wanted:
            return False
    if filters.player is not None and filters.player not in summary["players"]:
        return False
    if filters.label is not None and filters.label not in summary["labels"]:
        return False
    if filters.played_from is None and filters.played_to is None:
        return True
    if summary["played_at"] is None:
        return False
    played = instant(summary["played_at"])
    return (filters.played_from is None or filters.played_from <= played) and (
        filters.played_to is None or played < filters.played_to
    )
