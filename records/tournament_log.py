"""The log of a tournament: its events as they are stored, and the tournament that they add up to.

An entry is a schema number and deflated JSON: the actor, and the events. Every change to a tournament
is an event, judged against the tournament as it stands; what a director decided can be retracted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import orjson

from records.codec import UnknownSchema, deflate, inflate
from records.limits import TOURNAMENT_EVENTS
from records.log import Append, StoredEntry, StoredStream, Stream
from records.stored_hands import LoggedEvent, rfc3339
from trull.standings import Penalty, Scheme
from trull.tournament import Imposed, Plan

KIND: Final = "tournament"
"""The kind of a tournament's stream."""

SCHEMA: Final = 1

CREATED: Final = "tournament_created"

RETRACTABLE: Final = frozenset(
    ("player_withdrawn", "seats_assigned", "penalty_assessed", "hand_struck", "hand_chosen")
)
"""What `event_retracted` may undo. The rest is changed by a further event of its kind."""

Event = dict[str, Any]
"""An event of a tournament as JSON, with its ``type``."""


class Fined(NamedTuple):
    """A penalty without a hand: a line of the ledger."""

    seq: int
    penalty: Penalty
    reason: str | None


@dataclass(slots=True)
class Tournament:
    """A tournament as its log reads. ``settings`` are the fields of its creation, as changed since."""

    tournament_id: str
    version: int
    settings: dict[str, Any]
    log: list[LoggedEvent]
    players: dict[str, str | None] = field(default_factory=dict)
    """Everybody who is or was entered, in that order, with the team."""
    withdrawn: set[str] = field(default_factory=set)
    seats: dict[int, dict[int, tuple[str, ...]]] = field(default_factory=dict)
    """The players of each table of each round that has seats."""
    fines: list[Fined] = field(default_factory=list)
    struck: set[tuple[int, str | None, int]] = field(default_factory=set)
    choices: dict[str, tuple[str, ...]] = field(default_factory=dict)
    is_closed: bool = False
    final: list[dict[str, Any]] | None = None
    """The places as they were when it was closed."""

    @property
    def ranking(self) -> str:
        """What is ranked: one of `trull.standings.RANKINGS`."""
        return str(self.settings.get("ranking", "points"))

    @property
    def tie_breaks(self) -> tuple[str, ...]:
        """What the organiser has named, in order."""
        return tuple(self.settings.get("tie_breaks", ()))

    @property
    def teams(self) -> dict[str, list[str]]:
        """The members of each team, in the order in which they were entered."""
        found: dict[str, list[str]] = {team["team"]: [] for team in self.settings.get("teams", ())}
        for player, team in self.players.items():
            if team is not None:
                found.setdefault(team, []).append(player)
        return found

    @property
    def numbers(self) -> int:
        """The highest number that a hand may have."""
        hands: int = self.settings["hands_per_round"]
        return hands * self.settings["rounds"] if self.ranking == "percentage" else hands

    def scheme(self) -> Scheme:
        """By what it is ranked."""
        return Scheme(
            self.ranking,
            self.tie_breaks,
            tuple(self.settings.get("table_points", ())),
            self.settings.get("attack_weight", 1),
            self.settings.get("defence_weight", 1),
        )

    def plan(self) -> Plan:
        """Which hands may count."""
        return Plan(
            variant=self.settings["variant"],
            rounds=self.settings["rounds"],
            tables=self.settings["tables"],
            numbers=self.numbers,
            players=frozenset(self.players),
            seats={
                (round_, str(table)): frozenset(players)
                for round_, tables in self.seats.items()
                for table, players in tables.items()
            },
            imposed={
                deal["deal"]: Imposed(deal.get("contract"), deal["seat"] - 1 if "seat" in deal else None)
                for deal in self.settings.get("deals", ())
            },
            struck=frozenset(self.struck),
            choices=self.choices,
        )


def stream_of(tenant: str, tournament_id: str) -> Stream:
    """The stream of a tournament."""
    return Stream(KIND, tenant, tournament_id)


