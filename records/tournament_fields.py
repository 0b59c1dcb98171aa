"""Bodies of tournaments: JSON to checked values, with every fault of shape at once.

What the values mean together is checked by `records.tournament_log`, which knows the tournament.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from records import limits
from records.checks import Check, Table, fields_of, known, text, whole, without_nulls
from records.faults import INVALID_RECORD, Fault, InvalidRecord, Path, one_of, shown
from records.limits import COMMON_FIELDS, TOURNAMENT_EVENTS, TOURNAMENT_FIELDS, Fields
from records.names import event_id_fault, id_fault, line_fault, player_fault, text_fault
from records.times import time_fault
from trull.events import CONTRACTS
from trull.standings import CONTRA, RANKINGS, TIE_BREAKS
from trull.variants import VARIANTS, Variant

Object = dict[str, Any]

_LEVELS: Final = 6
"""Levels of objects and lists in a body: a seat's players are the deepest."""
_CURRENCY: Final = re.compile(r"[A-Z]{3}")


def load_tournament(data: object, variants: Mapping[str, Variant] = VARIANTS) -> Object:
    """The tournament of a parsed body, as JSON without nulls. Raises `InvalidRecord`.

    ``variants`` are those that it may be played under.
    """

    def variant(value: Any, path: Path, table: Table) -> Any:
        if isinstance(value, str) and variants.get(value) is not None:
            return value
        return table.refuse(path, f"{shown(value)} is no variant here; GET /v1/variants lists them.")

    return _load(data, TOURNAMENT_FIELDS, "a tournament", {**_CHECKS, "variant": variant})


def load_directions(data: object) -> list[Object]:
    """The events of a body ``{"events": [...]}`` for a tournament, as JSON without nulls.

    Raises `InvalidRecord`.
    """
    made: list[Object] = _load(data, Fields(("events",)), "a body with events", _CHECKS)["events"]
    return made


def _load(data: object, names: Fields, what: str, checks: Mapping[str, Check]) -> Object:
    table = Table(None)
    if type(data) is not dict:
        raise InvalidRecord([Fault("", INVALID_RECORD, f"An object is needed, not {shown(data)}.")])
    made = fields_of(without_nulls(data, _LEVELS), names, checks, (), table, what)
    if table.faults.count:
        raise InvalidRecord(table.faults.found)
    return made


def _line(what: str, longest: int = limits.MAX_ID) -> Check:
    return text(lambda value: line_fault(value, longest, what), what)


def _list(each: Check, what: str, fewest: int, most: int) -> Check:
    """A list; a fault of an item is noted at its index."""

    def check(value: Any, path: Path, table: Table) -> Any:
        if type(value) is not list or not fewest <= len(value) <= most:
            return table.refuse(path, f"{what} are a list of {fewest} to {most}.")
        return [each(item, (*path, place), table) for place, item in enumerate(value)]

    return check


def _distinct(check: Check, key: str | None, what: str) -> Check:
    """A list whose items differ, or differ in a field."""

    def distinct(value: Any, path: Path, table: Table) -> Any:
        made = check(value, path, table)
        seen: set[Any] = set()
        for place, item in enumerate(made or ()):
            name = item.get(key) if key and isinstance(item, dict) else item
            if name is not None and name in seen:
                where = (*path, place) if key is None else (*path, place, key)
                table.faults.add(where, f"{shown(name)} is there twice: {what} is named once.")
            seen.add(name)
        return made

    return distinct


def _object(names: Fields, what: str) -> Check:
    """An object with these fields."""

    def check(value: Any, path: Path, table: Table) -> Any:
        if not isinstance(value, dict):
            return table.refuse(path, f"{what[0].upper()}{what[1:]} is an object, not {shown(value)}.")
        return fields_of(value, names, _CHECKS, path, table, what)

    return check


def _direction(value: Any, path: Path, table: Table) -> Any:
    """An event of a tournament."""
    if not isinstance(value, dict):
        return table.refuse(path, f"An event is an object, not {shown(value)}.")
    kind = value.get("type")
    own = TOURNAMENT_EVENTS.get(kind) if isinstance(kind, str) else None
    if own is None:
        detail = f"{shown(kind)} is no event of a tournament; one of {one_of(TOURNAMENT_EVENTS)}."
        return table.refuse((*path, "type"), detail)
    names = Fields((*own.required, "type"), (*own.optional, *COMMON_FIELDS))
    checks: Mapping[str, Check] = {**_CHECKS, "tables": _SEATED} if kind == "seats_assigned" else _CHECKS
    made = fields_of(value, names, checks, path, table, f"a {kind}")
    name = made.get("event_id")
    if name is not None and table.event_ids.setdefault(name, 0) != 0:
        return table.refuse((*path, "event_id"), f"{shown(name)} is there twice.")
    if name is not None:
        table.event_ids[name] = 1
    return {"type": kind, **{field: item for field, item in made.items() if field != "type"}}


