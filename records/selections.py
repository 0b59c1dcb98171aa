"""Which hands a batch is about: those that are named, or those of a list that pass filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from records.hand_list import HandFilters
from records.times import instant

ALL: Final = "all"
HAND_IDS: Final = "hand_ids"
TIMES: Final = ("played_from", "played_to")


class Selection(NamedTuple):
    """The hands of these ids, or without ids those that pass the filters."""

    filters: HandFilters = HandFilters()
    hand_ids: tuple[str, ...] | None = None

    def as_dict(self) -> dict[str, Any]:
        """What is told of it: of many ids their number."""
        if self.hand_ids is not None:
            return {HAND_IDS: len(self.hand_ids)}
        told = {name: value for name, value in self.filters._asdict().items() if value is not None}
        for name in TIMES:
            if name in told:
                told[name] = told[name].isoformat().replace("+00:00", "Z")
        return told or {ALL: True}


def filters_of(told: Mapping[str, Any]) -> HandFilters:
    """The filters that `Selection.as_dict` told; those of all hands where ids were named."""
    given: dict[str, Any] = {name: value for name, value in told.items() if name not in (ALL, HAND_IDS)}
    for name in TIMES:
        if name in given:
            given[name] = instant(given[name])
    return HandFilters(**given)


class Span(NamedTuple):
    """Hands that follow each other in the list of a shard."""

    shard: int
    first: int
    hands: int


def spans(lengths: Sequence[int], size: int) -> list[Span]:
    """Lists of these lengths in chunks of at most ``size``: the first of each shard, then the second ones.

    What a later selection adds to the lists changes nothing in the order of the hands before it.
    """
    return [
        Span(shard, first, min(size, length - first))
        for first in range(0, max(lengths, default=0), size)
        for shard, length in enumerate(lengths)
        if first < length
    ]
