"""A record with a history: restatements among its events, and what the log of another service knows of them.

Such a line comes from an export. Its events are the whole log of a hand, from the first on. With
``log`` it also has who appended them and when, in runs: ``[{"events": 12, "recorded_at": …, "actor": …}]``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, Final, NamedTuple

from records.checks import Table, fields_of, text, whole
from records.codec import write_entry, write_restatement
from records.faults import INVALID_RECORD, Fault, InvalidRecord, Path, shown
from records.judging import Judged, judge, opening_of_record
from records.limits import MAX_EVENTS, MAX_ID, MAX_REASON, Fields
from records.names import line_fault, text_fault
from records.reading import Misplaced, Recorded, Restated, players_at
from records.record import HandRecord
from records.redis_log import LAST_MOMENT
from records.schemas import load_events, load_record
from records.stored_hands import RESTATED, restated_as_sent
from records.times import instant, time_fault
from trull import RulesError, Variant

LOG: Final = "log"
"""The field with who appended the events, and when."""

_RUN: Final = Fields(("events", "recorded_at", "actor"))
_RUN_CHECKS: Final = {
    "events": whole("A number of events", 1, MAX_EVENTS),
    "recorded_at": text(time_fault, "A time"),
    "actor": text(partial(line_fault, longest=MAX_ID, what="An actor"), "An actor"),
}


class Run(NamedTuple):
    """Events that were appended at once: how many, when in milliseconds since 1970 (None: now), by whom."""

    events: int
    recorded: int | None
    actor: str


class ReadLog(NamedTuple):
    """The log of a hand: its record as it began, all events, the entries with times, and how it stands."""

    record: HandRecord
    log: list[Recorded]
    entries: list[tuple[int | None, bytes]]
    judged: Judged


class _Piece(NamedTuple):
    """Events of one entry: where they begin among all, and whether they are a restatement."""

    first: int
    events: list[Any]
    run: Run
    is_restatement: bool


def read_log(data: Mapping[str, Any], actor: str, variants: Mapping[str, Variant], *, keep: bool) -> ReadLog:
    """The log that a line holds. ``actor`` has sent it, ``keep`` takes a hand that breaks a rule.

    Raises `InvalidRecord` or `RulesError`, both with places in the line.
    """
    events = data.get("events")
    if not isinstance(events, list) or not 1 <= len(events) <= MAX_EVENTS:
        raise _invalid("/events", f"Events are a list of 1 to {MAX_EVENTS} events.")
    runs = _runs(data.get(LOG), len(events)) or [Run(len(events), None, actor)]
    first, *others = _pieces(events, runs)
    about = {name: value for name, value in data.items() if name != LOG}
    record = load_record({**about, "events": first.events}, variants)
    opening = opening_of_record(record)
    log = [Recorded(*both, record.players) for both in zip(record.events, record.sent, strict=True)]
    entries = [(first.run.recorded, write_entry(first.run.actor, opening, record.events, record.sent))]
    for piece in others:
        made, entry = _read_piece(piece, record.hand_id, log, variants, opening_of_record(record))
        log += made
        entries.append((piece.run.recorded, entry))
    try:
        judged = judge(opening, log, variants)
    except RulesError:
        if not keep:
            raise
        judged = judge(opening, log, variants, kept=True)
    return ReadLog(record, log, entries, judged)


def _runs(history: Any, count: int) -> list[Run]:
    """The runs of so many events. Raises `InvalidRecord`."""
    if history is None:
        return []
    if not isinstance(history, list) or not history:
        raise _invalid(f"/{LOG}", "A log is a list of runs of events, each with recorded_at and actor.")
    table, runs = Table(None), []
    for place, run in enumerate(history):
        path: Path = (LOG, place)
        if not isinstance(run, dict):
            table.refuse(path, f"A run of events is an object, not {shown(run)}.")
            continue
        made = fields_of(run, _RUN, _RUN_CHECKS, path, table, "a run of events")
        if not table.faults.count:
            moment = round(instant(made["recorded_at"]).timestamp() * 1000)
            if 0 <= moment <= LAST_MOMENT:
                runs.append(Run(made["events"], moment, made["actor"]))
            else:
                table.refuse((*path, "recorded_at"), "A log has times from 1970 to 6429.")
    if not table.faults.count and sum(run.events for run in runs) != count:
        table.refuse((LOG,), f"The runs have {sum(run.events for run in runs)} events, the record {count}.")
    if table.faults.count:
        raise InvalidRecord(table.faults.found)
    return runs


def _pieces(events: Sequence[Any], runs: Sequence[Run]) -> Iterator[_Piece]:
    """The events as they are to be stored: by runs, and each restatement by itself."""
    ends = list(accumulate(run.events for run in runs))
    restated = [place for place, event in enumerate(events) if _is_restatement(event)]
    marks = sorted({0, *ends, *restated, *(place + 1 for place in restated)})
    run = 0
    for begin, end in pairwise(marks):
        while ends[run] <= begin:
            run += 1
        yield _Piece(begin, list(events[begin:end]), runs[run], begin in restated)


def _is_restatement(event: Any) -> bool:
    return isinstance(event, dict) and event.get("type") == RESTATED


def _read_piece(
    piece: _Piece, hand_id: str | None, log: list[Recorded], variants: Mapping[str, Variant], opening: Any
) -> tuple[list[Recorded], bytes]:
    """The events of a piece after the first, and its entry."""
    try:
        players = players_at(opening, log)
    except Misplaced:
        judge(opening, log, variants)  # tells the same as a broken rule
        raise
    try:
        if piece.is_restatement:
            told = _read_restatement(piece.events[0], hand_id, variants)
            entry = write_restatement(piece.run.actor, told.opening, told.reason, told.events, told.sent)
            return [Recorded(told, restated_as_sent(hand_id or "", told), players)], entry
        loaded = load_events({"events": piece.events}, players)
    except InvalidRecord as error:
        raise InvalidRecord([_shifted(fault, piece.first) for fault in error.faults]) from None
    made = [Recorded(*both, players) for both in zip(loaded.events, loaded.sent, strict=True)]
    return made, write_entry(piece.run.actor, None, loaded.events, loaded.sent)


def _read_restatement(
    event: Mapping[str, Any], hand_id: str | None, variants: Mapping[str, Variant]
) -> Restated:
    """A restatement as the log has it. Raises `InvalidRecord` with places in ``{"events": [event]}``."""
    table = Table(None)
    reason = event.get("reason")
    if not isinstance(reason, str) or not reason.strip():
        table.refuse(("events", 0, "reason"), "A restatement has a reason.")
    elif wrong := text_fault(reason, MAX_REASON, "A reason"):
        table.refuse(("events", 0, "reason"), wrong)
    for name in event.keys() - {"type", "reason", "record"}:
        table.refuse(("events", 0, name), "Unknown: hand_restated has record and reason.")
    faults = table.faults.found
    try:
        record = load_record(event.get("record"), variants)
        if record.hand_id not in (None, hand_id):
            faults.append(Fault("/events/0/record/hand_id", INVALID_RECORD, f"The hand is {hand_id}."))
    except InvalidRecord as error:
        faults += [fault._replace(pointer=f"/events/0/record{fault.pointer}") for fault in error.faults]
    if faults:
        raise InvalidRecord(faults)
    return Restated(opening_of_record(record), record.events, record.sent, str(reason))


def _shifted(fault: Fault, first: int) -> Fault:
    """A fault in some of the events, with its place among all of them."""
    _, _, place, *rest = fault.pointer.split("/")
    return fault._replace(pointer="/".join(["", "events", str(int(place) + first), *rest]))


def _invalid(pointer: str, detail: str) -> InvalidRecord:
    return InvalidRecord([Fault(pointer, INVALID_RECORD, detail)])
