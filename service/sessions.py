"""Sessions: a table's evening, what its hands come to, and who owes whom."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from flask import Blueprint, Response, request
from marshmallow import fields, validate

from records.csv_text import Cell
from records.limits import MAX_PLAYER
from records.log import InvalidCursor, VersionMismatch
from records.session_schemas import load_change, load_session
from records.session_sheets import (
    player_rows,
    player_sheet,
    standings_rows,
    standings_view,
    table_rows,
    table_sheet,
)
from records.sessions import SessionExists, settlement_of, with_hands
from records.tournament_tables import Table
from service.answers import answer, page_of
from service.auth import actor, has_scope, need, tenant
from service.bodies import read_json
from service.idempotency import once
from service.paper import of_sessions
from service.paper.about import About
from service.paper.layout import Paper
from service.paper.words import rules_called
from service.papers import PaperQuery, Sheet, written
from service.problems import Problem, invalid
from service.queries import LogQuery, PageQuery, Query, parameter_fault, takes
from service.session_looks import (
    Looked,
    look,
    require_open,
    require_version,
    stored_session,
    told,
)
from service.tenancy import known_variants, sessions
from service.versions import expected_tags, other_version
from service.wiring import wired

TRIES: Final = 3
"""How often a session is looked at anew when another change came between reading and adding to it."""
STATUSES: Final = ("open", "closed")

blueprint = Blueprint("sessions", __name__, url_prefix="/v1/sessions")


class SessionsQuery(PageQuery):
    """A page of the list, and what it is narrowed to."""

    player = fields.String(validate=validate.Length(1, MAX_PLAYER))
    status = fields.String(validate=validate.OneOf(STATUSES))


class SettlementQuery(Query):
    """Whether with the sheets that it is made of."""

    with_ = fields.String(data_key="with", validate=validate.OneOf(("sheets",)))


class SheetQuery(PaperQuery):
    """Whose sheet, and as what."""

    player = fields.String(validate=validate.Length(1, MAX_PLAYER))


@blueprint.post("")
@once
@takes(Query)
def open_session(query: Mapping[str, Any]) -> Response:
    """Open the session of the body."""
    need("submit")
    opened = load_session(read_json(), known_variants())
    try:
        made = sessions().open(tenant(), actor(), opened.session_id, opened.about)
    except SessionExists as error:
        detail = (
            f"The session {error.session_id} is there with other players, variant, rate, name or time zone."
        )
        raise Problem("session-exists", detail) from error
    response = told(look(made.session_id), 201 if made.created else 200)
    response.headers["Location"] = f"/v1/sessions/{made.session_id}"
    return response


@blueprint.get("")
@takes(SessionsQuery)
def listed(query: Mapping[str, Any]) -> Response:
    """A page of the sessions."""
    need("read")
    filters = dict(query)
    cursor, limit = filters.pop("cursor", None), filters.pop("limit")
    try:
        page = sessions().page(tenant(), cursor, limit, **filters)
    except InvalidCursor:
        raise invalid([parameter_fault("cursor", "No page of this list gave this cursor.")]) from None
    return page_of("sessions", page.items, page.next, "cursor")


@blueprint.get("/<name:session_id>")
@takes(Query)
def read(query: Mapping[str, Any], session_id: str) -> Response:
    """The session with its hands, totals, series and standings."""
    need("read")
    looked = look(session_id)
    response = told(looked)
    if request.if_none_match.contains_weak(looked.tag):
        response = Response(status=304)
        response.set_etag(looked.tag)
    return response


@blueprint.patch("/<name:session_id>")
@once
@takes(Query)
def change(query: Mapping[str, Any], session_id: str) -> Response:
    """Change name, players, rate or time zone, if the session has the version of If-Match."""
    need("submit")
    body = read_json()
    for _ in range(TRIES):
        looked = look(session_id)
        session = looked.session
        if session.opened_by != actor() and not has_scope("direct"):
            raise Problem(
                "forbidden", "To change a session that another key opened needs the scope 'direct'."
            )
        about = load_change(body, session.about, known_variants())
        require_version(looked, expected_tags("session"))
        require_open(session)
        _keep_players(looked, about.players)
        if about == session.about:
            return told(looked)
        try:
            sessions().change(tenant(), actor(), session, about)
        except VersionMismatch:
            continue
        return told(look(session_id))
    raise other_version("session", look(session_id).session.version)


@blueprint.get("/<name:session_id>/settlement")
@takes(SettlementQuery)
def settlement(query: Mapping[str, Any], session_id: str) -> Response:
    """Who owes whom; of a closed session, what it was closed with."""
    need("read")
    looked = look(session_id)
    body = settlement_of(*looked)
    if "with_" in query:
        body["sheets"] = _sheets(looked)
    return answer(body)


@blueprint.get("/<name:session_id>/standings")
@takes(PaperQuery)
def standings(query: Mapping[str, Any], session_id: str) -> Response:
    """The standings alone, as JSON, as a file or on paper."""
    need("read")
    looked = look(session_id)
    view = standings_view(with_hands(looked.session, looked.view))
    return _written(looked, view, standings_rows(view), of_sessions.standings_paper, query, "-standings")


@blueprint.get("/<name:session_id>/sheet")
@takes(SheetQuery)
def sheet(query: Mapping[str, Any], session_id: str) -> Response:
    """The score sheet of the table or of a player, as JSON, as a file or on paper."""
    need("read")
    looked = look(session_id)
    session, sheets = with_hands(looked.session, looked.view), _sheets(looked)
    player = query.get("player")
    if player is None:
        view = table_sheet(session, sheets)
        return _written(looked, view, table_rows(view), of_sessions.table_paper, query)
    if player not in session["players"]:
        raise invalid([parameter_fault("player", f"{player!r} is no player of this session.")])
    view = player_sheet(session, sheets, player)
    return _written(looked, view, player_rows(view), of_sessions.player_paper, query)


@blueprint.get("/<name:session_id>/events")
@takes(LogQuery)
def events(query: Mapping[str, Any], session_id: str) -> Response:
    """The log of the session, whole unless a limit is given."""
    need("read")
    entries = stored_session(session_id).log[query["after"] :]
    page = entries[: query.get("limit")]
    following = str(page[-1].seq) if len(entries) > len(page) else None
    return page_of("events", [entry._asdict() for entry in page], following, "after")


@blueprint.get("/<name:session_id>/corrections")
@takes(LogQuery)
def corrections(query: Mapping[str, Any], session_id: str) -> Response:
    """What was corrected in the session's hands, and what it changed."""
    need("read")
    found = sessions().corrections(tenant(), stored_session(session_id).session_id)
    after = query["after"]
    page = found[after:][: query.get("limit")]
    following = str(after + len(page)) if after + len(page) < len(found) else None
    return page_of("corrections", page, following, "after")


