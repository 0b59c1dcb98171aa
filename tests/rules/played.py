"""Whole hands: a deal and its words, played to the end in a way that is asked for."""

from __future__ import annotations

import random
from collections.abc import Mapping

from tests.rules.scenes import Sent, players_of
from tests.support.hands import a_card
from tests.support.plans import Plan
from tests.support.tarock_table import TarockTable
from tests.support.tarot_table import TarotTable
from trull import Variant


def play_on(
    variant: Variant, *events: Sent, keep: Mapping[str, str] | None = None, style: str = ""
) -> tuple[list[Sent], TarockTable | TarotTable]:
    """The events and all the cards that follow them.

    ``keep`` are cards that a player plays last, the first of them at the very end; ``style`` says for each
    player ``h`` (high), ``l`` (low) or ``-`` (any).
    """
    players = players_of(variant)
    dealt, *words = events
    hands = [dealt["hands"][name] for name in players]
    make = TarockTable if variant.family == "illustrated-tarock" else TarotTable
    table = make(variant.id, players, hands, dealt["talon"], random.Random(0))
    for word in words:
        assert table.seat_of(word) >= 0
        table.tell(word)
    words_of_style = {"h": "high", "l": "low", "-": "any"}
    plan = Plan(
        keep={players.index(name): cards.split() for name, cards in (keep or {}).items()},
        style={seat: words_of_style[letter] for seat, letter in enumerate(style)},
    )
    while not table.over:
        plays = [event for event in table.allowed() if event["type"] == "card_played"]
        table.tell(a_card(table, plan, plays))
    return [event for _, event in table.story], table