def _type(value: Any, path: Path, table: Table) -> Any:
    return value


def _round_seats(value: Any, path: Path, table: Table) -> Any:
    """The seats of a round, whose ``tables`` are a list."""
    if not isinstance(value, dict):
        return table.refuse(path, f"The seats of a round are an object, not {shown(value)}.")
    names = Fields(("round", "tables"))
    return fields_of(value, names, {**_CHECKS, "tables": _SEATED}, path, table, "the seats of a round")


_player: Final = text(player_fault, "A player key")
_players: Final = _distinct(_list(_player, "Players", 0, limits.MAX_ENTRANTS), None, "a player")
_SEATED: Final = _distinct(
    _list(_object(Fields(("table", "players")), "a table's seats"), "Tables", 1, limits.MAX_TABLES),
    "table",
    "a table",
)


def _currency_fault(value: str) -> str | None:
    return (
        None if _CURRENCY.fullmatch(value) else 'A currency is three capital letters, like "EUR" (ISO 4217).'
    )


_CHECKS: Final[Mapping[str, Check]] = {
    "tournament_id": text(id_fault, "A tournament_id"),
    "name": _line("A tournament's name"),
    "rounds": whole("The number of rounds", 1, limits.MAX_ROUNDS),
    "hands_per_round": whole("The number of hands a round", 1, limits.MAX_HANDS_A_ROUND),
    "tables": whole("The number of tables", 1, limits.MAX_TABLES),
    "players": _players,
    "teams": _distinct(
        _list(_object(Fields(("team", "players")), "a team"), "Teams", 0, limits.MAX_ENTRANTS),
        "team",
        "a team",
    ),
    "team": _line("A team's name", limits.MAX_PLAYER),
    "seats": _distinct(
        _list(
            _round_seats,
            "The seats of rounds",
            0,
            limits.MAX_ROUNDS,
        ),
        "round",
        "a round",
    ),
    "ranking": known("way of ranking", RANKINGS),
    "tie_breaks": _distinct(
        _list(known("tie-break", TIE_BREAKS), "Tie-breaks", 0, len(TIE_BREAKS)), None, "a tie-break"
    ),
    "table_points": _list(
        whole("Points for a place", 0, limits.MAX_TABLE_POINTS),
        "Points for the places at a table",
        1,
        limits.MAX_PLAYERS + 2,
    ),
    "attack_weight": whole("What the attack weighs", 0, limits.MAX_WEIGHT),
    "defence_weight": whole("What the defence weighs", 0, limits.MAX_WEIGHT),
    "deals": _distinct(
        _list(
            _object(Fields(("deal",), ("contract", "seat")), "an imposed deal"),
            "Imposed deals",
            0,
            limits.MAX_ROUNDS * limits.MAX_HANDS_A_ROUND,
        ),
        "deal",
        "a deal",
    ),
    "deal": whole("A deal's number", 1, limits.MAX_PLACE),
    "contract": known("contract", CONTRACTS),
    "seat": whole("A declarer's seat", 1, limits.MAX_PLAYERS),
    "contra": known("way to count a contra", CONTRA),
    "rate": _object(Fields(("minor_units_per_point", "currency")), "a rate"),
    "minor_units_per_point": whole("A rate", 0, limits.MAX_POINT_RATE),
    "currency": text(_currency_fault, "A currency"),
    "prizes": _object(Fields(("amounts", "currency")), "what there is to win"),
    "amounts": _list(whole("A prize", 0, limits.MAX_AMOUNT), "Prizes", 0, limits.MAX_PRIZES),
    "events": _list(_direction, "Events", 1, limits.MAX_DIRECTIONS),
    "type": _type,
    "player": _player,
    "points": whole("A penalty", -limits.MAX_PENALTY, limits.MAX_PENALTY),
    "round": whole("A round", 1, limits.MAX_ROUNDS),
    "table": whole("A table's number", 1, limits.MAX_TABLES),
    "number": whole("A hand's number", 1, limits.MAX_PLACE),
    "hand_id": text(id_fault, "A hand_id"),
    "seq": whole("An event's number", 1, limits.MAX_PLACE),
    "reason": text(lambda value: text_fault(value, limits.MAX_REASON, "A reason"), "A reason"),
    "note": text(lambda value: text_fault(value, limits.MAX_NOTE, "A note"), "A note"),
    "event_id": text(event_id_fault, "An event_id"),
    "at": text(time_fault, "A time"),
}
