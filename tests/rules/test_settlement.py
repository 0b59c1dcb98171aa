"""From scores to payments (IT-11.4, FT-8.2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.lawbook import law
from trull.settlement import (
    EXACT_PLAYERS,
    Payment,
    Settlement,
    fewest_transfers,
    least_transfers,
    minor_units,
    netted,
    pairwise_differences,
    settle_by_difference,
    settle_zero_sum,
)


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


# --- sessions ------------------------------------------------------------------------------------

FFT_TOTALS = (-446, 1346, -390, -510)
"""North, South, East and West on the score sheet that the FFT prints as its example."""


def test_the_printed_score_sheet_of_the_fft() -> None:
    assert sum(FFT_TOTALS) == 0
    settled = settle_zero_sum(FFT_TOTALS, fewest_transfers(FFT_TOTALS))
    assert settled.nets == FFT_TOTALS
    assert settled.transfers == [Payment(0, 1, 446), Payment(2, 1, 390), Payment(3, 1, 510)]
    assert settled.pairs == [Payment(0, 1, 446), Payment(2, 1, 390), Payment(3, 1, 510)]


def test_it_11_4_a_session_by_difference() -> None:
    """Three players with 120, 80 and 40: 3 x 120 - 240 = 120, 0 and -120."""
    settled = settle_by_difference((120, 80, 40))
    assert settled == Settlement(
        (120, 0, -120),
        [Payment(2, 0, 120)],
        [Payment(1, 0, 40), Payment(2, 0, 80), Payment(2, 1, 40)],
    )


def test_pairs_are_netted() -> None:
    payments = [Payment(1, 0, 30), Payment(0, 1, 10), Payment(2, 1, 5), Payment(1, 2, 5), Payment(0, 2, 7)]
    assert netted(payments) == [Payment(1, 0, 20), Payment(0, 2, 7)]


@pytest.mark.parametrize(
    ("nets", "count"),
    [
        # In the order of play it would be one more each time.
        ([-5, 3, 5, -3], 2),
        ([10, -4, -6, 7, -7], 3),
        ([1, 2, -3, 4, 5, -9, 0], 4),
        ([-6, 1, 2, 3, -15, 4, 5, 6], 6),
        ([3] * 6 + [-3] * 6, 6),
        ([3] * 8 + [-3] * 8, 8),  # pairs are found among any number
        ([0, 0], 0),
        ([], 0),
    ],
)
def test_groups_that_come_to_zero_save_transfers(nets: list[int], count: int) -> None:
    assert len(least_transfers(nets)) == count


def fewest_by_trying(nets: list[int]) -> int:
    """The fewest transfers, found in another way: the first one open pays or is paid by any other."""
    owed = [net for net in nets if net]
    if not owed:
        return 0
    first, rest = owed[0], owed[1:]
    return 1 + min(
        fewest_by_trying([*rest[:place], first + other, *rest[place + 1 :]])
        for place, other in enumerate(rest)
        if (first > 0) != (other > 0)
    )


@law(150)
@given(st.lists(st.integers(-6, 6), min_size=1, max_size=5))
def test_there_are_no_fewer_transfers(some: list[int]) -> None:
    nets = [*some, -sum(some)]
    assert len(least_transfers(nets)) == fewest_by_trying(nets)


@law(150)
@given(st.lists(st.integers(-500, 500), min_size=1, max_size=EXACT_PLAYERS + 3))
def test_transfers_bring_the_nets(some: list[int]) -> None:
    nets = [*some, -sum(some)]
    transfers = least_transfers(nets)
    assert len(transfers) < len(nets)
    assert transfers == sorted(transfers)
    assert all(transfer.points > 0 for transfer in transfers)
    assert balances(transfers, len(nets)) == nets


@law(150)
@given(st.lists(st.integers(-500, 500), min_size=2, max_size=6), st.integers(0, 400))
def test_by_difference_all_comes_to_zero(totals: list[int], rate: int) -> None:
    settled = settle_by_difference(totals)
    assert sum(settled.nets) == 0
    assert balances(settled.transfers, len(totals)) == balances(settled.pairs, len(totals))
    assert balances(settled.pairs, len(totals)) == [*settled.nets]
    assert sum(minor_units(2 * net, rate) for net in settled.nets) == 0


def balances(payments: list[Payment], seats: int) -> list[int]:
    found = [0] * seats
    for payer, payee, points in payments:
        found[payer] -= points
        found[payee] += points
    return found


def test_money_is_exact() -> None:
    assert minor_units(2 * 446, 25) == 11_150
    assert minor_units(-7, 2) == -7
    with pytest.raises(ValueError, match="no whole number"):
        minor_units(7, 5)
