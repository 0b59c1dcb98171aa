"""A line of an import: a record, perhaps with its whole history, as what is to be appended for it.

House rules may stand in a line too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from records.changes import lists_of
from records.codec import Opening, write_entry
from records.directing import directs
from records.faults import INVALID_RECORD, Fault, InvalidRecord
from records.import_logs import LOG, ReadLog, read_log
from records.judging import judge_record, opening_of_record
from records.lines import MAX_LINE
from records.log import Append
from records.packing import Sent
from records.problems import Refused, refused_shape
from records.reading import openings
from records.record import HandRecord
from records.refusals import fault_of
from records.schemas import load_record
from records.stored_hands import RESTATED, write_head
from records.wire import MalformedJson, load
from trull import RulesError, Variant

_RESTATED: Final = RESTATED.encode()
_BASE: Final = b'"base"'
"""The name of a field that house rules have and a record has not."""


class Importing(NamedTuple):
    """Who imports, and what they may: correct hands, restore logs; and whether broken hands are kept.

    ``made`` are house rules that were made for this import before its lines are taken.
    """

    actor: str
    directs: bool = True
    restores: bool = True
    keep: bool = False
    made: Sequence[str] = ()


class ImportedHand(NamedTuple):
    """A hand of an import, and what is to be appended for it."""

    hand_id: str
    append: Append


class Told(NamedTuple):
    """What a line says: how the hand began, and all its events as they were sent."""

    first: Opening
    sent: list[Sent]


class LineRefused(Exception):
    """A line cannot be imported. ``hand_id`` is that of its record as far as it can be read."""

    def __init__(self, hand_id: str | None, refused: Refused) -> None:
        super().__init__(refused.detail)
        self.hand_id = hand_id
        self.refused = refused


def read_line(line: bytes, by: Importing, variants: Mapping[str, Variant]) -> ImportedHand:
    """The hand of a line. Raises `LineRefused`.

    Many of these are held at once, so that they keep nothing of the line's JSON: to do so costs a third
    more time. `told_by` reads it again where it is needed.
    """
    return _read(line, by, variants)[0]


def told_by(line: bytes, by: Importing, variants: Mapping[str, Variant]) -> Told:
    """What a line says that `read_line` has read before. Raises `LineRefused`."""
    return _read(line, by, variants)[1]


def _read(line: bytes, by: Importing, variants: Mapping[str, Variant]) -> tuple[ImportedHand, Told]:
    if len(line) > MAX_LINE:
        detail = f"A record may have {MAX_LINE:,} bytes at most."
        raise LineRefused(None, Refused("body-too-large", detail))
    data: Any = None
    try:
        data = load(line)
        if type(data) is dict and (LOG in data or _RESTATED in line):
            return _with_history(data, by, variants)
        return _plain(load_record(data, variants), by)
    except MalformedJson as error:
        refused = Refused(error.code, error.in_a("line").detail)
    except InvalidRecord as error:
        nameless = type(data) is dict and data.get("hand_id") is None
        refused = refused_shape([*error.faults, _NAMELESS] if nameless else error.faults)
    except RulesError as error:
        players = data["players"]
        refused = Refused(error.code, error.told(players), [fault_of(error, players)])
    except Refused as error:
        refused = error
    raise LineRefused(_hand_id(data), refused) from None


def read_rules(line: bytes) -> dict[str, Any] | None:
    """The body of house rules that a line is; None of any other."""
    if len(line) > MAX_LINE or _BASE not in line:
        return None
    try:
        data = load(line)
    except MalformedJson:
        return None
    return data if type(data) is dict and "base" in data and "events" not in data else None


_NAMELESS: Final = Fault("/hand_id", INVALID_RECORD, "Missing: a record that is imported names its hand.")


def _hand_id(data: Any) -> str | None:
    hand_id = data.get("hand_id") if isinstance(data, dict) else None
    return hand_id if isinstance(hand_id, str) else None


def _plain(record: HandRecord, by: Importing) -> tuple[ImportedHand, Told]:
    """A record without a history: stored as `records.hands` stores one that is submitted."""
    if record.hand_id is None:
        raise refused_shape([_NAMELESS])
    judged = judge_record(record, keep=by.keep)
    _check(record.sent, by)
    opening = opening_of_record(record)
    due = judged.status != "incomplete"
    append = Append(
        body=write_entry(by.actor, opening, record.events, record.sent),
        events=len(record.events),
        head=write_head(judged.status, due=due, kept=judged.kept),
        due=due,
        lists=lists_of(opening),
        urgent=False,
    )
    return ImportedHand(record.hand_id, append), Told(opening, record.sent)


def _with_history(
    data: Mapping[str, Any], by: Importing, variants: Mapping[str, Variant]
) -> tuple[ImportedHand, Told]:
    """A record of the whole log of a hand."""
    if data.get(LOG) is not None and not by.restores:
        detail = "To restore times and actors needs the scope 'admin'."
        raise Refused("forbidden", detail, [{"pointer": f"/{LOG}", "code": "forbidden", "detail": detail}])
    found = read_log(data, by.actor, variants, keep=by.keep)
    if found.record.hand_id is None:
        raise refused_shape([_NAMELESS])
    sent = [recorded.sent for recorded in found.log]
    _check(sent, by)
    told = Told(opening_of_record(found.record), sent)
    return ImportedHand(found.record.hand_id, _append_of(found)), told


def _append_of(found: ReadLog) -> Append:
    first, now = opening_of_record(found.record), found.judged.reading.opening
    due = found.judged.status != "incomplete"
    *earlier, (recorded, body) = found.entries
    ever = [by for opening in openings(first, found.log) for by in lists_of(opening)]
    return Append(
        body=body,
        events=len(found.log),
        head=write_head(
            found.judged.status, due=due, kept=found.judged.kept, opening=None if now == first else now
        ),
        due=due,
        lists=tuple(dict.fromkeys(ever)),
        urgent=False,
        recorded=recorded,
        earlier=tuple(earlier),
    )


def _check(sent: Sequence[Sent], by: Importing) -> None:
    """Whether the importer may put these events into a hand. Raises `Refused`."""
    if by.directs:
        return
    faults = []
    for place, event in enumerate(sent):
        why = "A restatement needs the scope 'direct'." if event["type"] == RESTATED else directs(event)
        if why:
            faults.append({"pointer": f"/events/{place}", "code": "forbidden", "detail": why})
    if faults:
        raise Refused("forbidden", faults[0]["detail"], faults)
