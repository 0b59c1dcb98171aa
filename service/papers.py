"""How standings and score sheets are answered: as JSON, or as a file or a page of the same figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from flask import Response, request
from marshmallow import fields, validate

from records.csv_text import write_csv
from records.limits import MAX_PDF_CELLS
from records.tournament_tables import Table, write_xlsx
from service.answers import answer
from service.paper.as_files import paper_csv, paper_xlsx
from service.paper.as_html import content_policy, write_html
from service.paper.layout import Paper, cells_of
from service.problems import invalid
from service.queries import Query, parameter_fault
from service.terms import LANGUAGES

_MEDIA_TYPES: Final = {
    "json": "application/json",
    "csv": "text/csv",
    "csv-semicolon": "text/csv",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "html": "text/html",
    "pdf": "application/pdf",
}
FORMATS: Final = tuple(_MEDIA_TYPES)
_OFFERED: Final = {kind: how for how, kind in _MEDIA_TYPES.items() if how != "csv-semicolon"}
"""What may be asked for by Accept; of what it likes alike, the first."""


class PaperQuery(Query):
    """How the answer is to be written, and in which language."""

    format_ = fields.String(data_key="format", load_default="json", validate=validate.OneOf(FORMATS))
    lang = fields.String(validate=validate.OneOf(LANGUAGES))


class Sheet(NamedTuple):
    """What may be answered: the JSON, the paper in a language, and the tables of files without one.

    ``name`` is that of a file, ``created`` (RFC 3339) the date of a workbook. The first table is the one of a
    CSV file.
    """

    view: Mapping[str, Any]
    paper: Callable[[str], Paper]
    tables: Callable[[str], Sequence[Table]]
    name: str
    created: str


def written(sheet: Sheet, query: Mapping[str, Any]) -> Response:
    """The sheet in the form that was asked for. Raises Problem where that cannot be."""
    how: str = query["format_"] if "format" in request.args else _accepted()
    lang: str | None = query.get("lang")
    if how == "json":
        response = answer(sheet.view)
    elif how in ("html", "pdf"):
        response = _page(sheet, how, lang or _language())
    else:
        response = _file(sheet, how, lang)
    response.vary.update(("Accept", "Accept-Language"))
    return response


def _page(sheet: Sheet, how: str, language: str) -> Response:
    paper = sheet.paper(language)
    headers = {"Content-Language": language, "Content-Disposition": f'inline; filename="{sheet.name}.{how}"'}
    if how == "html":
        headers["Content-Security-Policy"] = content_policy()
        return Response(write_html(paper), headers=headers, content_type="text/html; charset=utf-8")
    cells = cells_of(paper)
    if cells > MAX_PDF_CELLS:
        detail = (
            f"A PDF has {MAX_PDF_CELLS:,} cells at most, and this would have {cells:,}: take another format."
        )
        raise invalid([parameter_fault("format", detail)])
    from service.paper.as_pdf import write_pdf  # a tenth of a second, for those who print

    return Response(write_pdf(paper), headers=headers, content_type=_MEDIA_TYPES["pdf"])


def _file(sheet: Sheet, how: str, lang: str | None) -> Response:
    """A file: with the interface's own names for its columns, or in a language where one is asked for."""
    if how == "xlsx":
        body = (
            write_xlsx(sheet.tables(how), sheet.created)
            if lang is None
            else paper_xlsx(sheet.paper(lang), sheet.created)
        )
        content_type, ending = _MEDIA_TYPES[how], "xlsx"
    else:
        if lang is None:
            body = write_csv(sheet.tables(how)[0].with_header(), excel=how == "csv-semicolon")
        else:
            body = paper_csv(sheet.paper(lang), excel=True if how == "csv-semicolon" else None)
        content_type, ending = "text/csv; charset=utf-8; header=present", "csv"
    headers = {"Content-Disposition": f'attachment; filename="{sheet.name}.{ending}"'}
    if lang is not None:
        headers["Content-Language"] = lang
    return Response(body, headers=headers, content_type=content_type)


def _accepted() -> str:
    """The format that Accept likes best; JSON where it likes none, or all alike."""
    if "HTTP_ACCEPT" not in request.environ:
        return "json"
    return _OFFERED[request.accept_mimetypes.best_match(_OFFERED, _MEDIA_TYPES["json"])]


def _language() -> str:
    """The language that Accept-Language likes best; English where it likes none of ours."""
    return request.accept_languages.best_match(LANGUAGES, LANGUAGES[0])
