"""What may be added to a stored hand: events, or the whole hand anew; judged first, then appended.

Nothing here asks the store. A change is made for a hand as it was read, and is appended only where
that is still its version.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from records.checks import same_json, without_nulls
from records.codec import Opening, write_entry, write_restatement
from records.faults import INVALID_RECORD, Fault, InvalidRecord
from records.judging import Judged, judge_appended, judge_record
from records.limits import MAX_EVENTS
from records.log import Append
from records.reading import Recorded, Restated, openings
from records.record import HandRecord, LoadedEvents
from records.stored_hands import StoredHand, write_head
from trull import Variant


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be added, and how the hand stands with it."""

    judged: Judged
    loaded: LoadedEvents | None = None
    restated: Restated | None = None

    @property
    def status(self) -> str:
        """The hand's status from then on."""
        return self.judged.status

    def append(self, actor: str, hand: StoredHand) -> Append:
        """The same for the log. A sheet falls due when the hand is complete, or had one before."""
        opening = self.judged.reading.opening
        due = hand.had_sheet or self.status != "incomplete"
        head = write_head(
            self.status,
            due=due,
            kept=hand.is_kept,
            opening=None if opening == hand.first else opening,
        )
        if self.restated is not None:
            told = self.restated
            body = write_restatement(actor, told.opening, told.reason, told.events, told.sent)
            known = {by for before in openings(hand.first, hand.log) for by in lists_of(before)}
            joined = tuple(by for by in lists_of(told.opening) if by not in known)
            return Append(body, 1, head, due, joined)
        assert self.loaded is not None
        body = write_entry(actor, None, self.loaded.events, self.loaded.sent)
        return Append(body, len(self.loaded.events), head, due)


class Known(NamedTuple):
    """How many of the events to append are in the hand already, by their ``event_id``: the first ``events``.

    ``version`` is that of the hand when the last of these had been appended.
    """

    events: int
    version: int


def appended(hand: StoredHand, loaded: LoadedEvents, variants: Mapping[str, Variant]) -> Change:
    """The events added to the hand. Raises `RulesError` with its place among them, `InvalidRecord`."""
    _refuse_too_many(hand, len(loaded.events), "/events")
    added = [
        Recorded(event, sent, hand.record.players)
        for event, sent in zip(loaded.events, loaded.sent, strict=True)
    ]
    judged = judge_appended(hand.first, hand.log, added, variants, kept=hand.is_kept)
    return Change(judged, loaded=loaded)


def restated(hand: StoredHand, record: HandRecord, reason: str) -> Change:
    """The hand told anew. Raises `RulesError` with its place in the record, `InvalidRecord`."""
    _refuse_too_many(hand, 1, "")
    judged = judge_record(record)
    told = Restated(judged.reading.opening, record.events, record.sent, reason)
    return Change(judged, restated=told)


def known_events(hand: StoredHand, events: Sequence[Any]) -> Known:
    """Which of the events, as they were sent, the hand has already. Raises `EventConflict`.

    They are told by their ``event_id``, in the log and in the record that the hand was restated by.
    """
    stored = _by_event_id(hand)
    conflicts: list[Fault] = []
    count = version = 0
    for index, event in enumerate(events):
        name = event.get("event_id") if isinstance(event, dict) else None
        found = stored.get(name, ()) if isinstance(name, str) else ()
        same = [at for at, sent in found if same_json(sent, without_nulls(event))]
        where = f"/events/{index}/event_id"
        if found and not same:
            detail = f"Event {found[0][0]} of the hand has this event_id and other content."
            conflicts.append(Fault(where, EventConflict.code, detail))
        elif same and index > count:
            detail = f"This is event {same[0]} of the hand; it cannot be sent again after one that is new."
            conflicts.append(Fault(where, EventConflict.code, detail))
        elif same:
            count, version = count + 1, same[0]
    if conflicts:
        raise EventConflict(conflicts)
    return Known(count, hand.append_end(version) if count else 0)


class EventConflict(Exception):
    """An ``event_id`` stands for another event in the hand. Holds every such fault."""

    code: Final = "event-conflict"

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__(faults[0].detail)
        self.faults = list(faults)


def lists_of(opening: Opening) -> tuple[tuple[str, str], ...]:
    """The lists that a hand is in."""
    players = [("player", player) for player in opening.players]
    return (("session", opening.session_id), *players) if opening.session_id else tuple(players)


def _by_event_id(hand: StoredHand) -> dict[str, list[tuple[int, dict[str, Any]]]]:
    """The events of each ``event_id``, with their numbers in the log."""
    found: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    told = zip(hand.reading.seqs, hand.reading.sent, strict=True)
    for seq, sent in [*((entry.seq, entry.event) for entry in hand.entries), *told]:
        if "event_id" in sent:
            found.setdefault(sent["event_id"], []).append((seq, sent))
    return found


def _refuse_too_many(hand: StoredHand, more: int, where: str) -> None:
    if hand.version + more > MAX_EVENTS:
        detail = f"A hand has at most {MAX_EVENTS} events: {hand.version} are there, {more} would be added."
        raise InvalidRecord([Fault(where, INVALID_RECORD, detail)])
