"""How far the rounds of a tournament are."""

from __future__ import annotations

from typing import Any, Final

from records.tournament_hands import Outcome
from records.tournament_log import Tournament

MAX_MISSING: Final = 30
"""Tables of a round that are named as missing; the figures count all of them."""


def progress_of(tournament: Tournament, found: Outcome) -> list[dict[str, Any]]:
    """How far each round is. A hand is done when it counts or was struck, a table when all of its are."""
    wanted = tournament.settings["hands_per_round"]
    done: dict[tuple[int, str], set[int]] = {}
    for place in found.admission.places.values():
        done.setdefault((place.round, place.table), set()).add(place.number)
    struck: dict[int, set[tuple[str | None, int]]] = {}
    for round_, table, hand in tournament.struck:
        struck.setdefault(round_, set()).add((table, hand))
    rounds = []
    for round_ in range(1, tournament.settings["rounds"] + 1):
        tables = sorted(tournament.seats.get(round_) or range(1, tournament.settings["tables"] + 1))
        settled = {
            table: done.get((round_, str(table)), set())
            | {hand for where, hand in struck.get(round_, ()) if where in (None, str(table))}
            for table in tables
        }
        missing = [table for table, hands in settled.items() if len(hands) < wanted]
        rounds.append(
            {
                "round": round_,
                "tables": len(tables),
                "done": len(tables) - len(missing),
                "hands": sum(min(len(hands), wanted) for hands in settled.values()),
                "missing": missing[:MAX_MISSING],
            }
        )
    return rounds
