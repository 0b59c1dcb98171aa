"""Tournaments: which hands count, and the score sheet of a table.

A hand has its place (TO-1.1). The first one there counts; a second one is disputed (TO-1.2)
until a director chooses. What is annulled or void leaves its place free, as though it had never
been played (TO-1.3). Whatever does not count is told with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from trull.duplicate import Number
from trull.standings import Counted

REASONS: Final = (
    "other_variant",
    "no_place",
    "outside",
    "other_players",
    "other_contract",
    "struck",
    "annulled",
    "void",
    "disputed",
    "not_chosen",
    "incomplete",
    "irregular",
    "failed",
    "pending",
)
"""Why a hand does not count; the first that applies is told."""

_NO_HAND: Final = frozenset(("annulled", "void"))
"""What leaves its place to another hand."""


class Place(NamedTuple):
    """Where a hand was played. A table's name and its number are the same."""

    round: int
    table: str
    number: int


class Played(NamedTuple):
    """What has to be known of a hand to tell whether it counts; ``status`` is ``pending`` without a sheet."""

    hand_id: str
    variant: str
    round: int | None
    table: str | None
    number: int | None
    players: tuple[str, ...]
    status: str
    contract: str | None = None
    declarer: str | None = None


class Imposed(NamedTuple):
    """The contract that a deal is played in, and the seat of its declarer, where they are imposed."""

    contract: str | None = None
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What the organiser laid down.

    ``seats`` are the players of a table in a round, in any order; there may be more than play at once.
    """

    variant: str
    rounds: int
    tables: int
    numbers: int
    """The highest number that a hand may have: within its round or, in duplicate, of all deals."""
    players: frozenset[str]
    seats: Mapping[tuple[int, str], frozenset[str]] = field(default_factory=dict)
    imposed: Mapping[int, Imposed] = field(default_factory=dict)
    struck: frozenset[tuple[int, str | None, int]] = frozenset()
    """Round, table (None: all of them) and number of what is struck out."""
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The hands that a director chose, the latest last, each with those that it was chosen over."""


@dataclass(slots=True)
class Admission:
    """Which hands count, and what stands in the way of the others."""

    places: dict[str, Place] = field(default_factory=dict)
    """The place of each hand that counts."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Why each other hand does not count: one of `REASONS`."""
    rivals: dict[Place, list[str]] = field(default_factory=dict)
    """The hands of each place that several claim, in the order of arrival."""
    disputes: list[Place] = field(default_factory=list)
    """The places among these that wait for a director."""


def admit(played: Sequence[Played], plan: Plan) -> Admission:
    """Tell which hands count. ``played`` are in the order of arrival, which matters within a place only."""
    found = Admission()
    contenders: dict[Place, list[Played]] = {}
    for hand in played:
        place, reason = _placed(hand, plan)
        if place is None or reason is not None:
            found.left_out[hand.hand_id] = reason or "no_place"
        else:
            contenders.setdefault(place, []).append(hand)
    for place, hands in contenders.items():
        by_id = {hand.hand_id: hand for hand in hands}
        chosen = [hand_id for hand_id in plan.choices if hand_id in by_id]
        first = by_id[chosen[-1]] if chosen else hands[0]
        over = plan.choices[first.hand_id] if chosen else ()
        others = [hand_id for hand_id in by_id if hand_id != first.hand_id]
        if others:
            found.rivals[place] = list(by_id)
        if not set(others) <= set(over):
            found.disputes.append(place)
        for hand_id in others:
            found.left_out[hand_id] = "not_chosen" if hand_id in over else "disputed"
        if first.status == "scored":
            found.places[first.hand_id] = place
        else:
            found.left_out[first.hand_id] = first.status
    return found


def _placed(hand: Played, plan: Plan) -> tuple[Place | None, str | None]:
    """The place of a hand, and why it cannot have it."""
    if hand.variant != plan.variant:
        return None, "other_variant"
    if hand.round is None or hand.table is None or hand.number is None:
        return None, "no_place"
    place = Place(hand.round, hand.table, hand.number)
    return place, _unfit(hand, place, plan)


def _unfit(hand: Played, place: Place, plan: Plan) -> str | None:
    is_table = place.table.isdecimal() and 1 <= int(place.table) <= plan.tables
    if place.round > plan.rounds or place.number > plan.numbers or not is_table:
        return "outside"
    seated = plan.seats.get((place.round, place.table))
    players = frozenset(hand.players)
    if not players <= (plan.players if seated is None else seated):
        return "other_players"
    if hand.status in _NO_HAND:
        return hand.status
    if hand.status == "scored" and not _as_imposed(hand, plan.imposed.get(place.number, Imposed())):
        return "other_contract"
    if (place.round, place.table, place.number) in plan.struck or (
        place.round,
        None,
        place.number,
    ) in plan.struck:
        return "struck"
    return None


def _as_imposed(hand: Played, imposed: Imposed) -> bool:
    declarer = None if imposed.seat is None else hand.players[imposed.seat]
    return imposed.contract in (None, hand.contract) and declarer in (None, hand.declarer)


class Row(NamedTuple):
    """A hand on a table's sheet. ``balance`` is the sum of its points."""

    number: int
    hand_id: str
    points: Mapping[str, Number]
    balance: Number


class TableSheet(NamedTuple):
    """The score sheet of a table in a round, as on paper: a line a hand, and the totals."""

    round: int
    table: str
    players: tuple[str, ...]
    rows: list[Row]
    totals: dict[str, Number]
    balance: Number


def table_sheet(
    round_: int, table: str, players: Iterable[str], hands: Iterable[tuple[str, Counted]]
) -> TableSheet:
    """The sheet of a table. ``players`` come first, in their order; ``hands`` are its own, with their ids."""
    totals: dict[str, Number] = dict.fromkeys(players, 0)
    rows = []
    for hand_id, hand in sorted(hands, key=lambda item: item[1].number):
        for player in hand.players:
            totals[player] = totals.get(player, 0) + hand.points[player]
        rows.append(Row(hand.number, hand_id, hand.points, sum(hand.points.values())))
    return TableSheet(round_, table, tuple(totals), rows, totals, sum(totals.values()))
