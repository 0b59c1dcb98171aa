"""Events on the wire, read thoroughly: every fault of an event is noted with its place.

`records.quick_events` reads the usual shapes at a fraction of the cost and leaves everything else
to this module; both make the same events.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from records.checks import Check, Table, by_player, card, cards, fields_of, known, pile, player, text, whole
from records.faults import Path, one_of, shown
from records.limits import (
    COMMON_FIELDS,
    EVENT_FIELDS,
    MAX_EVENTS,
    MAX_NOTE,
    MAX_PENALTY,
    MAX_REASON,
    Fields,
)
from records.names import event_id_fault, text_fault
from records.result_fields import read_result
from records.times import time_fault
from trull import events as happened
from trull.events import Event

_reason: Final = text(partial(text_fault, longest=MAX_REASON, what="A reason"), "A reason")

COMMON_CHECKS: Final[Mapping[str, Check]] = {
    "at": text(time_fault, "A time"),
    "event_id": text(event_id_fault, "An event_id"),
    "note": text(partial(text_fault, longest=MAX_NOTE, what="A note"), "A note"),
}

_CHECKS: Final[Mapping[str, Check]] = {
    "hands": by_player(pile, "the cards"),
    "talon": pile,
    "player": player,
    "card": card,
    "cards": cards,
    "contract": known("contract", happened.CONTRACTS),
    "bonus": known("bonus", happened.BONUSES),
    "target": known("target of a contra", ("game", *happened.BONUSES)),
    "level": known("level", happened.CONTRA_LEVELS[1:]),
    "stage": known("stage", happened.STAGES),
    "seq": whole("A seq", 1, MAX_EVENTS),
    "points": whole("A penalty", -MAX_PENALTY, MAX_PENALTY),
    "reason": _reason,
}
_ANNULMENT_CHECKS: Final = {"reason": known("reason for an annulment", happened.ANNULMENTS)}

_CLASSES: Final[Mapping[str, Callable[..., Any]]] = {name: kind for kind, name in happened.TYPE_NAMES.items()}


def read_event(event: Any, index: int, path: Path, table: Table) -> Any:
    """The event of an object without nulls; None where a fault was noted."""
    if not isinstance(event, dict):
        return table.refuse(path, f"An event is an object, not {shown(event)}.")
    kind = event.get("type")
    fields = EVENT_FIELDS.get(kind) if isinstance(kind, str) else None
    if not isinstance(kind, str) or fields is None:
        return table.refuse((*path, "type"), _type_fault(event))
    before = table.faults.count
    own = {name: item for name, item in event.items() if name != "type" and name not in COMMON_FIELDS}
    for name in COMMON_FIELDS:
        if name in event:
            COMMON_CHECKS[name](event[name], (*path, name), table)
    _note_event_id(event.get("event_id"), index, path, table)
    if kind == "result_reported":
        made: Event = read_result(own, path, table)
    else:
        made = _read_plain(kind, own, fields, path, table)
    return None if table.faults.count > before else made


def _read_plain(kind: str, own: Mapping[str, Any], fields: Fields, path: Path, table: Table) -> Any:
    """Any event but a reported result: its fields are the class's, in the same order."""
    checks = _ANNULMENT_CHECKS if kind == "hand_annulled" else _CHECKS
    values = fields_of(own, fields, checks, path, table, kind)
    if kind == "announced":
        _check_shown_cards(values, path, table)
        values.setdefault("cards", ())
    elif kind == "trick_played" and table.seats:
        _check_trick(values.get("cards"), path, len(table.seats), table)
    return _CLASSES[kind](*[values.get(name) for name in fields.required + fields.optional])


def _check_shown_cards(values: Mapping[str, Any], path: Path, table: Table) -> None:
    """A handful shows its trumps; nothing else shows cards."""
    handful = values.get("bonus") == "handful"
    if handful and "cards" not in values:
        table.faults.add((*path, "cards"), "Missing: a handful shows its cards.")
    elif not handful and values.get("bonus") is not None and "cards" in values:
        table.faults.add((*path, "cards"), "Unknown: only a handful shows cards.")


def _check_trick(trick: tuple[int, ...] | None, path: Path, players: int, table: Table) -> None:
    """Another number of cards than players is no trick in any hand."""
    if trick and len(trick) != players:
        table.faults.add((*path, "cards"), f"A trick has a card of each of the {players} players.")


def _note_event_id(event_id: object, index: int, path: Path, table: Table) -> None:
    if isinstance(event_id, str) and table.event_ids.setdefault(event_id, index) != index:
        detail = f"Event {table.event_ids[event_id]} of this body has the same event_id; it is for one event."
        table.faults.add((*path, "event_id"), detail)


def _type_fault(event: Mapping[str, Any]) -> str:
    if "type" not in event:
        return "Missing: every event has a type."
    if event["type"] == "hand_restated":
        return "hand_restated is made by PUT /v1/hands/{id} and cannot be sent."
    return f"{shown(event['type'])} is no type of event; one of {one_of(EVENT_FIELDS)}."
