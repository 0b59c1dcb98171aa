"""Series: hands whose scores are added up until somebody reaches the target (IT-11.1, IT-11.2).

Players are counted from 0 in the order of their session; a hand is the points of each of them, 0 for
one who rests. Points may be in any unit, as long as target and bonus are in the same one. Penalties
do not belong here: they neither reach the target nor earn the bonus (IT-11.5).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Points = tuple[int, ...]
"""Points by player."""


@dataclass(frozen=True, slots=True)
class Series:
    """A series. ``first`` and ``last`` are the places of its hands among all of them, from 0.

    ``totals`` have the bonus in them. While nobody has reached the target the series is open: ``ended``
    is false, and there are no bonus and no winners.
    """

    first: int
    last: int
    totals: Points
    bonus: Points
    winners: tuple[int, ...]
    """Those with the highest total, when it has ended; equal totals share the win."""
    ended: bool


@dataclass(frozen=True, slots=True)
class Run:
    """Hands added up. ``after`` are the totals of all series after each hand, every bonus by then in them."""

    series: tuple[Series, ...]
    after: tuple[Points, ...]
    totals: Points


def add_up(hands: Iterable[Sequence[int]], players: int) -> Run:
    """The hands of a game that has no series: running totals alone (FT-8.1)."""
    return _run(hands, players, None, 0)


def run_series(hands: Iterable[Sequence[int]], players: int, target: int, bonus: int) -> Run:
    """The hands in their order, cut into series.

    A series ends after the hand in which anyone reaches the target. Every player who has it by then
    gets the bonus, nobody else does, and the next hand opens a new series.
    """
    return _run(hands, players, target, bonus)


def places(points: Sequence[int]) -> list[int]:
    """The place of each player, from 1, the most points first. Equal points share the place, and the
    places that they fill are left out: 1, 2, 2, 4."""
    in_order = sorted(points, reverse=True)
    return [in_order.index(own) + 1 for own in points]


def _run(hands: Iterable[Sequence[int]], players: int, target: int | None, bonus: int) -> Run:
    nothing = (0,) * players
    before, now = nothing, nothing  # of the series that have ended, and of the one that has not
    first, last = 0, -1
    made: list[Series] = []
    after: list[Points] = []
    for last, hand in enumerate(hands):
        now = _sum(now, hand)
        if target is not None and max(now) >= target:
            extra = tuple(bonus if total >= target else 0 for total in now)
            now = _sum(now, extra)
            made.append(Series(first, last, now, extra, _highest(now), ended=True))
            before, now, first = _sum(before, now), nothing, last + 1
        after.append(_sum(before, now))
    if target is not None and last >= first:
        made.append(Series(first, last, now, nothing, (), ended=False))
    return Run(tuple(made), tuple(after), _sum(before, now))


def _sum(one: Sequence[int], other: Sequence[int]) -> Points:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def _highest(totals: Points) -> tuple[int, ...]:
    return tuple(player for player, total in enumerate(totals) if total == max(totals))
