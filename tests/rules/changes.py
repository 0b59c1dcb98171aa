"""A pool of hands and results, scored with one ruling changed: what comes out otherwise."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.rules.scenes import (
    Sent,
    hand_of,
)
from trull import RulesError, Variant, score
from trull.model import RulingValue

Outcome = dict[str, Any] | str
"""The points of each item, or the status of a sheet without, or the code of a refusal."""


def outcome(variant: Variant, events: list[Sent]) -> Outcome:
    try:
        hand = hand_of(variant, *events)
    except RulesError as refusal:
        return refusal.code
    draft = score(hand).draft
    if draft.status != "scored":
        return draft.status
    unit = 2 if draft.halves else 1
    return {
        line.item: [given / unit if given % unit else given // unit for given in line.points]
        for line in draft.lines
    }


Changes = dict[str, Outcome]
"""By scene: the items that come out otherwise (``None``: not at all), or a status or code."""


def changes_of(base: Variant, ruling: str, value: RulingValue, pool: dict[str, list[Sent]]) -> Changes:
    """What of the pool comes out otherwise, item by item."""
    other = replace(base, rulings={**base.rulings, ruling: value})
    found: Changes = {}
    for name, events in pool.items():
        before, after = outcome(base, events), outcome(other, events)
        if isinstance(before, str) or isinstance(after, str):
            if before != after:
                found[name] = after
            continue
        differs = {item for item in {*before, *after} if before.get(item) != after.get(item)}
        if differs:
            found[name] = {item: after.get(item) for item in differs}
    return found


def every_value(game: Variant, tried: list[tuple[str, RulingValue]]) -> None:
    """Fail unless each ruling was tried at each of its values; a number at another than its own."""
    values: dict[str, list[RulingValue]] = {}
    for ruling, value in tried:
        values.setdefault(ruling, []).append(value)
    for row in game.game.rulings:
        if row.values is None:
            assert any(value != game.rulings[row.name] for value in values[row.name])
        else:
            assert {*values[row.name]} == {*row.values}, row.name
