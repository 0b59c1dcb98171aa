"""Deals that are not the pack once, and deals that are not played."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from tests.support.hands import play_out, record
from tests.support.tables import Table

_MAY_BE_VOID = ("illustrated-loew-1954", "french-tarot-3", "french-tarot-4", "french-tarot-5")


def cases(table: Table, chance: random.Random) -> Iterator[tuple[Any, ...]]:
    """Name, record, code and place of a deal that is refused."""
    story = [event for _, event in table.story]
    deal = story[0]
    first, second = chance.sample(table.players, 2)
    hands, talon = deal["hands"], deal["talon"]
    mine, theirs = hands[first], hands[second]
    at = chance.randrange(len(mine))
    changes: list[tuple[str, dict[str, Any], list[str], str]] = [
        ("a card twice", {second: [mine[at], *theirs[1:]]}, talon, "duplicate-card"),
        ("a card in the talon too", {}, [*talon[:-1], mine[at]], "duplicate-card"),
        ("a card too few", {first: mine[:at] + mine[at + 1 :]}, talon, "incomplete-deck"),
        ("a talon too small", {}, talon[1:], "incomplete-deck"),
        ("no talon", {}, [], "incomplete-deck"),
        ("a card at the neighbour", {first: mine[1:], second: [*theirs, mine[0]]}, talon, "incomplete-deck"),
        ("two of a card within a hand", {first: [mine[0], *mine[:-1]]}, talon, "duplicate-card"),
    ]
    if table.variant.startswith("illustrated"):
        foreign = chance.choice(("S2", "C6", "H10", "D5"))
        changes.append(("a card of the other pack", {first: [foreign, *mine[1:]]}, talon, "incomplete-deck"))
    name, changed, left, code = chance.choice(changes)
    dealt = {**deal, "hands": {**hands, **changed}, "talon": left}
    yield name, record(table, [dealt, *story[1:]]), code, 0
    if table.variant in _MAY_BE_VOID and chance.random() < 0.2:
        void = play_out(table.variant, chance, void=True)
        yield "a deal to be made again", record(void, [void.story[0][1]])
        word = {"type": "passed", "player": void.players[0]}
        yield "a void deal goes on", record(void, [void.story[0][1], word]), "redeal-required", 1