def _keep_players(looked: Looked, players: tuple[str, ...]) -> None:
    """Refuse to take a player away who is in one of the hands. Raises Problem."""
    for line in looked.view.lines:
        for player in looked.session.about.players:
            if player not in players and player in line.tally.opening.players:
                detail = (
                    f"{player!r} plays in the hand {line.tally.hand_id}, and stays a player of the session."
                )
                raise invalid([{"pointer": "/players", "code": "invalid-record", "detail": detail}])


def _sheets(looked: Looked) -> list[dict[str, Any]]:
    """The score sheets that the figures are made of."""
    if looked.session.figures is not None:
        return looked.session.figures.sheets
    return [line.tally.sheet for line in looked.view.lines if line.tally.sheet is not None]


def _written(
    looked: Looked,
    view: Mapping[str, Any],
    rows: Iterable[Sequence[Cell]],
    paper: Callable[[Mapping[str, Any], About], Paper],
    query: Mapping[str, Any],
    what: str = "",
) -> Response:
    """What is told of a session, in the form that was asked for."""
    about = looked.session.about

    def about_in(language: str) -> About:
        names = wired().players.names(tenant(), about.players)
        variant = known_variants()[about.variant]
        rules = rules_called(language, variant.id, variant.name)
        return About(language, rules, names, about.time_zone, not variant.game.by_difference)

    def tables(how: str) -> list[Table]:
        header, *others = rows
        return [Table("Sheet", [str(name) for name in header], [list(row) for row in others])]

    name = f"{looked.session.session_id}{what}"
    opened = looked.session.opened_at
    sheet = Sheet(view, lambda language: paper(view, about_in(language)), tables, name, opened)
    return written(sheet, query)
