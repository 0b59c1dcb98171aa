"""Results of a club's spreadsheet: a file of CSV in, each row a hand; and a file to fill in."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from flask import Blueprint, Response, request
from marshmallow import fields, validate

from records.csv_text import write_csv
from records.import_records import Importing
from records.limits import MAX_FAULTS
from records.problems import KINDS, Refused
from records.result_import import (
    CREATED,
    EXISTING,
    JudgedRow,
    compared,
    judge_rows,
    refused_rows,
    refused_table,
    stored,
)
from records.result_records import Where
from records.result_table import UnreadableTable, columns_of, plain, read_table
from service.answers import answer
from service.auth import actor, has_scope, need, player, tenant
from service.bodies import read_body
from service.idempotency import once
from service.paper.words import DECIMAL_COMMA, word
from service.problems import RETRY_SECONDS, Problem
from service.queries import Flag, Query, takes
from service.session_looks import require_open, stored_session
from service.tenancy import hands, known_variants
from service.terms import LANGUAGES, TERMS
from service.tournaments import stored_tournament
from service.wiring import wired
from trull.events import ANNULMENTS, BONUSES, CONTRA_LEVELS, CONTRACTS, HANDFULS, STAGES, STAKES
from trull.variants import VARIANTS

CHARSETS: Final = (
    "utf-8",
    "utf-16",
    "windows-1250",
    "windows-1251",
    "windows-1252",
    "iso-8859-1",
    "iso-8859-2",
    "iso-8859-15",
)
"""How a file may be encoded, if it says so."""

_OTHER_HEADS: Final = {"taker": "declarer", "points": "card_points"}
_OTHER_WORDS: Final = {
    "petite": "prise",
    "übernommen": "taken_over",
    "vierzig": "forty",
    "fünfzig": "fifty",
    "handvoll": "handful",
}
IN_CELLS: Final = {
    **{name: name for name in (*CONTRACTS, *STAKES, *BONUSES, *HANDFULS, *CONTRA_LEVELS, *STAGES)},
    **{name: name for name in ("silent", "announced", "made", "lost", *ANNULMENTS)},
    "failed": "lost",
}
"""What stands in cells, by the term whose names it may have there."""

blueprint = Blueprint("results", __name__, url_prefix="/v1")


class ResultsImportQuery(Query):
    """Whether to look only, and whether good rows are stored though others are not."""

    dry_run = Flag(load_default=False)
    partial_ = Flag(load_default=False, data_key="partial")


class TemplateQuery(Query):
    """The language of the heads; the interface's own names without one."""

    lang = fields.String(validate=validate.OneOf(LANGUAGES))


@blueprint.post("/sessions/<name:session_id>/results:import")
@once
@takes(ResultsImportQuery)
def import_to_session(query: Mapping[str, Any], session_id: str) -> Response:
    """Take the results of an evening."""
    by = _importing()
    session = stored_session(session_id)
    require_open(session)
    variant = known_variants()[session.about.variant]
    return _imported(Where(session_id, variant, session.about.players, {}, _words()), by, query)


@blueprint.post("/tournaments/<tournament_id>/results:import")
@once
@takes(ResultsImportQuery)
def import_to_tournament(query: Mapping[str, Any], tournament_id: str) -> Response:
    """Take the results of a tournament's tables."""
    by = _importing()
    tournament = stored_tournament(tournament_id)
    if tournament.is_closed:
        raise Problem("tournament-closed", "The tournament is closed; it has to be opened again before.")
    settings = tournament.settings
    seats = {
        (round_, table): players
        for round_, tables in tournament.seats.items()
        for table, players in tables.items()
    }
    limits = {"round": settings["rounds"], "table": settings["tables"], "number": tournament.numbers}
    players = list(tournament.players)
    variant = known_variants()[settings["variant"]]
    return _imported(Where(tournament_id, variant, players, seats, _words(), limits), by, query)


@blueprint.get("/sessions/<name:session_id>/results:template")
@takes(TemplateQuery)
def session_template(query: Mapping[str, Any], session_id: str) -> Response:
    """The heads of the columns of an evening's results."""
    need("read")
    return _template(query, session_id, stored_session(session_id).about.variant)


@blueprint.get("/tournaments/<tournament_id>/results:template")
@takes(TemplateQuery)
def tournament_template(query: Mapping[str, Any], tournament_id: str) -> Response:
    """The heads of the columns of a tournament's results."""
    need("read")
    return _template(query, tournament_id, stored_tournament(tournament_id).settings["variant"])


