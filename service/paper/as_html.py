"""A sheet as a page of HTML for the printer: complete in itself, without scripts or requests elsewhere."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Final

from service.paper.layout import Column, Grid, Paper, Row, figure, is_wide, parted
from service.paper.words import word

_LONG: Final = 14
_STYLE_SHEET: Final = Path(__file__).with_name("sheet.css")


@cache
def _style() -> str:
    return _STYLE_SHEET.read_text()


@cache
def content_policy() -> str:
    """Nothing is loaded and nothing runs; the style sheet that stands in the page is named by its hash."""
    digest = base64.b64encode(hashlib.sha256(_style().encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )


def write_html(paper: Paper) -> bytes:
    """The page."""
    language = paper.language
    parts = [
        "<!doctype html>",
        f'<html lang="{language}">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(paper.title)}: {escape(paper.subtitle)}</title>",
        f"<style>{_style()}</style>",
        "</head>",
        f'<body class="{"wide" if is_wide(paper) else "tall"}">',
        f"<header><h1>{_text(paper.title)}</h1><p>{_text(paper.subtitle)}</p></header>",
        "<dl>",
        *(f"<div><dt>{escape(name)}</dt><dd>{_text(said)}</dd></div>" for name, said in paper.facts),
        "</dl>",
        *(line for grid in paper.grids for line in _grid(grid, language)),
        f"<footer>{escape(paper.mark)}</footer>",
        "</body>",
        "</html>",
    ]
    return "\n".join(parts).encode()


def _text(text: str) -> str:
    """A text that may be anybody's: kept apart, so that its direction does not turn what stands beside it."""
    return f"<bdi>{escape(text)}</bdi>"


def _grid(grid: Grid, language: str) -> Iterator[str]:
    yield "<section>"
    if grid.title:
        yield f"<h2>{_text(grid.title)}</h2>"
    if not grid.rows:
        yield f"<p>{escape(word(language, 'empty'))}</p>"
    for part in parted(grid, language) if grid.rows else ():
        yield "<table>"
        yield from _head(part.columns)
        yield "<tbody>"
        yield from (_row(row, part.columns, language) for row in part.rows)
        yield "</tbody>"
        yield "</table>"
    yield from (f"<p>{_text(remark)}</p>" for remark in grid.remarks)
    yield "</section>"


def _head(columns: Sequence[Column]) -> Iterator[str]:
    """The titles, with a line of groups above them where there are any."""
    yield "<thead>"
    if any(column.group for column in columns):
        cells = [
            f'<th colspan="{len(list(same))}" scope="colgroup">{_text(group)}</th>'
            if group
            else "<td></td>" * len(list(same))
            for group, same in groupby(columns, key=lambda column: column.group)
        ]
        yield f"<tr>{''.join(cells)}</tr>"
    titles = "".join(
        f'<th{_class(column, head=True)} scope="col">{_text(column.title)}</th>' for column in columns
    )
    yield f"<tr>{titles}</tr>"
    yield "</thead>"


def _row(row: Row, columns: Sequence[Column], language: str) -> str:
    cells = "".join(
        f"<td{_class(column)}>{_text(figure(language, cell))}</td>" if cell not in (None, "") else "<td></td>"
        for column, cell in zip(columns, row.cells, strict=True)
    )
    kind = ' class="strong"' if row.strong else ' class="quiet"' if row.quiet else ""
    return f"<tr{kind}>{cells}</tr>"


def _class(column: Column, *, head: bool = False) -> str:
    """The class of a cell. A head is broken within a word only where that is long."""
    is_long = head and any(len(part) > _LONG for part in column.title.split())
    found = " ".join((["figure"] if column.figures else []) + (["long"] if is_long else []))
    return f' class="{found}"' if found else ""
