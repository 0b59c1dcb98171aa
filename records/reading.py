"""How the log of a hand reads now: who plays by which rules, and the events that the rules are to judge.

The log only grows. A restatement tells the whole hand anew, in one event; what came before it is
history, what comes after goes on from it, and to retract it is to go back to the reading before.
Retractions of other events are left to the rules, which count events by their place in the reading.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from records.codec import Opening
from records.faults import InvalidRecord
from records.packing import Sent
from records.schemas import load_events
from trull.events import Event, EventRetracted

_NOWHERE: Final = 1_000_000
"""As the target of a retraction, what stands at no place before it."""


class Restated(NamedTuple):
    """The whole hand anew: what the record of a restatement says. It has seats and numbers of its own."""

    opening: Opening
    events: list[Event]
    sent: list[Sent]
    reason: str


class Recorded(NamedTuple):
    """An event of the log: as the rules take it, and as it was sent.

    ``players`` are those of the hand as it read when the event came; the event's seats are theirs.
    """

    event: Event | Restated
    sent: Sent
    players: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """A hand as its log reads. ``seqs`` are the numbers in the log that the events have.

    The events of a restated record have the number of the restatement, which is ``restated``; 0 where
    none stands. In ``sent`` retractions count as in ``events``: by the place in this reading.
    """

    opening: Opening
    events: list[Event]
    sent: list[Sent]
    seqs: Sequence[int]
    restated: int = 0


class Misplaced(Exception):
    """An event cannot be where it is because of a restatement.

    ``seq`` is its number in the log, ``path`` leads to the faulty part; ``variant`` is that of the hand
    as it reads there.
    """

    def __init__(self, seq: int, detail: str, path: tuple[str, ...], variant: str) -> None:
        super().__init__(detail)
        self.seq = seq
        self.detail = detail
        self.path = path
        self.variant = variant


def read(opening: Opening, log: Sequence[Recorded]) -> Reading:
    """The reading of a whole log. ``opening`` is the first one. Raises `Misplaced`."""
    if not any(type(recorded.event) is Restated for recorded in log):
        events = [recorded.event for recorded in log if not isinstance(recorded.event, Restated)]
        return Reading(opening, events, [recorded.sent for recorded in log], range(1, len(log) + 1))
    base = _base(opening, log)
    events, sent, seqs = [], [], []
    if base:
        restated = log[base - 1].event
        assert isinstance(restated, Restated)
        opening = restated.opening
        events, sent, seqs = [*restated.events], [*restated.sent], [base] * len(restated.events)
    places: dict[int, int] = {}
    # Restatements that stand no more, and what is undone and would have no place in this reading.
    gone = {seq for seq, recorded in enumerate(log, 1) if isinstance(recorded.event, Restated)}
    for seq, recorded in enumerate(log[base:], base + 1):
        event, as_sent = recorded.event, recorded.sent
        if isinstance(event, Restated):
            continue
        if isinstance(event, EventRetracted):
            if event.seq in gone:
                continue
            event = event._replace(seq=places.get(event.seq, _NOWHERE))
            as_sent = {**as_sent, "seq": event.seq}
        elif recorded.players != opening.players:
            try:
                event = _reseated(event, as_sent, seq, opening)
            except Misplaced:
                if not _is_undone(log, seq):
                    raise
                gone.add(seq)
                continue
        events.append(event)
        sent.append(as_sent)
        seqs.append(seq)
        places[seq] = len(events)
    return Reading(opening, events, sent, seqs, base)


def standing(reading: Reading) -> Reading:
    """The reading without what is undone, and without the retractions that undid it."""
    gone: set[int] = set()
    events = [*reading.events]
    for place, event in enumerate(events):
        if not isinstance(event, EventRetracted):
            continue
        target = event.seq - 1
        if 0 <= target < place and target not in gone and not isinstance(events[target], EventRetracted):
            gone |= {place, target}
        else:
            events[place] = event._replace(seq=_NOWHERE)
    left = [place for place in range(len(events)) if place not in gone]
    return Reading(
        reading.opening,
        [events[place] for place in left],
        [reading.sent[place] for place in left] if reading.sent else [],
        [reading.seqs[place] for place in left],
        reading.restated,
    )


def players_at(opening: Opening, log: Sequence[Recorded]) -> tuple[str, ...]:
    """The players of the hand as it reads after that much of the log. Raises `Misplaced`."""
    base = _base(opening, log)
    restated = log[base - 1].event if base else None
    return restated.opening.players if isinstance(restated, Restated) else opening.players


def openings(opening: Opening, log: Sequence[Recorded]) -> list[Opening]:
    """Every opening that the hand has ever had."""
    return [opening, *(made.event.opening for made in log if isinstance(made.event, Restated))]


def _base(opening: Opening, log: Sequence[Recorded]) -> int:
    """The number of the restatement that the hand reads from, or 0 for its beginning."""
    standing: list[int] = []
    gone: set[int] = set()
    variants = {0: opening.variant}
    for seq, recorded in enumerate(log, 1):
        event = recorded.event
        base = standing[-1] if standing else 0
        if isinstance(event, Restated):
            standing.append(seq)
            variants[seq] = event.opening.variant
        elif isinstance(event, EventRetracted) and event.seq < seq:
            wrong = None
            if event.seq in gone:
                wrong = "That event is retracted already."
            elif event.seq < base:
                wrong = (
                    f"The hand was restated after that event: retract the restatement, event {base}, first."
                )
            if wrong is not None:
                raise Misplaced(seq, wrong, ("seq",), variants[base])
            gone.add(event.seq)
            if event.seq == base:
                standing.pop()
    return standing[-1] if standing else 0


def _is_undone(log: Sequence[Recorded], seq: int) -> bool:
    return any(isinstance(made.event, EventRetracted) and made.event.seq == seq for made in log[seq:])


def _reseated(event: Event, sent: Sent, seq: int, opening: Opening) -> Event:
    """The event for other seats than those it was made for; players are known by name."""
    try:
        return load_events({"events": [sent]}, opening.players).events[0]
    except InvalidRecord as error:
        detail = f"In the hand as it then reads this has no place: {error.faults[0].detail}"
        raise Misplaced(seq, detail, (), opening.variant) from None
