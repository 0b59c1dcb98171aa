"""The hands of a tournament, and what they add up to.

Of each hand it takes what its opening says and what its sheet gives: the events are never replayed for
standings. What was read of a hand is kept in the process for as long as its stored form is the same.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from threading import Lock
from typing import Any, Final, NamedTuple

import redis

from records.log import StoredStream, Stream, View
from records.redis_log import RedisLog
from records.sheet_codec import Sheet, read_sheet
from records.stored_hands import KIND, opening_of, status_of
from records.tournament_log import Tournament
from records.whole_lists import heads_of, listed_streams
from trull.duplicate import Number
from trull.standings import Counted, Ledger, Penalty, Standing, ledgers_of, ranking_of, teams_of
from trull.tournament import Admission, Place, Played, admit

KEPT: Final = 20_000
"""Hands that a process keeps; 2 KB each."""

_AT_ONCE: Final = 500
"""Hands that are read in one round trip."""

_PENALISES: Final = frozenset(("annulled", "void", "struck", "irregular"))
"""Why a hand may give no points whose penalties count all the same."""


class Facts(NamedTuple):
    """A hand as standings need it. Points by player, penalties left out.

    ``plain`` are the points as they would be if nobody had called a contra; ``paid`` is what each
    player got by the sheet's payments.
    """

    played: Played
    due: bool
    """Whether the sheet of its latest version is still to be made."""
    session_id: str | None
    table: str | int | None
    """As it was sent."""
    points: Mapping[str, Number]
    plain: Mapping[str, Number]
    paid: Mapping[str, Number]
    attack: frozenset[str]
    won: bool | None
    outcome: str | None
    penalties: tuple[tuple[str, int], ...]


class TournamentHands:
    """Reads the hands of tournaments. Threads may share it."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        self._log = RedisLog(client)
        self._kept: OrderedDict[Stream, tuple[_Stored, Facts]] = OrderedDict()
        self._lock = Lock()

    def of(self, tenant: str, tournament_id: str) -> list[Facts]:
        """The hands of a tournament in the order of their arrival. Raises `StoreUnavailable`."""
        listed = listed_streams(self._redis, KIND, tenant, ("session", tournament_id))
        heads = heads_of(self._redis, [one.stream for one in listed])
        order: list[tuple[int, int, int]] = []
        facts: dict[Stream, Facts] = {}
        changed: list[Stream] = []
        arrived: list[Stream] = []
        for (shard, position, stream), head in zip(listed, heads, strict=True):
            if head is not None:
                order.append((head.created, shard, position))
                arrived.append(stream)
                kept = self._kept_of(head)
                if kept is None:
                    changed.append(stream)
                else:
                    facts[stream] = kept
        for first in range(0, len(changed), _AT_ONCE):
            for found in self._log.glance(changed[first : first + _AT_ONCE]):
                if found is not None:
                    facts[found.stream] = self._keep(found)
        in_order = [
            facts[stream] for _, stream in sorted(zip(order, arrived, strict=True)) if stream in facts
        ]
        # A restated hand stays in the list of the tournament that it was in before.
        return [one for one in in_order if one.session_id == tournament_id]

    def sheets(self, tenant: str, hand_ids: Sequence[str]) -> dict[str, Sheet]:
        """The score sheets of hands, as far as they are made. Raises `StoreUnavailable`."""
        found = self._log.glance([Stream(KIND, tenant, hand_id) for hand_id in hand_ids])
        return {
            one.stream.id: read_sheet(one.view.body, one.stream.id, one.view.version)
            for one in found
            if one is not None and one.view is not None and one.view.version == one.version
        }

    def _kept_of(self, head: StoredStream) -> Facts | None:
        """What is kept of a hand, if it is stored as it was then."""
        with self._lock:
            kept = self._kept.get(head.stream)
            if kept is None or kept[0] != _stored(head):
                return None
            self._kept.move_to_end(head.stream)
            return kept[1]

    def _keep(self, found: StoredStream) -> Facts:
        facts = facts_of(found)
        with self._lock:
            self._kept[found.stream] = (_stored(found), facts)
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return facts


_Stored = tuple[int, bytes, View | None]
"""What changes with anything that is stored of a hand."""


def _stored(found: StoredStream) -> _Stored:
    return (found.version, found.head, found.view)


