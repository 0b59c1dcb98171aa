"""From scores to payments: by differences (Illustrated Tarock) and in the fewest transfers (French Tarot)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Payment(NamedTuple):
    """Points that one seat owes another."""

    payer: int
    payee: int
    points: int


def pairwise_differences(scores: Sequence[int]) -> list[Payment]:
    """Every pair of seats settles once by the difference, the lower pays the higher (IT-11.4)."""
    payments = []
    for first in range(len(scores)):
        for second in range(first + 1, len(scores)):
            owed = scores[second] - scores[first]
            if owed > 0:
                payments.append(Payment(first, second, owed))
            elif owed < 0:
                payments.append(Payment(second, first, -owed))
    return payments


def fewest_transfers(scores: Sequence[int]) -> list[Payment]:
    """Zero-sum scores settled: payers in order of play each fill payees in order of play (FT-8.2)."""
    payees = [(seat, points) for seat, points in enumerate(scores) if points > 0]
    payees.reverse()
    payments = []
    for payer, points in enumerate(scores):
        owed = -points
        while owed > 0:
            payee, due = payees.pop()
            paid = min(owed, due)
            payments.append(Payment(payer, payee, paid))
            owed -= paid
            if due > paid:
                payees.append((payee, due - paid))
    return payments
