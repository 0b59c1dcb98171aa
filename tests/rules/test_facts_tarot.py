"""What is read from a played hand of French Tarot: sides, points, Excuse, Petit (FT-2.8, FT-3, FT-5.7)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.rules.played import play_on
from tests.rules.scenes import FIVE, FOUR, Sent, announce, bid, deal, passed, say, sheet_of, take
from tests.support.card_rules import halves
from tests.support.tarot_table import TarotTable
from trull import Variant
from trull.facts_tarot import Excuse, TarotFacts
from trull.price_tarot import price
from trull.state import NOBODY


def high(count: int, below: int = 21) -> str:
    """So many trumps, the highest first."""
    return " ".join(f"T{number}" for number in range(below, below - count, -1))


def suits(ranks: str, letters: str = "SHDC") -> str:
    return " ".join(suit + rank for rank in ranks.split() for suit in letters)


def words(variant: Variant, contract: str, card: str = "") -> list[Sent]:
    """A plays it, and calls the card."""
    names = "ABCDE"[: variant.players]
    call = [say("king_called", "A", card=card)] if card else []
    return [bid("A", contract), *(passed(name) for name in names[1:]), *call]


def played(
    variant: Variant, dealt: Sent, *said: Sent, ruling: str = "", **how: Any
) -> tuple[Sent, TarotTable]:
    """The sheet of a whole hand, under a ruling on the Excuse in the last trick, and its table."""
    events, table = play_on(variant, dealt, *said, **how)
    assert isinstance(table, TarotTable)
    house = replace(variant, rulings={**variant.rulings, "excuse_last_trick": ruling}) if ruling else variant
    return sheet_of(variant, *events, under=house), table


def oudlers(sheet: Sent) -> int:
    """The number of oudlers with which the contract's line was counted."""
    points, difference = sheet["card_points"]["declarer"], sheet["items"][0]["base"] - 25
    needed = points - difference if sheet["outcome"] == "won" else points + difference
    return {56: 0, 51: 1, 41: 2, 36: 3}[needed]


def items(sheet: Sent, name: str) -> list[Sent]:
    return [item for item in sheet["items"] if item["item"] == name]


# --- Sides ---------------------------------------------------------------------------------------


def test_ft_2_6_the_holder_of_the_called_card_is_the_partner() -> None:
    sheet, table = played(FIVE, deal(FIVE, "SK", "", "HK"), *words(FIVE, "garde_sans", "HK"))
    assert (sheet["partner"], table.partner) == ("C", 2)
    assert 2 * sheet["card_points"]["declarer"] == table.takers_halves()


def test_ft_2_8_the_own_card_or_one_in_the_chien_is_alone() -> None:
    for dealt in (deal(FIVE, "SK HK"), deal(FIVE, "SK", talon="HK")):
        sheet, table = played(FIVE, dealt, *words(FIVE, "garde_sans", "HK"))
        assert sheet["partner"] == "A"
        shares = list(sheet["scores"].values())
        assert shares == [-4 * shares[1], *[shares[1]] * 4]
        assert 2 * sheet["card_points"]["declarer"] == table.takers_halves()


# --- Chien and discard ---------------------------------------------------------------------------


@pytest.mark.parametrize(("contract", "ours"), [("garde_sans", 50), ("garde_contre", 0)])
def test_ft_3_5_whose_chien_it_is(contract: str, ours: int) -> None:
    """Four Kings and two Queens lie there: 25 points. A has the Excuse and gives half a point for it."""
    chien = "SK HK DK CK SQ HQ"
    assert halves(chien.split()) == 50
    dealt = deal(FOUR, f"F {suits('1 2 3 4')} S5", high(16), "T1 T2 S6", talon=chien)
    sheet, table = played(FOUR, dealt, *words(FOUR, contract), style="hhhl")
    assert all(winner != 0 for _, winner, _ in table.tricks)
    assert "F" in table.tricks[0][2]
    assert 2 * sheet["card_points"]["declarer"] == 9 - 1 + ours


def test_ft_3_2_the_discard_counts_for_the_taker() -> None:
    laid = "SQ HQ DQ CQ SC HC"
    chien = "S1 S2 S3 S4 S5 S6"
    dealt = deal(FOUR, f"{laid} {suits('1 2 3 4', 'HDC')}", high(16), "T1 T2 F", talon=chien)
    said = [*words(FOUR, "garde"), take("A", chien), say("cards_discarded", "A", cards=laid.split())]
    sheet, table = played(FOUR, dealt, *said, style="lhhl", keep={"C": "SK"})
    assert all(winner != 0 for _, winner, _ in table.tricks)
    assert 2 * sheet["card_points"]["declarer"] == halves(laid.split()) == 38
    assert not items(sheet, "petit_au_bout")
    assert [item["clause"] for item in items(sheet, "slam")] == ["FT-6.5"], "a discard is no trick"


