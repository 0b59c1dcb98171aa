"""Duplicate: the same deals at every table, and how a score compares with the others on the same cards.

A player is compared with those who held the same cards (TO-3.1), who sat in the same seat of the same
deal at another table: a point for each whom he beats and half a point for each whom he equals, in
per cent of what he could have had (TO-3.2).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

Number = int | Fraction


class Dealt(NamedTuple):
    """A deal as it was played at a table: who sat where, the scores by player, and who attacked."""

    round: int
    deal: int
    players: tuple[str, ...]
    points: Mapping[str, Number]
    attack: frozenset[str]


class Share(NamedTuple):
    """What a player had of a deal, in per cent from 0 to 100, and how much it weighs."""

    player: str
    round: int
    percentage: Fraction
    weight: int


def percentages(scores: Sequence[Number]) -> list[Fraction]:
    """Each score in per cent of the best possible comparison with the others.

    Two or more scores. They average 50.
    """
    ordered = sorted(scores)
    most = 2 * (len(scores) - 1)
    found: dict[Number, Fraction] = {}
    for score in set(scores):
        beaten, up_to = bisect_left(ordered, score), bisect_right(ordered, score)
        found[score] = Fraction(
            100 * (beaten + up_to - 1), most
        )  # two for each beaten, one for each equalled
    return [found[score] for score in scores]


def shares(dealt: Iterable[Dealt], attack_weight: int = 1, defence_weight: int = 1) -> list[Share]:
    """What each player had of each deal. A deal that was played once compares with nothing and gives none."""
    by_deal: dict[int, list[Dealt]] = {}
    for one in dealt:
        by_deal.setdefault(one.deal, []).append(one)
    found: list[Share] = []
    for tables in by_deal.values():
        if len(tables) < 2:
            continue
        for seat in range(len(tables[0].players)):
            players = [table.players[seat] for table in tables]
            scores = [table.points[player] for table, player in zip(tables, players, strict=True)]
            for table, player, percentage in zip(tables, players, percentages(scores), strict=True):
                weight = attack_weight if player in table.attack else defence_weight
                found.append(Share(player, table.round, percentage, weight))
    return found
