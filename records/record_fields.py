"""The fields of a hand record, as Marshmallow fields that hand on every fault below them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final

from marshmallow import ValidationError, fields, missing

from records.checks import Check, Table, whole
from records.faults import Faults, Path, no_variant, shown
from records.limits import (
    MAX_EVENTS,
    MAX_ID,
    MAX_LABEL,
    MAX_LABELS,
    MAX_PLACE,
    MAX_PLAYERS,
    MIN_PLAYERS,
)
from records.names import line_fault, player_fault
from records.quick_events import read_events
from trull.events import Event
from trull.variants import Variant


@dataclass(slots=True)
class Reading:
    """What the fields of one body are read against, and tell each other in the order of the schema."""

    variants: Mapping[str, Variant]
    fewest_events: int
    variant: Variant | None = None
    seats: Mapping[str, int] | None = None
    """None as long as the players are unknown or cannot be told apart."""


reading: Final[ContextVar[Reading]] = ContextVar("reading")


class QuickField(fields.Field[Any]):
    """A field without Marshmallow's steps before and after, which cost as much as reading a trick."""

    def deserialize(
        self, value: Any, attr: str | None = None, data: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> Any:
        """The value that the record holds. Raises `ValidationError`."""
        if value is None or value is missing:
            return super().deserialize(value, attr, data, **kwargs)
        return self.read(value)

    def read(self, value: Any) -> Any:
        """From a value of any JSON type but null. Raises `ValidationError`."""
        raise NotImplementedError


class CheckedField(QuickField):
    """An optional field read by a check."""

    def __init__(self, check: Check) -> None:
        super().__init__(allow_none=True)
        self.check = check

    def read(self, value: Any) -> Any:
        """What the check gives."""
        table = Table(None)
        made = self.check(value, (), table)
        if table.faults.count:
            raise ValidationError(table.faults.found)
        return made


class TextField(QuickField):
    """An optional string in which the function finds no fault."""

    def __init__(self, fault_of: Callable[[str], str | None], what: str) -> None:
        super().__init__(allow_none=True)
        self.fault_of = fault_of
        self.what = what

    def read(self, value: Any) -> str:
        """The string as it is."""
        wrong = (
            self.fault_of(value) if type(value) is str else f"{self.what} is a string, not {shown(value)}."
        )
        if wrong is not None:
            raise ValidationError(wrong)
        return str(value)


class VariantField(QuickField):
    """A variant by its id."""

    def read(self, value: Any) -> Variant:
        """The variant that the record's rules are."""
        about = reading.get()
        variant = about.variants.get(value) if isinstance(value, str) else None
        if variant is None:
            raise ValidationError(no_variant(value, about.variants))
        about.variant = variant
        return variant


class PlayersField(QuickField):
    """The player keys in order of play, as many as the variant has seats."""

    def read(self, value: Any) -> tuple[str, ...]:
        """The keys."""
        about = reading.get()
        variant = about.variant
        if type(value) is not list or (variant is None and not MIN_PLAYERS <= len(value) <= MAX_PLAYERS):
            raise ValidationError(f"Players are a list of {MIN_PLAYERS} to {MAX_PLAYERS} names.")
        if variant is not None and variant.players != len(value):
            raise ValidationError(f"{variant.id} is for {variant.players} players, not {len(value)}.")
        about.seats = seats_of(value)
        if about.seats is None or any(map(player_fault, value)):
            raise ValidationError(player_faults(value))
        return tuple(value)


def player_faults(players: list[Any]) -> list[Any]:
    """What is wrong with player keys: `Fault`s, none where they can be told apart and read."""
    faults = Faults()
    for seat, key in enumerate(players):
        wrong = player_fault(key) if type(key) is str else f"A player key is a string, not {shown(key)}."
        if wrong is None and key in players[:seat]:
            wrong = f"{shown(key)} is a player already."
        if wrong is not None:
            faults.add((seat,), wrong)
    return [*faults.found]


class EventsField(QuickField):
    """The events, dispatched by their type."""

    def read(self, value: Any) -> tuple[list[Event], list[dict[str, Any]]]:
        """The events as the rules take them, and as sent."""
        about = reading.get()
        if type(value) is not list or not about.fewest_events <= len(value) <= MAX_EVENTS:
            raise ValidationError(f"Events are a list of {about.fewest_events} to {MAX_EVENTS} events.")
        table = Table(about.seats)
        made = read_events(value, (), table)
        if table.faults.count:
            raise ValidationError(table.faults.found)
        return made


def seats_of(players: Iterable[Any]) -> Mapping[str, int] | None:
    """Each player's seat, or None where the players cannot be told apart."""
    seats: dict[str, int] = {}
    for seat, key in enumerate(players):
        if type(key) is not str or seats.setdefault(key, seat) != seat:
            return None
    return seats


def table_name(value: Any, path: Path, table: Table) -> Any:
    """A table's name or number, kept as sent."""
    if type(value) is str:
        wrong = line_fault(value, MAX_ID, "A table's name")
        return value if wrong is None else table.refuse(path, wrong)
    if type(value) in (int, float):
        return _table_number(value, path, table)
    return table.refuse(path, f"A table is a string or a whole number, not {shown(value)}.")


_table_number: Final = whole("A table's number", 1, MAX_PLACE)


def labels(value: Any, path: Path, table: Table) -> Any:
    """The labels, in the order given."""
    if type(value) is not list or len(value) > MAX_LABELS:
        return table.refuse(path, f"Labels are a list of at most {MAX_LABELS} strings.")
    for place, label in enumerate(value):
        wrong = line_fault(label, MAX_LABEL, "A label") if isinstance(label, str) else "A label is a string."
        if wrong is not None:
            table.refuse((*path, place), wrong)
    return tuple(value)
