"""A tournament's standings and sheets on paper, made of their JSON."""

from __future__ import annotations

from collections.abc import Sequence

from service.paper.about import About, View
from service.paper.layout import Cell, Column, Grid, Paper, Row, money
from service.paper.words import name_of

# --- standings -----------------------------------------------------------------------------------


def standings_paper(view: View, about: About) -> Paper:
    """The standings: players, teams, penalties, and what does not count."""
    grids = [_players(view, about)]
    if view["teams"]:
        grids.append(_teams(view, about))
    if view["penalties"]:
        grids.append(_penalties(view["penalties"], about))
    if view["left_out"]:
        grids.append(_left_out(view["left_out"], about))
    facts = [
        (about.word("rules"), about.rules),
        (about.word("ranking"), name_of(about.language, "ranking", view["ranking"])),
    ]
    if view["tie_breaks"]:
        named = ", ".join(name_of(about.language, "tie", one) for one in view["tie_breaks"])
        facts.append((about.word("tie_breaks"), named))
    counts = view["hand_counts"]
    facts.append((about.word("counted"), str(counts["counted"])))
    for name, count in (("pending", counts["pending"]), ("disputes", counts["disputed"])):
        if count:
            facts.append((about.word(name), str(count)))
    status = about.word(view["status"])
    if view["changed_since_closing"]:
        status += f" ({about.word('changed')})"
    facts.append((about.word("status"), status))
    return Paper(about.language, view["name"], _after(view, about), facts, grids, _mark(view, about))


def _after(view: View, about: About) -> str:
    """After which round: the last one in which anybody has played, of those that are counted."""
    played = [
        at for line in view["standings"] for at, figure in enumerate(line["rounds"], 1) if figure is not None
    ]
    return about.word("after_round", max(played)) if played else about.word("standings")


def _players(view: View, about: About) -> Grid:
    has_teams = bool(view["teams"])
    columns = [*about.columns(("place", "player")), *_figure_columns(view, about)]
    if has_teams:
        columns += about.columns(("team",))
    for name, wanted in (("money", view["rate"]), ("prize", view["prizes"])):
        if wanted:
            columns.append(Column(about.word(name), figures=True))
    rows = []
    for line in view["standings"]:
        cells = [line["place"], about.name(line["player"]), *_figures(line, view)]
        cells += [line["team"]] if has_teams else []
        if view["rate"]:
            cells.append(money(about.language, line["money"], view["rate"]["currency"]))
        if view["prizes"]:
            cells.append(money(about.language, line["prize"], view["prizes"]["currency"]))
        rows.append(Row(cells))
    return Grid("", columns, rows, fixed=3)


def _teams(view: View, about: About) -> Grid:
    columns = [*about.columns(("place", "team")), *_figure_columns(view, about), *about.columns(("players",))]
    rows = [
        Row(
            [
                line["place"],
                line["team"],
                *_figures(line, view),
                ", ".join(about.name(player) or player for player in line["players"]),
            ]
        )
        for line in view["teams"]
    ]
    return Grid(about.word("teams"), columns, rows, fixed=3)


def _figure_columns(view: View, about: About) -> list[Column]:
    ranked = "percentage" if view["ranking"] == "percentage" else "points"
    return [
        Column(about.word(ranked), figures=True),
        *(Column(about.word("round_n", round_), figures=True) for round_ in range(1, view["round"] + 1)),
        *about.columns(("penalties", "hands")),
        *(Column(name_of(about.language, "tie", one), figures=True) for one in view["tie_breaks"]),
    ]


def _figures(line: View, view: View) -> list[Cell]:
    tie_breaks = [line["tie_breaks"][name] for name in view["tie_breaks"]]
    return [line["points"], *line["rounds"], line["penalties"], line["hands"], *tie_breaks]


def _penalties(lines: Sequence[View], about: About) -> Grid:
    rows = [
        Row([about.name(line["player"]), line["points"], line["round"], line["reason"] or line["hand_id"]])
        for line in lines
    ]
    columns = about.columns(("player", "points", "round", "reason"))
    return Grid(about.word("penalties"), columns, rows, fixed=1)


def _left_out(lines: Sequence[View], about: About) -> Grid:
    rows = [
        Row(
            [
                line["round"],
                None if line["table"] is None else str(line["table"]),
                line["number"],
                name_of(about.language, "why", line["reason"]),
                line["hand_id"],
            ]
        )
        for line in lines
    ]
    columns = [*about.columns(("round", "table", "number", "reason")), Column("")]
    return Grid(about.word("left_out"), columns, rows, fixed=3)


