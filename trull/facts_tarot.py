"""The facts of a finished hand of French Tarot that no variant of its number of players changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from trull.cards import BIT, FOOL, HONOURS, T1, TAROT_78, mask_of
from trull.events import ResultReported
from trull.state import NOBODY, Hand


class Excuse(NamedTuple):
    """How the Excuse was played: by the taker's side or not, and who took that trick.

    ``kept``: its side had every trick before the last and so keeps it (FT-5.9).
    """

    takers: bool
    taken_by_own: bool
    last: bool
    kept: bool


class Handful(NamedTuple):
    """A handful: whose, and how many trumps were shown; a reported one by its size."""

    seat: int
    shown: int
    size: str | None


@dataclass(slots=True)
class TarotFacts:
    """A finished hand. Sides are from the taker's view; ``halves`` are half card points.

    Without ``excuse`` (reported, or never played) ``halves`` and ``oudlers`` are final; with it
    they leave the Excuse out, since a ruling decides about it.
    """

    seats: int
    declarer: int
    partner: int | None
    taker_side: frozenset[int]
    contract: str
    halves: int
    oudlers: int
    excuse: Excuse | None
    petit_to: int
    """Who won the last trick with T1 in it, else ``NOBODY``."""
    handfuls: tuple[Handful, ...]
    slam_announced: bool
    slam_by_takers: bool
    slam_by_defence: bool


def read(hand: Hand) -> TarotFacts:
    """The facts of a finished hand."""
    return _from_cards(hand) if hand.result is None else _from_result(hand.result, hand.seats)


def partner_of(hand: Hand) -> int | None:
    """The holder of the called card; the taker himself when alone; ``None`` without a call (FT-2.8)."""
    if hand.called == NOBODY or hand.dealt is None:
        return None
    for seat, cards in enumerate(hand.dealt):
        if cards & BIT[hand.called]:
            return seat
    return hand.declarer


def _from_cards(hand: Hand) -> TarotFacts:
    assert hand.contract is not None
    assert hand.dealt is not None
    partner = partner_of(hand)
    takers = frozenset({hand.declarer} if partner is None else {hand.declarer, partner})
    pile = hand.discarded | hand.pile(takers)
    winners = list(hand.winners)
    excuse, owner = _excuse(hand, winners, takers)
    if excuse is not None and excuse.kept and not excuse.taken_by_own:
        winners[-1] = owner
        last = mask_of(hand.tricks[-1])
        pile = pile | last if owner in takers else pile & ~last
    won = [winner in takers for winner in winners]
    if not hand.contract.exchange and hand.contract.untaken_to == "declarer":
        chien = TAROT_78.cards
        for dealt in hand.dealt:
            chien &= ~dealt
        pile |= chien
    if excuse is not None:
        pile &= ~BIT[FOOL]
    return TarotFacts(
        hand.seats,
        hand.declarer,
        partner,
        takers,
        hand.contract.id,
        TAROT_78.worth(pile),
        (pile & HONOURS).bit_count(),
        excuse,
        _petit(hand, winners, excuse),
        tuple(
            Handful(seat, len(cards), None)
            for (seat, bonus), (_, cards) in hand.announced.items()
            if bonus == "handful"
        ),
        (hand.declarer, "slam") in hand.announced,
        all(won),
        not any(won),
    )


def _excuse(hand: Hand, winners: list[int], takers: frozenset[int]) -> tuple[Excuse | None, int]:
    """How and by whom the Excuse was played, if it was (FT-5.7 to FT-5.9)."""
    leader = hand.first_leader
    for trick, cards in enumerate(hand.tricks):
        if FOOL in cards:
            owner = (leader + cards.index(FOOL)) % hand.seats
            side = owner in takers
            last = trick == len(hand.tricks) - 1
            kept = last and all((winner in takers) == side for winner in winners[:-1])
            return Excuse(side, (winners[trick] in takers) == side, last, kept), owner
        leader = winners[trick]
    return None, NOBODY


def _petit(hand: Hand, winners: list[int], excuse: Excuse | None) -> int:
    """Who wins the last trick with the Petit in it; if the Excuse wins a slam's, the one before (FT-6.2)."""
    excuse_wins = excuse is not None and excuse.kept and not excuse.taken_by_own
    trick = len(hand.tricks) - (2 if excuse_wins else 1)
    return winners[trick] if T1 in hand.tricks[trick] else NOBODY


def _from_result(result: ResultReported, seats: int) -> TarotFacts:
    """The facts as a score sheet states them (FT-9.4)."""
    assert result.declarer is not None
    assert result.half_points is not None
    assert result.oudlers is not None
    takers = frozenset({result.declarer} if result.partner is None else {result.declarer, result.partner})
    petit_to = NOBODY
    handfuls = []
    announced = made = defended = False
    for bonus in result.bonuses:
        if bonus.bonus == "petit_au_bout":
            assert bonus.seat is not None
            petit_to = bonus.seat
        elif bonus.bonus == "handful":
            assert bonus.seat is not None
            handfuls.append(Handful(bonus.seat, 0, bonus.size))
        else:
            announced = bool(bonus.announced)
            by_takers = bonus.seat is None or bonus.seat in takers
            made, defended = bool(bonus.made) and by_takers, bool(bonus.made) and not by_takers
    return TarotFacts(
        seats,
        result.declarer,
        result.partner,
        takers,
        result.contract,
        result.half_points,
        result.oudlers,
        None,
        petit_to,
        tuple(handfuls),
        announced,
        made,
        defended,
    )


def petit_sec(dealt: tuple[int, ...]) -> bool:
    """Whether a hand's only trump is the Petit, without the Excuse (FT-2.5)."""
    return any(cards & (TAROT_78.tarocks | BIT[FOOL]) == BIT[T1] for cards in dealt)
