"""Standings and sheets of tournaments as tables, made of their JSON; and tables as workbooks.

Whatever a cell holds is data: in a workbook texts are texts, whatever they begin with (for CSV see
`records.csv_text`).
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

import xlsxwriter

from records.csv_text import Cell

_WIDTH: Final = 40
"""Characters that a column of a workbook has at most."""


class Table(NamedTuple):
    """A table: what it is called, the names of its columns, and its rows."""

    title: str
    header: list[str]
    rows: list[list[Cell]]

    def with_header(self) -> list[list[Cell]]:
        """All lines, that of the names first."""
        return [[*self.header], *self.rows]


def players_table(view: Mapping[str, Any], *, exact: bool = False) -> Table:
    """The standings of the players, from their JSON.

    ``exact``: with the fractions of rounded figures, which a spreadsheet would take for dates in CSV.
    """
    has_teams, has_money, has_prizes = bool(view["teams"]), bool(view["rate"]), bool(view["prizes"])
    header = ["place", "player", "name", *_if(has_teams, "team"), *_figure_names(view, exact)]
    header += [*_if(has_money, "money"), *_if(has_prizes, "prize")]
    rows: list[list[Cell]] = [
        [
            line["place"],
            line["player"],
            line["name"],
            *_if(has_teams, line["team"]),
            *_figures(line, view, exact),
            *_if(has_money, line["money"]),
            *_if(has_prizes, line["prize"]),
        ]
        for line in view["standings"]
    ]
    return Table("Standings", header, rows)


def teams_table(view: Mapping[str, Any], *, exact: bool = False) -> Table:
    """The standings of the teams."""
    rows = [[line["place"], line["team"], *_figures(line, view, exact)] for line in view["teams"]]
    return Table("Teams", ["place", "team", *_figure_names(view, exact)], rows)


def penalties_table(view: Mapping[str, Any]) -> Table:
    """Every penalty."""
    header = ["player", "points", "round", "reason", "hand_id", "seq"]
    return Table("Penalties", header, [[line[name] for name in header] for line in view["penalties"]])


def table_sheet_table(view: Mapping[str, Any]) -> Table:
    """The sheets of a table, one below the other: a line a hand, and a column for each player."""
    players = list(dict.fromkeys(one["player"] for sheet in view["sheets"] for one in sheet["players"]))
    about = ["round", "number", "hand_id", "declarer", "contract", "outcome"]
    rows: list[list[Cell]] = []
    for sheet in view["sheets"]:
        for hand in sheet["hands"]:
            own = [hand["points"].get(player) for player in players]
            rows.append([sheet["round"], *(hand[name] for name in about[1:]), hand["balance"], *own])
        total = [sheet["totals"].get(player) for player in players]
        rows.append([sheet["round"], None, "total", *[None] * 3, sheet["balance"], *total])
    return Table("Sheet", [*about, "balance", *players], rows)


def player_sheet_table(view: Mapping[str, Any]) -> Table:
    """A player's own sheet: a line a hand or a penalty."""
    header = [
        "kind",
        "round",
        "table",
        "number",
        "hand_id",
        "role",
        "declarer",
        "contract",
        "outcome",
        "reason",
    ]
    header += ["points", "total"]
    return Table("Sheet", header, [[row[name] for name in header] for row in view["rows"]])


def _figure_names(view: Mapping[str, Any], exact: bool) -> list[str]:
    rounds = [f"round_{number}" for number in range(1, view["round"] + 1)]
    return ["points", *_if(exact, "points_exact"), "penalties", "hands", *rounds, *view["tie_breaks"]]


def _figures(line: Mapping[str, Any], view: Mapping[str, Any], exact: bool) -> list[Cell]:
    tie_breaks = [line["tie_breaks"][name] for name in view["tie_breaks"]]
    exactly = _if(exact, line["points_exact"])
    return [line["points"], *exactly, line["penalties"], line["hands"], *line["rounds"], *tie_breaks]


def _if(wanted: bool, cell: Cell) -> list[Any]:
    return [cell] if wanted else []


def write_xlsx(tables: Sequence[Table], created: str) -> bytes:
    """The tables as sheets of a workbook. ``created`` (RFC 3339) is written as its date, so that the same
    figures are the same bytes."""
    out = io.BytesIO()
    options = {
        "in_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
    }
    book = xlsxwriter.Workbook(out, options)
    book.set_properties({"created": datetime.fromisoformat(created).astimezone(UTC).replace(tzinfo=None)})
    bold = book.add_format({"bold": True})
    for table in tables:
        sheet = book.add_worksheet(table.title)
        sheet.freeze_panes(1, 0)
        for column, name in enumerate(table.header):
            sheet.write_string(0, column, name, bold)
            widest = max([len(name), *(len(str(row[column] or "")) for row in table.rows)])
            sheet.set_column(column, column, min(widest, _WIDTH) + 1)
        for at, row in enumerate(table.rows, 1):
            for column, cell in enumerate(row):
                if isinstance(cell, str):
                    sheet.write_string(at, column, cell)
                elif cell is not None:
                    sheet.write_number(at, column, cell)
    book.close()
    return out.getvalue()
