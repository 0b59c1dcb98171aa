"""A sheet as CSV and as a workbook, in the reader's language.

Figures stay figures there, but for money, which has its currency. Whatever else a cell holds is data: in CSV
a text that a spreadsheet could take for a formula gets an apostrophe, in a workbook texts are texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from records.csv_text import write_csv
from records.tournament_tables import Table, write_xlsx
from service.paper.layout import Cell, Column, Grid, Paper
from service.paper.words import DECIMAL_COMMA, word

_NAME: Final = 31
"""The length that a sheet of a workbook may have for its name, in units of UTF-16: an emoji has two."""


def paper_csv(paper: Paper, *, excel: bool | None = None) -> bytes:
    """The sheet's tables one below the other, an empty line between them.

    ``excel``: with semicolons, decimal commas and a mark at the beginning; by default where the language has
    a decimal comma.
    """
    rows: list[Sequence[Cell]] = []
    for grid in paper.grids:
        if rows:
            rows.append([])
        if grid.title:
            rows.append([grid.title])
        rows += [_titles(grid.columns), *(row.cells for row in grid.rows)]
        rows += [[remark] for remark in grid.remarks]
    return write_csv(rows, excel=paper.language in DECIMAL_COMMA if excel is None else excel)


def paper_xlsx(paper: Paper, created: str) -> bytes:
    """The sheet's tables as sheets of a workbook. ``created`` (RFC 3339) is its date."""
    tables = []
    for number, (grid, name) in enumerate(zip(paper.grids, _names(paper), strict=True), 1):
        rows: list[list[Cell]] = [list(row.cells) for row in grid.rows]
        remarks: list[list[Cell]] = [[remark, *[None] * (len(grid.columns) - 1)] for remark in grid.remarks]
        tables.append(Table(name or str(number), _titles(grid.columns), [*rows, *remarks]))
    return write_xlsx(tables, created)


def _titles(columns: Sequence[Column]) -> list[str]:
    return [f"{column.group}: {column.title}" if column.group else column.title for column in columns]


def _names(paper: Paper) -> Iterator[str]:
    """Names for the sheets of a workbook, in which some characters may not be; each once."""
    used: set[str] = set()
    for number, grid in enumerate(paper.grids, 1):
        plain = "".join(" " if char in "[]:*?/\\'" else char for char in _title(grid, paper)).strip()
        name = _cut(plain, _NAME) or str(number)
        if name.casefold() in used:
            name = f"{_cut(name, _NAME - len(f' {number}'))} {number}"
        used.add(name.casefold())
        yield name


def _cut(text: str, units: int) -> str:
    """As much of the text as that many units of UTF-16 can hold, in whole characters."""
    return text.encode("utf-16-le")[: 2 * units].decode("utf-16-le", "ignore").rstrip()


def _title(grid: Grid, paper: Paper) -> str:
    return grid.title or paper.subtitle or word(paper.language, "score_sheet")
