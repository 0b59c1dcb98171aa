"""Series and running totals (IT-11.1, IT-11.2, FT-8.1)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.lawbook import law
from trull.series import Series, add_up, places, run_series

HANDS = st.lists(st.lists(st.integers(-20, 120), min_size=3, max_size=3), max_size=12)


def test_it_11_2_who_is_there_in_mid_table_gets_the_bonus_and_nobody_else() -> None:
    """The third hand takes two players to 100 at once; the one with 99 gets nothing."""
    hands = [(42, 0, 60), (10, 80, 39), (50, 20, 0), (7, 0, 12)]
    run = run_series(hands, 3, 100, 10)
    assert run.series == (
        Series(0, 2, (112, 110, 99), (10, 10, 0), (0,), ended=True),
        Series(3, 3, (7, 0, 12), (0, 0, 0), (), ended=False),
    )
    assert run.after == ((42, 0, 60), (52, 80, 99), (112, 110, 99), (119, 110, 111))
    assert run.totals == (119, 110, 111)


@pytest.mark.parametrize(
    ("hands", "totals", "bonus", "winners"),
    [
        ([(99, 0, 0)], (99, 0, 0), (0, 0, 0), ()),
        # IT-11.1: 100 is enough.
        ([(100, 0, 0)], (110, 0, 0), (10, 0, 0), (0,)),
        ([(60, 20, 0), (39, 80, 0)], (99, 110, 0), (0, 10, 0), (1,)),
        # IT-11.2: equal totals share the win.
        ([(50, 50, 20), (60, 60, 20)], (120, 120, 40), (10, 10, 0), (0, 1)),
        ([(120, -130, 99)], (130, -130, 99), (10, 0, 0), (0,)),
    ],
)
def test_it_11_1_a_series_ends_at_100(
    hands: list[tuple[int, ...]], totals: tuple[int, ...], bonus: tuple[int, ...], winners: tuple[int, ...]
) -> None:
    (series,) = run_series(hands, 3, 100, 10).series
    assert (series.totals, series.bonus, series.winners) == (totals, bonus, winners)
    assert series.ended == bool(winners)
    assert (series.first, series.last) == (0, len(hands) - 1)


def test_it_10_16_target_and_bonus_are_rulings() -> None:
    run = run_series([(20, 30), (20, 30)], 2, 50, 7)
    assert run.series == (Series(0, 1, (40, 67), (0, 7), (1,), ended=True),)


def test_a_series_that_ended_opens_none_by_itself() -> None:
    assert len(run_series([(100, 0)], 2, 100, 10).series) == 1
    assert run_series([], 2, 100, 10).series == ()
    assert run_series([], 2, 100, 10).totals == (0, 0)


def test_ft_8_1_french_tarot_has_running_totals_and_no_series() -> None:
    run = add_up([(222, -74, -74, -74), (-126, 42, 42, 42)], 4)
    assert run.series == ()
    assert run.after == ((222, -74, -74, -74), (96, -32, -32, -32))
    assert run.totals == run.after[-1]


@law(200)
@given(HANDS)
def test_series_share_out_the_hands(hands: list[list[int]]) -> None:
    """Each hand is in one series, and points and bonuses add up."""
    run = run_series(hands, 3, 100, 10)
    assert [place for one in run.series for place in range(one.first, one.last + 1)] == [*range(len(hands))]
    for one in run.series:
        played = hands[one.first : one.last + 1]
        for player in range(3):
            sums = [sum(hand[player] for hand in played[:count]) for count in range(1, len(played) + 1)]
            assert one.totals[player] == sums[-1] + one.bonus[player]
            assert all(total < 100 for total in sums[:-1])
            assert one.bonus[player] == (10 if sums[-1] >= 100 else 0)
    assert all(one.ended for one in run.series[:-1])
    assert run.totals == tuple(sum(one.totals[player] for one in run.series) for player in range(3))


@law(100)
@given(HANDS, st.integers(0, 12))
def test_a_hand_of_nothing_changes_no_total(hands: list[list[int]], where: int) -> None:
    without = run_series(hands, 3, 100, 10)
    within = run_series([*hands[:where], [0, 0, 0], *hands[where:]], 3, 100, 10)
    assert within.totals == without.totals
    assert sum(one.ended for one in within.series) == sum(one.ended for one in without.series)


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ([1346, -446, -390, -510], [1, 3, 2, 4]),
        ([5, 9, 5, 1], [2, 1, 2, 4]),
        ([0, 0, 0], [1, 1, 1]),
        ([], []),
    ],
)
def test_equal_points_share_a_place(points: list[int], expected: list[int]) -> None:
    assert places(points) == expected
