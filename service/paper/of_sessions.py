"""A session's standings and score sheets on paper, made of their JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from service.paper.about import About, View
from service.paper.layout import Cell, Grid, Paper, Row, day
from service.paper.words import name_of

_HAND: Final = ("declarer", "partner", "contract", "card_points", "outcome", "bonuses")
_RARE: Final = ("round", "table", "partner", "bonuses")
"""Columns that are left out where no line fills them."""


def standings_paper(view: View, about: About) -> Paper:
    """The standings of an evening."""
    titles = ("place", "player", "points", "penalties", "hands")
    rows = [
        Row([about.name(one[title]) if title == "player" else one[title] for title in titles])
        for one in view["standings"]
    ]
    return _paper(view, about, about.word("standings"), Grid("", about.columns(titles), rows))


def table_paper(view: View, about: About) -> Paper:
    """The table's score sheet: a line a hand, what it brought each player, and the total after it."""
    players: list[str] = view["players"]
    told = [_told(row, about) for row in view["rows"]]
    titles = _filled(("number", "round", "table", "dealer", *_HAND), told)
    titles += ["balance"] if about.zero_sum else []
    rows = [
        Row(
            [
                *(cells.get(title) for title in titles),
                *_by_player(players, row["points"] or {}, row["totals"]),
            ],
            quiet=row["points"] is None,
        )
        for row, cells in zip(view["rows"], told, strict=True)
    ]
    for name, of in _sums(any(view["penalties"].values()), "totals"):
        first = {"contract": about.word(name), "balance": view["balance"] if of == "totals" else None}
        own = _by_player(players, {}, view[of])
        rows.append(Row([*(first.get(title) for title in titles), *own], strong=of != "penalties"))
    columns = about.columns(titles)
    for player in players:
        columns += [about.column(title, about.name(player) or player) for title in ("points", "total")]
    return _paper(view, about, about.word("score_sheet"), Grid("", columns, rows, fixed=1))


def player_paper(view: View, about: About) -> Paper:
    """A player's own sheet: the hands in which the player sat, and what they brought."""
    told = [_told(row, about) for row in view["rows"]]
    titles = [*_filled(("number", "round", "table", *_HAND), told), "role", "points", "total"]
    rows = []
    for row, cells in zip(view["rows"], told, strict=True):
        role = row["role"] and name_of(about.language, "role", row["role"])
        own = {**cells, "role": role, "points": row["points"], "total": row["total"]}
        rows.append(Row([own.get(title) for title in titles], quiet=row["points"] is None))
    for name, of in _sums(bool(view["penalties"]), "total"):
        last: dict[str, Cell] = {"contract": about.word(name), "total": view[of]}
        rows.append(Row([last.get(title) for title in titles], strong=of != "penalties"))
    subtitle = about.word("player_sheet", about.name(view["player"]))
    made = _paper(view, about, subtitle, Grid("", about.columns(titles), rows, fixed=1))
    return made._replace(facts=[*made.facts, (about.word("place"), str(view["place"]))])


def _told(row: View, about: About) -> dict[str, Cell]:
    """What a line of either sheet says of its hand."""
    language = about.language
    if row["kind"] == "bonus":
        return {"contract": about.word("series_bonus", row["series"]), "balance": row.get("balance")}
    outcome = row["outcome"] and about.word(row["outcome"])
    if row["why"] is not None:
        outcome = about.word("counts_not", name_of(language, "why", row["why"]))
    return {
        "number": row["number"],
        "round": row["round"],
        "table": None if row["table"] is None else str(row["table"]),
        "dealer": about.name(row["dealer"]),
        "declarer": about.name(row["declarer"]),
        "partner": about.name(row["partner"]),
        "contract": _contract(row, language),
        "card_points": row["card_points"],
        "outcome": outcome,
        "bonuses": ", ".join(_bonus(one, about) for one in row["bonuses"]),
        "balance": row.get("balance"),
    }


def _contract(row: View, language: str) -> str | None:
    """The contract, and the way in which it was won where that is another than being called."""
    if row["contract"] is None:
        return None
    contract = name_of(language, "contract", row["contract"])
    if row["stake"] in (None, "called"):
        return contract
    return f"{contract} ({name_of(language, 'stake', row['stake'])})"


def _bonus(bonus: View, about: About) -> str:
    name = name_of(about.language, "bonus", bonus["bonus"])
    return name if bonus["made"] is not False else f"{name} ({about.word('failed')})"


def _by_player(players: Sequence[str], points: View, totals: View) -> list[Cell]:
    return [cell for player in players for cell in (points.get(player), totals[player])]


def _sums(has_penalties: bool, total: str) -> list[tuple[str, str]]:
    """The last lines, each by its word and its field; only penalties make more than one of them."""
    return [("total", total), *([("penalties", "penalties"), ("in_all", "points")] if has_penalties else [])]


def _filled(titles: Sequence[str], told: Sequence[Mapping[str, Cell]]) -> list[str]:
    """The columns without the rare ones that no line fills."""
    return [title for title in titles if title not in _RARE or any(cells.get(title) for cells in told)]


def _paper(view: View, about: About, subtitle: str, grid: Grid) -> Paper:
    facts = [
        (about.word("rules"), about.rules),
        (about.word("date"), day(about.language, view["opened_at"], about.zone)),
        (about.word("status"), about.word(view["status"])),
    ]
    mark = f"{view['session_id']} · {about.word('version', view['version'])}"
    title = view["name"] or view["session_id"]
    return Paper(about.language, title, subtitle, facts, [grid], mark)
