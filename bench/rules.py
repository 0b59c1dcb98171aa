"""Section rules: replay, score and sheet of a whole hand, against `json.loads` of its record.

And what one more variant costs: pricing the facts of a finished hand, with and without its sheet,
against replaying the hand.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Final

from bench.boundary import Record, first_hand
from bench.timing import Line, median_ratio
from records import wire
from records.schemas import load_record
from trull import facts_of, replay, score

BOUND: Final = 2.5
PRICE_BOUND: Final = 0.15
SHEET_BOUND: Final = 0.5

_BY_CARDS: Final = {
    "illustrated-mayr-sedlaczek-2016": 54,
    "illustrated-beck": 54,
    "illustrated-loew-1954": 54,
    "french-tarot-3": 76,
    "french-tarot-4": 76,
    "french-tarot-5": 80,
}
"""The least number of events of a hand told card by card."""


_BOUNDED: Final = ("illustrated-mayr-sedlaczek-2016", "french-tarot-3", "french-tarot-4", "french-tarot-5")


def lines() -> Iterator[Line]:
    """A hand of each variant told by cards, and one told by tricks."""
    for variant, events in _BY_CARDS.items():
        record = first_hand(variant, partial(_at_least, events))
        yield from _lines(f"{variant} by cards", record, BOUND if variant in _BOUNDED else None)
    by_tricks = first_hand("illustrated-mayr-sedlaczek-2016", lambda told: len(told) <= 30)
    yield from _lines("illustrated-mayr-sedlaczek-2016 by tricks", by_tricks, None, repriced=False)


def _at_least(events: int, told: list[Record]) -> bool:
    return len(told) >= events


def _lines(name: str, record: Record, bound: float | None, *, repriced: bool = True) -> Iterator[Line]:
    body = wire.dumps(record)
    loaded = load_record(wire.load(body))
    variant, events, players = loaded.variant, loaded.events, loaded.players

    def whole() -> object:
        return score(replay(variant, events)).as_dict(players, "h", len(events))

    yield Line(
        f"{name}: replay, score, sheet / json.loads", median_ratio(whole, lambda: json.loads(body)), bound
    )
    hand = replay(variant, events)
    facts = facts_of(hand)

    def replayed() -> object:
        return facts_of(replay(variant, events))

    price = median_ratio(lambda: variant.game.price(facts, variant), replayed)
    yield Line(f"{name}: price once more / replay", price, PRICE_BOUND if repriced else None)
    sheet = median_ratio(lambda: score(hand, variant, facts).as_dict(players, "h", len(events)), replayed)
    yield Line(f"{name}: price and sheet once more / replay", sheet, SHEET_BOUND if repriced else None)
