"""What house rules may say: the columns of each game's rows and their possible values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from trull.bonuses import MADE
from trull.model import Variant

Path = tuple[str, ...]
"""The way to a value in the overrides, beginning with ``rulings``, ``contracts`` or ``bonuses``."""

Span = tuple[int, int]
"""The least and the greatest possible number."""

MOST_FAULTS: Final = 1_000
"""Faults that are collected; more than anybody reads."""

POINTS: Final[Span] = (0, 10_000)
FACTORS: Final[Span] = (1, 100)
RULING_SPANS: Final[Mapping[str, Span]] = {
    "contra_before": FACTORS,
    "contra_after": FACTORS,
    "series_target": (1, 1_000_000),
}
"""Rulings that are numbers and no points of a hand."""

STAKES: Final[Mapping[str, tuple[str, ...]]] = {
    "illustrated-tarock": ("called", "taken_over", "held", "retaken"),
    "french-tarot": (),
}
"""The stakes that a game knows (IT-4.12)."""


class HouseFault(NamedTuple):
    """What is wrong with an override, and where."""

    path: Path
    detail: str


class Overrides(NamedTuple):
    """What a house writes over its base: JSON values, not yet checked. ``None``: nothing."""

    rulings: Any = None
    contracts: Any = None
    bonuses: Any = None


@dataclass(frozen=True, slots=True)
class BonusForm:
    """What may be said of a bonus: the spans of its values, and who may be named where.

    ``complete``: it needs every value, because a hand may ask for any of them. ``who`` gives the choices of
    ``announced_by`` and ``silent_by``, ``sizes`` the sizes of which the number of shown cards can be set.
    """

    values: Mapping[str, Span]
    complete: bool = False
    who: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    multiplied: bool = False
    sizes: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that can be overridden."""
        more = ("multiplied",) * self.multiplied + ("shown",) * bool(self.sizes)
        return ("values", *self.who, *more)


_STAGES: Final = {"before": POINTS, "after": POINTS, "silent": POINTS}
_ANYONE: Final = ("nobody", "declarer", "anyone")
_DECLARER: Final = ("nobody", "declarer")
_SIZES: Final = ("single", "double", "triple")

_BIRD: Final = BonusForm(_STAGES, who={"announced_by": _ANYONE, "silent_by": _ANYONE})
_DECLARERS: Final = BonusForm(_STAGES, who={"announced_by": _DECLARER, "silent_by": _DECLARER})
"""Only a declarer can make it (IT-7.12 to IT-7.15, IT-7.19)."""
_HELD: Final = BonusForm({"silent": POINTS}, who={"silent_by": _ANYONE})
"""For cards held: announced only where the ruling ``hand_bonuses`` asks for it (IT-7.24)."""

_TAROCK: Final = {
    "pagat": _BIRD,
    "uhu": _BIRD,
    "tarock_trull": _HELD,
    "royal_trull": _HELD,
    "two_honours": _HELD,
}

BONUSES: Final[Mapping[str, Mapping[str, BonusForm]]] = {
    "illustrated-tarock": {bonus: _TAROCK.get(bonus, _DECLARERS) for bonus in MADE},
    "french-tarot": {
        "petit_au_bout": BonusForm({"value": POINTS}, complete=True, multiplied=True),
        "handful": BonusForm(dict.fromkeys(_SIZES, POINTS), complete=True, sizes=_SIZES),
        "slam": BonusForm({"announced": POINTS, "silent": POINTS, "failed": (-POINTS[1], 0)}, complete=True),
    },
}
"""Every bonus that a game knows, in the order in which its variants list them."""


class Book:
    """The base of a house variant, what is written over it, and the faults found so far."""

    def __init__(self, base: Variant, overrides: Overrides) -> None:
        self.base = base
        self.given: Mapping[str, Any] = overrides._asdict()
        self.faults: list[HouseFault] = []

    def refuse(self, detail: str, *path: str) -> None:
        """Note a fault at the path."""
        if len(self.faults) <= MOST_FAULTS:  # the one too many shows that there are more
            self.faults.append(HouseFault(path, detail))

    def unknown(self, what: str, known: Iterable[str], *path: str) -> None:
        """Note that nothing is called like the end of the path."""
        if len(self.faults) <= MOST_FAULTS:
            self.refuse(f"{shown(path[-1])} is no {what}; there are: {', '.join(known)}.", *path)

    def faulty(self, *path: str) -> bool:
        """Whether a fault was found at or below the path: then what is left there tells nothing more."""
        return any(fault.path[: len(path)] == path for fault in self.faults)

    def entries(self, *path: str) -> Mapping[str, Any]:
        """What is written at the path; nothing where that is no object, which is a fault."""
        value: Any = self.given
        for name in path:
            value = value[name]
        if value is None:
            return {}
        if isinstance(value, Mapping):
            return value
        self.refuse(f"{path[-1]}: an object, not {shown(value)}.", *path)
        return {}

    def says(self, *path: str) -> bool:
        """Whether something is written at the path."""
        value: Any = self.given
        for name in path:
            if not isinstance(value, Mapping) or name not in value:
                return False
            value = value[name]
        return value is not None

    def place(self, *paths: Path) -> Path:
        """The first of the paths at which something is written: there the reader looks for a fault."""
        return next((path for path in paths if self.says(*path)), ())

    def whole(self, value: object, span: Span, *path: str) -> int | None:
        """A whole number within the span; 1.0 is one, true is none."""
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        least, most = span
        if type(value) is int and least <= value <= most:
            return value
        self.refuse(f"{path[-1]}: a whole number from {least} to {most}, not {shown(value)}.", *path)
        return None


def shown(value: object) -> str:
    """A value for a message, short whatever it is."""
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:59] + "…"
