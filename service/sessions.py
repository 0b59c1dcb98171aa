"""Sessions: a table's evening, what its hands come to, and who owes whom."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from flask import Blueprint, Response, request
from marshmallow import RAISE, Schema, ValidationError, fields, validate

from records.checks import without_nulls
from records.limits import MAX_PLAYER, MAX_REASON
from records.log import InvalidCursor, VersionMismatch
from records.names import text_fault
from records.session_log import Session
from records.session_schemas import load_change, load_session
from records.session_view import SessionView
from records.sessions import SessionExists, archived_hands, digest_of, settlement_of, with_hands
from service.answers import answer, page_of
from service.auth import actor, has_scope, need
from service.bodies import read_body, read_json
from service.idempotency import once
from service.problems import Problem, invalid
from service.queries import PageQuery, Query, WholeNumber, parameter_fault, takes
from service.score import shape_faults
from service.versions import expected_tags, offered_tags, other_version
from service.wiring import TENANT, known_variants, wired

TRIES: Final = 3
"""How often a session is looked at anew when another change came between reading and adding to it."""
CLOSING_WAIT: Final = 1.0
"""Seconds that closing waits for sheets which are due: workers take milliseconds."""
_PAUSE: Final = 0.02
RETRY_SECONDS: Final = 1

STATUSES: Final = ("open", "closed")

blueprint = Blueprint("sessions", __name__, url_prefix="/v1/sessions")


class SessionsQuery(PageQuery):
    """A page of the list, and what it is narrowed to."""

    player = fields.String(validate=validate.Length(1, MAX_PLAYER))
    status = fields.String(validate=validate.OneOf(STATUSES))


class LogQuery(Query):
    """Where to begin, and how many: all of them unless told."""

    after = WholeNumber(load_default=0, validate=validate.Range(0, 999_999_999))
    limit = WholeNumber(validate=validate.Range(1, 1000))


class SettlementQuery(Query):
    """Whether with the sheets that it is made of."""

    with_ = fields.String(data_key="with", validate=validate.OneOf(("sheets",)))


def _reason_field() -> fields.String:
    def check(text: str) -> None:
        wrong = text_fault(text, MAX_REASON, "A reason")
        if wrong is not None:
            raise ValidationError(wrong)

    return fields.String(validate=check)


class DecisionSchema(Schema):
    """The body with which a session is closed or opened again; it may be left out."""

    class Meta:
        unknown = RAISE

    reason = _reason_field()


class ChoiceSchema(Schema):
    """The body with which one of several hands at a place is chosen."""

    class Meta:
        unknown = RAISE

    hand_id = fields.String(required=True)


class Looked(NamedTuple):
    """A session with what its hands come to; ``position`` is where the feed was before they were read."""

    session: Session
    view: SessionView
    position: str

    @property
    def tag(self) -> str:
        """The entity tag: the session's version, and a digest that changes with any figure."""
        return f"{self.session.version}-{digest_of(self.view.as_dict())}"


@blueprint.post("")
@once
@takes(Query)
def open_session(query: Mapping[str, Any]) -> Response:
    """Open the session of the body."""
    need("submit")
    opened = load_session(read_json(), known_variants())
    try:
        made = wired().sessions.open(TENANT, actor(), opened.session_id, opened.about)
    except SessionExists as error:
        detail = (
            f"The session {error.session_id} is there with other players, variant, rate, name or time zone."
        )
        raise Problem("session-exists", detail) from error
    response = _answer(_look(made.session_id), 201 if made.created else 200)
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
        page = wired().sessions.page(TENANT, cursor, limit, **filters)
    except InvalidCursor:
        raise invalid([parameter_fault("cursor", "No page of this list gave this cursor.")]) from None
    return page_of("sessions", page.items, page.next, "cursor")