def facts_of(found: StoredStream) -> Facts:
    """What standings need of a stored hand, of which the first entry is enough."""
    opening = opening_of(found)
    view = found.view
    sheet: Sheet = {}
    if view is not None and view.version == found.version:
        sheet = read_sheet(view.body, found.stream.id, view.version)
    status = status_of(found)
    is_due = not sheet and status != "incomplete"
    played = Played(
        found.stream.id,
        opening.variant,
        opening.round,
        None if opening.table is None else str(opening.table),
        opening.number,
        opening.players,
        "pending" if is_due and status == "scored" else status,
        sheet.get("contract"),
        sheet.get("declarer"),
    )
    attack = frozenset(sheet[side] for side in ("declarer", "partner") if sheet.get(side) is not None)
    outcome = sheet.get("outcome")
    return Facts(
        played,
        is_due,
        opening.session_id,
        opening.table,
        *_points(sheet, opening.players),
        _paid(sheet, opening.players),
        attack,
        None if outcome is None else outcome == "won",
        outcome,
        tuple(
            (item["player"], int(item["points"][item["player"]]))
            for item in sheet.get("items", ())
            if item["item"] == "penalty"
        ),
    )


def _points(sheet: Mapping[str, Any], players: Sequence[str]) -> tuple[dict[str, Number], dict[str, Number]]:
    """The points of a sheet without its penalties: as they are, and without what contras add."""
    points: dict[str, Number] = dict.fromkeys(players, 0)
    plain: dict[str, Number] = dict.fromkeys(players, 0)
    for item in sheet.get("items", ()):
        if item["item"] != "penalty":
            for player, value in item["points"].items():
                points[player] += _exact(value)
                plain[player] += _exact(value) if item["contra"] == 1 else _exact(value / item["contra"])
    return points, plain


def _paid(sheet: Mapping[str, Any], players: Sequence[str]) -> dict[str, Number]:
    paid: dict[str, Number] = dict.fromkeys(players, 0)
    for payment in sheet.get("payments", ()):
        paid[payment["from"]] -= _exact(payment["points"])
        paid[payment["to"]] += _exact(payment["points"])
    return paid


def _exact(points: int | float) -> Number:
    """Points of a sheet, which may end in a half."""
    return int(points) if points == int(points) else Fraction(points)


class Line(NamedTuple):
    """A penalty in the ledger: of a hand, or by an event of the tournament."""

    penalty: Penalty
    hand_id: str | None = None
    seq: int | None = None
    reason: str | None = None


@dataclass(slots=True)
class Outcome:
    """What a tournament has come to."""

    admission: Admission
    counted: dict[str, Counted]
    facts: dict[str, Facts]
    lines: list[Line]
    ledgers: dict[str, Ledger]
    ranking: list[Standing]
    teams: list[Standing]
    pending: int
    """Hands of which a sheet is still to be made."""
    rounds: int
    """The last round that is counted."""


def outcome_of(tournament: Tournament, hands: Sequence[Facts], up_to: int | None = None) -> Outcome:
    """What the hands add up to, after round ``up_to`` or in all."""
    last = tournament.settings["rounds"] if up_to is None else up_to
    hands = [facts for facts in hands if (facts.played.round or 0) <= last or up_to is None]
    by_id = {facts.played.hand_id: facts for facts in hands}
    admission = admit([facts.played for facts in hands], tournament.plan())
    counted = {
        hand_id: _counted(by_id[hand_id], place, tournament) for hand_id, place in admission.places.items()
    }
    lines = [*_lines_of_hands(by_id, admission), *_lines_of_fines(tournament, last)]
    ledgers = ledgers_of(
        tournament.players, list(counted.values()), [line.penalty for line in lines], tournament.scheme()
    )
    for player in tournament.withdrawn:
        if not ledgers[player].scores and not ledgers[player].penalties:
            del ledgers[player]
    teams = teams_of(ledgers, tournament.teams)
    return Outcome(
        admission,
        counted,
        by_id,
        lines,
        ledgers,
        ranking_of(ledgers.values(), tournament.tie_breaks),
        ranking_of(teams, tournament.tie_breaks),
        sum(facts.due for facts in hands),
        last,
    )


def _counted(facts: Facts, place: Place, tournament: Tournament) -> Counted:
    money_only = tournament.settings.get("contra") == "money_only"
    rate = tournament.settings.get("rate", {}).get("minor_units_per_point", 0)
    return Counted(
        place.round,
        place.table,
        place.number,
        facts.played.players,
        facts.plain if money_only else facts.points,
        facts.attack,
        facts.won,
        {player: paid * rate for player, paid in facts.paid.items()},
    )


def _lines_of_hands(by_id: Mapping[str, Facts], admission: Admission) -> Iterator[Line]:
    for hand_id, facts in by_id.items():
        if hand_id in admission.places or admission.left_out.get(hand_id) in _PENALISES:
            for player, points in facts.penalties:
                yield Line(Penalty(player, points, facts.played.round), hand_id)


def _lines_of_fines(tournament: Tournament, last: int) -> Iterator[Line]:
    for seq, penalty, reason in tournament.fines:
        if penalty.round is None or penalty.round <= last:
            yield Line(penalty, None, seq, reason)
