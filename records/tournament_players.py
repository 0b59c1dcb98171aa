"""A player's own sheet of a tournament as JSON: its hands and penalties, and what they come to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from records.tournament_hands import Line, Outcome
from records.tournament_log import Tournament
from records.tournament_views import Names, exact, left_out_items, number
from trull.duplicate import Number

_LAST: Final = 1 << 62


def player_sheet_view(tournament: Tournament, found: Outcome, names: Names, player: str) -> dict[str, Any]:
    """The sheet of a player who is in the standings.

    ``total`` runs where the scores themselves are ranked, so that it ends in ``points``; under other rankings
    ``rounds`` and ``penalties`` are what ``points`` is made of.
    """
    ledger = found.ledgers[player]
    standing = next(one for one in found.ranking if one.ledger is ledger)
    return {
        "tournament_id": tournament.tournament_id,
        "name": tournament.settings["name"],
        "version": tournament.version,
        "status": "closed" if tournament.is_closed else "open",
        "ranking": tournament.ranking,
        "player": player,
        "player_name": names.get(player),
        "team": tournament.players.get(player),
        "place": standing.place,
        "shared": standing.shared,
        "rows": list(_rows(found, player, adds_up=tournament.ranking == "points")),
        "rounds": [number(ledger.of_round(round_)) for round_ in range(1, found.rounds + 1)],
        "hands": len(ledger.scores),
        "penalties": ledger.penalties,
        "points": number(ledger.total),
        "points_exact": exact(ledger.total),
        "left_out": [
            item for item in left_out_items(found) if player in found.facts[item["hand_id"]].played.players
        ],
    }


def _rows(found: Outcome, player: str, *, adds_up: bool) -> Iterator[dict[str, Any]]:
    """Hands by round, number and table; the penalties of a round behind its hands, all others at the end."""
    hands = [
        ((hand.round, 0, hand.number, int(hand.table)), _hand(found, hand_id, player), hand.points[player])
        for hand_id, hand in found.counted.items()
        if player in hand.players
    ]
    fines = [
        ((line.penalty.round or _LAST, 1, at, 0), _penalty(line), line.penalty.points)
        for at, line in enumerate(found.lines)
        if line.penalty.player == player
    ]
    total: Number = 0
    for _, row, points in sorted([*hands, *fines], key=lambda one: one[0]):
        total += points
        yield {**row, "points": number(points), "total": number(total) if adds_up else None}


def _hand(found: Outcome, hand_id: str, player: str) -> dict[str, Any]:
    hand, facts = found.counted[hand_id], found.facts[hand_id]
    declarer = facts.played.declarer
    return {
        "kind": "hand",
        "round": hand.round,
        "table": int(hand.table),
        "number": hand.number,
        "hand_id": hand_id,
        "role": _role(player, declarer, facts.attack),
        "declarer": declarer,
        "contract": facts.played.contract,
        "outcome": facts.outcome,
        "reason": None,
        "seq": None,
    }


def _role(player: str, declarer: str | None, attack: frozenset[str]) -> str:
    """What the player was; just a player in Trischaken, which nobody declares."""
    if declarer is None:
        return "player"
    return "declarer" if player == declarer else "partner" if player in attack else "defender"


def _penalty(line: Line) -> dict[str, Any]:
    return {
        "kind": "penalty",
        "round": line.penalty.round,
        "table": None,
        "number": None,
        "hand_id": line.hand_id,
        "role": None,
        "declarer": None,
        "contract": None,
        "outcome": None,
        "reason": line.reason,
        "seq": line.seq,
    }
