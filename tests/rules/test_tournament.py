"""Which hands of a tournament count, and the sheets of its tables."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.lawbook import law
from trull.standings import Counted
from trull.tournament import REASONS, Admission, Imposed, Place, Plan, Played, admit, table_sheet

PLAN = Plan("french-tarot-4", 2, 3, 5, frozenset("NESWABCD"), {(1, "1"): frozenset("NESW")})


def played(hand_id: str, **fields: Any) -> Played:
    made = Played(hand_id, "french-tarot-4", 1, "1", 1, tuple("NESW"), "scored", "garde", "S")
    return made._replace(**fields)


def reasons(*hands: Played, **plan: Any) -> dict[str, str]:
    return admit(hands, changed(**plan)).left_out


def changed(**plan: Any) -> Plan:
    fields = {name: getattr(PLAN, name) for name in PLAN.__dataclass_fields__}
    return Plan(**(fields | plan))


def test_a_hand_in_its_place_counts() -> None:
    found = admit([played("a"), played("b", number=2), played("c", round=2, players=tuple("ABCN"))], PLAN)
    assert found == Admission({"a": Place(1, "1", 1), "b": Place(1, "1", 2), "c": Place(2, "1", 1)})


@pytest.mark.parametrize(
    ("reason", "fields", "plan"),
    [
        ("other_variant", {"variant": "french-tarot-3"}, {}),
        ("no_place", {"round": None}, {}),
        ("no_place", {"table": None}, {}),
        ("no_place", {"number": None}, {}),
        ("outside", {"round": 3}, {}),
        ("outside", {"table": "4"}, {}),
        ("outside", {"table": "0"}, {}),
        ("outside", {"table": "Stammtisch"}, {}),
        ("outside", {"number": 6}, {}),
        ("other_players", {"players": tuple("ABCD")}, {}),
        ("other_players", {"round": 2, "players": tuple("ABCX")}, {}),
        ("other_contract", {}, {"imposed": {1: Imposed("prise")}}),
        ("other_contract", {}, {"imposed": {1: Imposed("garde", 0)}}),
        ("struck", {}, {"struck": frozenset({(1, "1", 1)})}),
        ("struck", {}, {"struck": frozenset({(1, None, 1)})}),
        ("annulled", {"status": "annulled"}, {}),
        ("void", {"status": "void"}, {}),
        ("incomplete", {"status": "incomplete"}, {}),
        ("irregular", {"status": "irregular"}, {}),
        ("failed", {"status": "failed"}, {}),
        ("pending", {"status": "pending"}, {}),
    ],
)
def test_a_hand_is_left_out_with_the_reason(
    reason: str, fields: dict[str, Any], plan: dict[str, Any]
) -> None:
    found = admit([played("a", **fields)], changed(**plan))
    assert found == Admission(left_out={"a": reason})


def test_every_reason_is_told_somewhere_here() -> None:
    mark = test_a_hand_is_left_out_with_the_reason.pytestmark[0]
    assert {*REASONS} == {row[0] for row in mark.args[1]} | {"disputed", "not_chosen"}


def test_the_seats_may_be_taken_in_any_order_and_the_deal_passes_on() -> None:
    assert reasons(played("a", players=tuple("WNES"))) == {}


def test_imposed_is_what_the_organiser_says_and_no_more() -> None:
    imposed = {1: Imposed("garde", 2), 2: Imposed(seat=1)}
    assert reasons(played("a"), imposed=imposed) == {}
    assert reasons(played("a", number=2, declarer="E", contract="prise"), imposed=imposed) == {}


class TestDisputes:
    def test_the_first_counts_until_a_director_chooses(self) -> None:
        found = admit([played("a"), played("b"), played("c")], PLAN)
        assert found.places == {"a": Place(1, "1", 1)}
        assert found.left_out == {"b": "disputed", "c": "disputed"}
        assert found.disputes == [Place(1, "1", 1)]
        assert found.rivals == {Place(1, "1", 1): ["a", "b", "c"]}

    def test_then_the_chosen_one_counts(self) -> None:
        found = admit([played("a"), played("b"), played("c")], changed(choices={"b": ("a", "c")}))
        assert found.places == {"b": Place(1, "1", 1)}
        assert (found.left_out, found.disputes) == ({"a": "not_chosen", "c": "not_chosen"}, [])
        assert found.rivals == {Place(1, "1", 1): ["a", "b", "c"]}

    def test_a_later_choice_holds_against_an_earlier_one(self) -> None:
        found = admit([played("a"), played("b")], changed(choices={"b": ("a",), "x": (), "a": ("b",)}))
        assert (found.places, found.left_out) == ({"a": Place(1, "1", 1)}, {"b": "not_chosen"})

    def test_what_comes_after_the_choice_is_disputed_again(self) -> None:
        found = admit([played("a"), played("b"), played("c")], changed(choices={"b": ("a",)}))
        assert found.places == {"b": Place(1, "1", 1)}
        assert found.left_out == {"a": "not_chosen", "c": "disputed"}
        assert found.disputes == [Place(1, "1", 1)]
        assert found.rivals == {Place(1, "1", 1): ["a", "b", "c"]}

    def test_one_that_is_not_yet_scored_keeps_the_place(self) -> None:
        found = admit([played("a", status="incomplete"), played("b")], PLAN)
        assert (found.places, found.left_out) == ({}, {"a": "incomplete", "b": "disputed"})

    def test_what_was_annulled_or_is_by_others_keeps_no_place(self) -> None:
        wrong = played("wrong", players=tuple("ABCD"))
        assert admit([wrong, played("a", status="annulled"), played("b")], PLAN).places == {
            "b": Place(1, "1", 1)
        }

    def test_a_choice_that_has_gone_is_none(self) -> None:
        hands = [played("a"), played("b", status="annulled"), played("c")]
        found = admit(hands, changed(choices={"b": ("a", "c")}))
        assert (found.places, found.left_out["c"]) == ({"a": Place(1, "1", 1)}, "disputed")


class TestTableSheets:
    def test_the_printed_sheet_balances(self) -> None:
        """The totals of the score sheet that the French federation prints as its example."""
        totals = {"N": -446, "S": 1346, "E": -390, "O": -510}
        sheet = table_sheet(1, "1", "NSEO", [("h", Counted(1, "1", 1, tuple("NSEO"), totals))])
        assert (sheet.totals, sheet.balance) == (totals, 0)

    def test_a_line_a_hand_by_number_and_the_totals(self) -> None:
        hands = [
            ("b", Counted(1, "2", 2, tuple("ESWN"), {"E": -42, "S": -42, "W": 126, "N": -42})),
            ("a", Counted(1, "2", 1, tuple("NESW"), {"N": 318, "E": -106, "S": -106, "W": -106})),
        ]
        sheet = table_sheet(1, "2", "NESW", hands)
        assert [(row.number, row.hand_id, row.balance) for row in sheet.rows] == [(1, "a", 0), (2, "b", 0)]
        assert sheet.players == tuple("NESW")
        assert sheet.totals == {"N": 276, "E": -148, "S": -148, "W": 20}
        assert sheet.balance == 0

    def test_players_whom_nobody_named_come_after_and_what_does_not_balance_shows(self) -> None:
        hand = Counted(1, "1", 1, tuple("ABC"), {"A": 42, "B": 0, "C": Fraction(1, 2)})
        sheet = table_sheet(1, "1", "C", [("h", hand)])
        assert (sheet.players, sheet.balance) == (("C", "A", "B"), Fraction(85, 2))
        assert table_sheet(1, "1", "", []).balance == 0


# --- laws -----------------------------------------------------------------------------------------

SOME = st.lists(
    st.tuples(st.integers(1, 3), st.integers(1, 2), st.sampled_from(("scored", "annulled", "incomplete"))),
    max_size=10,
)


def drawn_hands(drawn: list[tuple[int, int, str]]) -> list[Played]:
    plain = {"round": 2, "players": tuple("ABCD")}
    return [
        played(f"h{at}", table=str(table), number=number, status=status, **plain)
        for at, (table, number, status) in enumerate(drawn)
    ]


@law(100)
@given(SOME, st.randoms(use_true_random=False))
def test_the_order_of_different_tables_changes_nothing(
    drawn: list[tuple[int, int, str]], chance: random.Random
) -> None:
    hands = drawn_hands(drawn)
    tables = [hand.table for hand in hands]
    chance.shuffle(tables)
    queues = {table: iter([hand for hand in hands if hand.table == table]) for table in set(tables)}
    other = [next(queues[table]) for table in tables]
    found, expected = admit(other, PLAN), admit(hands, PLAN)
    assert sorted(found.disputes) == sorted(expected.disputes)
    found.disputes = expected.disputes
    assert found == expected


@law(100)
@given(SOME, st.integers(0, 9))
def test_to_annul_a_hand_is_never_to_have_played_it(drawn: list[tuple[int, int, str]], at: int) -> None:
    hands = drawn_hands(drawn)
    with_annulled = [hand._replace(status="annulled") if hand.hand_id == f"h{at}" else hand for hand in hands]
    without = [hand for hand in hands if hand.hand_id != f"h{at}"]
    found, expected = admit(with_annulled, PLAN), admit(without, PLAN)
    found.left_out.pop(f"h{at}", None)
    assert found == expected