def _importing() -> Importing:
    """Who imports. Raises Problem where the call cannot be one of an import."""
    need("submit")
    if player() is not None and not has_scope("cards"):
        raise Problem("forbidden", f"A file tells whole hands; this key is for the player {player()!r}.")
    return Importing(actor(), has_scope("direct"), has_scope("admin"))


def _imported(where: Where, by: Importing, query: Mapping[str, Any]) -> Response:
    """The report on the rows of the body. Raises Problem where nothing is stored for their faults."""
    variants, importer, instance = known_variants(), wired().importer, request.path
    try:
        rows = read_table(_text(), where.variant, _heads())
    except UnreadableTable as error:
        raise _problem(refused_table(error.faults)) from None
    judged = compared(judge_rows(rows, where, by, variants), importer, tenant(), by, instance)
    bad = [row for row in judged if row.is_refused]
    if not query["dry_run"]:
        if bad and not query["partial_"]:
            raise _problem(refused_rows(bad))
        judged = stored(judged, importer, tenant(), by, instance)
        hands().notify()
        if any(row.status == KINDS["store-unavailable"].status for row in judged):
            detail = "The store went away. Send the file again: what is stored already stays as it is."
            raise Problem("store-unavailable", detail, headers={"Retry-After": str(RETRY_SECONDS)})
    return answer(_report(judged, len(rows), dry_run=query["dry_run"]))


def _problem(refused: Refused) -> Problem:
    """The problem of a file of which nothing is stored."""
    return Problem(refused.code, refused.detail, refused.first_errors(MAX_FAULTS))


def _report(rows: Sequence[JudgedRow], total: int, *, dry_run: bool) -> dict[str, Any]:
    counts = Counter(row.status for row in rows)
    return {
        "dry_run": dry_run,
        "created": counts[CREATED],
        "existing": counts[EXISTING],
        "failed": sum(row.is_refused for row in rows),
        "skipped": total - len(rows),
        "rows": [row.as_dict(request.path) for row in rows],
    }


def _text() -> str:
    """The body as text. Raises Problem."""
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise Problem("unsupported-media-type", "Send the body without a Content-Encoding.")
    if request.mimetype != "text/csv":
        raise Problem("unsupported-media-type", "Send the results as `Content-Type: text/csv`.")
    charset = request.mimetype_params.get("charset", "utf-8").lower()
    if charset not in CHARSETS:
        detail = f"A file is in one of the charsets {', '.join(CHARSETS)}."
        raise Problem("unsupported-media-type", detail)
    try:
        text = read_body().decode("utf-8-sig" if charset == "utf-8" else charset)
    except UnicodeDecodeError:
        detail = (
            f"The file is not in {charset}: save it as CSV UTF-8, or say what it is in, like "
            "`Content-Type: text/csv; charset=windows-1252`."
        )
        raise Problem("bad-request", detail) from None
    # Some systems write é as two characters; players' keys have one.
    return unicodedata.normalize("NFC", text)


def _template(query: Mapping[str, Any], name: str, variant_id: str) -> Response:
    lang: str | None = query.get("lang")
    columns = columns_of(known_variants()[variant_id])
    row = columns if lang is None else [head_of(column, lang) for column in columns]
    headers = {"Content-Disposition": f'attachment; filename="{name}-results.csv"'}
    if lang is not None:
        headers["Content-Language"] = lang
    body = write_csv([row], excel=lang in DECIMAL_COMMA)
    return Response(body, headers=headers, content_type="text/csv; charset=utf-8; header=present")


def head_of(column: str, language: str) -> str:
    """What a column is called in a language."""
    name, _, seat = column.rpartition("_")
    return f"{word(language, name)} {seat}" if seat.isdecimal() else word(language, column)


@cache
def _heads() -> dict[str, str]:
    """The names of columns in all languages."""
    columns = {column for variant in VARIANTS.values() for column in columns_of(variant)}
    named = {plain(head_of(column, lang)): column for column in sorted(columns) for lang in LANGUAGES}
    return {**_OTHER_HEADS, **named}


@cache
def _words() -> dict[str, str]:
    """The names of contracts, bonuses and what else stands in cells, in all languages."""
    named = {plain(one): meant for term, meant in IN_CELLS.items() for one in TERMS[term]}
    return {**_OTHER_WORDS, **named}
