"""Score sheets of a session like the paper ones: one for the table, and one for each player.

They are made of what is told of a session anyway, so that a closed one has those that it was closed with.
On the table's sheet each hand has a line, also one that does not count; a series' bonus has a line of its
own behind the hand that ended it. Penalties stand below the totals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from records.csv_text import Cell

_PLAIN: Final = ("game", "contract", "overshoot", "undershoot", "penalty", "trischaken")
"""Items of a sheet that are no bonus."""

_OF_ALL: Final = ("seats", "points", "balance", "totals", "series_totals")
"""What a line of the table's sheet has of all its players."""

Points = dict[str, Any]


def table_sheet(session: Mapping[str, Any], sheets: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The table's sheet as JSON, from the session with its hands as JSON, and the sheets of these."""
    players: list[str] = session["players"]
    penalties = {row["player"]: row["penalties"] for row in session["standings"]}
    points = {row["player"]: row["points"] for row in session["standings"]}
    return {
        **_head(session),
        "players": players,
        "rows": list(_rows(session, {sheet["hand_id"]: sheet for sheet in sheets})),
        "totals": session["totals"],
        "balance": sum(session["totals"].values()),
        "penalties": {player: penalties[player] for player in players},
        "points": {player: points[player] for player in players},
    }


def player_sheet(
    session: Mapping[str, Any], sheets: Sequence[Mapping[str, Any]], player: str
) -> dict[str, Any]:
    """A player's own sheet as JSON: the hands in which the player sat, and what they brought."""
    rows = []
    for row in _rows(session, {sheet["hand_id"]: sheet for sheet in sheets}):
        if row["points"] is not None and row["points"][player] is None:
            continue  # who rested
        if row["kind"] == "hand" and player not in row["seats"]:
            continue
        own = {name: value for name, value in row.items() if name not in _OF_ALL}
        for name, all_of_it in (("points", "points"), ("total", "totals"), ("series_total", "series_totals")):
            own[name] = None if row[all_of_it] is None else row[all_of_it][player]
        rows.append({**own, "role": _role(row, player)})
    (standing,) = (one for one in session["standings"] if one["player"] == player)
    return {
        **_head(session),
        "player": player,
        "rows": rows,
        "total": session["totals"][player],
        "penalties": standing["penalties"],
        "points": standing["points"],
        "place": standing["place"],
    }


def standings_view(session: Mapping[str, Any]) -> dict[str, Any]:
    """The standings alone as JSON."""
    return {**_head(session), "standings": session["standings"]}


def _head(session: Mapping[str, Any]) -> dict[str, Any]:
    names = ("session_id", "name", "version", "status", "variant", "opened_at", "closed_at")
    return {name: session[name] for name in names}


def _rows(session: Mapping[str, Any], sheets: Mapping[str, Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    players = session["players"]
    totals: Points = dict.fromkeys(players, 0)
    within: Points = dict.fromkeys(players, 0)
    series = iter(session["series"])
    now = next(series, None)
    number = 1
    for hand in session["hands"]:
        points = None
        if hand["counted"]:
            points = {player: hand["scores"].get(player) for player in players}
            totals, within = _added(totals, points), _added(within, points)
        about = _told(hand, sheets.get(hand["hand_id"], {}))
        yield _row("hand", about, points, totals, now and number, now and within, hand)
        if now is not None and hand["hand_id"] == now["to"]:
            totals, within = _added(totals, now["bonus"]), _added(within, now["bonus"])
            yield _row("bonus", dict.fromkeys(about), now["bonus"], totals, number, within, None)
            now, number, within = next(series, None), number + 1, dict.fromkeys(players, 0)


def _row(
    kind: str,
    about: Mapping[str, Any],
    points: Points | None,
    totals: Points,
    series: int | None,
    within: Points | None,
    hand: Mapping[str, Any] | None,
) -> dict[str, Any]:
    return {
        "kind": kind,
        **about,
        "why": None if hand is None else hand["why"],
        "points": points,
        "balance": None if points is None else sum(own or 0 for own in points.values()),
        "totals": totals,
        "series": series,
        "series_totals": within,
    }


def _told(hand: Mapping[str, Any], sheet: Mapping[str, Any]) -> dict[str, Any]:
    """What a line says about its hand beside the points."""
    card_points = sheet.get("card_points")
    return {
        "hand_id": hand["hand_id"],
        "table": hand["table"],
        "round": hand["round"],
        "number": hand["number"],
        "seats": hand["players"],
        "dealer": hand["players"][-1],
        **{name: sheet.get(name) for name in ("declarer", "partner", "contract", "stake", "outcome")},
        "card_points": None if card_points is None else card_points["declarer"],
        "bonuses": [
            {"bonus": item["item"], "player": item.get("player"), "made": item.get("made")}
            for item in sheet.get("items", ())
            if item["item"] not in _PLAIN
        ],
    }


def _role(row: Mapping[str, Any], player: str) -> str | None:
    """What the player was in the hand of a row; just a player in Trischaken, and where nobody has won it."""
    if row["kind"] != "hand":
        return None
    for role in ("declarer", "partner"):
        if row[role] == player:
            return role
    return "player" if row["declarer"] is None else "defender"


def _added(totals: Points, more: Mapping[str, Any]) -> Points:
    return {player: total + (more[player] or 0) for player, total in totals.items()}


# --- as a table ----------------------------------------------------------------------------------

_COLUMNS: Final = (
    "series",
    "table",
    "round",
    "number",
    "hand_id",
    "dealer",
    "declarer",
    "partner",
    "contract",
    "stake",
    "card_points",
    "outcome",
    "bonuses",
    "why",
)


def table_rows(sheet: Mapping[str, Any]) -> Iterator[list[Cell]]:
    """The table's sheet in rows of cells, the first of them the names of the columns.

    Each player has two columns: what a hand brought, and the total after it.
    """
    players = sheet["players"]
    yield [*_COLUMNS, *(cell for player in players for cell in (player, f"{player} (total)"))]
    for row in sheet["rows"]:
        points = row["points"] or dict.fromkeys(players)
        yield [
            *_about(row),
            *(cell for player in players for cell in (points[player], row["totals"][player])),
        ]
    for name in ("totals", "penalties", "points"):
        first: list[Cell] = [name, *[None] * (len(_COLUMNS) - 1)]
        yield [*first, *(cell for player in players for cell in (None, sheet[name][player]))]


def player_rows(sheet: Mapping[str, Any]) -> Iterator[list[Cell]]:
    """A player's sheet in rows of cells, the first of them the names of the columns."""
    yield [*_COLUMNS, "role", "points", "total"]
    for row in sheet["rows"]:
        yield [*_about(row), row["role"], row["points"], row["total"]]
    for name in ("total", "penalties", "points"):
        yield [name, *[None] * (len(_COLUMNS) + 1), sheet[name]]


def standings_rows(view: Mapping[str, Any]) -> Iterator[list[Cell]]:
    """The standings in rows of cells, the first of them the names of the columns."""
    names = ("place", "player", "points", "penalties", "hands")
    yield [*names]
    yield from ([row[name] for name in names] for row in view["standings"])


def _about(row: Mapping[str, Any]) -> list[Cell]:
    if row["kind"] == "bonus":
        return [row["series"], None, None, None, "bonus", *[None] * (len(_COLUMNS) - 5)]
    return [_bonuses(row) if name == "bonuses" else row[name] for name in _COLUMNS]


def _bonuses(row: Mapping[str, Any]) -> str:
    return " ".join(
        one["bonus"] if one["made"] is not False else f"{one['bonus']} (lost)" for one in row["bonuses"]
    )
