"""The body of a house-rule variant: JSON to a checked variant, with every fault at once.

The fields are Marshmallow's; what stands in the overrides is checked by `trull.house`, which knows the games.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from marshmallow import RAISE, Schema, ValidationError, fields

from records.checks import few_unknown
from records.faults import INVALID_RECORD, Fault, InvalidRecord, no_variant, pointer, shown, unknown_field
from records.limits import MAX_FAULTS, MAX_ID
from records.names import line_fault
from trull.house import ImpossibleVariant, Overrides, build
from trull.variants import VARIANTS, Variant

Object = dict[str, Any]

_ID: Final = re.compile(r"house-[a-z0-9-]{1,58}")
_SECTIONS: Final = ("rulings", "contracts", "bonuses")


@dataclass(frozen=True, slots=True)
class HouseRules:
    """A house-rule variant, and what was written to make it.

    The overrides are as sent but for what says nothing: fields that are null, and rows without an override.
    They belong to the value: do not change them.
    """

    variant: Variant
    base: str
    rulings: Object
    contracts: Object
    bonuses: Object

    def as_dict(self) -> Object:
        """The body again, for storing and comparing: two that say the same are equal."""
        return {
            "id": self.variant.id,
            "name": self.variant.name,
            "base": self.base,
            "rulings": self.rulings,
            "contracts": self.contracts,
            "bonuses": self.bonuses,
        }


def load_house(data: object, variants: Mapping[str, Variant] = VARIANTS) -> HouseRules:
    """The house rules of a parsed body. Raises `InvalidRecord` with every fault.

    ``variants`` are those that may be the base.
    """
    if type(data) is not dict:
        detail = f"A house-rule variant is an object, not {shown(data)}."
        raise InvalidRecord([Fault("", INVALID_RECORD, detail)])
    made, faults = _fields(data)
    base = None
    if "base" in made:
        base = variants.get(made["base"])
        if base is None:
            faults.append(Fault("/base", INVALID_RECORD, no_variant(made["base"], variants)))
    variant = None
    if base is not None:
        # Where the id or the name has a fault no variant comes of it, but the faults of the overrides do.
        overrides = Overrides(*(made.get(section) for section in _SECTIONS))
        try:
            variant = build(base, made.get("id", ""), made.get("name", ""), overrides)
        except ImpossibleVariant as error:
            faults += [Fault(pointer(path), INVALID_RECORD, detail) for path, detail in error.faults]
    if faults or variant is None or base is None:
        raise InvalidRecord(_in_order(faults, data))
    rulings = {
        name: _number(value) for name, value in (made.get("rulings") or {}).items() if value is not None
    }
    return HouseRules(variant, base.id, rulings, _tidy(made.get("contracts")), _tidy(made.get("bonuses")))


def described(variant: Variant, written: Mapping[str, Any] | None) -> dict[str, object]:
    """A variant in full, with what a house has written over its base, if it is one."""
    written = written or {}
    overrides = {name: written[name] for name in _SECTIONS if name in written}
    page = f"/docs/rules/{variant.id}" if variant.id in VARIANTS else None
    return {**variant.describe(), "page": page, "base": written.get("base"), "overrides": overrides or None}


def is_house_id(text: str) -> bool:
    """Whether a house-rule variant may have this id."""
    return _ID.fullmatch(text) is not None


def _name_fault(text: str) -> str | None:
    return line_fault(text, MAX_ID, "A variant's name")


def _id_fault(text: str) -> str | None:
    return (
        None
        if is_house_id(text)
        else "An id is house- and 1 to 58 characters, which are letters (a-z), digits or hyphens."
    )


def _text(what: str, fault_of: Callable[[str], str | None] | None = None) -> fields.String:
    """A required string in which the function finds no fault."""

    def check(text: str) -> None:
        wrong = fault_of(text) if fault_of else None
        if wrong is not None:
            raise ValidationError(wrong)

    missing = f"Missing: a house-rule variant has {what}."
    messages: dict[str, Any] = {
        "required": missing,
        "null": missing,
        "invalid": f"{what[0].upper()}{what[1:]} is a string.",
    }
    return fields.String(required=True, validate=check, error_messages=messages)


_UNKNOWN: Final = "Unknown"


class HouseSchema(Schema):
    """The body of a house-rule variant; what its overrides hold is for `trull.house` to check."""

    class Meta:
        unknown = RAISE

    error_messages = {"unknown": _UNKNOWN}  # noqa: RUF012 - Marshmallow's own

    id = _text("an id", _id_fault)
    name = _text("a name", _name_fault)
    base = _text("a base")
    rulings = fields.Raw(allow_none=True)
    contracts = fields.Raw(allow_none=True)
    bonuses = fields.Raw(allow_none=True)


_HOUSE: Final = HouseSchema()


def _fields(data: Object) -> tuple[Object, list[Fault]]:
    """The fields without a fault, and the faults of the others."""
    try:
        return _HOUSE.load(few_unknown(data, _HOUSE.fields)), []
    except ValidationError as error:
        made = error.valid_data if isinstance(error.valid_data, dict) else {}
        faults: list[Fault] = []
        for name, messages in error.messages_dict.items():
            for message in messages:
                detail = message
                if message == _UNKNOWN and len(faults) <= MAX_FAULTS:
                    detail = unknown_field(name, "a house-rule variant", _HOUSE.fields)
                faults.append(Fault(pointer((name,)), INVALID_RECORD, detail))
        return made, faults


def _in_order(faults: list[Fault], data: Object) -> list[Fault]:
    """The faults in the order of the body, missing fields last; no more of them than are listed."""
    order = {pointer((name,)): place for place, name in enumerate(data)}
    faults.sort(key=lambda fault: order.get("/" + fault.pointer.split("/", 2)[1], len(order)))
    if len(faults) > MAX_FAULTS:
        faults[MAX_FAULTS:] = [Fault("", INVALID_RECORD, "There are more faults, which are not listed.")]
    return faults


def _tidy(rows: Any) -> Object:
    """Checked rows without what says nothing, and with whole numbers written as such; null drops a row."""
    made = {}
    for name, row in (rows or {}).items():
        columns = {column: _entry(entry) for column, entry in (row or {}).items()}
        columns = {column: entry for column, entry in columns.items() if entry not in (None, {})}
        if columns or row is None:
            made[name] = columns or None
    return made


def _entry(entry: Any) -> Any:
    """An entry of a row; in its values and stakes a null says that there is none."""
    if isinstance(entry, dict):
        return {name: _number(value) for name, value in entry.items()}
    return _number(entry)


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, float) else value
