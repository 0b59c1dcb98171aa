"""The form of a score sheet's result: what a table fills in under a variant, as plain data.

A contract has fields, and bonuses each of which may be entered in one or several ways; a way has fields of
its own and what it says as it stands. Who draws the form needs to know no rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

Field = dict[str, object]
"""A field of the result or of a bonus: its name on the wire, its kind (one of `KINDS`) and what goes with it.

``among`` says who a player may be (one of `AMONG`); a choice has ``choices``, each with its ``value`` and the
words that it ``says``, and the ``usual`` one if one goes without saying; a number has ``least``, ``most`` and
``step``, and ``of`` where the other side has the rest.
"""

KINDS: Final = ("player", "choice", "number", "numbers_by_player")
AMONG: Final = ("anyone", "declarer", "defenders")
WAYS: Final = ("before_pickup", "after_pickup", "silent", "announced", "not_announced", "by_defenders", None)


class Way(NamedTuple):
    """A way to enter a bonus: what it is called (None: there is but one), what it says, what it asks for."""

    way: str | None
    says: dict[str, object]
    fields: list[Field]


class BonusForm(NamedTuple):
    """A bonus, and how it may be entered."""

    bonus: str
    ways: list[Way]


class ContractForm(NamedTuple):
    """A contract, what its result asks for, and the bonuses that may go with it."""

    contract: str
    fields: list[Field]
    bonuses: list[BonusForm]

    def as_dict(self) -> dict[str, object]:
        """The same as JSON."""
        bonuses = [{"bonus": bonus, "ways": [way._asdict() for way in ways]} for bonus, ways in self.bonuses]
        return {"contract": self.contract, "fields": self.fields, "bonuses": bonuses}


def player(name: str, among: str = "anyone") -> Field:
    """A player of the hand."""
    return {"name": name, "kind": "player", "among": among}


def choice(name: str, choices: Sequence[tuple[object, Sequence[str]]], *, usual: bool = True) -> Field:
    """One of several values, each with the words that name it; ``usual``: the first goes without saying."""
    told = [{"value": value, "says": list(says)} for value, says in choices]
    return {"name": name, "kind": "choice", "choices": told, "usual": choices[0][0] if usual else None}


def named(name: str, values: Sequence[object], *, usual: bool = True) -> Field:
    """One of several values that name themselves."""
    return choice(name, [(value, [str(value)]) for value in values], usual=usual)


def number(name: str, most: int, step: float, of: int | None = None) -> Field:
    """A number from 0."""
    return {"name": name, "kind": "number", "least": 0, "most": most, "step": step, "of": of}


def numbers(name: str, most: int) -> Field:
    """A whole number from 0 for each player."""
    return {"name": name, "kind": "numbers_by_player", "least": 0, "most": most, "step": 1}


MADE: Final = choice("made", [(True, ["made"]), (False, ["failed"])])
"""Whether a bonus was made."""
