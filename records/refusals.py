"""A broken rule in the words of the wire: pointer, code, detail, clause."""

from __future__ import annotations

from collections.abc import Sequence

from records.faults import pointer
from trull import RulesError


def fault_of(error: RulesError, players: Sequence[str], prefix: str = "") -> dict[str, object]:
    """The member of a problem's ``errors``; ``prefix`` is the pointer of the record within the body."""
    path: list[str | int] = ["events", error.index, *error.path]
    if path[2:3] == ["hands"] and len(path) > 3 and not isinstance(path[3], str):
        # The rules count the dealt hands by seat; in the record they stand under the players' names.
        path[3] = players[int(path[3])]
    fault: dict[str, object] = {
        "pointer": prefix + pointer(path),
        "code": error.code,
        "detail": error.told(players),
        "clause": error.clause,
    }
    if error.seq is not None:
        fault["seq"] = error.seq
    return fault
