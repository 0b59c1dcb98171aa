"""Stored hands to measure with: played out by chance, spread over evenings and players as a club's are."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Final

from records.record import HandRecord
from tests.support.hand_records import played

_DISTINCT: Final = 100
_AN_EVENING: Final = 30
_BY_TRICKS: Final = 45
"""More events than that has no hand that is told by tricks."""
_GIVEN: Final = (
    "Anna",
    "Béla",
    "Camille",
    "Dora",
    "Françoise",
    "Hans-Peter",
    "Ines",
    "Milan",
    "Юлия",
    "Yves",
)
_FAMILY: Final = ("", " Durand", " Kovač", " Müller", " Novák", " Petit", " S.", " Бондарь", " Weiß", " 2")


def club(variant: str, count: int, *, by_cards: bool = False) -> Iterator[HandRecord]:
    """So many hands of a variant: thirty an evening, a hundred players, ids made by the service.

    Half of them are told by cards and half by tricks, or all by cards.
    """
    names = [given + family for given in _GIVEN for family in _FAMILY]
    hands = [hand for hand in _hands(variant) if not by_cards or len(hand.events) > _BY_TRICKS]
    for number in range(count):
        hand = hands[number % len(hands)]
        evening, place = divmod(number, _AN_EVENING)
        players = random.Random(evening).sample(names, len(hand.players))
        yield _retold(hand, tuple(players), f"club-2026-{evening:05}", place + 1)


@cache
def _hands(variant: str) -> list[HandRecord]:
    """A hundred hands, half of them told by cards and half by tricks."""
    return [played(variant, seed) for seed in range(_DISTINCT)]


def _retold(hand: HandRecord, players: tuple[str, ...], session_id: str, number: int) -> HandRecord:
    """The hand with other players. Only what was said of them is renamed: cards stay as they are."""
    names = dict(zip(hand.players, players, strict=True))
    sent = []
    for event in hand.sent:
        told = dict(event)
        if "player" in told:
            told["player"] = names[told["player"]]
        if "hands" in told:
            told["hands"] = {names[player]: cards for player, cards in told["hands"].items()}
        sent.append(told)
    return replace(hand, players=players, sent=sent, session_id=session_id, table="1", number=number)
