"""What is on a sheet of paper, whatever it is written as."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from babel.dates import format_date
from babel.numbers import format_currency, format_decimal, get_currency_precision

Cell = str | int | float | None

PORTRAIT, LANDSCAPE = 104, 158
"""Characters that a line of A4 takes, by which it is decided how a sheet lies and where it is parted."""

_GAP: Final = 2
_HEAD: Final = 13
_FIGURE: Final = 4
_TEXTS: Final = (48, 40, 34, 28, 22, 14)
"""Characters that a column of texts may have, as there is room; what is longer goes on in the next line."""
_UPRIGHT: Final = 22
"""How many of them it has at least where a sheet stands upright."""

_MINUS: Final = "\u2212"


class Column(NamedTuple):
    """A column: its title, and whether figures stand in it.

    Columns of one ``group``, which stands above their titles, are not parted.
    """

    title: str
    figures: bool = False
    group: str = ""


class Row(NamedTuple):
    """A line. A ``strong`` one is a total; a ``quiet`` one does not count."""

    cells: Sequence[Cell]
    strong: bool = False
    quiet: bool = False


class Grid(NamedTuple):
    """A table. ``fixed`` columns at the left are there again wherever it is parted."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    fixed: int = 2
    remarks: Sequence[str] = ()


class Paper(NamedTuple):
    """A sheet: what it is of, what else is to be known, and its tables. ``mark`` tells the state."""

    language: str
    title: str
    subtitle: str
    facts: Sequence[tuple[str, str]]
    grids: Sequence[Grid]
    mark: str


def figure(language: str, cell: Cell) -> str:
    """A cell as it is read: decimals as the language has them, a true minus sign, nothing as nothing."""
    if cell is None or isinstance(cell, str):
        return cell or ""
    text = str(cell) if isinstance(cell, int) else format_decimal(cell, format="0.##", locale=language)
    return text.replace("-", _MINUS)


def money(language: str, minor_units: int | float | None, currency: str) -> str:
    """An amount in minor units as money."""
    if minor_units is None:
        return ""
    amount = minor_units / 10 ** get_currency_precision(currency)
    text: str = format_currency(amount, currency, locale=language)
    return text.replace("-", _MINUS)


def day(language: str, moment: str, zone: str | None = None) -> str:
    """The day of a time of the interface (RFC 3339), where the clock of ``zone`` hangs."""
    local = datetime.fromisoformat(moment).astimezone(ZoneInfo(zone or "UTC"))
    return str(format_date(local, format="long", locale=language))


# --- how a table fits on paper -------------------------------------------------------------------


def widths(grid: Grid, language: str) -> list[int]:
    """How many characters wide each column is to be: texts as wide as there is room on the sheet."""
    longest = [
        max((len(figure(language, row.cells[at])) for row in grid.rows), default=0)
        for at in range(len(grid.columns))
    ]
    found: list[int] = []
    for room in (PORTRAIT, LANDSCAPE):
        for most in _TEXTS if room == LANDSCAPE else _TEXTS[: _TEXTS.index(_UPRIGHT) + 1]:
            found = [_width(*one, most) for one in zip(grid.columns, longest, strict=True)]
            if sum(found) <= room:
                return found
    return found


def _width(column: Column, longest: int, most: int) -> int:
    head = min(max(map(len, f"{column.title} {column.group}".split()), default=0), _HEAD)
    return max(head, max(longest, _FIGURE) if column.figures else min(longest, most)) + _GAP


def is_wide(paper: Paper) -> bool:
    """Whether the sheet lies on its side."""
    return any(sum(widths(grid, paper.language)) > PORTRAIT for grid in paper.grids)


def parted(grid: Grid, language: str, room: int = LANDSCAPE) -> list[Grid]:
    """The table, in parts where it has more columns than a page is wide; each begins with the fixed ones."""
    wanted = widths(grid, language)
    if sum(wanted) <= room:
        return [grid]
    left = room - sum(wanted[: grid.fixed])
    parts: list[list[int]] = [[]]
    used = 0
    for group in _groups(grid):
        width = sum(wanted[at] for at in group)
        if parts[-1] and used + width > left:
            parts.append([])
            used = 0
        parts[-1] += group
        used += width
    return [_part(grid, [*range(grid.fixed), *part]) for part in parts]


def _groups(grid: Grid) -> list[list[int]]:
    """The columns beyond the fixed ones, those of one group together."""
    groups: list[list[int]] = []
    for at in range(grid.fixed, len(grid.columns)):
        name = grid.columns[at].group
        if name and at > grid.fixed and grid.columns[at - 1].group == name:
            groups[-1].append(at)
        else:
            groups.append([at])
    return groups


def _part(grid: Grid, at: Sequence[int]) -> Grid:
    rows = [row._replace(cells=[row.cells[one] for one in at]) for row in grid.rows]
    return grid._replace(columns=[grid.columns[one] for one in at], rows=rows)


def cells_of(paper: Paper) -> int:
    """How many cells its tables have."""
    return sum(len(grid.columns) * (len(grid.rows) + 1) for grid in paper.grids)
