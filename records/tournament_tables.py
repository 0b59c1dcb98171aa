"""Standings as tables: CSV and workbooks, made of the JSON so that the figures are the same.

Whatever a cell holds is data. In CSV a text that a spreadsheet could take for a formula gets an apostrophe
before it; in a workbook texts are texts, whatever they begin with.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

import xlsxwriter

Cell = str | int | float | None

_RISKY: Final = ("=", "+", "-", "@", "\t", "\r")
"""What a cell begins with that spreadsheets may calculate (OWASP, CSV injection)."""

_WIDTH: Final = 40
"""Characters that a column of a workbook has at most."""


class Table(NamedTuple):
    """A table: what it is called, the names of its columns, and its rows."""

    title: str
    header: list[str]
    rows: list[list[Cell]]


class Dialect(NamedTuple):
    """How a CSV file is written."""

    delimiter: str
    decimal: str
    begin: str = ""


DIALECTS: Final[Mapping[str, Dialect]] = {
    "csv": Dialect(",", "."),
    # As the German and French Excel expect it: without the mark at the beginning it takes UTF-8 for Latin-1.
    "csv-semicolon": Dialect(";", ",", "\ufeff"),
}


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


def _figure_names(view: Mapping[str, Any], exact: bool) -> list[str]:
    rounds = [f"round_{number}" for number in range(1, view["round"] + 1)]
    return ["points", *_if(exact, "points_exact"), "penalties", "hands", *rounds, *view["tie_breaks"]]


def _figures(line: Mapping[str, Any], view: Mapping[str, Any], exact: bool) -> list[Cell]:
    tie_breaks = [line["tie_breaks"][name] for name in view["tie_breaks"]]
    exactly = _if(exact, line["points_exact"])
    return [line["points"], *exactly, line["penalties"], line["hands"], *line["rounds"], *tie_breaks]


def _if(wanted: bool, cell: Cell) -> list[Any]:
    return [cell] if wanted else []


def write_csv(table: Table, dialect: Dialect) -> bytes:
    """The table as CSV in UTF-8, lines ended as RFC 4180 has it."""
    out = io.StringIO()
    out.write(dialect.begin)
    writer = csv.writer(out, delimiter=dialect.delimiter, lineterminator="\r\n")
    writer.writerow(table.header)
    for row in table.rows:
        writer.writerow([_csv_cell(cell, dialect) for cell in row])
    return out.getvalue().encode()


def _csv_cell(cell: Cell, dialect: Dialect) -> str:
    """A cell; only texts can be taken for formulas, a negative number is one."""
    if isinstance(cell, str):
        return f"'{cell}" if cell.startswith(_RISKY) else cell
    return "" if cell is None else str(cell).replace(".", dialect.decimal)


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
