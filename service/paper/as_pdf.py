"""A sheet as PDF, with a font of its own that has accents, Cyrillic and the suits of cards."""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_CENTER, TA_RIGHT
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import registerFont, stringWidth
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, HRFlowable, LongTable, Paragraph, SimpleDocTemplate, Spacer

from service.paper.layout import Column, Grid, Paper, Row, figure, is_wide, parted, widths
from service.paper.words import word

FONTS: Final = Path(__file__).with_name("fonts")
_PLAIN, _BOLD = "DejaVuSans", "DejaVuSans-Bold"
_MARGIN: Final = 12 * mm
_FRAME: Final = 6
"""Points that reportlab keeps free within the margins."""
_FOOT: Final = 8 * mm
_SIZE, _LEADING = 8, 9.8
_FOOT_SIZE: Final = 7
_ROOM_FOR_COUNT: Final = 6 * mm
_PAGES: Final = "pages"
_INK, _GREY, _LINE, _SHADE = (HexColor(code) for code in ("#111111", "#606060", "#bbbbbb", "#f3f3f3"))


def write_pdf(paper: Paper) -> bytes:
    """The pages. The same sheet is the same bytes."""
    styles = _styles()
    size = landscape(A4) if is_wide(paper) else A4
    room = size[0] - 2 * _MARGIN
    edge = _MARGIN - _FRAME
    out = io.BytesIO()
    document = SimpleDocTemplate(
        out,
        pagesize=size,
        leftMargin=edge,
        rightMargin=edge,
        topMargin=_MARGIN,
        bottomMargin=_MARGIN + _FOOT,
        title=_shown(f"{paper.title}: {paper.subtitle}"),
        author="",
        subject=_shown(paper.mark),
        creator="Trull",
        lang=paper.language,
        invariant=True,
    )
    story: list[Flowable] = [
        _paragraph(paper.title, styles["title"]),
        _paragraph(paper.subtitle, styles["subtitle"]),
        HRFlowable(width="100%", thickness=1.2, color=_INK, spaceBefore=1 * mm, spaceAfter=2 * mm),
    ]
    if paper.facts:
        facts = " &nbsp;&nbsp; ".join(
            f'<font color="#606060">{escape(name)}</font>&nbsp;&nbsp;{escape(_shown(said))}'
            for name, said in paper.facts
        )
        story.append(Paragraph(facts, styles["text"]))
    for grid in paper.grids:
        story += _grid(grid, paper.language, room, styles)
    foot = _foot_of(paper, size[0])
    document.build(story, onFirstPage=foot, onLaterPages=foot, canvasmaker=_Counted)
    return out.getvalue()


def _grid(grid: Grid, language: str, room: float, styles: dict[str, ParagraphStyle]) -> Iterator[Flowable]:
    if grid.title:
        yield _paragraph(grid.title, styles["heading"])
    else:
        yield Spacer(0, 3 * mm)
    if not grid.rows:
        yield _paragraph(word(language, "empty"), styles["text"])
    for part in parted(grid, language) if grid.rows else ():
        yield _table(part, language, room, styles)
        yield Spacer(0, 3 * mm)
    for remark in grid.remarks:
        yield _paragraph(remark, styles["text"])


def _table(grid: Grid, language: str, room: float, styles: dict[str, ParagraphStyle]) -> Flowable:
    columns = grid.columns
    wanted = widths(grid, language)
    has_groups = any(column.group for column in columns)
    heads = 2 if has_groups else 1
    cells: list[list[Any]] = [_titles(columns, styles)]
    looks: list[tuple[Any, ...]] = [
        ("VALIGN", (0, 0), (-1, heads - 1), "BOTTOM"),
        ("VALIGN", (0, heads), (-1, -1), "TOP"),
        ("FONTSIZE", (0, 0), (-1, -1), _SIZE),
        ("LEADING", (0, 0), (-1, -1), _LEADING),
        ("LINEBELOW", (0, heads - 1), (-1, heads - 1), 0.8, _INK),
        ("LINEBELOW", (0, heads), (-1, -1), 0.3, _LINE),
        ("ROWBACKGROUNDS", (0, heads), (-1, -1), (None, _SHADE)),
        ("LEFTPADDING", (0, 0), (-1, -1), 1.2 * mm),
        ("RIGHTPADDING", (0, 0), (-1, -1), 1.2 * mm),
        ("TOPPADDING", (0, 0), (-1, -1), 0.7 * mm),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 0.9 * mm),
    ]
    if has_groups:
        cells.insert(0, list(_groups(columns, styles, looks)))
    for at, row in enumerate(grid.rows, heads):
        cells.append(_cells(row, columns, language, styles))
        if row.strong:
            looks.append(("LINEABOVE", (0, at), (-1, at), 0.6, _INK))
    return LongTable(
        cells, colWidths=[room * one / sum(wanted) for one in wanted], repeatRows=heads, style=looks
    )


