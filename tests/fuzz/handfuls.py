"""Handfuls of French Tarot that are shown rightly, and such as are not (FT-4.3 to FT-4.5)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, Final

from tests.support.card_rules import TAROCKS, Card
from tests.support.hands import record
from tests.support.tables import Table
from tests.support.tarot_table import HANDFULS, TarotTable

_WRONG: Final = "illegal-announcement"


def cases(table: Table, chance: random.Random) -> Iterator[tuple[Any, ...]]:
    """Name, record, code and place of a handful."""
    if not isinstance(table, TarotTable):
        return
    first = next((at for at, (_, event) in enumerate(table.story) if event["type"] == "card_played"), None)
    if first is None:
        return
    then = table.upto(first)
    assert isinstance(then, TarotTable)
    if then.phase != "play":
        return  # a bid that ended the auction at once has left that to the first card
    story = [event for _, event in table.story]
    for seat in range(table.seats):
        if (seat, "handful") in then.announced:
            continue
        for name, cards, code in _shown(then, seat, chance):
            event = then.event("announced", seat, bonus="handful", cards=cards)
            yield name, record(table, [*story[:first], event]), code, None if code is None else first
    yield from _twice(then, chance)
    yield from _late(table, story)


def _shown(then: Table, seat: int, chance: random.Random) -> Iterator[tuple[str, list[Card], str | None]]:
    """What a player might show from the cards in hand."""
    hand = then.hands[seat]
    trumps = [card for card in hand if card in TAROCKS]
    chance.shuffle(trumps)
    sizes = HANDFULS[then.seats]
    other = then.hands[then.after(seat)[0]][0]
    for size in sizes:
        if len(trumps) >= size:
            right = trumps[:size]
            yield "a handful", right, None
            yield "a handful with a card twice", [*right[:-1], right[0]], _WRONG
            yield "a handful of others' cards", [*right[:-1], other], "card-not-held"
            suits = [card for card in hand if card[0] not in "TF"]
            if suits:
                yield "a handful with a suit card", [*right[:-1], suits[0]], _WRONG
            if "F" in hand:
                # One trump at least stays unshown.
                yield "the Excuse before a trump", [*right[:-1], "F"], _WRONG
        elif len(trumps) == size - 1 and "F" in hand:
            yield "a handful with the Excuse", [*trumps, "F"], None
    odd = [count for count in range(1, len(trumps) + 1) if count not in sizes]
    if odd:
        yield "a handful of another size", trumps[: chance.choice(odd)], _WRONG


def _twice(then: TarotTable, chance: random.Random) -> Iterator[tuple[Any, ...]]:
    """A player shows a handful once a hand."""
    least = HANDFULS[then.seats][0]
    for seat in range(then.seats):
        trumps = [card for card in then.hands[seat] if card in TAROCKS]
        if len(trumps) >= least and seat not in then.shown:
            event = then.event("announced", seat, bonus="handful", cards=trumps[:least])
            again = {**event, "cards": chance.sample(trumps, least)}
            events = [*(told for _, told in then.story), event, again]
            yield "a handful again", record(then, events), _WRONG, len(events) - 1


def _late(table: TarotTable, story: list[dict[str, Any]]) -> Iterator[tuple[Any, ...]]:
    """It is shown before the player's own first card."""
    least = HANDFULS[table.seats][0]
    for place in range(len(story) - 1, 0, -1):
        then = table.upto(place)
        if not then.trick and len(then.tricks) < 3 and then.tricks:
            for seat, hand in enumerate(then.hands):
                trumps = [card for card in hand if card in TAROCKS]
                if len(trumps) >= least:
                    event = then.event("announced", seat, bonus="handful", cards=trumps[:least])
                    yield "a handful too late", record(table, [*story[:place], event]), _WRONG, place
            return
