"""Checks of single values on the wire: each gives what the rules take, or notes a fault with its place."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, Final

from records.faults import Faults, Path, shown, unknown_field, unknown_name
from records.limits import MAX_CARDS, MAX_FAULTS, Fields
from trull.cards import CARDS


@dataclass(slots=True)
class Table:
    """What an event is read against, and the faults found so far.

    ``seats`` is None where the record's players are unreadable: then their names are not checked, lest
    one fault be listed sixty times.
    """

    seats: Mapping[str, int] | None
    faults: Faults = field(default_factory=Faults)
    event_ids: dict[str, int] = field(default_factory=dict)
    """Each ``event_id`` met, with the index of its event."""

    def refuse(self, path: Path, detail: str) -> Any:
        """Note a fault. Gives None, so that a check can end with it."""
        self.faults.add(path, detail)


Check = Callable[[Any, Path, Table], Any]
"""From a value of any JSON type, its place in the body and the table to what the rules take.

Where the value has a fault, it is noted and None given. Fields that are null were left out before.
"""


def player(value: Any, path: Path, table: Table) -> Any:
    """A player of the record, as the seat."""
    if not isinstance(value, str):
        return table.refuse(path, f"A player is named by a string, not {shown(value)}.")
    if table.seats is None:
        return 0
    if value not in table.seats:
        players = ", ".join(map(shown, table.seats))
        return table.refuse(path, f"{shown(value)} is no player of this record; they are {players}.")
    return table.seats[value]


def card(value: Any, path: Path, table: Table) -> Any:
    """A card of either pack, as its number."""
    if isinstance(value, str) and value in CARDS:
        return CARDS[value]
    return table.refuse(path, f"{shown(value)} is no card: T1 to T21, F, or S H D C with 1 to 10 J C Q K.")


def cards(value: Any, path: Path, table: Table, fewest: int = 1) -> Any:
    """A list of card codes, as their numbers."""
    if not isinstance(value, list) or not fewest <= len(value) <= MAX_CARDS:
        return table.refuse(path, f"Cards are a list of {fewest} to {MAX_CARDS} card codes.")
    before = table.faults.count
    numbers = [card(code, (*path, place), table) for place, code in enumerate(value)]
    return None if table.faults.count > before else tuple(numbers)


pile: Final[Check] = partial(cards, fewest=0)
"""Cards dealt: how many there must be is for the rules to say."""


def by_player(each: Check, what: str) -> Check:
    """An object with an entry for every player of the record, as a tuple by seat."""

    def check(value: Any, path: Path, table: Table) -> Any:
        if not isinstance(value, dict):
            return table.refuse(path, f"An object with {what} for every player.")
        before = table.faults.count
        for name in table.seats or ():
            if name not in value:
                table.faults.add((*path, name), f"Missing: {what} of {shown(name)}.")
        made = {}
        for name, item in few_unknown(value, table.seats or ()).items():
            made[player(name, (*path, name), table)] = each(item, (*path, name), table)
        return None if table.faults.count > before else tuple(made[seat] for seat in sorted(made))

    return check


def known(what: str, names: Collection[str]) -> Check:
    """One of the ids that any variant knows; whether this variant has it is for the rules to say."""

    def check(value: Any, path: Path, table: Table) -> Any:
        if isinstance(value, str) and value in names:
            return value
        listed = table.faults.count <= MAX_FAULTS
        return table.refuse(path, unknown_name(value, what, names) if listed else "")

    return check


def whole(what: str, least: int, most: int) -> Check:
    """A whole number; 1.0 is one, true is none."""

    def check(value: Any, path: Path, table: Table) -> Any:
        if type(value) in (int, float) and least <= value <= most and value == int(value):
            return int(value)
        return table.refuse(path, f"{what} is a whole number from {least} to {most}, not {shown(value)}.")

    return check


def text(fault_of: Callable[[str], str | None], what: str) -> Check:
    """A string in which the function finds no fault, as it is."""

    def check(value: Any, path: Path, table: Table) -> Any:
        if not isinstance(value, str):
            return table.refuse(path, f"{what} is a string, not {shown(value)}.")
        wrong = fault_of(value)
        return value if wrong is None else table.refuse(path, wrong)

    return check


def without_nulls(value: Any, levels: int = 3) -> Any:
    """The value without the fields that are null: absent and null are the same.

    An event has objects at three levels (a bonus in the list of a result); deeper ones are faults.
    """
    if levels and isinstance(value, dict):
        return {name: without_nulls(item, levels - 1) for name, item in value.items() if item is not None}
    if levels and isinstance(value, list):
        return [without_nulls(item, levels - 1) for item in value]
    return value


def few_unknown(data: Any, known: Collection[str]) -> Any:
    """An object without those of its unknown fields that are too many to be told.

    There is room for some hundred thousand of them in a body, and Marshmallow takes seconds to note them.
    """
    if not isinstance(data, dict) or len(data) <= MAX_FAULTS:
        return data
    left_out = set(islice((name for name in data if name not in known), MAX_FAULTS + 1, None))
    return {name: item for name, item in data.items() if name not in left_out}


def same_json(one: Any, other: Any) -> bool:
    """Whether two values are the same in JSON: 1.0 is 1 there, and true is not."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_json(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def fields_of(
    value: Mapping[str, Any], fields: Fields, checks: Mapping[str, Check], path: Path, table: Table, what: str
) -> dict[str, Any]:
    """The checked fields of an object; missing and unknown ones are noted."""
    made: dict[str, Any] = {}
    for name in fields.required:
        if name not in value:
            table.faults.add((*path, name), f"Missing: {what} has {name}.")
    has = (*fields.required, *fields.optional)
    for name, item in few_unknown(value, has).items():
        if name in has:
            made[name] = checks[name](item, (*path, name), table)
        else:
            listed = table.faults.count <= MAX_FAULTS
            table.faults.add((*path, name), unknown_field(name, what, has) if listed else "")
    return made
