"""Standings: what each player has to his name, and the ranking by it.

Ties share the place (TO-4.1). They are broken only by what the organiser names, in the order in which it is
named (TO-4.2); each of `TIE_BREAKS` is a figure of the ledger, so that everybody can check it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, NamedTuple

from trull.duplicate import Dealt, Number, shares

RANKINGS: Final = ("points", "table_points", "percentage")
"""By the scores added up; by points for the place at each table; by duplicate percentages."""

CONTRA: Final = ("counts", "money_only")


@dataclass(frozen=True, slots=True)
class Scheme:
    """By what is ranked. ``table_points`` are those for the first place at a table, the second, and so on."""

    ranking: str = "points"
    tie_breaks: tuple[str, ...] = ()
    table_points: tuple[int, ...] = ()
    attack_weight: int = 1
    defence_weight: int = 1


class Counted(NamedTuple):
    """A hand that counts: scores by player without penalties, who attacked, whether they won.

    ``money`` is what each player won or lost in minor units.
    """

    round: int
    table: str
    number: int
    players: tuple[str, ...]
    points: Mapping[str, Number]
    attack: frozenset[str] = frozenset()
    won: bool | None = None
    money: Mapping[str, Number] = {}


class Penalty(NamedTuple):
    """A line of a player's ledger that belongs to no score; of a round, or of the whole tournament."""

    player: str
    points: int
    round: int | None = None


@dataclass(slots=True)
class Round:
    """What a player had of a round. ``weight`` is that of the deals compared, for percentages."""

    points: Number = 0
    weight: int = 0


@dataclass(slots=True)
class Ledger:
    """What a player, or a team, has to his name."""

    name: str
    weighted: bool = False
    """Whether its figures are percentages, which are averaged and not added up."""
    rounds: dict[int, Round] = field(default_factory=dict)
    penalties: int = 0
    scores: list[Number] = field(default_factory=list)
    """The scores of the single hands, whatever is ranked."""
    contracts_won: int = 0
    money: Number = 0

    def round(self, number: int) -> Round:
        """A round, begun if need be."""
        return self.rounds.setdefault(number, Round())

    def of_round(self, number: int) -> Number | None:
        """The figure of a round; None where there is none."""
        return _figure(self.rounds[number], self.weighted) if number in self.rounds else None

    @property
    def total(self) -> Number | None:
        """What is ranked, penalties included; None for a percentage of no deal.

        Penalties on percentages are points of one deal's percentage: they share the deals' average.
        """
        points = sum((one.points for one in self.rounds.values()), self.penalties)
        return _figure(Round(points, sum(one.weight for one in self.rounds.values())), self.weighted)


def _figure(round_: Round, weighted: bool) -> Number | None:
    if not weighted:
        return round_.points
    return Fraction(round_.points) / round_.weight if round_.weight else None


def _best_round(ledger: Ledger) -> Number | None:
    figures = [figure for number in ledger.rounds if (figure := ledger.of_round(number)) is not None]
    return max(figures, default=None)


def _last_round(ledger: Ledger) -> Number | None:
    return ledger.of_round(max(ledger.rounds)) if ledger.rounds else None


TIE_BREAKS: Final[Mapping[str, Callable[[Ledger], Number | None]]] = {
    "contracts_won": lambda ledger: ledger.contracts_won,
    "positive_hands": lambda ledger: sum(score > 0 for score in ledger.scores),
    "best_hand": lambda ledger: max(ledger.scores, default=None),
    "worst_hand": lambda ledger: min(ledger.scores, default=None),
    "best_round": _best_round,
    "last_round": _last_round,
    "penalties": lambda ledger: ledger.penalties,
}
"""What may break a tie: the higher figure goes first, and one is better than none."""


class Standing(NamedTuple):
    """A line of a ranking, with the figure of each tie-break. ``shared``: others have the same place."""

    place: int
    ledger: Ledger
    tie_breaks: tuple[Number | None, ...]
    shared: bool


def ledgers_of(
    players: Iterable[str], hands: Sequence[Counted], penalties: Iterable[Penalty], scheme: Scheme
) -> dict[str, Ledger]:
    """The ledger of each player: of those named, and of all who played or were penalised."""
    weighted = scheme.ranking == "percentage"
    ledgers: dict[str, Ledger] = {name: Ledger(name, weighted) for name in players}

    def ledger(name: str) -> Ledger:
        return ledgers.setdefault(name, Ledger(name, weighted))

    for hand in hands:
        for player in hand.players:
            own = ledger(player)
            own.scores.append(hand.points[player])
            own.money += hand.money.get(player, 0)
            own.contracts_won += bool(hand.won) and player in hand.attack
    for player, round_, points, weight in _figures(hands, scheme):
        into = ledger(player).round(round_)
        into.points += points
        into.weight += weight
    for penalty in penalties:
        ledger(penalty.player).penalties += penalty.points
    return ledgers


