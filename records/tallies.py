"""Hands as totals count them: where each was played, and what its sheet gives and takes.

A tally is made of what is stored of a hand and of the sheet that a worker made, never of the events, so
that reading a whole evening is cheap. Points are in halves: French Tarot may keep half points.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from records.codec import Opening
from records.log import EventLog, StoredStream
from records.sheet_codec import Sheet, read_sheet
from records.stored_hands import KIND, opening_of, rfc3339, status_of, wants_sheet

HALVES: Final = 2
"""Halves in a point."""

NO_PLACE: Final = ("annulled", "void")
"""What was played under these statuses takes no place: the hand is as if it had not been played."""

_NEVER: Final = 1 << 62


class Place(NamedTuple):
    """Where a hand was played within its session. Without a number a hand has no place of its own.

    A table's name and its number are the same.
    """

    table: str | None
    round: int | None
    number: int


class Owed(NamedTuple):
    """What a player owes another one after a hand, in half points."""

    payer: str
    payee: str
    halves: int


@dataclass(frozen=True)  # without slots, for the properties that are worked out once
class Tally:
    """A hand with the sheet of its latest version; ``sheet`` is None where there is none, or none yet.

    ``arrival`` is its place among all hands of the list that it was read from.
    """

    hand_id: str
    version: int
    opening: Opening
    status: str
    """The hand's own, as in lists of hands; `failed` where the sheet could not be made."""
    due: bool
    sheet: Sheet | None
    recorded_at: str
    arrival: int

    @property
    def place(self) -> Place | None:
        """Where it was played; None if it has no number, or does not stand."""
        number = self.opening.number
        if number is None or self.status in NO_PLACE:
            return None
        table = self.opening.table
        return Place(None if table is None else str(table), self.opening.round, number)

    @cached_property
    def scores(self) -> dict[str, int]:
        """The scores without the penalties, in half points; none while there is no sheet."""
        penalties = self.penalties
        scores = self.sheet["scores"] if self.sheet else {}
        return {player: halves(points) - penalties.get(player, 0) for player, points in scores.items()}

    @cached_property
    def penalties(self) -> dict[str, int]:
        """The penalties of those who have any, in half points."""
        found: dict[str, int] = {}
        for item in self.sheet["items"] if self.sheet else ():
            if item["item"] == "penalty":
                player = item["player"]
                found[player] = found.get(player, 0) + halves(item["points"][player])
        return found

    @cached_property
    def owed(self) -> list[Owed]:
        """The payments of its sheet, which know no penalties."""
        payments = self.sheet["payments"] if self.sheet else ()
        return [Owed(one["from"], one["to"], halves(one["points"])) for one in payments]


def tallies_of(log: EventLog, tenant: str, session_id: str) -> tuple[list[Tally], frozenset[str]]:
    """The hands of a session in the order of their arrival, and those that were its once and are another's.

    Raises `StoreUnavailable`.
    """
    members = log.members(KIND, tenant, ("session", session_id))
    found = [tally_of(stored, arrival) for arrival, stored in enumerate(members)]
    # A restated hand stays in the list of the session that it was in before.
    own = [tally for tally in found if tally.opening.session_id == session_id]
    return own, frozenset(tally.hand_id for tally in found if tally.opening.session_id != session_id)


def tally_of(found: StoredStream, arrival: int) -> Tally:
    """The tally of a stored hand, of which the first entry is enough."""
    view = found.view
    latest = view if view is not None and view.version == found.version else None
    return Tally(
        hand_id=found.stream.id,
        version=found.version,
        opening=opening_of(found),
        status=status_of(found),
        due=wants_sheet(found) and latest is None,
        sheet=None if latest is None else read_sheet(latest.body, found.stream.id, latest.version),
        recorded_at=rfc3339(found.created),
        arrival=arrival,
    )


def in_order(tallies: Iterable[Tally]) -> list[Tally]:
    """By round, number, then arrival. What has no round or no number comes after what has one."""

    def key(tally: Tally) -> tuple[int, int, int]:
        about = tally.opening
        return (about.round or _NEVER, about.number or _NEVER, tally.arrival)

    return sorted(tallies, key=key)


@dataclass(frozen=True, slots=True)
class Rivals:
    """The hands that claim one place, in the order of their arrival, when there are several.

    ``counted`` is the one that counts: the one that came first, until a director chooses. ``disputed``
    are those nobody has decided about; ``refused`` those that were decided against.
    """

    place: Place
    hand_ids: tuple[str, ...]
    counted: str
    disputed: tuple[str, ...]
    refused: tuple[str, ...]


def rivals_of(tallies: Iterable[Tally], choices: Mapping[str, Sequence[str]]) -> list[Rivals]:
    """The places that several hands claim, in the order of the places' first hands.

    ``choices`` are a director's, the oldest first: the hand that was chosen, and those that it was
    chosen over. Of several at one place the last one holds; one whose hand has left the place or does
    not stand any more holds no longer.
    """
    claims: dict[Place, list[str]] = {}
    for tally in sorted(tallies, key=lambda tally: tally.arrival):
        if tally.place is not None:
            claims.setdefault(tally.place, []).append(tally.hand_id)
    made: list[Rivals] = []
    for place, hand_ids in claims.items():
        if len(hand_ids) == 1:
            continue
        chosen = [hand_id for hand_id in choices if hand_id in hand_ids]
        counted = chosen[-1] if chosen else hand_ids[0]
        others = [hand_id for hand_id in hand_ids if hand_id != counted]
        over = choices[counted] if chosen else ()
        made.append(
            Rivals(
                place,
                tuple(hand_ids),
                counted,
                tuple(hand_id for hand_id in others if hand_id not in over),
                tuple(hand_id for hand_id in others if hand_id in over),
            )
        )
    return made


def halves(points: int | float) -> int:
    """Points of a sheet as half points."""
    return round(points * HALVES)


def points(half_points: int) -> int | float:
    """Half points as the wire has points: an integer wherever they are whole."""
    return half_points / HALVES if half_points % HALVES else half_points // HALVES


def points_by(players: Sequence[str], half_points: Sequence[int]) -> dict[str, Any]:
    """The points of each player."""
    return dict(zip(players, map(points, half_points), strict=True))
