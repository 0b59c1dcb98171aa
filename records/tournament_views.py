"""Tournaments as JSON: how they stand, their standings, and the sheets of their tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from records.tournament_hands import Line, Outcome
from records.tournament_log import Tournament, summary_facts
from records.tournament_rules import final_places
from trull.duplicate import Number
from trull.standings import Standing, split_money
from trull.tournament import Place, table_sheet

Names = Mapping[str, str]
"""Display names by player key."""

HUNDREDTHS: Final = 100


def number(figure: Number | None) -> int | float | None:
    """A figure as JSON: an integer wherever it is whole, otherwise rounded to two decimals, halves up."""
    if figure is None or figure.denominator == 1:
        return None if figure is None else int(figure)
    hundredths = int(abs(Fraction(figure)) * HUNDREDTHS + Fraction(1, 2))
    return (hundredths if figure > 0 else -hundredths) / HUNDREDTHS


def exact(figure: Number | None) -> str | None:
    """A figure that rounding has changed, as an exact fraction; None for all others."""
    if figure is None or HUNDREDTHS % figure.denominator == 0:
        return None
    return f"{figure.numerator}/{figure.denominator}"


def tournament_view(tournament: Tournament, found: Outcome, names: Names) -> dict[str, Any]:
    """How a tournament stands."""
    settings = tournament.settings
    return {
        "tournament_id": tournament.tournament_id,
        "version": tournament.version,
        **summary_facts(tournament),
        "tie_breaks": list(tournament.tie_breaks),
        "table_points": settings.get("table_points"),
        "attack_weight": settings.get("attack_weight", 1) if tournament.ranking == "percentage" else None,
        "defence_weight": settings.get("defence_weight", 1) if tournament.ranking == "percentage" else None,
        "deals": settings.get("deals", []),
        "contra": settings.get("contra", "counts"),
        "rate": settings.get("rate"),
        "prizes": settings.get("prizes"),
        "players": [
            {
                "player": player,
                "name": names.get(player),
                "team": team,
                "withdrawn": player in tournament.withdrawn,
            }
            for player, team in tournament.players.items()
        ],
        "seats": [
            {
                "round": round_,
                "tables": [
                    {"table": table, "players": list(players)} for table, players in sorted(tables.items())
                ],
            }
            for round_, tables in sorted(tournament.seats.items())
        ],
        "hand_counts": hand_counts(found),
        "disputes": _disputes(found),
        "left_out": left_out_items(found),
        "created_at": tournament.log[0].recorded_at,
    }


def standings_view(
    tournament: Tournament, found: Outcome, names: Names, up_to: int | None = None
) -> dict[str, Any]:
    """The standings, after round ``up_to`` or in all, and all that they are made of."""
    settings = tournament.settings
    prizes = settings.get("prizes")
    shares, left = split_money(
        [standing.place for standing in found.ranking], prizes["amounts"] if prizes else ()
    )
    changed = tournament.final is not None and up_to is None and final_places(found) != tournament.final
    return {
        "tournament_id": tournament.tournament_id,
        "name": settings["name"],
        "version": tournament.version,
        "status": "closed" if tournament.is_closed else "open",
        "changed_since_closing": changed,
        "ranking": tournament.ranking,
        "tie_breaks": list(tournament.tie_breaks),
        "round": found.rounds,
        "hand_counts": hand_counts(found),
        "standings": [
            {
                "place": standing.place,
                "player": standing.ledger.name,
                "name": names.get(standing.ledger.name),
                "team": tournament.players.get(standing.ledger.name),
                **figures(standing, tournament, found),
                "money": number(standing.ledger.money) if "rate" in settings else None,
                "prize": shares[standing.place] if prizes else None,
            }
            for standing in found.ranking
        ],
        "teams": [
            {
                "place": standing.place,
                "team": standing.ledger.name,
                "players": tournament.teams[standing.ledger.name],
                **figures(standing, tournament, found),
            }
            for standing in found.teams
        ],
        "penalties": [_penalty(line) for line in found.lines],
        "rate": settings.get("rate"),
        "prizes": {**prizes, "left": left} if prizes else None,
        "disputes": _disputes(found),
        "left_out": left_out_items(found),
    }


def sheet_view(
    tournament: Tournament, found: Outcome, names: Names, table: int, rounds: Iterable[int], zero_sum: bool
) -> dict[str, Any]:
    """The sheets of a table, one for each of these rounds. ``zero_sum``: they have to come to zero."""
    return {
        "tournament_id": tournament.tournament_id,
        "name": tournament.settings["name"],
        "table": table,
        "sheets": [_sheet(tournament, found, names, table, round_, zero_sum) for round_ in rounds],
    }


def _sheet(
    tournament: Tournament, found: Outcome, names: Names, table: int, round_: int, zero_sum: bool
) -> dict[str, Any]:
    here = (round_, str(table))
    hands = [(hand_id, hand) for hand_id, hand in found.counted.items() if (hand.round, hand.table) == here]
    sheet = table_sheet(round_, str(table), tournament.seats.get(round_, {}).get(table, ()), hands)
    lines = [line for line in found.lines if _is_of_sheet(line, found, here, sheet.players)]
    return {
        "round": round_,
        "players": [{"player": player, "name": names.get(player)} for player in sheet.players],
        "hands": [
            {
                "number": row.number,
                "hand_id": row.hand_id,
                "declarer": found.facts[row.hand_id].played.declarer,
                "contract": found.facts[row.hand_id].played.contract,
                "outcome": found.facts[row.hand_id].outcome,
                "points": {player: number(points) for player, points in row.points.items()},
                "balance": number(row.balance) if zero_sum else None,
            }
            for row in sheet.rows
        ],
        "totals": {player: number(points) for player, points in sheet.totals.items()},
        "balance": number(sheet.balance) if zero_sum else None,
        "balances": (sheet.balance == 0 and all(row.balance == 0 for row in sheet.rows))
        if zero_sum
        else None,
        "penalties": [_penalty(line) for line in lines],
        "left_out": [item for item in left_out_items(found) if (item["round"], str(item["table"])) == here],
    }


def _is_of_sheet(line: Line, found: Outcome, here: tuple[int, str], players: Sequence[str]) -> bool:
    """Whether a penalty belongs to a table: by its hand, or by its round and player."""
    if line.hand_id is not None:
        played = found.facts[line.hand_id].played
        return (played.round, played.table) == here
    return line.penalty.round == here[0] and line.penalty.player in players


def figures(standing: Standing, tournament: Tournament, found: Outcome) -> dict[str, Any]:
    """What a player and a team have alike."""
    ledger = standing.ledger
    return {
        "shared": standing.shared,
        "points": number(ledger.total),
        "points_exact": exact(ledger.total),
        "penalties": ledger.penalties,
        "rounds": [number(ledger.of_round(round_)) for round_ in range(1, found.rounds + 1)],
        "hands": len(ledger.scores),
        "tie_breaks": {
            name: number(figure)
            for name, figure in zip(tournament.tie_breaks, standing.tie_breaks, strict=True)
        },
    }


def hand_counts(found: Outcome) -> dict[str, int]:
    """How many hands count, and how many do not for which kind of reason."""
    return {
        "counted": len(found.counted),
        "pending": found.pending,
        "disputed": len(found.admission.disputes),
        "left_out": len(found.admission.left_out),
    }


def _disputes(found: Outcome) -> list[dict[str, Any]]:
    admission = found.admission
    places: Sequence[Place] = sorted(
        admission.disputes, key=lambda place: (place.round, int(place.table), place.number)
    )
    return [
        {
            "round": place.round,
            "table": int(place.table),
            "number": place.number,
            "hand_ids": admission.rivals[place],
            "counted": next((id_ for id_ in admission.rivals[place] if id_ in admission.places), None),
        }
        for place in places
    ]


def left_out_items(found: Outcome) -> list[dict[str, Any]]:
    """The hands that do not count, and why."""
    return [
        {
            "hand_id": hand_id,
            "round": found.facts[hand_id].played.round,
            "table": found.facts[hand_id].table,
            "number": found.facts[hand_id].played.number,
            "reason": reason,
        }
        for hand_id, reason in found.admission.left_out.items()
    ]


def _penalty(line: Line) -> dict[str, Any]:
    return {
        "player": line.penalty.player,
        "points": line.penalty.points,
        "round": line.penalty.round,
        "reason": line.reason,
        "hand_id": line.hand_id,
        "seq": line.seq,
    }