def _figures(hands: Sequence[Counted], scheme: Scheme) -> Iterable[tuple[str, int, Number, int]]:
    """What is ranked: player, round, points and their weight."""
    if scheme.ranking == "percentage":
        dealt = [Dealt(hand.round, hand.number, hand.players, hand.points, hand.attack) for hand in hands]
        for share in shares(dealt, scheme.attack_weight, scheme.defence_weight):
            yield share.player, share.round, share.percentage * share.weight, share.weight
    elif scheme.ranking == "table_points":
        for (round_, _), totals in table_totals(hands).items():
            for player, points in split_by_place(totals, scheme.table_points).items():
                yield player, round_, points, 1
    else:
        for hand in hands:
            for player in hand.players:
                yield player, hand.round, hand.points[player], 1


def table_totals(hands: Iterable[Counted]) -> dict[tuple[int, str], dict[str, Number]]:
    """The scores added up at each table of each round."""
    tables: dict[tuple[int, str], dict[str, Number]] = {}
    for hand in hands:
        totals = tables.setdefault((hand.round, hand.table), {})
        for player in hand.players:
            totals[player] = totals.get(player, 0) + hand.points[player]
    return tables


def split_by_place(totals: Mapping[str, Number], split: Sequence[int]) -> dict[str, Number]:
    """Points for the place among ``totals``; who shares places shares their points, to the fraction."""
    found: dict[str, Number] = {}
    for place, names in _places(totals):
        due = sum(split[place - 1 : place - 1 + len(names)])
        for name in names:
            found[name] = Fraction(due, len(names))
    return found


def split_money(places: Iterable[int], prizes: Sequence[int]) -> tuple[dict[int, int], int]:
    """The prize of one player at each place, in minor units, and what is left over.

    Who shares places shares their prizes; what cannot be shared equally, and prizes of places that
    nobody has, are left over.
    """
    counts: dict[int, int] = {}
    for place in places:
        counts[place] = counts.get(place, 0) + 1
    found = {place: sum(prizes[place - 1 : place - 1 + count]) // count for place, count in counts.items()}
    return found, sum(prizes) - sum(found[place] * count for place, count in counts.items())


def ranking_of(ledgers: Iterable[Ledger], tie_breaks: Sequence[str] = ()) -> list[Standing]:
    """The ledgers from the first place on; those that share one by name."""
    named = {ledger.name: ledger for ledger in ledgers}
    figures = {
        name: tuple(TIE_BREAKS[tie_break](ledger) for tie_break in tie_breaks)
        for name, ledger in named.items()
    }
    keys = {name: (ledger.total, *figures[name]) for name, ledger in named.items()}
    return [
        Standing(place, named[name], figures[name], len(names) > 1)
        for place, names in _places({name: tuple(map(_comparable, key)) for name, key in keys.items()})
        for name in names
    ]


def teams_of(ledgers: Mapping[str, Ledger], teams: Mapping[str, Sequence[str]]) -> list[Ledger]:
    """The ledgers of teams: those of their members as one."""
    found = []
    for team, members in teams.items():
        own = [ledgers[member] for member in members if member in ledgers]
        made = Ledger(team, any(ledger.weighted for ledger in own))
        for ledger in own:
            for number, round_ in ledger.rounds.items():
                into = made.round(number)
                into.points += round_.points
                into.weight += round_.weight
            made.penalties += ledger.penalties
            made.scores += ledger.scores
            made.contracts_won += ledger.contracts_won
            made.money += ledger.money
        found.append(made)
    return found


def _comparable(figure: Number | None) -> tuple[bool, Number]:
    return (figure is not None, figure or 0)


def _places(figures: Mapping[str, object]) -> list[tuple[int, list[str]]]:
    """The places from the first on, each with the names that share it: highest figure first."""
    groups: dict[object, list[str]] = {}
    for name in sorted(figures):
        groups.setdefault(figures[name], []).append(name)
    found: list[tuple[int, list[str]]] = []
    place = 1
    for figure in sorted(groups, reverse=True):  # type: ignore[type-var]  # figures of one kind, which compare
        found.append((place, groups[figure]))
        place += len(groups[figure])
    return found