def test_ft_1_3_two_oudlers_in_one_trick_count_twice() -> None:
    """A's 21 takes the Petit, and the Excuse falls in the same trick: two are his, so 41 are needed."""
    dealt = deal(FOUR, "T21 SK", "T1 T2", "F SQ")
    sheet, table = played(FOUR, dealt, *words(FOUR, "garde_sans"), style="hlhl")
    assert {"T21", "T1", "F"} < set(table.tricks[0][2])
    assert table.tricks[0][1] == 0
    assert oudlers(sheet) == 2
    assert 2 * sheet["card_points"]["declarer"] == table.takers_halves()


# --- The Excuse, played out ----------------------------------------------------------------------

EIGHTEEN = deal(FOUR, high(18), "T1 T2 T3", f"F {suits('K Q')}")
"""A has all trumps but three: he wins every trick; C has the Excuse."""


def test_ft_5_7_the_excuse_stays_with_its_side_against_half_a_point() -> None:
    """C's Excuse falls early: 87 points with two oudlers, and a slam all the same."""
    sheet, table = played(FOUR, EIGHTEEN, *words(FOUR, "garde_sans"), style="hhhh")
    assert all(winner == 0 for _, winner, _ in table.tricks)
    assert "F" in table.tricks[0][2]
    assert sheet["card_points"] == {"declarer": 87, "defenders": 4}
    assert oudlers(sheet) == 2
    assert [item["made"] for item in items(sheet, "slam")] == [True]


@pytest.mark.parametrize(
    ("ruling", "count"), [("changes_side", 91), ("to_trick_winner", 91), ("stays_with_owner", 87)]
)
def test_ft_5_8_ft_7_1_in_a_last_trick_of_the_other_side(ruling: str, count: int) -> None:
    """C keeps the Excuse to the last trick, which A wins."""
    sheet, table = played(
        FOUR, EIGHTEEN, *words(FOUR, "garde_sans"), ruling=ruling, style="hhhh", keep={"C": "F"}
    )
    assert "F" in table.tricks[-1][2]
    assert sheet["card_points"] == {"declarer": count, "defenders": 91 - count}
    assert oudlers(sheet) == (3 if count == 91 else 2)


@pytest.mark.parametrize(
    ("ruling", "moved"), [("changes_side", 8), ("to_trick_winner", 0), ("stays_with_owner", 0)]
)
def test_ft_5_8_ft_7_1_in_a_last_trick_of_its_own_side(ruling: str, moved: int) -> None:
    """A took a trick; C's Excuse falls into B's last one: it goes to A, against half a point."""
    dealt = deal(FOUR, f"SK {suits('2 3 4 5', 'HDC')}", f"S10 {high(17)}", "F T1 T2 T3 SQ", "SJ T4")
    sheet, table = played(
        FOUR, dealt, *words(FOUR, "garde_sans"), ruling=ruling, style="hhhl", keep={"C": "F"}
    )
    assert (table.tricks[0][1], table.tricks[-1][1]) == (0, 1)
    assert "F" in table.tricks[-1][2]
    counted = halves(table.pile({0}) + table.talon)
    assert 2 * sheet["card_points"]["declarer"] == counted + moved
    assert oudlers(sheet) == (1 if moved else 0)


@pytest.mark.parametrize("ruling", ["changes_side", "to_trick_winner", "stays_with_owner"])
def test_ft_5_9_a_side_with_every_trick_wins_the_last_with_the_excuse(ruling: str) -> None:
    """A leads it to the last trick, and the whole trick is his under every ruling."""
    dealt = deal(FOUR, f"F {high(17)}", f"T1 T2 {suits('K Q')}")
    sheet, table = played(
        FOUR, dealt, *words(FOUR, "garde_sans"), ruling=ruling, style="hhhh", keep={"A": "F"}
    )
    assert table.tricks[-1][2][0] == "F"
    assert table.tricks[-1][1] != 0, "by the cards another would win it"
    assert sheet["card_points"] == {"declarer": 91, "defenders": 0}
    assert [item["made"] for item in items(sheet, "slam")] == [True]
    assert oudlers(sheet) == 3


@pytest.mark.parametrize("announced", [True, False])
def test_ft_5_9_the_defence_too(announced: bool) -> None:
    """B and C win everything, C with the Excuse in the end: the taker has the chien alone."""
    own = f"SK {suits('2 3 4 5', 'HDC')}"
    dealt = deal(FOUR, own, high(17), f"F T1 T2 T3 {suits('Q C J', 'HDC')}")
    said = [*words(FOUR, "garde_sans"), *[announce("A", "slam")] * announced]
    sheet, table = played(FOUR, dealt, *said, style="lhhl", keep={"C": "F", "B": "T5"})
    assert all(winner != 0 for _, winner, _ in table.tricks)
    assert "F" in table.tricks[-1][2]
    assert 2 * sheet["card_points"]["declarer"] == halves(table.talon)
    assert [item["clause"] for item in items(sheet, "slam")] == ["FT-6.4"] * announced + ["FT-6.5"]


