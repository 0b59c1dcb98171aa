"""What deals are made for: hands in which a Pagat, a slam, a void deal or a handful can happen."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from tests.support.card_rules import COURT, HONOURS, KINGS, PACK_54, PACK_78, TAROCKS, Card


@dataclass
class Plan:
    """What a deal is made for: who gets which cards, who wants to play, and how each one plays.

    ``keep`` are the cards that a seat plays last, the first of them at the very end; ``style`` is
    ``high``, ``low`` or ``any``; ``say`` is a bonus worth announcing.
    """

    wishes: dict[int | str, list[Card]] = field(default_factory=dict)
    eager: int | None = None
    keep: dict[int, list[Card]] = field(default_factory=dict)
    style: dict[int, str] = field(default_factory=dict)
    say: tuple[str, ...] = ()


def _top(count: int, below: int = 21) -> list[Card]:
    """So many tarocks, the highest first."""
    return [f"T{number}" for number in range(below, below - count, -1)]


def _suits(chance: random.Random, pack: list[Card], count: int, kings: bool = True) -> list[Card]:
    return chance.sample([card for card in pack if card[0] not in "TF" and (kings or card[1] != "K")], count)


def _fair(chance: random.Random, seat: int, seats: int) -> Plan:
    return Plan(style={at: chance.choice(("high", "low", "any")) for at in range(seats)})


def _birds(chance: random.Random, seat: int, seats: int) -> Plan:
    """Tarocks to bring home the Pagat, and the Uhu before it; or one short of it, so that they are lost."""
    strong = ["T1", "T2", "F", *_top(11)] if chance.random() < 0.6 else ["T1", "T2", *_top(5, 14)]
    eager = seat if chance.random() < 0.7 else (seat + 1) % seats
    return Plan({seat: strong}, eager, {seat: ["T1", "T2"]}, {seat: "high"}, ("pagat", "uhu"))


def _all_tricks(chance: random.Random, seat: int, seats: int) -> Plan:
    """A hand that wins every trick, mostly; its holder may be a defender."""
    own = ["F", *_top(17), *KINGS] if chance.random() < 0.7 else [*_top(21), *KINGS]
    keep = {seat: ["F", "T1"]} if chance.random() < 0.5 else {}
    eager = seat if chance.random() < 0.7 else (seat + 1) % seats
    style = {seat: "high", (seat + 1) % seats: "low"}
    return Plan({seat: own}, eager, keep, style, ("valat", "slam", "fifty"))


def _court(chance: random.Random, seat: int, seats: int) -> Plan:
    """Four Kings, perhaps with every Queen, Cavalier and Jack, or with the honours."""
    ranks = [suit + rank for rank in reversed(COURT) for suit in "SHDC"]
    more = chance.choice(([], HONOURS, HONOURS[:2]))
    own = [*ranks[: chance.choice((4, 8, 12, 16))], *more]
    return Plan({seat: own}, seat, {seat: ["F"]}, {seat: "high"})


def _honours_away(chance: random.Random, seat: int, seats: int) -> Plan:
    """A good hand with no honour and no King, some of which may come in with the talon."""
    talon = chance.choice(([], [*KINGS[:2], "T21"], HONOURS))
    mine = [*_top(9, 20), *(suit + "Q" for suit in "SHDC")]
    say = ("without_trull", "without_kings")
    return Plan({"talon": talon, seat: mine}, seat, {}, {seat: "high"}, say)


def _nothing_to_lay_away(chance: random.Random, seat: int, seats: int) -> Plan:
    """Hardly a card that may be discarded but tarocks: they go of need."""
    tarocks = chance.sample(TAROCKS, 21)
    return Plan({seat: [*KINGS, "F", *tarocks], "talon": []}, seat, {}, {seat: "any"})


def lone_petit(chance: random.Random, seat: int, seats: int) -> Plan:
    """The Petit with no other trump: not played without the Excuse, and played with it."""
    cards = ["T1"] + (["F"] if chance.random() < 0.8 else [])
    return Plan({seat: cards + _suits(chance, PACK_78, 24)}, (seat + 1) % seats, {seat: ["T1"]})


def no_tarock(chance: random.Random, seat: int, seats: int) -> Plan:
    """No tarock at all: not played under Löw."""
    return Plan({seat: _suits(chance, PACK_54, 16)}, (seat + 1) % seats)


def _two_share(chance: random.Random, seat: int, seats: int) -> Plan:
    """All trumps with two players, who sit against the taker or with him."""
    mate = chance.choice([at for at in range(seats) if at != seat])
    trumps = chance.sample(TAROCKS, 21)
    wishes: dict[int | str, list[Card]] = {seat: ["F", *trumps[:11]], mate: [*trumps[11:], *KINGS]}
    eager = chance.choice([at for at in range(seats) if at not in (seat, mate)] + [mate])
    keep = {seat: ["F"], mate: ["T1"]}
    return Plan(wishes, eager, keep, dict.fromkeys(range(seats), "high"))


def pass_all(chance: random.Random, seat: int, seats: int) -> Plan:
    return Plan(eager=-1, style={at: chance.choice(("high", "low", "any")) for at in range(seats)})


Planner = Callable[[random.Random, int, int], Plan]
TAROCK_PLANS: Final[list[Planner]] = [
    _fair, _fair, _birds, _birds, _all_tricks, _court, _honours_away, _nothing_to_lay_away, pass_all,
]  # fmt: skip
TAROT_PLANS: Final[list[Planner]] = [
    _fair, _fair, _birds, _all_tricks, _all_tricks, _court, _nothing_to_lay_away, lone_petit, _two_share,
    pass_all,
]  # fmt: skip
