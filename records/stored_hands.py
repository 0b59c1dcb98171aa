"""What is in the stored stream of a hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from records.codec import Opening, read_entry
from records.log import StoredStream
from records.packing import Sent, unpack_events, unpack_sent
from records.record import HandRecord
from records.schemas import load_events
from records.sheet_codec import is_failed
from trull import Variant
from trull.events import Event

KIND: Final = "hand"
"""The kind of a hand's stream."""

# The first byte of a head. These numbers are in the store.
_STATUSES: Final = ("incomplete", "scored", "annulled", "void", "irregular")


class LoggedEvent(NamedTuple):
    """An event of the log: its number from 1, when it was stored (RFC 3339, UTC), by whom, and as sent."""

    seq: int
    recorded_at: str
    actor: str
    event: Sent


@dataclass(frozen=True, slots=True)
class StoredHand:
    """A hand with all its events. ``status`` is how the last of them left it."""

    record: HandRecord
    version: int
    status: str
    entries: list[LoggedEvent]


def write_head(status: str, *, due: bool) -> bytes:
    """The head of a hand: its status, and whether its last append made a sheet fall due."""
    return bytes((_STATUSES.index(status), due))


def status_of(found: StoredStream) -> str:
    """How a hand stands; ``failed`` if its sheet could not be made."""
    view = found.view
    if view is not None and view.version == found.version and is_failed(view.body):
        return "failed"
    return _STATUSES[found.head[0]]


def wants_sheet(found: StoredStream) -> bool:
    """Whether a sheet was due since the last append, made by now or not."""
    return bool(found.head[1])


def opening_of(found: StoredStream) -> Opening:
    """What a hand says about itself, from its first entry."""
    opening = read_entry(found.entries[0].body).opening
    assert opening is not None, f"{found.stream}: the first entry has no opening"
    return opening


def replayable(found: StoredStream) -> tuple[Opening, list[Event]]:
    """What the rules need: what the hand says about itself, and all its events."""
    first, *others = (read_entry(stored.body) for stored in found.entries)
    assert first.opening is not None, f"{found.stream}: the first entry has no opening"
    events = unpack_events(first.packed, first.opening.players, _load)
    for entry in others:
        events += unpack_events(entry.packed, first.opening.players, _load)
    _check(found, len(events))
    return first.opening, events


def logged_events_of(found: StoredStream, players: Sequence[str]) -> list[LoggedEvent]:
    """All events, as they were sent, with what the log knows of them."""
    logged: list[LoggedEvent] = []
    for stored in found.entries:
        entry = read_entry(stored.body)
        recorded_at = _rfc3339(stored.recorded)
        for sent in unpack_sent(entry.packed, players):
            logged.append(LoggedEvent(len(logged) + 1, recorded_at, entry.actor, sent))
    _check(found, len(logged))
    return logged


def _check(found: StoredStream, events: int) -> None:
    """An entry that is cut off would otherwise read like a shorter hand."""
    if events != found.version:
        raise ValueError(f"{found.stream}: {events} events in a hand of version {found.version}")


def hand_of(found: StoredStream, variants: Mapping[str, Variant]) -> StoredHand:
    """The whole hand."""
    opening, events = replayable(found)
    logged = logged_events_of(found, opening.players)
    facts = opening._asdict()
    record = HandRecord(
        hand_id=found.stream.id,
        variant=variants[facts.pop("variant")],
        events=events,
        sent=[event.event for event in logged],
        **facts,
    )
    return StoredHand(record, found.version, status_of(found), logged)


def summary_of(found: StoredStream) -> dict[str, Any]:
    """A hand in a list, as JSON."""
    opening = opening_of(found)
    return {
        "hand_id": found.stream.id,
        "variant": opening.variant,
        "players": list(opening.players),
        "status": status_of(found),
        "version": found.version,
        "session_id": opening.session_id,
        "table": opening.table,
        "round": opening.round,
        "number": opening.number,
        "played_at": opening.played_at,
        "labels": list(opening.labels),
        "recorded_at": _rfc3339(found.created),
    }


def _load(sent: list[Sent], players: Sequence[str]) -> list[Event]:
    return load_events({"events": sent}, players).events


def _rfc3339(milliseconds: int) -> str:
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
