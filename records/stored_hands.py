"""What is in the stored stream of a hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import accumulate
from typing import Any, Final, NamedTuple

from records.codec import Entry, Opening, count_of, read_entry, read_opening, write_opening
from records.judging import IRREGULAR, Judged, judge, variant_of
from records.log import StoredStream
from records.packing import Sent, unpack_events, unpack_sent
from records.reading import Reading, Recorded, Restated, players_at, read
from records.record import HandRecord, record_dict
from records.schemas import load_events
from records.sheet_codec import is_failed
from trull import Variant
from trull.events import Event

KIND: Final = "hand"
"""The kind of a hand's stream."""

RESTATED: Final = "hand_restated"
"""The wire type of a restatement."""

# The first byte of a head. These numbers are in the store.
_STATUSES: Final = ("incomplete", "scored", "annulled", "void", IRREGULAR)
# The bits of its second byte, which are in the store too. The opening follows, where it is not the first one.
_DUE, _KEPT = 1, 2


class LoggedEvent(NamedTuple):
    """An event of the log: its number from 1, when it was stored (RFC 3339, UTC), by whom, and as sent."""

    seq: int
    recorded_at: str
    actor: str
    event: Sent


@dataclass(frozen=True, slots=True)
class StoredHand:
    """A hand with all its events. ``status`` is how the last of them left it.

    ``record`` is the hand as it now reads, ``entries`` the log with everything that was ever said;
    ``log`` are the same events for `records.judging`, and ``first`` is the opening they began with.
    """

    record: HandRecord
    version: int
    status: str
    entries: list[LoggedEvent]
    first: Opening
    log: list[Recorded]
    reading: Reading
    is_kept: bool
    """Whether it breaks a rule as it was written down, healed since or not."""
    had_sheet: bool
    """Whether a sheet was ever due, so that one is due again with every event."""
    ends: list[int]
    """The version after each append."""

    def judged(self, variants: Mapping[str, Variant]) -> Judged:
        """What the rules make of it."""
        return judge(self.first, self.log, variants, kept=self.is_kept)

    def status_at(self, version: int, variants: Mapping[str, Variant]) -> str:
        """How it stood when it had that version."""
        return judge(self.first, self.log[:version], variants, kept=self.is_kept).status

    def append_end(self, seq: int) -> int:
        """The version after the append that brought an event."""
        return next(end for end in self.ends if end >= seq)


def write_head(status: str, *, due: bool, kept: bool = False, opening: Opening | None = None) -> bytes:
    """The head of a hand: its status, whether its last append made a sheet fall due, and whether it is
    kept though it breaks a rule as it was written down; its opening where that is not the first one."""
    flags = (_DUE if due else 0) | (_KEPT if kept else 0)
    return bytes((_STATUSES.index(status), flags)) + (write_opening(opening) if opening else b"")


def status_of(found: StoredStream) -> str:
    """How a hand stands; ``failed`` if its sheet could not be made."""
    view = found.view
    if view is not None and view.version == found.version and is_failed(view.body):
        return "failed"
    return _STATUSES[found.head[0]]


def wants_sheet(found: StoredStream) -> bool:
    """Whether a sheet was due since the last append, made by now or not."""
    return bool(found.head[1] & _DUE)


def is_kept(found: StoredStream) -> bool:
    """Whether the hand breaks a rule as it was written down, healed since or not."""
    return bool(found.head[1] & _KEPT)


def opening_of(found: StoredStream) -> Opening:
    """What a hand says about itself as it now reads."""
    if len(found.head) > 2:
        return read_opening(found.head[2:])
    return _first_opening(found, read_entry(found.entries[0].body))


def openings_of(found: StoredStream) -> list[Opening]:
    """Every opening that a hand has ever had."""
    first, *others = _entries(found)
    restated = [entry.opening for entry in others if entry.reason is not None and entry.opening is not None]
    return [_first_opening(found, first), *restated]


