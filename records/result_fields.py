"""``result_reported``: the fields of a score sheet's result, which depend on its contract.

Only the shape is checked: whether the facts can be true together is for the rules to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from records.checks import Check, Table, by_player, fields_of, known, player, whole
from records.faults import Path, shown
from records.limits import (
    EVENT_FIELDS,
    MAX_OUDLERS,
    MAX_PLAYERS,
    MAX_REPORTED,
    MAX_REPORTED_BONUSES,
    REPORTED_BONUS_FIELDS,
    REPORTED_CONTRA_FIELDS,
    TAROCK_RESULT,
    TAROT_RESULT,
    TRISCHAKEN_IDLE,
    TRISCHAKEN_RESULT,
    Fields,
)
from trull.events import (
    BONUSES,
    CONTRA_LEVELS,
    CONTRACTS,
    HANDFULS,
    STAGES,
    STAKES,
    ReportedBonus,
    ResultReported,
)

FRENCH_CONTRACTS: Final = ("prise", "garde", "garde_sans", "garde_contre")


def half_points(value: Any, path: Path, table: Table) -> Any:
    """Card points that may end in .5, as halves."""
    if type(value) in (int, float) and -MAX_REPORTED <= value <= MAX_REPORTED and value * 2 == int(value * 2):
        return int(value * 2)
    return table.refuse(path, f"Card points are a number that is whole or ends in .5, not {shown(value)}.")


def flag(value: Any, path: Path, table: Table) -> Any:
    """True or false."""
    if isinstance(value, bool):
        return value
    return table.refuse(path, f"Either true or false, not {shown(value)}.")


_BONUS_CHECKS: Final[Mapping[str, Check]] = {
    "bonus": known("bonus", BONUSES),
    "player": player,
    "stage": known("stage", (*STAGES, "silent")),
    "made": flag,
    "contra": known("level", CONTRA_LEVELS),
    "size": known("size", HANDFULS),
    "announced": flag,
}
_ANY_BONUS: Final = Fields(("bonus",), tuple(name for name in _BONUS_CHECKS if name != "bonus"))
_CONTRA_CHECKS: Final = {"level": known("level", CONTRA_LEVELS), "stage": known("stage", STAGES)}


def contra(value: Any, path: Path, table: Table) -> Any:
    """The contra of the game: its level and its stage."""
    if not isinstance(value, dict):
        return table.refuse(
            path, f'An object such as {{"level": "contra", "stage": "after_pickup"}}, not {shown(value)}.'
        )
    return fields_of(value, REPORTED_CONTRA_FIELDS, _CONTRA_CHECKS, path, table, "the contra of a result")


def bonuses(value: Any, path: Path, table: Table) -> Any:
    """The bonuses of the sheet, in its order."""
    if not isinstance(value, list) or len(value) > MAX_REPORTED_BONUSES:
        return table.refuse(path, f"Bonuses are a list of at most {MAX_REPORTED_BONUSES} objects.")
    made = [_bonus(item, (*path, place), table) for place, item in enumerate(value)]
    return tuple(bonus for bonus in made if bonus is not None)


def _bonus(value: Any, path: Path, table: Table) -> ReportedBonus | None:
    if not isinstance(value, dict):
        table.faults.add(path, f"A bonus is an object, not {shown(value)}.")
        return None
    name = value.get("bonus")
    fields = REPORTED_BONUS_FIELDS.get(name, _ANY_BONUS) if isinstance(name, str) else _ANY_BONUS
    made = fields_of(value, fields, _BONUS_CHECKS, path, table, f"the bonus {shown(name)} of a result")
    return ReportedBonus(
        bonus=made.get("bonus", ""),
        seat=made.get("player"),
        stage=made.get("stage"),
        made=made.get("made"),
        contra=made.get("contra", "none"),
        size=made.get("size"),
        announced=made.get("announced"),
    )


def _reported(what: str) -> Check:
    return whole(what, -MAX_REPORTED, MAX_REPORTED)


_CHECKS: Final[Mapping[str, Check]] = {
    "contract": known("contract", CONTRACTS),
    "declarer": player,
    "partner": player,
    "stake": known("stake", STAKES),
    "card_points": half_points,
    "contra": contra,
    "bonuses": bonuses,
    "oudlers": whole("The number of oudlers", 0, MAX_OUDLERS),
    "card_points_by_player": by_player(_reported("A player's card points"), "the card points"),
    "tricks_by_player": by_player(_reported("A player's tricks"), "the tricks"),
}


def read_result(own: Mapping[str, Any], path: Path, table: Table) -> ResultReported:
    """The result; it means something only where no fault was noted."""
    contract = own.get("contract")
    what = f"a result of {shown(contract)}"
    idle = {}
    if contract == "trischaken":
        idle = {name: own[name] for name in TRISCHAKEN_IDLE.optional if name in own}
        own = {name: item for name, item in own.items() if name not in idle}
    made = fields_of(own, _form(contract, table), _CHECKS, path, table, what)
    made |= fields_of(idle, TRISCHAKEN_IDLE, _CHECKS, path, table, what)
    answered = made.get("contra") or {}
    return ResultReported(
        declarer=made.get("declarer"),
        contract=made.get("contract", ""),
        stake=made.get("stake", STAKES[0]),
        half_points=made.get("card_points"),
        contra_level=answered.get("level", CONTRA_LEVELS[0]),
        contra_stage=answered.get("stage"),
        bonuses=made.get("bonuses", ()),
        oudlers=made.get("oudlers"),
        partner=made.get("partner"),
        points_by_seat=made.get("card_points_by_player"),
        tricks_by_seat=made.get("tricks_by_player"),
    )


def _form(contract: object, table: Table) -> Fields:
    """The fields that go with the contract; any field where the contract is unknown."""
    if contract not in CONTRACTS:
        return EVENT_FIELDS["result_reported"]
    if contract == "trischaken":
        return TRISCHAKEN_RESULT
    if contract not in FRENCH_CONTRACTS:
        return TAROCK_RESULT
    if table.seats is None:
        return TAROT_RESULT._replace(optional=(*TAROT_RESULT.optional, "partner"))
    if len(table.seats) == MAX_PLAYERS:
        return TAROT_RESULT._replace(required=(*TAROT_RESULT.required, "partner"))
    return TAROT_RESULT
