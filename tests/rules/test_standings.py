"""Rankings: ties and what breaks them, penalties, teams, points for the place at a table, prizes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.lawbook import law
from trull.duplicate import Number
from trull.standings import (
    TIE_BREAKS,
    Counted,
    Ledger,
    Penalty,
    Scheme,
    ledgers_of,
    ranking_of,
    split_by_place,
    split_money,
    table_totals,
    teams_of,
)


def hand(
    points: dict[str, Number],
    round_: int = 1,
    table: str = "1",
    number: int = 1,
    attack: str | None = None,
    won: bool | None = None,
) -> Counted:
    attacking = frozenset() if attack is None else frozenset({attack})
    return Counted(round_, table, number, tuple(points), points, attacking, won)


def ranked(ledgers: dict[str, Ledger], *tie_breaks: str) -> list[tuple[int, str, Number | None]]:
    return [
        (one.place, one.ledger.name, one.ledger.total) for one in ranking_of(ledgers.values(), tie_breaks)
    ]


class TestByPoints:
    def test_a_clubs_published_standings(self) -> None:
        """Numbers of players, their totals at three tables and in all, as a French club printed them."""
        printed: list[tuple[str, tuple[int, ...], int]] = [
            ("31", (1044, 494, 490), 2028),
            ("36", (394, 746, 612), 1752),
            ("61", (542, 598, 264), 1404),
            ("17", (256, 660, 436), 1352),
            ("56", (-204, 326, 970), 1092),
            ("19", (28, -2, 1044), 1070),
            ("57", (-42, -142, -24), -208),
        ]
        hands = [
            hand({player: total}, round_)
            for player, totals, _ in reversed(printed)
            for round_, total in enumerate(totals, 1)
        ]
        assert ranked(ledgers_of((), hands, (), Scheme())) == [
            (place, player, total) for place, (player, _, total) in enumerate(printed, 1)
        ]

    def test_ties_share_the_place_and_the_next_one_is_left_out(self) -> None:
        ledgers = ledgers_of((), [hand({"D": -60, "C": 20, "A": 20, "B": 20})], (), Scheme())
        assert ranked(ledgers) == [(1, "A", 20), (1, "B", 20), (1, "C", 20), (4, "D", -60)]
        assert [one.shared for one in ranking_of(ledgers.values())] == [True, True, True, False]

    def test_penalties_are_lines_of_their_own_and_need_no_hand(self) -> None:
        ledgers = ledgers_of(
            ("A", "B"), [hand({"A": 10, "B": -10})], [Penalty("A", -25, 1), Penalty("Z", -5)], Scheme()
        )
        assert ranked(ledgers) == [(1, "Z", -5), (2, "B", -10), (3, "A", -15)]
        assert (ledgers["A"].of_round(1), ledgers["A"].penalties, ledgers["A"].scores) == (10, -25, [10])

    def test_who_is_entered_and_has_not_played_has_nothing_yet(self) -> None:
        ledgers = ledgers_of(("A",), (), (), Scheme())
        assert ranked(ledgers) == [(1, "A", 0)]
        assert ledgers["A"].of_round(1) is None

    def test_money_is_added_up_beside_the_points(self) -> None:
        one = hand({"A": 5, "B": 0})._replace(money={"A": 50, "B": -50})
        ledgers = ledgers_of((), [one, one, hand({"A": 1, "B": 0})], (), Scheme())
        assert (ledgers["A"].money, ledgers["B"].money, ledgers["A"].total) == (100, -100, 11)


# A and B have 30 each. A won one contract of two hands, B none of three.
TIED = [
    hand({"A": 50, "B": -10}, 1, number=1, attack="A", won=True),
    hand({"A": -20, "B": 10}, 1, number=2, attack="A", won=False),
    hand({"B": 30, "C": -60}, 2, "2", attack="C", won=False),
]


@pytest.mark.parametrize(
    ("tie_break", "of_a", "of_b"),
    [
        ("contracts_won", 1, 0),
        ("positive_hands", 1, 2),
        ("best_hand", 50, 30),
        ("worst_hand", -20, -10),
        ("best_round", 30, 30),
        ("last_round", 30, 30),
        ("penalties", 0, 0),
    ],
)
def test_each_tie_break_is_a_figure_of_the_ledger(tie_break: str, of_a: int, of_b: int) -> None:
    ledgers = ledgers_of("AB", TIED, (), Scheme())
    del ledgers["C"]
    found = {one.ledger.name: one for one in ranking_of(ledgers.values(), (tie_break,))}
    assert (found["A"].tie_breaks, found["B"].tie_breaks) == ((of_a,), (of_b,))
    assert (found["A"].place, found["B"].place) == (1 if of_a >= of_b else 2, 1 if of_b >= of_a else 2)


def test_every_tie_break_is_tried_above() -> None:
    assert list(TIE_BREAKS) == [
        "contracts_won",
        "positive_hands",
        "best_hand",
        "worst_hand",
        "best_round",
        "last_round",
        "penalties",
    ]


def test_the_first_tie_break_that_tells_them_apart_decides() -> None:
    ledgers = ledgers_of("AB", TIED, (), Scheme())
    assert ranked(ledgers, "best_round", "positive_hands", "best_hand")[:2] == [(1, "B", 30), (2, "A", 30)]


def test_no_figure_comes_after_any_figure() -> None:
    ledgers = ledgers_of(("Absent",), [hand({"A": 5, "B": -5}), hand({"A": -5, "B": 5})], (), Scheme())
    found = ranking_of(ledgers.values(), ("worst_hand", "best_round", "last_round"))
    assert [(one.place, one.ledger.name) for one in found] == [(1, "A"), (1, "B"), (3, "Absent")]
    assert found[2].tie_breaks == (None, None, None)


class TestTablePoints:
    SCHEME = Scheme("table_points", table_points=(3, 1, 0))

    def test_each_table_gives_points_for_its_places(self) -> None:
        hands = [
            hand({"A": 10, "B": 0, "C": 5}),
            hand({"A": 0, "B": 30, "C": 0}, number=2),
            hand({"D": 1, "E": 0, "F": 0}, table="2"),
            hand({"A": 0, "E": 8, "F": 9}, 2),
        ]
        ledgers = ledgers_of((), hands, [Penalty("B", -1)], self.SCHEME)
        # Round 1: B 30, A 10, C 5 and D 1 before E and F with 0 each; round 2: F, E, A.
        assert {name: ledger.total for name, ledger in ledgers.items()} == {
            "A": 1,
            "B": 2,
            "C": 0,
            "D": 3,
            "E": Fraction(1, 2) + 1,
            "F": Fraction(1, 2) + 3,
        }
        assert ledgers["F"].of_round(1) == Fraction(1, 2)

    def test_shared_places_share_to_the_fraction(self) -> None:
        assert split_by_place({"A": 7, "B": 7, "C": 7}, (3, 1, 0)) == dict.fromkeys("ABC", Fraction(4, 3))
        assert split_by_place({"A": 7, "B": 7, "C": 1, "D": 0}, (3,)) == {
            "A": Fraction(3, 2),
            "B": Fraction(3, 2),
            "C": 0,
            "D": 0,
        }

    @law(100)
    @given(
        st.dictionaries(st.sampled_from("ABCDE"), st.integers(-3, 3), min_size=1),
        st.lists(st.integers(0, 9), max_size=5),
    )
    def test_no_point_is_lost_in_sharing(self, totals: dict[str, Number], split: list[int]) -> None:
        assert sum(split_by_place(totals, split).values()) == sum(split[: len(totals)])


class TestPercentages:
    SCHEME = Scheme("percentage", attack_weight=2)
    HANDS = (
        hand({"A": 30, "B": -30}, 1, "1", 1, attack="A"),
        hand({"C": 10, "D": -10}, 1, "2", 1, attack="C"),
        hand({"A": -6, "B": 6}, 2, "1", 2, attack="B"),
        hand({"C": -6, "D": 6}, 2, "2", 2, attack="D"),
    )

    def test_deals_are_averaged_by_their_weight(self) -> None:
        ledgers = ledgers_of(("E",), self.HANDS, (), self.SCHEME)
        # A: 100 in attack, which weighs 2, and 50 in defence. D: 100 in defence, and 50 in attack.
        assert ledgers["A"].total == Fraction(250, 3)
        assert ledgers["D"].total == Fraction(200, 3)
        assert ranked(ledgers)[-1] == (5, "E", None)
        assert (ledgers["A"].of_round(1), ledgers["A"].of_round(2)) == (100, 50)
        assert [TIE_BREAKS[name](ledgers["A"]) for name in ("best_round", "last_round")] == [100, 50]

    def test_a_penalty_takes_from_one_deals_percentage(self) -> None:
        ledgers = ledgers_of((), self.HANDS, [Penalty("A", -10)], self.SCHEME)
        assert ledgers["A"].total == Fraction(240, 3)

    def test_a_round_of_weight_zero_has_no_figure(self) -> None:
        ledgers = ledgers_of((), self.HANDS, (), Scheme("percentage", attack_weight=0))
        assert ledgers["A"].of_round(1) is None
        assert TIE_BREAKS["best_round"](ledgers["A"]) == 50

    def test_teams_are_averaged_over_all_their_deals(self) -> None:
        ledgers = ledgers_of((), self.HANDS, (), self.SCHEME)
        ad, bc = teams_of(ledgers, {"AD": ["A", "D"], "BC": ["B", "C"]})
        assert (ad.total, bc.total) == (Fraction(450, 6), Fraction(150, 6))


class TestTeams:
    def test_a_team_has_what_its_members_have(self) -> None:
        ledgers = ledgers_of((), TIED, [Penalty("B", -5, 2)], Scheme())
        north, south, nobody = teams_of(ledgers, {"N": ["A", "B"], "S": ["C"], "O": ["X"]})
        assert (north.total, north.of_round(1), north.penalties) == (55, 30, -5)
        assert (north.contracts_won, len(north.scores)) == (1, 5)
        assert (south.total, nobody.total, nobody.rounds) == (-60, 0, {})
        places = [(one.place, one.ledger.name) for one in ranking_of([north, south, nobody])]
        assert places == [(1, "N"), (2, "O"), (3, "S")]


class TestPrizes:
    @pytest.mark.parametrize(
        ("places", "expected", "left"),
        [
            ([1, 2, 3], {1: 500, 2: 300, 3: 200}, 0),
            ([1, 1, 3], {1: 400, 3: 200}, 0),
            ([1, 2, 2, 2], {1: 500, 2: 166}, 2),
            ([1], {1: 500}, 500),
            ([], {}, 1000),
            ([1, 2, 3, 4], {1: 500, 2: 300, 3: 200, 4: 0}, 0),
        ],
    )
    def test_shared_places_share_their_prizes(
        self, places: list[int], expected: dict[int, int], left: int
    ) -> None:
        assert split_money(places, (500, 300, 200)) == (expected, left)


# --- laws -----------------------------------------------------------------------------------------

POINTS = st.lists(st.integers(-9, 9), min_size=4, max_size=4)
HANDS = st.lists(
    st.tuples(st.integers(1, 3), st.integers(1, 2), st.permutations("ABCDEF"), POINTS), max_size=14
)


def hands_of(drawn: Sequence[tuple[int, int, Sequence[str], list[int]]]) -> list[Counted]:
    return [
        hand(dict(zip(players, points, strict=False)), round_, str(table), number, players[0], points[0] > 0)
        for number, (round_, table, players, points) in enumerate(drawn)
    ]


@pytest.mark.parametrize(
    "scheme", [Scheme(), Scheme("table_points", table_points=(5, 2, 1)), Scheme("percentage")]
)
@law(60)
@given(HANDS, st.randoms(use_true_random=False))
def test_the_order_of_hands_changes_no_standing(
    scheme: Scheme, drawn: list[tuple[int, int, Sequence[str], list[int]]], chance: random.Random
) -> None:
    hands = hands_of(drawn)
    shuffled = hands[:]
    chance.shuffle(shuffled)

    def told(some: list[Counted]) -> list[tuple[int, str, Number | None]]:
        return ranked(ledgers_of("ABCDEF", some, [Penalty("A", -3, 1)], scheme), *TIE_BREAKS)

    assert told(hands) == told(shuffled)


@law(60)
@given(HANDS)
def test_places_count_those_who_are_before(drawn: list[tuple[int, int, Sequence[str], list[int]]]) -> None:
    ledgers = ledgers_of("ABCDEF", hands_of(drawn), (), Scheme())
    for place, name, total in ranked(ledgers):
        assert total is not None
        before = sum((other.total or 0) > total for other in ledgers.values())
        assert place == before + 1, name


@law(60)
@given(HANDS)
def test_totals_of_tables_add_up_to_totals_of_players(
    drawn: list[tuple[int, int, Sequence[str], list[int]]],
) -> None:
    hands = hands_of(drawn)
    ledgers = ledgers_of((), hands, (), Scheme())
    for name, ledger in ledgers.items():
        assert ledger.total == sum(totals.get(name, 0) for totals in table_totals(hands).values())
