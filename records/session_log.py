"""The log of a session: its events as they are stored, and the session that they add up to.

An entry is a schema number and deflated JSON: the actor, the events, and for a session that is closed
what was worked out then. Like every kind of stream, a session only ever grows (docs/adr/0070-sessions.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import orjson

from records.codec import UnknownSchema, deflate, inflate
from records.log import Append, StoredEntry, StoredStream, Stream
from records.stored_hands import LoggedEvent, rfc3339

KIND: Final = "session"
"""The kind of a session's stream."""

SCHEMA: Final = 1

OPENED, CHANGED, CLOSED, REOPENED, CHOSEN = (
    "session_opened",
    "session_changed",
    "session_closed",
    "session_reopened",
    "hand_chosen",
)
EVENTS: Final = (OPENED, CHANGED, CLOSED, REOPENED, CHOSEN)
"""The types of a session's events."""

Event = Mapping[str, Any]
"""An event of a session as JSON, with its ``type``."""


class Rate(NamedTuple):
    """What a point is worth, in minor units (cents) of a currency (ISO 4217)."""

    minor_units_per_point: int
    currency: str


class About(NamedTuple):
    """What a session says about itself."""

    players: tuple[str, ...]
    variant: str
    name: str | None = None
    rate: Rate | None = None
    time_zone: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """The same as JSON; what is not said is null."""
        return {
            "name": self.name,
            "players": list(self.players),
            "variant": self.variant,
            "rate": None if self.rate is None else self.rate._asdict(),
            "time_zone": self.time_zone,
        }


def about_of(said: Mapping[str, Any]) -> About:
    """What a session says about itself, from JSON that was checked."""
    rate = said.get("rate")
    return About(
        tuple(said["players"]),
        said["variant"],
        said.get("name"),
        None if rate is None else Rate(**rate),
        said.get("time_zone"),
    )


class Figures(NamedTuple):
    """What was worked out when a session was closed, all as JSON."""

    view: dict[str, Any]
    """Hands, totals, series and standings."""
    settlement: dict[str, Any]
    sheets: list[dict[str, Any]]
    """The sheets of the hands, as the workers had made them."""


@dataclass(frozen=True, slots=True)
class Session:
    """A session as its log reads. ``choices`` are a director's: see `records.tallies.rivals_of`."""

    session_id: str
    version: int
    about: About
    first: About
    """What it said about itself at first."""
    opened_by: str
    opened_at: str
    choices: Mapping[str, tuple[str, ...]]
    closed_at: str | None
    figures: Figures | None
    """Those that it was closed with; None while it is open."""
    ever_players: frozenset[str]
    """Everybody who has been one of its players."""
    log: list[LoggedEvent]

    @property
    def status(self) -> str:
        """Whether it is open."""
        return "open" if self.figures is None else "closed"


def append_of(
    actor: str,
    event: Event,
    about: About,
    *,
    joins: Sequence[str] = (),
    figures: Figures | None = None,
) -> Append:
    """One event for the log. ``about`` is what the session says about itself from then on, ``joins`` are
    players in whose lists it is to be; ``figures`` close it."""
    body = bytes((SCHEMA,)) + deflate(orjson.dumps([actor, event, figures and list(figures)]))
    head = orjson.dumps([about.as_dict(), figures is not None])
    return Append(body, 1, head, lists=tuple(("player", player) for player in joins))


def session_of(found: StoredStream) -> Session:
    """The whole session. Raises `UnknownSchema` for what a later version has written."""
    log: list[LoggedEvent] = []
    first = about = None
    choices: dict[str, tuple[str, ...]] = {}
    closed_at: str | None = None
    figures: Figures | None = None
    players: set[str] = set()
    for seq, entry in enumerate(found.entries, 1):
        actor, event, kept = _read(entry)
        at = rfc3339(entry.recorded)
        log.append(LoggedEvent(seq, at, actor, event))
        kind = event["type"]
        if kind in (OPENED, CHANGED):
            about = about_of(event if about is None else {**about.as_dict(), **event})
            first = first or about
            players.update(about.players)
        elif kind == CHOSEN:
            choices.pop(event["hand_id"], None)  # the last choice comes last
            choices[event["hand_id"]] = tuple(event["over"])
        else:
            closed_at, figures = (None, None) if kept is None else (at, Figures(*kept))
    assert first is not None, f"{found.stream}: a session begins with what it is"
    assert about is not None
    return Session(
        session_id=found.stream.id,
        version=found.version,
        about=about,
        first=first,
        opened_by=log[0].actor,
        opened_at=log[0].recorded_at,
        choices=choices,
        closed_at=closed_at,
        figures=figures,
        ever_players=frozenset(players),
        log=log,
    )


def summary_of(found: StoredStream) -> dict[str, Any]:
    """A session in a list, as JSON. Its first entry is not needed."""
    about, is_closed = orjson.loads(found.head)
    return {
        "session_id": found.stream.id,
        "version": found.version,
        "status": "closed" if is_closed else "open",
        **about,
        "opened_at": rfc3339(found.created),
    }


def stream_of(tenant: str, session_id: str) -> Stream:
    """The stream of a session."""
    return Stream(KIND, tenant, session_id)


def _read(entry: StoredEntry) -> tuple[str, dict[str, Any], list[Any] | None]:
    if entry.body[0] != SCHEMA:
        raise UnknownSchema(f"a session's entry of schema {entry.body[0]}: this version knows {SCHEMA}")
    actor, event, kept = orjson.loads(inflate(entry.body[1:]))
    return actor, event, kept