@blueprint.get("/<name:session_id>")
@takes(Query)
def read(query: Mapping[str, Any], session_id: str) -> Response:
    """The session with its hands, totals, series and standings."""
    need("read")
    looked = _look(session_id)
    response = _answer(looked)
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
        looked = _look(session_id)
        session = looked.session
        if session.opened_by != actor() and not has_scope("direct"):
            raise Problem(
                "forbidden", "To change a session that another key opened needs the scope 'direct'."
            )
        about = load_change(body, session.about, known_variants())
        _require_version(looked, expected_tags("session"))
        _require_open(session)
        _keep_players(looked, about.players)
        if about == session.about:
            return _answer(looked)
        try:
            wired().sessions.change(TENANT, actor(), session, about)
        except VersionMismatch:
            continue
        return _answer(_look(session_id))
    raise other_version("session", _look(session_id).session.version)


@blueprint.post("/<name:session_id>:close")
@once
@takes(Query)
def close(query: Mapping[str, Any], session_id: str) -> Response:
    """Close the session, and keep what it comes to."""
    need("direct")
    reason = _decision()
    for _ in range(TRIES):
        looked = _settled(session_id)
        if looked.session.figures is not None:
            return _answer(looked)
        _require_version(looked, offered_tags(), figures=True)
        try:
            wired().sessions.close(TENANT, actor(), looked.session, looked.view, looked.position, reason)
        except VersionMismatch:
            continue
        return _answer(_look(session_id))
    raise other_version("session", _look(session_id).session.version)


@blueprint.post("/<name:session_id>:reopen")
@once
@takes(Query)
def reopen(query: Mapping[str, Any], session_id: str) -> Response:
    """Open a closed session again."""
    need("direct")
    reason = _decision()
    for _ in range(TRIES):
        looked = _look(session_id)
        if looked.session.figures is None:
            return _answer(looked)
        _require_version(looked, offered_tags())
        _require_hands(looked)
        try:
            wired().sessions.reopen(TENANT, actor(), looked.session, reason)
        except VersionMismatch:
            continue
        return _answer(_look(session_id))
    raise other_version("session", _look(session_id).session.version)


@blueprint.post("/<name:session_id>:choose")
@once
@takes(Query)
def choose(query: Mapping[str, Any], session_id: str) -> Response:
    """Choose which of several hands at a place counts."""
    need("direct")
    hand_id = _load(ChoiceSchema(), read_json())["hand_id"]
    for _ in range(TRIES):
        looked = _look(session_id)
        _require_version(looked, offered_tags())
        _require_open(looked.session)
        rivals = next((one for one in looked.view.rivals if hand_id in one.hand_ids), None)
        if rivals is None:
            detail = f"{hand_id} is no hand of this session at a place that another one claims."
            raise invalid([{"pointer": "/hand_id", "code": "invalid-record", "detail": detail}])
        if rivals.counted == hand_id and not rivals.disputed:
            return _answer(looked)
        over = tuple(other for other in rivals.hand_ids if other != hand_id)
        try:
            wired().sessions.choose(TENANT, actor(), looked.session, hand_id, over)
        except VersionMismatch:
            continue
        return _answer(_look(session_id))
    raise other_version("session", _look(session_id).session.version)


@blueprint.get("/<name:session_id>/settlement")
@takes(SettlementQuery)
def settlement(query: Mapping[str, Any], session_id: str) -> Response:
    """Who owes whom; of a closed session, what it was closed with."""
    need("read")
    session, view, position = _look(session_id)
    body = settlement_of(session, view, position)
    if "with_" in query:
        sheets = [line.tally.sheet for line in view.lines if line.tally.sheet is not None]
        body["sheets"] = sheets if session.figures is None else session.figures.sheets
    return answer(body)


@blueprint.get("/<name:session_id>/events")
@takes(LogQuery)
def events(query: Mapping[str, Any], session_id: str) -> Response:
    """The log of the session, whole unless a limit is given."""
    need("read")
    entries = stored_session(session_id).log[query["after"] :]
    page = entries[: query.get("limit")]
    following = str(page[-1].seq) if len(entries) > len(page) else None
    return page_of("events", [entry._asdict() for entry in page], following, "after")


