"""Bodies of hands: JSON to records and events, with every fault of shape found at once.

One Marshmallow schema a body. The events are one field of it: a schema for each of sixty events
would cost twenty times as much (see docs/adr/0010-the-json-boundary.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, Final, NamedTuple

from marshmallow import Schema, ValidationError, fields

from records.checks import Check, Table, whole
from records.faults import INVALID_RECORD, Fault, Faults, InvalidRecord, Path, pointer, shown
from records.limits import (
    MAX_EVENTS,
    MAX_FAULTS,
    MAX_ID,
    MAX_LABEL,
    MAX_LABELS,
    MAX_PLACE,
    MAX_PLAYERS,
    MIN_PLAYERS,
    RECORD_FORMAT,
)
from records.names import id_fault, line_fault, player_fault
from records.quick_events import read_events
from records.record import HandRecord, LoadedEvents
from records.times import time_fault
from trull.variants import VARIANTS, Variant


class _Terms(NamedTuple):
    """What a body is read against and the schema, made once, cannot know."""

    variants: Mapping[str, Variant]
    fewest_events: int
    players: Sequence[str] | None = None


_terms: ContextVar[_Terms] = ContextVar("_terms")


def load_record(
    data: object, variants: Mapping[str, Variant] = VARIANTS, *, fewest_events: int = 1
) -> HandRecord:
    """The record of a parsed body. Raises `InvalidRecord` with every fault of shape.

    ``variants`` are those that the record may name. With ``fewest_events=0`` a hand of which nothing has
    happened yet is a record too.
    """
    made = _load(_RECORD, data, "A hand record", _Terms(variants, fewest_events))
    events, sent = made.pop("events")
    given = {name: value for name, value in made.items() if value is not None}
    return HandRecord(hand_id=given.pop("hand_id", None), events=events, sent=sent, **given)


def load_events(data: object, players: Sequence[str]) -> LoadedEvents:
    """The events of a body ``{"events": [...]}`` for a hand of these players. Raises `InvalidRecord`."""
    made = _load(_EVENTS, data, "A body with events", _Terms({}, 1, players))
    return LoadedEvents(*made["events"])


def _load(schema: Schema, data: object, what: str, terms: _Terms) -> dict[str, Any]:
    if type(data) is not dict:
        raise InvalidRecord([Fault("", INVALID_RECORD, f"{what} is an object, not {shown(data)}.")])
    token = _terms.set(terms)
    try:
        made: dict[str, Any] = schema.load(data)
    except ValidationError as error:
        raise InvalidRecord(_listed(error.messages, data)) from None
    finally:
        _terms.reset(token)
    return made


class _Checked(fields.Field[Any]):
    """A field read by a check of our own, which may note several faults."""

    def __init__(self, check: Check, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.check = check

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        table = Table(None)
        made = self.check(value, (), table)
        return _unless_faulty(made, table.faults)


class _Players(fields.Field[tuple[str, ...]]):
    """The player keys in order of play, as many as the variant has seats."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> tuple[str, ...]:
        if type(value) is not list or not MIN_PLAYERS <= len(value) <= MAX_PLAYERS:
            raise ValidationError(f"Players are a list of {MIN_PLAYERS} to {MAX_PLAYERS} player keys.")
        faults = Faults()
        for seat, key in enumerate(value):
            wrong = player_fault(key) if isinstance(key, str) else "A player key is a string."
            if wrong is None and key in value[:seat]:
                wrong = f"{shown(key)} is at the table already, at seat {value.index(key)}."
            if wrong is not None:
                faults.add((seat,), wrong)
        variant = _variant_of(data.get("variant"))
        if variant is not None and variant.players != len(value):
            faults.add((), f"{variant.id} is for {variant.players} players.")
        made: tuple[str, ...] = _unless_faulty(tuple(value), faults)
        return made


class _Variant(fields.Field[Variant]):
    """A variant by its id."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Variant:
        variant = _variant_of(value)
        if variant is None:
            known = ", ".join(_terms.get().variants)
            raise ValidationError(f"{shown(value)} is no variant; the built-in ones and yours are: {known}.")
        return variant


class _Events(fields.Field[tuple[Any, Any]]):
    """The events, dispatched by their type: as the rules take them and as sent."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> tuple[Any, Any]:
        terms = _terms.get()
        if type(value) is not list or not terms.fewest_events <= len(value) <= MAX_EVENTS:
            raise ValidationError(f"Events are a list of {terms.fewest_events} to {MAX_EVENTS} events.")
        table = Table(_seats(data.get("players") if terms.players is None else terms.players))
        made: tuple[Any, Any] = _unless_faulty(read_events(value, (), table), table.faults)
        return made


