"""Shape faults: what is wrong with a body, where, and what would be right."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Final, NamedTuple

import orjson

from records.limits import MAX_FAULTS

INVALID_RECORD: Final = "invalid-record"

Path = tuple[str | int, ...]
"""The way to a value: names of fields and indices, from the outermost."""


class Fault(NamedTuple):
    """One shape fault. ``pointer`` is a JSON Pointer (RFC 6901) into the body that was read."""

    pointer: str
    code: str
    detail: str


class InvalidRecord(Exception):
    """A body of readable JSON has the wrong shape. Holds every fault, in the order of the fields."""

    code: Final = INVALID_RECORD

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__("; ".join(f"{fault.pointer or '(body)'}: {fault.detail}" for fault in faults[:3]))
        self.faults = list(faults)


def pointer(path: Iterable[str | int]) -> str:
    """The JSON Pointer of a path."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def shown(value: object) -> str:
    """A value as JSON for a message, cut where it gets long."""
    try:
        text = orjson.dumps(value).decode()
    except (TypeError, RecursionError):
        text = str(type(value).__name__)
    return text if len(text) <= 80 else text[:77] + "…"


def one_of(names: Iterable[str]) -> str:
    """A list of allowed names for a message."""
    return ", ".join(names)


def no_variant(value: object, known: Iterable[str]) -> str:
    """What is wrong with a name that is no variant's. ``known`` are those that everybody has."""
    if isinstance(value, str) and value.startswith("house-"):
        return f"{shown(value)} is no variant here: no house rules have this id."
    return f"{shown(value)} is no variant here; these are: {one_of(known)}."


def in_one_sentence(faults: Sequence[Mapping[str, object]]) -> str:
    """The first fault with its place, and how many there are: the detail of a problem."""
    first = faults[0]
    where = first.get("pointer") or first.get("parameter")
    more = f" ({len(faults)} faults in all)" if len(faults) > 1 else ""
    return f"{where}: {first['detail']}{more}" if where else f"{first['detail']}{more}"


def unknown_field(name: str, what: str, fields: Collection[str]) -> str:
    """The fault of a field that there is not: the one that was meant, or all that there are.

    It looks through the fields and is for as many faults as are listed, not for all of a body.
    """
    near = _near(name, fields)
    return f"Unknown: did you mean {near}?" if near else f"Unknown: {what} has {one_of(fields)}."


def unknown_name(value: object, what: str, names: Collection[str]) -> str:
    """The fault of a value that is none of the names: the one that was meant, or all that there are."""
    near = _near(value, names) if isinstance(value, str) else None
    meant = f"did you mean {near}?" if near else f"one of {one_of(names)}."
    return f"{shown(value)} is no {what}; {meant}"


def _near(slip: str, names: Collection[str]) -> str | None:
    near = get_close_matches(slip.lower(), names, 1, _NEAR) if len(slip) <= _LONGEST_SLIP else []
    return near[0] if near else None


_NEAR: Final = 0.7
"""How alike a slip is to what was meant, of 1; `number` and `name`, two words, are 0.6."""

_LONGEST_SLIP: Final = 32
"""Characters of a name that may be a slip of the pen for one of ours."""


class Faults:
    """Collects the faults of one body; one more than `MAX_FAULTS`, so that it shows when there are more."""

    __slots__ = ("count", "found")

    def __init__(self) -> None:
        self.found: list[Fault] = []
        self.count = 0
        """All that were noted, kept or not."""

    def add(self, path: Path, detail: str) -> None:
        """Note a fault at the path."""
        self.count += 1
        if self.count <= MAX_FAULTS + 1:
            self.found.append(Fault(pointer(path), INVALID_RECORD, detail))