def test_ft_6_2_the_trick_before_counts_as_the_last_for_the_petit() -> None:
    """A's Excuse wins the last trick of the slam, and his Petit the one before."""
    dealt = deal(FOUR, f"F T1 {high(16)}", f"T2 T3 {suits('K Q')}")
    sheet, table = played(FOUR, dealt, *words(FOUR, "garde_sans"), style="hhhh", keep={"A": "F T1"})
    assert ("F" in table.tricks[-1][2], "T1" in table.tricks[-2][2]) == (True, True)
    assert table.tricks[-1][1] != 0
    assert [item["player"] for item in items(sheet, "petit_au_bout")] == ["A"]


def test_ft_6_2_petit_au_bout_is_of_the_winner_of_the_last_trick() -> None:
    """A's own Petit here; a law has all the others (tests/laws/test_score_laws.py)."""
    alone = deal(FOUR, f"T1 {high(12)}", "T9 T8 T7", "T6 T5 T4", "F T3 T2")
    sheet, table = played(FOUR, alone, *words(FOUR, "garde_sans"), style="hhhh", keep={"A": "T1"})
    assert ("T1" in table.tricks[-1][2], table.tricks[-1][1]) == (True, 0)
    assert [item["player"] for item in items(sheet, "petit_au_bout")] == ["A"]


def test_ft_6_4_with_five_the_partners_tricks_are_of_the_slam() -> None:
    """A and C win every trick between them, the last one with C's Excuse."""
    dealt = deal(FIVE, f"{high(8)} SK DK CK H2 H3 H4 H5", "T1 T2", f"HK HQ HC {high(11, 13)} F")
    said = [*words(FIVE, "garde_sans", "HK"), announce("A", "slam")]
    sheet, table = played(FIVE, dealt, *said, style="hlhll", keep={"C": "F"})
    assert {winner for _, winner, _ in table.tricks[:-1]} == {0, 2}
    assert "F" in table.tricks[-1][2]
    assert [item["made"] for item in items(sheet, "slam")] == [True]
    assert 2 * sheet["card_points"]["declarer"] == table.takers_halves()


# --- The Excuse, by the book ---------------------------------------------------------------------

MOVES = [
    # (takers, taken_by_own, last, kept): (halves and oudlers to the taker's side) under each ruling
    ((True, True, False, False), (9, 1), (9, 1), (9, 1)),
    ((True, False, False, False), (8, 1), (8, 1), (8, 1)),
    ((False, True, False, False), (0, 0), (0, 0), (0, 0)),
    ((False, False, False, False), (1, 0), (1, 0), (1, 0)),
    ((True, True, True, False), (1, 0), (9, 1), (9, 1)),
    ((True, False, True, False), (0, 0), (0, 0), (8, 1)),
    ((False, True, True, False), (8, 1), (0, 0), (0, 0)),
    ((False, False, True, False), (9, 1), (9, 1), (1, 0)),
    ((True, True, True, True), (9, 1), (9, 1), (9, 1)),
    ((True, False, True, True), (9, 1), (9, 1), (9, 1)),
    ((False, True, True, True), (0, 0), (0, 0), (0, 0)),
    ((False, False, True, True), (0, 0), (0, 0), (0, 0)),
]
RULINGS = ("changes_side", "to_trick_winner", "stays_with_owner")


@pytest.mark.parametrize(("how", "moves"), [(row[0], row[1:]) for row in MOVES])
def test_ft_5_7_to_ft_5_9_where_the_excuse_ends(
    how: tuple[bool, bool, bool, bool], moves: tuple[tuple[int, int], ...]
) -> None:
    side = frozenset({0})
    facts = TarotFacts(4, 0, None, side, "garde", 100, 1, Excuse(*how), NOBODY, (), False, False, False)
    for ruling, (gained, more) in zip(RULINGS, moves, strict=True):
        draft = price(facts, replace(FOUR, rulings={**FOUR.rulings, "excuse_last_trick": ruling}))
        assert draft.card_points is not None
        assert 2 * draft.card_points[0] == 100 + gained
        needed = {1: 51, 2: 41}[1 + more]
        over = 100 + gained - 2 * needed
        assert draft.won == (over >= 0)
        assert draft.lines[0].base == 50 + abs(over) + abs(over) % 2
