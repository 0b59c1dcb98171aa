"""Hands as they are written out: each a record in a line, which an import takes back.

A record holds the whole log of its hand, what was retracted and restated too, from the first reading on.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, islice
from typing import Any, Final

import redis

from records.hand_list import HandFilters, list_of, matches
from records.import_logs import LOG
from records.log import StoredStream
from records.record import record_dict
from records.redis_log import RedisLog
from records.stored_hands import KIND, LoggedEvent, StoredHand, hand_of, summary_of
from records.variant_store import Variants, VariantStore
from records.visibility import Viewer, exposure_of, hide
from records.wire import dumps

_BATCH: Final = 50
"""Hands read at once."""


class Exporter:
    """Exports for all tenants. Makes no connection before it is used; threads may share it."""

    def __init__(self, client: redis.Redis, houses: VariantStore | None = None) -> None:
        self._log = RedisLog(client)
        self._houses = houses or VariantStore(client)

    def lines(
        self, tenant: str, filters: HandFilters, viewer: Viewer, *, with_log: bool = False
    ) -> Iterator[bytes]:
        """The hands that pass all filters, in the order in which they were stored, as lines of NDJSON.

        Of a live hand, cards that the viewer may not see are hidden. ``with_log``: each line also says
        who appended its events, and when. Raises `StoreUnavailable`, also in the middle.
        """
        yield from self._variant_lines(tenant)
        variants = self._houses.of(tenant)
        walk = iter(self._log.listed(KIND, tenant, list_of(filters), None))
        passing = (found for found in walk if matches(summary_of(found), filters))
        while batch := list(islice(passing, _BATCH)):
            made = [
                dumps(self._as_dict(found, variants, viewer, with_log)) + b"\n"
                for found in self._log.read_many([found.stream for found in batch])
                if found is not None
            ]
            yield b"".join(made)

    def _variant_lines(self, tenant: str) -> Iterator[bytes]:
        """The house rules of the tenant, each as it was made, after those that it builds on.

        An import has to know them before the hands, and which ones a hand needs is known only when its log
        was read: so they are all here.
        """
        for rules in self._houses.all(tenant):
            yield dumps(rules.as_dict()) + b"\n"

    def _as_dict(
        self, found: StoredStream, variants: Variants, viewer: Viewer, with_log: bool
    ) -> dict[str, Any]:
        hand = hand_of(found, variants)
        entries = _shown(hand, variants, viewer)
        made = record_dict(found.stream.id, hand.first._asdict(), [entry.event for entry in entries])
        if with_log:
            made[LOG] = _runs(entries)
        return made


def _shown(hand: StoredHand, variants: Variants, viewer: Viewer) -> list[LoggedEvent]:
    if viewer.all_cards:
        return hand.entries
    return hide(hand.entries, exposure_of(hand.judged(variants)), viewer)


def _runs(entries: list[LoggedEvent]) -> list[dict[str, Any]]:
    """Who appended the events, and when, for as many in a row as it is the same."""
    runs = groupby(entries, key=lambda entry: (entry.recorded_at, entry.actor))
    return [
        {"events": sum(1 for _ in events), "recorded_at": recorded_at, "actor": actor}
        for (recorded_at, actor), events in runs
    ]
