"""From scores to payments: by differences (Illustrated Tarock) and in the fewest transfers (French Tarot).

A hand is settled by `pairwise_differences` or `fewest_transfers`; a session by `settle_by_difference` or
`settle_zero_sum`, which take what the players have in all, penalties aside (IT-11.5, FT-8.3).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

EXACT_PLAYERS: Final = 12
"""Up to so many who owe or are owed, `least_transfers` finds the fewest there can be: in some milliseconds.
With each more it would take twice as long."""


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


class Settlement(NamedTuple):
    """Who gets how much in all (negative: pays), in how many transfers, and who owes whom pair by pair.

    Points in the unit of the totals. Nets come to zero; for each player, what the transfers bring less
    what they take is the net, and so it is with the pairs.
    """

    nets: tuple[int, ...]
    transfers: list[Payment]
    pairs: list[Payment]


def settle_by_difference(totals: Sequence[int]) -> Settlement:
    """Every player settles with every other by the difference of their totals (IT-11.4)."""
    everything = sum(totals)
    nets = tuple(len(totals) * total - everything for total in totals)
    return Settlement(nets, least_transfers(nets), pairwise_differences(totals))


def settle_zero_sum(totals: Sequence[int], payments: Iterable[Payment]) -> Settlement:
    """The totals are the nets (FT-8.1); ``payments`` are those of all hands, which pairs are made of."""
    nets = tuple(totals)
    return Settlement(nets, least_transfers(nets), netted(payments))


def netted(payments: Iterable[Payment]) -> list[Payment]:
    """What each pair owes each other in the end: once, by seats, nothing where they are quits."""
    owed: dict[tuple[int, int], int] = {}
    for payer, payee, points in payments:
        pair = (min(payer, payee), max(payer, payee))
        owed[pair] = owed.get(pair, 0) + (points if payer < payee else -points)
    return [
        Payment(first, second, points) if points > 0 else Payment(second, first, -points)
        for (first, second), points in sorted(owed.items())
        if points
    ]


def least_transfers(nets: Sequence[int]) -> list[Payment]:
    """As few transfers as can settle nets that come to zero, by payer and payee.

    Whoever takes part in one group of transfers is settled by it: the more groups that come to zero
    by themselves, the fewer transfers. Among more than `EXACT_PLAYERS` only pairs are looked for.
    """
    open_seats = [seat for seat, net in enumerate(nets) if net]
    groups = _groups(open_seats, nets) if len(open_seats) <= EXACT_PLAYERS else _pairs(open_seats, nets)
    transfers: list[Payment] = []
    for group in groups:
        for payer, payee, points in fewest_transfers([nets[seat] for seat in group]):
            transfers.append(Payment(group[payer], group[payee], points))
    return sorted(transfers)


def minor_units(halves: int, rate: int) -> int:
    """Half points as money at ``rate`` minor units a point, exactly. Raises `ValueError` where that is no
    whole number of minor units."""
    amount, rest = divmod(halves * rate, 2)
    if rest:
        raise ValueError(f"{halves} half points at {rate} a point are no whole number of minor units")
    return amount


def _groups(seats: Sequence[int], nets: Sequence[int]) -> list[list[int]]:
    """The seats in the most groups of which each comes to zero.

    For every set of seats: the most groups within it, found from the sets that have one seat less. The
    sets are numbers, a bit for each seat.
    """
    everybody = (1 << len(seats)) - 1
    sums = [0] * (everybody + 1)
    most = [0] * (everybody + 1)
    without = [0] * (everybody + 1)
    for some in range(1, everybody + 1):
        fewer = [some ^ 1 << place for place in range(len(seats)) if some >> place & 1]
        sums[some] = sums[fewer[0]] + nets[seats[(some ^ fewer[0]).bit_length() - 1]]
        without[some] = max(fewer, key=most.__getitem__)
        most[some] = most[without[some]] + (sums[some] == 0)
    groups: list[list[int]] = []
    left = everybody
    while left:
        if not sums[left]:
            groups.append([])
        groups[-1].append(seats[(left ^ without[left]).bit_length() - 1])
        left = without[left]
    return [sorted(group) for group in groups]


def _pairs(seats: Sequence[int], nets: Sequence[int]) -> list[list[int]]:
    """The seats in pairs that come to zero, as far as there are any, and all others in one group."""
    groups: list[list[int]] = []
    rest: list[int] = []
    for seat in seats:
        other = next((other for other in rest if nets[other] == -nets[seat]), None)
        if other is None:
            rest.append(seat)
        else:
            rest.remove(other)
            groups.append([other, seat])
    return [*groups, rest]
