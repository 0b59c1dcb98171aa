"""Tables as CSV (RFC 4180): plain, or as the Excel of countries with a decimal comma opens it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Final

Cell = str | int | float | None

_FORMULA: Final = tuple("=+-@\t\r\n＝＋－＠")
"""What a spreadsheet takes for the beginning of a formula, where a text has it."""


def write_csv(rows: Iterable[Sequence[Cell]], *, excel: bool = False) -> bytes:
    """Rows as CSV in UTF-8. Nothing is an empty cell.

    ``excel``: with semicolons, a decimal comma and a byte order mark. There a comma would not part cells,
    and 25.5 be a date.
    """
    out = io.StringIO()
    writer = csv.writer(out, delimiter=";" if excel else ",")
    writer.writerows([_cell(cell, excel) for cell in row] for row in rows)
    return out.getvalue().encode("utf-8-sig" if excel else "utf-8")


def harmless(text: str) -> str:
    """The text; with an apostrophe before it where a spreadsheet would work it out as a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def _cell(cell: Cell, excel: bool) -> str:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return harmless(cell)
    return str(cell).replace(".", ",") if excel else str(cell)
