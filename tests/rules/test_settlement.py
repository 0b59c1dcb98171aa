"""From scores to payments (IT-11.4, FT-8.2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.lawbook import law
from trull.settlement import Payment, fewest_transfers, pairwise_differences


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([10, 20, 20], [(0, 1, 10), (0, 2, 10)]),
        ([42, 0, 0], [(1, 0, 42), (2, 0, 42)]),
        ([0, 30, 10], [(0, 1, 30), (0, 2, 10), (2, 1, 20)]),
        ([-10, 5, 10], [(0, 1, 15), (0, 2, 20), (1, 2, 5)]),
        ([7, 7, 7], []),
    ],
)
def test_it_11_4_every_pair_by_the_difference(
    scores: list[int], expected: list[tuple[int, int, int]]
) -> None:
    assert pairwise_differences(scores) == [Payment(*payment) for payment in expected]


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([222, -74, -74, -74], [(1, 0, 74), (2, 0, 74), (3, 0, 74)]),
        ([-126, 42, 42, 42], [(0, 1, 42), (0, 2, 42), (0, 3, 42)]),
        # Payers in the order of play, each filling the payees in the order of play.
        ([100, -50, -50, -50, 50], [(1, 0, 50), (2, 0, 50), (3, 4, 50)]),
        ([-50, 100, -50, 50, -50], [(0, 1, 50), (2, 1, 50), (4, 3, 50)]),
        ([30, -70, 40], [(1, 0, 30), (1, 2, 40)]),
        ([10, 20, -5, -25], [(2, 0, 5), (3, 0, 5), (3, 1, 20)]),
        ([0, 0, 0], []),
    ],
)
def test_ft_8_2_the_fewest_transfers(scores: list[int], expected: list[tuple[int, int, int]]) -> None:
    assert fewest_transfers(scores) == [Payment(*payment) for payment in expected]


@law(200)
@given(st.lists(st.integers(-500, 500), min_size=2, max_size=4))
def test_ft_8_2_transfers_settle_whatever_adds_up_to_zero(some: list[int]) -> None:
    scores = [*some, -sum(some)]
    payments = fewest_transfers(scores)
    for seat, points in enumerate(scores):
        received = sum(payment.points for payment in payments if payment.payee == seat)
        paid = sum(payment.points for payment in payments if payment.payer == seat)
        assert received - paid == points
        assert not received or not paid
    assert len(payments) < len(scores)
    assert [payment.payer for payment in payments] == sorted(payment.payer for payment in payments)