def _variant_of(value: object) -> Variant | None:
    return _terms.get().variants.get(value) if isinstance(value, str) else None


def _seats(players: Any) -> Mapping[str, int] | None:
    """Each player's seat, or None where the players cannot be told apart."""
    if not isinstance(players, list | tuple) or not all(isinstance(key, str) for key in players):
        return None
    seats = {key: seat for seat, key in enumerate(players)}
    return seats if len(seats) == len(players) and MIN_PLAYERS <= len(seats) <= MAX_PLAYERS else None


def _unless_faulty(made: Any, faults: Faults) -> Any:
    """What was made; raises where there are faults, whose pointers start at the field."""
    if faults:
        found: list[Any] = list(faults.found)
        raise ValidationError(found)
    return made


def _table_name(value: Any, path: Path, table: Table) -> Any:
    """A table's name or number, kept as sent."""
    if type(value) is str:
        wrong = line_fault(value, MAX_ID, "A table's name")
        return value if wrong is None else table.refuse(path, wrong)
    if type(value) in (int, float):
        return whole("A table's number", 1, MAX_PLACE)(value, path, table)
    return table.refuse(path, f"A table is a string or a whole number, not {shown(value)}.")


def _labels(value: Any, path: Path, table: Table) -> Any:
    if type(value) is not list or len(value) > MAX_LABELS:
        return table.refuse(path, f"Labels are a list of at most {MAX_LABELS} strings.")
    for place, label in enumerate(value):
        wrong = line_fault(label, MAX_LABEL, "A label") if isinstance(label, str) else "A label is a string."
        if wrong is not None:
            table.refuse((*path, place), wrong)
    return tuple(value)


def _valid(fault_of: Callable[[str], str | None]) -> Callable[[str], None]:
    """A validator of Marshmallow from a function that tells what would be right."""

    def validate(value: str) -> None:
        wrong = fault_of(value)
        if wrong is not None:
            raise ValidationError(wrong)

    return validate


def _required(detail: str) -> dict[str, Any]:
    return {"required": True, "error_messages": {"required": detail, "null": detail}}


def _text(fault_of: Callable[[str], str | None], what: str) -> fields.String:
    return fields.String(
        allow_none=True, validate=_valid(fault_of), error_messages={"invalid": f"{what} is a string."}
    )


class RecordSchema(Schema):
    """A hand record."""

    error_messages = {"unknown": "Unknown: a hand record has no such field."}  # noqa: RUF012 - as Marshmallow declares it

    hand_id = _text(id_fault, "A hand_id")
    variant = _Variant(**_required("Missing: a record names its variant."))
    players = _Players(**_required("Missing: a record names its players, forehand first."))
    events = _Events(**_required("Missing: a record has events."))
    format = _Checked(whole("The record format", RECORD_FORMAT, RECORD_FORMAT), allow_none=True)
    session_id = _text(id_fault, "A session_id")
    table = _Checked(_table_name, allow_none=True)
    round = _Checked(whole("A round", 1, MAX_PLACE), allow_none=True)
    number = _Checked(whole("A hand's number", 1, MAX_PLACE), allow_none=True)
    played_at = _text(time_fault, "A time")
    labels = _Checked(_labels, allow_none=True)


class EventsSchema(Schema):
    """Events to append to a hand."""

    error_messages = {"unknown": "Unknown: the only field is events."}  # noqa: RUF012 - as Marshmallow declares it

    events = _Events(**_required("Missing: the events to append."))


_RECORD: Final = RecordSchema()
_EVENTS: Final = EventsSchema()


def _listed(messages: Any, data: Mapping[str, Any]) -> list[Fault]:
    """Marshmallow's messages as faults, in the order of the body, missing fields last."""
    order = {name: place for place, name in enumerate(data)}
    faults: list[Fault] = []
    for name in sorted(messages, key=lambda name: order.get(name, len(order))):
        faults += _flat(messages[name], (name,))
    if len(faults) > MAX_FAULTS:
        rest = len(faults) - MAX_FAULTS
        faults[MAX_FAULTS:] = [Fault("", INVALID_RECORD, f"{rest} more faults are not listed.")]
    return faults


def _flat(messages: Any, path: Path) -> Iterator[Fault]:
    for message in messages:
        if isinstance(message, Fault):
            yield message._replace(pointer=pointer(path) + message.pointer)
        else:
            yield Fault(pointer(path), INVALID_RECORD, message)