def stored_session(session_id: str) -> Session:
    """The session of a path. Raises Problem (unknown-session)."""
    found = wired().sessions.get(TENANT, session_id)
    if found is None:
        raise Problem("unknown-session", f"No session has the id {session_id!r}.")
    return found


def _look(session_id: str) -> Looked:
    """The session of a path with its hands. Raises Problem (unknown-session)."""
    sessions = wired().sessions
    position = sessions.position(TENANT)
    session = stored_session(session_id)
    return Looked(session, sessions.view(TENANT, session), position)


def _answer(looked: Looked, status: int = 200) -> Response:
    response = answer(with_hands(looked.session, looked.view), status)
    response.set_etag(looked.tag)
    return response


def _settled(session_id: str) -> Looked:
    """The session with no sheet due and no place disputed. Raises Problem (session-unsettled)."""
    until = time.monotonic() + CLOSING_WAIT
    while True:
        looked = _look(session_id)
        hand_ids = [line.tally.hand_id for line in looked.view.lines if line.why == "due"]
        if not hand_ids or looked.session.figures is not None or time.monotonic() > until:
            break
        time.sleep(_PAUSE)
    disputed = [rivals for rivals in looked.view.rivals if rivals.disputed]
    if looked.session.figures is None and (hand_ids or disputed):
        details = [
            *(f"The sheet of {hand_id} is still due." for hand_id in hand_ids),
            *(f"One place is claimed by {', '.join(rivals.hand_ids)}: choose." for rivals in disputed),
        ]
        headers = {"Retry-After": str(RETRY_SECONDS)} if hand_ids and not disputed else {}
        raise Problem("session-unsettled", " ".join(details[:10]), headers=headers)
    return looked


def _require_version(looked: Looked, tags: list[str] | None, *, figures: bool = False) -> None:
    """Refuse a change that was made for another version than those of the tags. Raises Problem.

    A tag is the version alone, or one that an answer has given, which also stands for the figures: with
    ``figures`` these have to be the same.
    """
    version = str(looked.session.version)
    for tag in [version] if tags is None else tags:
        if tag in (version, looked.tag) or (not figures and tag.partition("-")[0] == version):
            return
    raise other_version("session", looked.session.version)


def _require_open(session: Session) -> None:
    if session.figures is not None:
        raise Problem(
            "session-closed", "The session is closed; it has to be opened again before it is changed."
        )


def _require_hands(looked: Looked) -> None:
    """Refuse to open a session again whose hands are in an archive: it would come to less. Raises Problem."""
    gone = archived_hands(looked.session, looked.view)
    if gone:
        names = ", ".join(gone[:10]) + ("" if len(gone) <= 10 else f" and {len(gone) - 10} more")
        detail = f"Hands of this session are in an archive: {names}. Restore them before it is opened again."
        raise Problem("session-closed", detail)


def _keep_players(looked: Looked, players: tuple[str, ...]) -> None:
    """Refuse to take a player away who is in one of the hands. Raises Problem."""
    for line in looked.view.lines:
        for player in looked.session.about.players:
            if player not in players and player in line.tally.opening.players:
                detail = (
                    f"{player!r} plays in the hand {line.tally.hand_id}, and stays a player of the session."
                )
                raise invalid([{"pointer": "/players", "code": "invalid-record", "detail": detail}])


def _decision() -> str | None:
    """The reason of a body that may be left out."""
    reason: str | None = None
    if read_body():
        reason = _load(DecisionSchema(), without_nulls(read_json(), 1)).get("reason")
    return reason


def _load(schema: Schema, body: object) -> dict[str, Any]:
    """What a small body holds. Raises Problem."""
    try:
        made: dict[str, Any] = schema.load(body)  # type: ignore[arg-type]  # what is no object is refused
    except ValidationError as error:
        raise invalid(shape_faults(error.messages_dict)) from None
    return made