def replayable(found: StoredStream) -> Reading:
    """The hand as it now reads."""
    entries = _entries(found)
    opening = _first_opening(found, entries[0])
    if any(entry.reason is not None for entry in entries):
        return read(opening, _log(found, entries))
    events: list[Event] = []
    for entry in entries:
        events += unpack_events(entry.packed, opening.players, _load)
    _check(found, len(events))
    return Reading(opening, events, [], range(1, len(events) + 1))


def _entries(found: StoredStream) -> list[Entry]:
    return [read_entry(stored.body) for stored in found.entries]


def _log(found: StoredStream, entries: Sequence[Entry]) -> list[Recorded]:
    """All events, as the rules take them."""
    log: list[Recorded] = []
    opening = _first_opening(found, entries[0])
    players = opening.players
    was_restated = False
    for entry in entries:
        if was_restated:
            # An append is made for the players of the hand as it reads when it comes.
            players = players_at(opening, log)
        if entry.reason is not None:
            log.append(_restated(found.stream.id, entry, players))
            was_restated = True
            continue
        events = unpack_events(entry.packed, players, _load)
        sent = unpack_sent(entry.packed, players)
        log += [Recorded(event, said, players) for event, said in zip(events, sent, strict=True)]
    _check(found, len(log))
    return log


def _restated(hand_id: str, entry: Entry, players: tuple[str, ...]) -> Recorded:
    assert entry.opening is not None, f"{hand_id}: a restatement has no opening"
    assert entry.reason is not None, f"{hand_id}: a restatement has no reason"
    events = unpack_events(entry.packed, entry.opening.players, _load)
    sent = unpack_sent(entry.packed, entry.opening.players)
    restated = Restated(entry.opening, events, sent, entry.reason)
    return Recorded(restated, restated_as_sent(hand_id, restated), players)


def restated_as_sent(hand_id: str, restated: Restated) -> Sent:
    """A restatement as the log shows it."""
    record = record_dict(hand_id, restated.opening._asdict(), restated.sent)
    return {"type": RESTATED, "record": record, "reason": restated.reason}


def _first_opening(found: StoredStream, entry: Entry) -> Opening:
    assert entry.opening is not None, f"{found.stream}: the first entry has no opening"
    return entry.opening


def _check(found: StoredStream, events: int) -> None:
    """An entry that is cut off would otherwise read like a shorter hand."""
    if events != found.version:
        raise ValueError(f"{found.stream}: {events} events in a hand of version {found.version}")


def hand_of(found: StoredStream, variants: Mapping[str, Variant]) -> StoredHand:
    """The whole hand."""
    stored_entries = _entries(found)
    log = _log(found, stored_entries)
    first = _first_opening(found, stored_entries[0])
    reading = read(first, log)
    facts = reading.opening._asdict()
    record = HandRecord(
        hand_id=found.stream.id,
        variant=variant_of(facts.pop("variant"), variants),
        events=reading.events,
        sent=reading.sent,
        **facts,
    )
    had_sheet = found.view is not None or wants_sheet(found)
    return StoredHand(
        record=record,
        version=found.version,
        status=status_of(found),
        entries=_logged(found, stored_entries, log),
        first=first,
        log=log,
        reading=reading,
        is_kept=is_kept(found),
        had_sheet=had_sheet,
        ends=list(accumulate(map(count_of, stored_entries))),
    )


def _logged(found: StoredStream, entries: Sequence[Entry], log: Sequence[Recorded]) -> list[LoggedEvent]:
    """All events with what the log knows of them."""
    logged: list[LoggedEvent] = []
    for stored, entry in zip(found.entries, entries, strict=True):
        recorded_at = rfc3339(stored.recorded)
        for _ in range(count_of(entry)):
            seq = len(logged) + 1
            logged.append(LoggedEvent(seq, recorded_at, entry.actor, log[seq - 1].sent))
    return logged


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
        "recorded_at": rfc3339(found.created),
    }


def _load(sent: list[Sent], players: Sequence[str]) -> list[Event]:
    return load_events({"events": sent}, players).events


def rfc3339(milliseconds: int) -> str:
    """A time of the store as the service tells it."""
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