def append_of(actor: str, events: Sequence[Event], after: Tournament) -> Append:
    """Events for the log. ``after`` is the tournament as it stands with them."""
    body = bytes((SCHEMA,)) + deflate(orjson.dumps([actor, events]))
    return Append(body, len(events), orjson.dumps([summary_facts(after)]))


def summary_facts(tournament: Tournament) -> dict[str, Any]:
    """What a list of tournaments tells of each."""
    names = ("name", "variant", "rounds", "hands_per_round", "tables")
    return {
        **{name: tournament.settings[name] for name in names},
        "ranking": tournament.ranking,
        "status": "closed" if tournament.is_closed else "open",
    }


def summary_of(found: StoredStream) -> dict[str, Any]:
    """A tournament in a list, as JSON. Its entries are not needed."""
    return {
        "tournament_id": found.stream.id,
        "version": found.version,
        **orjson.loads(found.head)[0],
        "created_at": rfc3339(found.created),
    }


def log_of(found: StoredStream) -> list[LoggedEvent]:
    """All events of a stored tournament. Raises `UnknownSchema` for what a later version has written."""
    log: list[LoggedEvent] = []
    for entry in found.entries:
        actor, events = _read(entry)
        at = rfc3339(entry.recorded)
        for event in events:
            log.append(LoggedEvent(len(log) + 1, at, actor, event))
    return log


def tournament_of(found: StoredStream) -> Tournament:
    """The whole tournament. Raises `UnknownSchema`."""
    return fold(found.stream.id, log_of(found))


def fold(tournament_id: str, log: list[LoggedEvent]) -> Tournament:
    """The tournament that these events add up to. They were judged when they came."""
    settings = {name: value for name, value in log[0].event.items() if name != "type"}
    made = Tournament(tournament_id, len(log), settings, log)
    for player in settings.pop("players", ()):
        made.players[player] = None
    for team in settings.get("teams", ()):
        made.players.update(dict.fromkeys(team["players"], team["team"]))
    for seats in settings.pop("seats", ()):
        made.seats[seats["round"]] = _tables(seats)
    gone = {event.event["seq"] for event in log if event.event["type"] == "event_retracted"}
    for logged in log[1:]:
        if logged.seq not in gone:
            apply(made, logged)
    return made


def apply(made: Tournament, logged: LoggedEvent) -> None:
    """Bring a tournament on by an event that retracts nothing."""
    event = logged.event
    match event["type"]:
        case "tournament_changed":
            made.settings.update((name, value) for name, value in event.items() if name in _CHANGED)
        case "player_registered":
            made.players[event["player"]] = event.get("team", made.players.get(event["player"]))
            made.withdrawn.discard(event["player"])
        case "player_withdrawn":
            made.withdrawn.add(event["player"])
        case "seats_assigned":
            made.seats[event["round"]] = _tables(event)
        case "penalty_assessed":
            penalty = Penalty(event["player"], event["points"], event.get("round"))
            made.fines.append(Fined(logged.seq, penalty, event.get("reason")))
        case "hand_struck":
            table = event.get("table")
            made.struck.add((event["round"], None if table is None else str(table), event["number"]))
        case "hand_chosen":
            made.choices.pop(event["hand_id"], None)  # the last choice comes last
            made.choices[event["hand_id"]] = tuple(event["over"])
        case "tournament_closed":
            made.is_closed, made.final = True, event["final"]
        case "tournament_reopened":
            made.is_closed, made.final = False, None
        case other:
            assert other == "event_retracted", f"a tournament has no event {other}"


_CHANGED: Final = frozenset(TOURNAMENT_EVENTS["tournament_changed"].optional)


def _tables(seats: Event) -> dict[int, tuple[str, ...]]:
    return {table["table"]: tuple(table["players"]) for table in seats["tables"]}


def _read(entry: StoredEntry) -> tuple[str, list[dict[str, Any]]]:
    if entry.body[0] != SCHEMA:
        raise UnknownSchema(f"a tournament's entry of schema {entry.body[0]}: this version knows {SCHEMA}")
    actor, events = orjson.loads(inflate(entry.body[1:]))
    return actor, events