# --- the sheets of tables and players ------------------------------------------------------------


def table_paper(view: View, about: About, version: int) -> Paper:
    """The sheets of a table, one for each round."""
    grids = [grid for sheet in view["sheets"] for grid in _table_sheet(sheet, about)]
    facts = [(about.word("rules"), about.rules)]
    subtitle = f"{about.word('score_sheet')}, {about.word('table_n', view['table'])}"
    mark = _mark({**view, "version": version}, about)
    return Paper(about.language, view["name"], subtitle, facts, grids, mark)


def _table_sheet(sheet: View, about: About) -> list[Grid]:
    players = [one["player"] for one in sheet["players"]]
    has_balance = sheet["balance"] is not None
    titles = ("number", "declarer", "contract", "outcome")
    columns = about.columns(titles)
    columns += [Column(about.name(player) or player, figures=True) for player in players]
    columns += about.columns(("balance",)) if has_balance else []

    def line(first: Sequence[Cell], points: View, balance: Cell, *, strong: bool = False) -> Row:
        own = [points.get(player) for player in players]
        return Row([*first, *own, *([balance] if has_balance else [])], strong)

    rows = [
        line(
            [
                hand["number"],
                about.name(hand["declarer"]),
                hand["contract"] and name_of(about.language, "contract", hand["contract"]),
                hand["outcome"] and about.word(hand["outcome"]),
            ],
            hand["points"],
            hand["balance"],
        )
        for hand in sheet["hands"]
    ]
    total: list[Cell] = [None, None, about.word("total"), None]
    if rows:
        rows.append(line(total, sheet["totals"], sheet["balance"], strong=True))
    remarks = []
    if has_balance and rows:
        remarks.append(about.word("balances" if sheet["balances"] else "unbalanced"))
    grids = [Grid(about.word("round_n", sheet["round"]), columns, rows, 1, remarks)]
    if sheet["penalties"]:
        grids.append(_penalties(sheet["penalties"], about))
    if sheet["left_out"]:
        grids.append(_left_out(sheet["left_out"], about))
    return grids


def player_paper(view: View, about: About) -> Paper:
    """A player's own sheet: every hand and every penalty in order, and what they come to."""
    is_points = view["ranking"] == "points"
    titles = ["round", "table", "number", "declarer", "contract", "outcome", "role", "points"]
    titles += ["total"] if is_points else []
    rows = []
    for row in view["rows"]:
        told: dict[str, Cell] = {title: row.get(title) for title in titles}
        told["table"] = None if row["table"] is None else str(row["table"])
        if row["kind"] == "penalty":
            told["contract"] = about.word("penalty")
            told["outcome"] = row["reason"]
        else:
            told["declarer"] = about.name(row["declarer"])
            told["contract"] = row["contract"] and name_of(about.language, "contract", row["contract"])
            told["outcome"] = row["outcome"] and about.word(row["outcome"])
            told["role"] = name_of(about.language, "role", row["role"])
        rows.append(Row([told[title] for title in titles]))
    if rows and is_points:
        last: dict[str, Cell] = {"contract": about.word("in_all"), "total": view["points"]}
        rows.append(Row([last.get(title) for title in titles], strong=True))
    grids = [Grid("", about.columns(titles), rows, fixed=1)]
    if not is_points:
        grids.append(_rounds(view, about))
    if view["left_out"]:
        grids.append(_left_out(view["left_out"], about))
    facts = [(about.word("rules"), about.rules)]
    if view["team"] is not None:
        facts.append((about.word("team"), view["team"]))
    facts.append((about.word("place"), f"{view['place']}{'=' if view['shared'] else ''}"))
    subtitle = about.word("player_sheet", about.name(view["player"]))
    return Paper(about.language, view["name"], subtitle, facts, grids, _mark(view, about))


def _rounds(view: View, about: About) -> Grid:
    """What is ranked, round by round, where that is not the scores themselves."""
    name = "percentage" if view["ranking"] == "percentage" else "points"
    columns = [Column(about.word("round")), Column(about.word(name), figures=True)]
    rows = [Row([str(at), figure]) for at, figure in enumerate(view["rounds"], 1)]
    rows.append(Row([about.word("penalties"), view["penalties"]]))
    rows.append(Row([about.word("in_all"), view["points"]], strong=True))
    return Grid(name_of(about.language, "ranking", view["ranking"]), columns, rows, fixed=1)


def _mark(view: View, about: About) -> str:
    return f"{view['tournament_id']} · {about.word('version', view['version'])}"
