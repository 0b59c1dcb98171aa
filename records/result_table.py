"""Results in a spreadsheet's CSV: the table of a file, read as clubs write such files.

Commas, semicolons or tabs; with or without the mark at the beginning; cells in quotes; any end of line. A
row has the number that the spreadsheet shows for it, the one with the heads of the columns being the first.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Final, NamedTuple

from records.csv_text import harmless
from records.faults import INVALID_RECORD, one_of, shown
from records.limits import MAX_CELL, MAX_FAULTS, MAX_PLAYERS, MAX_RESULT_ROWS
from trull import Variant

_DELIMITERS: Final = ";,\t"
_FIRST: Final = re.compile(rf"[^\s{_DELIMITERS}][^\r\n]*")
"""The first row that holds anything, whatever ends it; less what is empty before it."""
_SEATED: Final = tuple(f"player_{seat}" for seat in range(1, MAX_PLAYERS + 1))


class RowFault(NamedTuple):
    """What is wrong with a cell, or with a row (``column`` is None), and the clause that is broken."""

    row: int
    column: str | None
    code: str
    detail: str
    clause: str | None = None

    def as_dict(self) -> dict[str, object]:
        """The member of a problem's ``errors``."""
        return {name: value for name, value in self._asdict().items() if value is not None}


class ResultRow(NamedTuple):
    """A row: the cells that hold anything, by column."""

    row: int
    cells: Mapping[str, str]


class UnreadableTable(Exception):
    """The file is no table of results. Holds every fault of its heads."""

    def __init__(self, faults: Sequence[RowFault]) -> None:
        super().__init__(faults[0].detail)
        self.faults = list(faults)


def columns_of(variant: Variant) -> list[str]:
    """The columns of a variant's results, in the order of the template."""
    seats = [f"player_{seat}" for seat in range(1, variant.players + 1)]
    first = ["round", "table", "number", "dealer", *seats, "contract", "declarer"]
    if not variant.game.by_difference:
        partner = ["partner"] if variant.players == MAX_PLAYERS else []
        return [*first, *partner, "card_points", "oudlers", "bonuses", "annulled"]
    own = [*first, "stake", "card_points", "contra", "contra_stage", "bonuses", "annulled"]
    if variant.rulings.get("pass_out") == "trischaken":
        for name in ("card_points", "tricks"):
            own += [f"{name}_{seat}" for seat in range(1, variant.players + 1)]
    return own


def plain(text: str) -> str:
    """A head or a word as it is compared: without case, points, and what parts words."""
    return "_".join(text.casefold().replace(".", " ").replace(":", " ").replace("_", " ").split())


def read_table(text: str, variant: Variant, heads: Mapping[str, str]) -> list[ResultRow]:
    """The rows of a file that hold anything. ``heads`` are other names of columns, made `plain`.

    Raises `UnreadableTable`.
    """
    first = _FIRST.search(text)
    delimiter = max(_DELIMITERS, key=(first[0] if first else "").count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    names: list[str] | None = None
    found: list[ResultRow] = []
    number = 0
    try:
        for number, cells in enumerate(rows, 1):
            if not any(cell.strip() for cell in cells):
                continue
            if names is None:
                names = _names(number, cells, variant, heads)
                continue
            if len(found) == MAX_RESULT_ROWS:
                raise _unreadable(number, None, f"A file has at most {MAX_RESULT_ROWS:,} results.")
            found.append(ResultRow(number, _cells(number, cells, names)))
    except csv.Error as error:
        raise _unreadable(number + 1, None, f"The row cannot be read as CSV: {error}.") from None
    if names is None:
        raise _unreadable(1, None, "The file is empty: its first row has the names of the columns.")
    return found


def _names(row: int, cells: Sequence[str], variant: Variant, heads: Mapping[str, str]) -> list[str]:
    """The columns of the heads. Raises `UnreadableTable` with every fault."""
    known = columns_of(variant)
    names: list[str] = []
    faults: list[RowFault] = []
    for cell in cells:
        name = plain(cell)
        column = name if name in known else heads.get(name, name)
        if column and column not in known:
            near = get_close_matches(column[:MAX_CELL], known, 1)
            meant = f"did you mean {near[0]}?" if near else f"there are {one_of(known)}."
            faults.append(RowFault(row, cell[:MAX_CELL], INVALID_RECORD, f"No such column: {meant}"))
        elif column and column in names:
            faults.append(RowFault(row, column, INVALID_RECORD, "The column is there twice."))
        if len(faults) > MAX_FAULTS:  # more are not listed, and to look for what was meant takes long
            raise UnreadableTable(faults)
        names.append(column)
    missing = [column for column in ("number", "contract") if column not in names]
    faults += [RowFault(row, column, INVALID_RECORD, "The column is missing.") for column in missing]
    if faults:
        raise UnreadableTable(faults)
    return names


def _cells(row: int, cells: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for at, cell in enumerate(cells):
        text = cell.strip()
        if not text:
            continue
        if at >= len(names) or not names[at]:
            raise _unreadable(row, None, f"{shown(text)} stands in a column without a name.")
        if len(text) > MAX_CELL:
            raise _unreadable(row, names[at], f"A cell has at most {MAX_CELL} characters.")
        # What our own files have before a text that a spreadsheet would work out.
        found[names[at]] = text[1:] if text[0] == "'" and harmless(text[1:]) == text else text
    return found


def _unreadable(row: int, column: str | None, detail: str) -> UnreadableTable:
    return UnreadableTable([RowFault(row, column, INVALID_RECORD, detail)])
