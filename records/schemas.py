"""Bodies of hands: JSON to records and events, with every fault of shape found at once.

One Marshmallow schema a body. The events are one field of it: a schema for each of sixty events
would cost twenty times as much (see docs/adr/0010-the-json-boundary.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from marshmallow import Schema, ValidationError

from records.checks import few_unknown, whole
from records.faults import INVALID_RECORD, Fault, InvalidRecord, Path, pointer, shown
from records.limits import MAX_FAULTS, MAX_PLACE, RECORD_FORMAT
from records.names import id_fault
from records.record import HandRecord, LoadedEvents
from records.record_fields import (
    CheckedField,
    EventsField,
    PlayersField,
    Reading,
    TextField,
    VariantField,
    labels,
    reading,
    seats_of,
    table_name,
)
from records.times import time_fault
from trull.variants import VARIANTS, Variant


def load_record(
    data: object, variants: Mapping[str, Variant] = VARIANTS, *, fewest_events: int = 1
) -> HandRecord:
    """The record of a parsed body. Raises `InvalidRecord` with every fault of shape.

    ``variants`` are those that the record may name. With ``fewest_events=0`` a hand of which nothing has
    happened yet is a record too.
    """
    made = load_body(_RECORD, data, "A hand record", Reading(variants, fewest_events))
    record = HandRecord(made.get("hand_id"), made["variant"], made["players"], *made["events"])
    if len(made) > len(_NEARLY_ALWAYS) or not made.keys() <= _NEARLY_ALWAYS:
        for name in _NOW_AND_THEN:
            if made.get(name) is not None:
                setattr(record, name, made[name])
    return record


def load_events(data: object, players: Sequence[str]) -> LoadedEvents:
    """The events of a body ``{"events": [...]}`` for a hand of these players. Raises `InvalidRecord`."""
    made = load_body(_EVENTS, data, "A body with events", Reading({}, 1, seats=seats_of(players)))
    return LoadedEvents(*made["events"])


def required(detail: str) -> dict[str, Any]:
    """The options of a Marshmallow field that has to be there; ``detail`` tells who lacks it."""
    return {"required": True, "error_messages": {"required": detail, "null": detail}}


class BodySchema(Schema):
    """A body, most of which have no fault."""

    def __init__(self) -> None:
        super().__init__()
        self._in_order = tuple(self.fields.items())
        self._required = frozenset(name for name, field in self._in_order if field.required)

    def read(self, data: dict[str, Any]) -> dict[str, Any]:
        """What `load` gives. Raises `ValidationError` with every fault.

        The fields are read one after the other; only where one has a fault, is missing or unknown,
        Marshmallow goes through the body again and collects all that is wrong. Its own way through
        a body without faults costs as much as reading twenty tricks.
        """
        made: dict[str, Any] = {}
        try:
            for name, field in self._in_order:
                value = data.get(name)
                if value is not None:
                    made[name] = field.deserialize(value, name, data)
        except ValidationError:
            made.clear()
        if len(made) == len(data) and self._required <= made.keys():
            return made
        loaded: dict[str, Any] = self.load(few_unknown(data, self.fields))
        return loaded


class RecordSchema(BodySchema):
    """A hand record. Players are read with their variant, and events with their players: the order counts."""

    error_messages = {"unknown": "Unknown: a hand record has no such field."}  # noqa: RUF012 - Marshmallow's own

    variant = VariantField(**required("Missing: a record names its variant."))
    players = PlayersField(**required("Missing: a record names its players, forehand first."))
    events = EventsField(**required("Missing: a record has events."))
    hand_id = TextField(id_fault, "A hand_id")
    format = CheckedField(whole("The record format", RECORD_FORMAT, RECORD_FORMAT))
    session_id = TextField(id_fault, "A session_id")
    table = CheckedField(table_name)
    round = CheckedField(whole("A round", 1, MAX_PLACE))
    number = CheckedField(whole("A hand's number", 1, MAX_PLACE))
    played_at = TextField(time_fault, "A time")
    labels = CheckedField(labels)


class EventsSchema(BodySchema):
    """Events to append to a hand."""

    error_messages = {"unknown": "Unknown: the only field is events."}  # noqa: RUF012 - Marshmallow's own

    events = EventsField(**required("Missing: the events to append."))


_RECORD: Final = RecordSchema()
_EVENTS: Final = EventsSchema()
_NEARLY_ALWAYS: Final = frozenset(("hand_id", "variant", "players", "events"))
_NOW_AND_THEN: Final = ("format", "session_id", "table", "round", "number", "played_at", "labels")


def load_body(schema: BodySchema, data: object, what: str, about: Reading) -> dict[str, Any]:
    """What a schema makes of a parsed body. Raises `InvalidRecord` with every fault of shape."""
    if type(data) is not dict:
        raise InvalidRecord([Fault("", INVALID_RECORD, f"{what} is an object, not {shown(data)}.")])
    token = reading.set(about)
    try:
        return schema.read(data)
    except ValidationError as error:
        raise InvalidRecord(_listed(error.messages, data)) from None
    finally:
        reading.reset(token)


def _listed(messages: Any, data: Mapping[str, Any]) -> list[Fault]:
    """Marshmallow's messages as faults, in the order of the body, missing fields last."""
    order = {name: place for place, name in enumerate(data)}
    faults: list[Fault] = []
    for name in sorted(messages, key=lambda name: order.get(name, len(order))):
        faults += _flat(messages[name], (name,))
    if len(faults) > MAX_FAULTS:
        faults[MAX_FAULTS:] = [Fault("", INVALID_RECORD, "There are more faults, which are not listed.")]
    return faults


def _flat(messages: Any, path: Path) -> Iterator[Fault]:
    for message in messages:
        if isinstance(message, Fault):
            yield message._replace(pointer=pointer(path) + message.pointer)
        else:
            yield Fault(pointer(path), INVALID_RECORD, message)
