"""Duplicate percentages, and what they weigh."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.lawbook import law
from trull.duplicate import Dealt, Share, percentages, shares


def test_a_published_board_of_eleven_results() -> None:
    """The match points of a bridge board, of at most 20, as a federation explains them: three equal
    scores share the points for 16, 14 and 12, two those for 10 and 8, and two those for 4 and 2."""
    results = {1430: 20, 690: 18, 680: 14, 660: 9, 650: 6, -100: 3, -200: 0}
    times = {680: 3, 660: 2, -100: 2}
    scores = [score for score in results for _ in range(times.get(score, 1))]
    assert len(scores) == 11
    assert percentages(scores) == [Fraction(100 * results[score], 20) for score in scores]


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([222, -126], [100, 0]),
        ([10, 10], [50, 50]),
        ([30, 10, 20], [100, 0, 50]),
        # The two first each beat one and equal one: 1.5 of 2.
        ([30, 30, 10], [75, 75, 0]),
        ([Fraction(5, 2), 2, 3], [50, 0, 100]),
    ],
)
def test_a_point_for_each_beaten_and_half_for_each_equal(
    scores: list[int | Fraction], expected: list[int]
) -> None:
    assert percentages(scores) == expected


@law(200)
@given(st.lists(st.integers(-20, 20), min_size=2, max_size=12))
def test_percentages_average_fifty_and_keep_the_order(scores: list[int]) -> None:
    found = percentages(scores)
    assert sum(found) == 50 * len(scores)
    assert all(0 <= one <= 100 for one in found)
    for score, one in zip(scores, found, strict=True):
        for other, two in zip(scores, found, strict=True):
            assert (score > other) == (one > two)


def dealt(table: str, points: tuple[int, ...], attack: int = 0, deal: int = 1, round_: int = 1) -> Dealt:
    players = tuple(f"{table}{seat}" for seat in range(len(points)))
    return Dealt(round_, deal, players, dict(zip(players, points, strict=True)), frozenset({players[attack]}))


def test_the_same_seats_are_compared_and_attack_weighs_as_the_organiser_says() -> None:
    found = shares([dealt("a", (222, -74, -74, -74)), dealt("b", (-126, 42, 42, 42))], 3, 1)
    assert set(found) == {
        Share("a0", 1, Fraction(100), 3),
        Share("b0", 1, Fraction(0), 3),
        *(Share(f"a{seat}", 1, Fraction(0), 1) for seat in (1, 2, 3)),
        *(Share(f"b{seat}", 1, Fraction(100), 1) for seat in (1, 2, 3)),
    }


def test_a_deal_may_be_played_in_different_rounds() -> None:
    """The boards move on to other tables."""
    found = shares([dealt("a", (30, 0, 0), round_=1), dealt("b", (10, 0, 0), round_=2)])
    assert [share.player for share in found[:2]] == ["a0", "b0"]
    assert [share.round for share in found[:2]] == [1, 2]
    assert [share.percentage for share in found[:2]] == [100, 0]


def test_a_deal_that_was_played_once_compares_with_nothing() -> None:
    assert shares([dealt("a", (30, 0, 0)), dealt("b", (10, 0, 0), deal=2)]) == []
