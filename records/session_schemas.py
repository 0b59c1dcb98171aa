"""Bodies of sessions: JSON to what a session says about itself, with every fault of shape found at once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, partial
from typing import Any, Final, NamedTuple
from zoneinfo import available_timezones

from marshmallow import ValidationError

from records.checks import Table, fields_of, text, whole
from records.faults import Path, shown
from records.limits import MAX_ID, MAX_RATE, MAX_SESSION_PLAYERS, MIN_PLAYERS, Fields
from records.names import id_fault, line_fault
from records.record_fields import (
    CheckedField,
    QuickField,
    Reading,
    TextField,
    VariantField,
    player_faults,
    reading,
)
from records.schemas import BodySchema, load_body, required
from records.session_log import About, about_of
from records.session_view import keeps_halves
from trull import Variant

SESSION_FIELDS: Final = Fields(("players", "variant"), ("session_id", "name", "rate", "time_zone"))
"""The fields of a session that is opened."""
CHANGE_FIELDS: Final = Fields((), ("name", "players", "rate", "time_zone"))
"""What may be changed of it."""
RATE_FIELDS: Final = Fields(("minor_units_per_point", "currency"))

_CURRENCY: Final = re.compile("[A-Z]{3}")


class Opened(NamedTuple):
    """A body that opens a session."""

    session_id: str | None
    about: About


def load_session(data: object, variants: Mapping[str, Variant]) -> Opened:
    """The session of a parsed body. Raises `InvalidRecord` with every fault of shape."""
    made = load_body(_SESSION, data, Reading(variants, 0))
    return Opened(made.pop("session_id", None), about_of({**made, "variant": made["variant"].id}))


def load_change(data: object, about: About, variants: Mapping[str, Variant]) -> About:
    """What a session says about itself after the change of a parsed body: fields that are not there stay
    as they are, null takes one away. Raises `InvalidRecord` with every fault of shape."""
    against = Reading(variants, 0, variants[about.variant])
    made = load_body(_CHANGE, data, against)
    return about_of({**about.as_dict(), **made})


class SessionPlayersField(QuickField):
    """Everybody who may sit down, in the order in which they are to be listed; enough for the variant."""

    def read(self, value: Any) -> list[str]:
        """The keys."""
        if type(value) is not list or not MIN_PLAYERS <= len(value) <= MAX_SESSION_PLAYERS:
            raise ValidationError(f"Players are a list of {MIN_PLAYERS} to {MAX_SESSION_PLAYERS} names.")
        faults = player_faults(value)
        if faults:
            raise ValidationError(faults)
        variant = reading.get().variant
        if variant is not None and len(value) < variant.players:
            raise ValidationError(
                f"{variant.id} is for {variant.players} players; at least so many are named."
            )
        return value


def _currency_fault(value: str) -> str | None:
    return None if _CURRENCY.fullmatch(value) else "A currency is its code of ISO 4217, like EUR."


_RATE_CHECKS: Final = {
    "minor_units_per_point": whole("The worth of a point in minor units", 0, MAX_RATE),
    "currency": text(_currency_fault, "A currency"),
}


def _rate(value: Any, path: Path, table: Table) -> Any:
    if not isinstance(value, dict):
        return table.refuse(path, f"A rate has minor_units_per_point and currency; it is not {shown(value)}.")
    given = {name: item for name, item in value.items() if item is not None}
    made = fields_of(given, RATE_FIELDS, _RATE_CHECKS, path, table, "a rate")
    variant = reading.get().variant
    if variant is not None and keeps_halves(variant) and (made.get("minor_units_per_point") or 0) % 2:
        where = (*path, "minor_units_per_point")
        table.refuse(
            where, f"{variant.id} keeps half points, so that the worth of a point is an even number."
        )
    return made


@cache
def _time_zones() -> frozenset[str]:
    """Read once: it goes through a folder of six hundred files."""
    return frozenset(available_timezones())


def _time_zone_fault(value: str) -> str | None:
    if value in _time_zones():
        return None
    return f"{shown(value)} is no time zone of the IANA database, like Europe/Vienna."


_name_fault: Final = partial(line_fault, longest=MAX_ID, what="A session's name")


class SessionSchema(BodySchema):
    """A session that is opened. Players and rate are read against the variant: the order counts."""

    what = "a session"

    variant = VariantField(**required("Missing: a session names its variant."))
    players = SessionPlayersField(**required("Missing: a session names its players."))
    session_id = TextField(id_fault, "A session_id")
    name = TextField(_name_fault, "A session's name")
    rate = CheckedField(_rate)
    time_zone = TextField(_time_zone_fault, "A time zone")


class ChangeSchema(BodySchema):
    """What is changed of a session. Null takes a name, a rate or a time zone away."""

    what = "a change of a session"

    name = TextField(_name_fault, "A session's name")
    players = SessionPlayersField()
    rate = CheckedField(_rate)
    time_zone = TextField(_time_zone_fault, "A time zone")


_SESSION: Final = SessionSchema()
_CHANGE: Final = ChangeSchema()