def _groups(
    columns: Sequence[Column], styles: dict[str, ParagraphStyle], looks: list[tuple[Any, ...]]
) -> Iterator[Any]:
    at = 0
    for group, same in groupby(columns, key=lambda column: column.group):
        count = len(list(same))
        if group:
            looks.append(("SPAN", (at, 0), (at + count - 1, 0)))
            looks.append(("LINEBELOW", (at, 0), (at + count - 1, 0), 0.3, _LINE))
        yield _paragraph(group, styles["group"]) if group else ""
        yield from [""] * (count - 1)
        at += count


def _titles(columns: Sequence[Column], styles: dict[str, ParagraphStyle]) -> list[Any]:
    return [
        _paragraph(column.title, styles["figure_head" if column.figures else "head"]) for column in columns
    ]


def _cells(
    row: Row, columns: Sequence[Column], language: str, styles: dict[str, ParagraphStyle]
) -> list[Any]:
    weight = "_strong" if row.strong else "_quiet" if row.quiet else ""
    return [
        _paragraph(figure(language, cell), styles[("figure" if column.figures else "cell") + weight])
        if cell not in (None, "")
        else ""
        for column, cell in zip(columns, row.cells, strict=True)
    ]


def _paragraph(text: str, style: ParagraphStyle) -> Paragraph:
    return Paragraph(escape(_shown(text)), style)


def _shown(text: str) -> str:
    """The text without what is not seen: marks of direction and width, for which no letter stands."""
    text = " ".join(text.split())
    return "".join(char for char in text if unicodedata.category(char) not in ("Cc", "Cf", "Cs"))


@cache
def _styles() -> dict[str, ParagraphStyle]:
    """The styles of texts, with the fonts that they need."""
    for name in (_PLAIN, _BOLD):
        registerFont(TTFont(name, FONTS / f"{name}.ttf"))
    # Words longer than their column are broken: nothing may stand beyond the edge of the paper.
    text = ParagraphStyle(
        "text", fontName=_PLAIN, fontSize=8.5, leading=11, textColor=_INK, splitLongWords=1, wordWrap="LTR"
    )

    def like(name: str, parent: ParagraphStyle = text, **options: Any) -> ParagraphStyle:
        return ParagraphStyle(name, parent=parent, **options)

    cell = like("cell", fontSize=_SIZE, leading=_LEADING)
    figures = like("figure", cell, alignment=TA_RIGHT)
    head = like("head", cell, fontName=_BOLD, fontSize=7.5, leading=9)
    return {
        "text": text,
        "title": like("title", fontName=_BOLD, fontSize=16, leading=20),
        "subtitle": like("subtitle", fontSize=11, leading=14),
        "heading": like(
            "heading",
            fontName=_BOLD,
            fontSize=11,
            leading=14,
            spaceBefore=4 * mm,
            spaceAfter=1.5 * mm,
            keepWithNext=1,
        ),
        "head": head,
        "figure_head": like("figure_head", head, alignment=TA_RIGHT),
        "group": like("group", head, alignment=TA_CENTER),
        "cell": cell,
        "cell_strong": like("cell_strong", cell, fontName=_BOLD),
        "cell_quiet": like("cell_quiet", cell, textColor=_GREY),
        "figure": figures,
        "figure_strong": like("figure_strong", figures, fontName=_BOLD),
        "figure_quiet": like("figure_quiet", figures, textColor=_GREY),
    }


class _Counted(Canvas):
    """A canvas that tells at last how many pages there are, in a form that each page shows."""

    def save(self) -> None:
        """End the document, whose last page was ended before."""
        self.beginForm(_PAGES)
        self.setFont(_PLAIN, _FOOT_SIZE)
        self.setFillColor(_GREY)
        self.drawString(0, 0, str(self.getPageNumber() - 1))
        self.endForm()
        super().save()


def _foot_of(paper: Paper, width: float) -> Callable[[Canvas, Any], None]:
    """What stands below every page: of what it is, and which page of how many."""

    def foot(canvas: Canvas, document: Any) -> None:
        canvas.saveState()
        canvas.setFont(_PLAIN, _FOOT_SIZE)
        canvas.setFillColor(_GREY)
        canvas.drawString(_MARGIN, _MARGIN, _shown(paper.mark))
        at = width - _MARGIN - _ROOM_FOR_COUNT
        page = word(paper.language, "page", canvas.getPageNumber(), "")
        canvas.drawRightString(at, _MARGIN, page.strip())
        canvas.translate(at + stringWidth(" ", _PLAIN, _FOOT_SIZE), _MARGIN)
        canvas.doForm(_PAGES)
        canvas.restoreState()

    return foot
