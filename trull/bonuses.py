"""What the bonuses of Illustrated Tarock mean: predicates over the facts of a hand (IT-7.10 to IT-7.19)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from trull.cards import HONOURS, KINGS
from trull.model import Variant

if TYPE_CHECKING:
    from trull.facts_tarock import TarockFacts

Predicate = Callable[["TarockFacts", Variant, int], bool]

ALL_TRICKS: Final = 16


def pagat(facts: TarockFacts, variant: Variant, seat: int) -> bool:
    """T1, played by this player, wins the last trick (IT-7.10)."""
    return facts.pagat_by == seat == facts.pagat_to


def uhu(facts: TarockFacts, variant: Variant, seat: int) -> bool:
    """T2, played by this player, wins the last trick but one (IT-7.11)."""
    return facts.uhu_by == seat == facts.uhu_to


def forty(facts: TarockFacts, variant: Variant, seat: int) -> bool:
    """The declarer has 40 rounded card points or more (IT-7.12)."""
    return seat == facts.declarer and facts.points >= 40


def fifty(facts: TarockFacts, variant: Variant, seat: int) -> bool:
    """The declarer has 50 rounded card points or more (IT-7.13)."""
    return seat == facts.declarer and facts.points >= 50


def _without(facts: TarockFacts, variant: Variant, seat: int, cards: int) -> bool:
    """The game is won, and none of those cards was in the opening hand as ``without_basis`` reads it."""
    basis = variant.rulings["without_basis"]
    opening = facts.dealt[seat]
    if basis == "before_play":
        opening = facts.before_play[seat]
    elif basis == "talon_exposed" and not facts.solo:
        opening |= facts.talon
    return seat == facts.declarer and facts.won and not opening & cards


def without_trull(facts: TarockFacts, variant: Variant, seat: int) -> bool:
    """The game is won without a Trull card (IT-7.14)."""
    return _without(facts, variant, seat, HONOURS)


def without_kings(facts: TarockFacts, variant: Variant, seat: int) -> bool:
    """The game is won without a King (IT-7.15)."""
    return _without(facts, variant, seat, KINGS)


def _hand(facts: TarockFacts, variant: Variant, seat: int) -> int:
    """The hand that hand bonuses are judged on (ruling ``hand_bonus_basis``)."""
    return (facts.dealt if variant.rulings["hand_bonus_basis"] == "dealt" else facts.before_play)[seat]


def tarock_trull(facts: TarockFacts, variant: Variant, seat: int) -> bool:
    """All three Trull cards in hand (IT-7.16)."""
    return _hand(facts, variant, seat) & HONOURS == HONOURS


def royal_trull(facts: TarockFacts, variant: Variant, seat: int) -> bool:
    """All four Kings in hand, or as the ruling ``royal_trull`` has it (IT-7.17)."""
    wanted = KINGS if variant.rulings["royal_trull"] == "four_kings" else HONOURS
    return _hand(facts, variant, seat) & wanted == wanted


def two_honours(facts: TarockFacts, variant: Variant, seat: int) -> bool:
    """Exactly two Trull cards in hand (IT-7.18)."""
    return (_hand(facts, variant, seat) & HONOURS).bit_count() == 2


def valat(facts: TarockFacts, variant: Variant, seat: int) -> bool:
    """The declarer wins every trick (IT-7.19)."""
    return seat == facts.declarer and facts.declarer_tricks == ALL_TRICKS


MADE: Final[Mapping[str, Predicate]] = {
    "pagat": pagat,
    "uhu": uhu,
    "forty": forty,
    "fifty": fifty,
    "without_trull": without_trull,
    "without_kings": without_kings,
    "tarock_trull": tarock_trull,
    "royal_trull": royal_trull,
    "two_honours": two_honours,
    "valat": valat,
}

CLAUSES: Final[Mapping[str, str]] = {bonus: f"IT-7.{10 + place}" for place, bonus in enumerate(MADE)}
"""The clause of each bonus."""


def candidates(facts: TarockFacts) -> tuple[tuple[int, str], ...]:
    """Who might be credited with which bonus without an announcement, whatever the rulings.

    A superset that no variant changes, so that pricing a hand once more has little to look at.
    """
    found = []
    if facts.pagat_by == facts.pagat_to >= 0:
        found.append((facts.pagat_by, "pagat"))
    if facts.uhu_by == facts.uhu_to >= 0:
        found.append((facts.uhu_by, "uhu"))
    if facts.won:
        opening = facts.dealt[facts.declarer]
        if not opening & HONOURS:
            found.append((facts.declarer, "without_trull"))
        if not opening & KINGS:
            found.append((facts.declarer, "without_kings"))
    for seat, (dealt, later) in enumerate(zip(facts.dealt, facts.before_play, strict=True)):
        honours = (dealt | later) & HONOURS
        if honours & (honours - 1) or (dealt | later) & KINGS == KINGS:
            found += [(seat, bonus) for bonus in _of_hand(dealt, later)]
    if facts.declarer_tricks == ALL_TRICKS:
        found.append((facts.declarer, "valat"))
    # Forty and fifty have no silent value in the sources; a house rule may give them one.
    if facts.points >= 40:
        found.append((facts.declarer, "forty"))
    if facts.points >= 50:
        found.append((facts.declarer, "fifty"))
    return tuple(found)


def _of_hand(dealt: int, later: int) -> list[str]:
    """The hand bonuses that the cards dealt, or those held before play, might earn."""
    before, after = (dealt & HONOURS).bit_count(), (later & HONOURS).bit_count()
    found = []
    if before == 3 or after == 3:
        found.append("tarock_trull")
    if found or dealt & KINGS == KINGS or later & KINGS == KINGS:
        found.append("royal_trull")
    if before == 2 or after == 2:
        found.append("two_honours")
    return found
