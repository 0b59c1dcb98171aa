"""Hands as they are written out: each a record in a line, which an import takes back.

A record holds the whole log of its hand, what was retracted and restated too, from the first reading on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby, islice
from typing import Any, Final

import redis

from records.hand_list import HandFilters, list_of, matches
from records.import_logs import LOG
from records.log import StoredStream
from records.record import record_dict
from records.redis_log import RedisLog
from records.stored_hands import KIND, LoggedEvent, StoredHand, hand_of, summary_of
from records.visibility import Viewer, exposure_of, hide
from records.wire import dumps
from trull import Variant
from trull.variants import VARIANTS

_BATCH: Final = 50
"""Hands read at once."""


class Exporter:
    """Exports for all tenants. Makes no connection before it is used; threads may share it."""

    def __init__(self, client: redis.Redis, variants: Mapping[str, Variant] = VARIANTS) -> None:
        self._log = RedisLog(client)
        self._variants = variants

    def lines(
        self, tenant: str, filters: HandFilters, viewer: Viewer, *, with_log: bool = False
    ) -> Iterator[bytes]:
        """The hands that pass all filters, in the order in which they were stored, as lines of NDJSON.

        Of a live hand, cards that the viewer may not see are hidden. ``with_log``: each line also says
        who appended its events, and when. Raises `StoreUnavailable`, also in the middle.
        """
        yield from self._variant_lines()
        walk = iter(self._log.listed(KIND, tenant, list_of(filters), None))
        passing = (found for found in walk if matches(summary_of(found), filters))
        while batch := list(islice(passing, _BATCH)):
            made = [
                dumps(self._as_dict(found, viewer, with_log)) + b"\n"
                for found in self._log.read_many([found.stream for found in batch])
                if found is not None
            ]
            yield b"".join(made)

    def _variant_lines(self) -> Iterator[bytes]:
        """The house-rule variants that the hands need, which an import has to know before them.

        So far every variant is built in. They will come here: only what is at the front of an export can be
        made before the first hand that is played by it.
        """
        return iter(())

    def _as_dict(self, found: StoredStream, viewer: Viewer, with_log: bool) -> dict[str, Any]:
        hand = hand_of(found, self._variants)
        entries = self._shown(hand, viewer)
        made = record_dict(found.stream.id, hand.first._asdict(), [entry.event for entry in entries])
        if with_log:
            made[LOG] = _runs(entries)
        return made

    def _shown(self, hand: StoredHand, viewer: Viewer) -> list[LoggedEvent]:
        if viewer.all_cards:
            return hand.entries
        return hide(hand.entries, exposure_of(hand.judged(self._variants)), viewer)


def _runs(entries: list[LoggedEvent]) -> list[dict[str, Any]]:
    """Who appended the events, and when, for as many in a row as it is the same."""
    runs = groupby(entries, key=lambda entry: (entry.recorded_at, entry.actor))
    return [
        {"events": sum(1 for _ in events), "recorded_at": recorded_at, "actor": actor}
        for (recorded_at, actor), events in runs
    ]
