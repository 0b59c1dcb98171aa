"""The facts of a finished hand of Illustrated Tarock that no rule set changes.

They are read once from a replayed hand or a reported result, and priced under any variant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from trull.bonuses import candidates
from trull.cards import T1, T2, TAROCK_54
from trull.events import ResultReported
from trull.state import NOBODY, Hand


class Claim(NamedTuple):
    """A bonus announced or reported: by whom, at which stage, contra'd how (0, 1, 2).

    ``made`` is ``None`` where the cards tell it.
    """

    seat: int
    bonus: str
    stage: str
    level: int
    made: bool | None


@dataclass(slots=True)
class TarockFacts:
    """A finished hand. ``thirds`` is exact, ``points`` rounded; masks are by seat.

    ``pagat_by`` and ``pagat_to`` are who played T1 to the last trick and who won that trick
    (``NOBODY`` if it was not there); ``uhu_*`` the same for T2 and the last trick but one.
    """

    declarer: int
    contract: str
    stake: str
    solo: bool
    thirds: int
    points: int
    won: bool
    """36 rounded card points win (IT-2.4)."""
    game_contra: tuple[str, int] | None
    claims: tuple[Claim, ...]
    reported: bool = False
    dealt: tuple[int, ...] = ()
    before_play: tuple[int, ...] = ()
    talon: int = 0
    pagat_by: int = NOBODY
    pagat_to: int = NOBODY
    uhu_by: int = NOBODY
    uhu_to: int = NOBODY
    declarer_tricks: int = 0
    silent: tuple[tuple[int, str], ...] = ()
    """Who might earn which bonus unannounced (`trull.bonuses.candidates`)."""


@dataclass(frozen=True, slots=True)
class TrischakenFacts:
    """A finished Trischaken: card points and tricks by seat (IT-8.4, IT-8.6)."""

    points: tuple[int, ...]
    tricks: tuple[int, ...]


def read(hand: Hand) -> TarockFacts | TrischakenFacts:
    """The facts of a finished hand."""
    if hand.result is not None:
        return _from_result(hand.result)
    if hand.trischaken:
        worth = TAROCK_54.worth
        per_point = TAROCK_54.units_per_point
        return TrischakenFacts(
            tuple(worth(hand.pile((seat,))) // per_point for seat in range(hand.seats)),
            tuple(hand.winners.count(seat) for seat in range(hand.seats)),
        )
    return _from_cards(hand)


_WINS = 36


def _from_cards(hand: Hand) -> TarockFacts:
    assert hand.dealt is not None
    assert hand.contract is not None
    declarer = hand.declarer
    units = TAROCK_54.units
    thirds = TAROCK_54.worth(hand.discarded) + sum(
        [
            units[card]
            for cards, seat in zip(hand.tricks, hand.winners, strict=True)
            if seat == declarer
            for card in cards
        ]
    )
    points = (thirds + 1) // 3
    before = list(hand.dealt)
    before[declarer] = (before[declarer] | hand.taken) & ~hand.discarded
    talon = TAROCK_54.cards
    for cards in hand.dealt:
        talon ^= cards
    pagat_by, pagat_to = _bird(hand, T1, len(hand.tricks) - 1)
    uhu_by, uhu_to = _bird(hand, T2, len(hand.tricks) - 2)
    contras = hand.contras
    facts = TarockFacts(
        declarer,
        hand.contract.id,
        hand.stake,
        not hand.contract.exchange,
        thirds,
        points,
        points >= _WINS,
        hand.game_contra,
        tuple(
            [
                Claim(seat, bonus, stage, contras.get((bonus, stage, seat == declarer), 0), None)
                for (seat, bonus), (stage, _) in hand.announced.items()
            ]
        ),
        False,
        hand.dealt,
        tuple(before),
        talon,
        pagat_by,
        pagat_to,
        uhu_by,
        uhu_to,
        hand.winners.count(declarer),
    )
    facts.silent = candidates(facts)
    return facts


def _bird(hand: Hand, card: int, trick: int) -> tuple[int, int]:
    """Who played the card to that trick, and who won the trick."""
    cards = hand.tricks[trick]
    if card not in cards:
        return NOBODY, NOBODY
    leader = hand.winners[trick - 1] if trick else 0
    return (leader + cards.index(card)) % hand.seats, hand.winners[trick]


_LEVELS = {"none": 0, "contra": 1, "recontra": 2}


def _from_result(result: ResultReported) -> TarockFacts | TrischakenFacts:
    """The facts as a score sheet states them (IT-12.4)."""
    if result.points_by_seat is not None:
        assert result.tricks_by_seat is not None
        return TrischakenFacts(result.points_by_seat, result.tricks_by_seat)
    assert result.declarer is not None
    assert result.half_points is not None
    points = result.half_points // 2
    level = _LEVELS[result.contra_level]
    return TarockFacts(
        result.declarer,
        result.contract,
        result.stake,
        result.contract == "solo",
        3 * points,
        points,
        points >= _WINS,
        (result.contra_stage or "after_pickup", level) if level else None,
        tuple(
            Claim(
                result.declarer if bonus.seat is None else bonus.seat,
                bonus.bonus,
                bonus.stage or "silent",
                _LEVELS[bonus.contra],
                bool(bonus.made),
            )
            for bonus in result.bonuses
        ),
        True,
    )


def without_tarock(dealt: tuple[int, ...]) -> bool:
    """Whether a hand was dealt without a single tarock (IT-3.3)."""
    return any(not cards & TAROCK_54.tarocks for cards in dealt)
