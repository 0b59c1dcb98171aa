"""What a director decides about a session: closing it, opening it again, choosing among hands."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from flask import Blueprint, Response
from marshmallow import ValidationError, fields

from records.limits import MAX_REASON
from records.log import VersionMismatch
from records.names import text_fault
from records.sessions import archived_hands
from service.auth import actor, need, tenant
from service.bodies import read_body, read_json
from service.idempotency import once
from service.problems import Problem, invalid
from service.queries import Query, takes
from service.session_looks import Looked, look, require_open, require_version, told
from service.small_bodies import SmallBody, read_as
from service.tenancy import sessions
from service.versions import offered_tags, other_version

TRIES: Final = 3
"""How often a session is looked at anew when another change came between reading and adding to it."""
CLOSING_WAIT: Final = 1.0
"""Seconds that closing waits for sheets which are due: workers take milliseconds."""
RETRY_SECONDS: Final = 1
_PAUSE: Final = 0.02

blueprint = Blueprint("session_decisions", __name__, url_prefix="/v1/sessions")


def _reason_field() -> fields.String:
    def check(text: str) -> None:
        wrong = text_fault(text, MAX_REASON, "A reason")
        if wrong is not None:
            raise ValidationError(wrong)

    return fields.String(validate=check)


class DecisionSchema(SmallBody):
    """The body with which a session is closed or opened again; it may be left out."""

    reason = _reason_field()


class ChoiceSchema(SmallBody):
    """The body with which one of several hands at a place is chosen."""

    hand_id = fields.String(required=True)


@blueprint.post("/<name:session_id>:close")
@once
@takes(Query)
def close(query: Mapping[str, Any], session_id: str) -> Response:
    """Close the session, and keep what it comes to."""
    need("direct")
    reason = _decision()

    def attempt() -> Looked | None:
        looked = _settled(session_id)
        if looked.session.figures is not None:
            return looked
        require_version(looked, offered_tags("session"), figures=True)
        sessions().close(tenant(), actor(), looked.session, looked.view, looked.position, reason)
        return None

    return _decided(session_id, attempt)


@blueprint.post("/<name:session_id>:reopen")
@once
@takes(Query)
def reopen(query: Mapping[str, Any], session_id: str) -> Response:
    """Open a closed session again."""
    need("direct")
    reason = _decision()

    def attempt() -> Looked | None:
        looked = look(session_id)
        if looked.session.figures is None:
            return looked
        require_version(looked, offered_tags("session"))
        _require_hands(looked)
        sessions().reopen(tenant(), actor(), looked.session, reason)
        return None

    return _decided(session_id, attempt)


@blueprint.post("/<name:session_id>:choose")
@once
@takes(Query)
def choose(query: Mapping[str, Any], session_id: str) -> Response:
    """Choose which of several hands at a place counts."""
    need("direct")
    hand_id = read_as(ChoiceSchema(), read_json())["hand_id"]

    def attempt() -> Looked | None:
        looked = look(session_id)
        require_version(looked, offered_tags("session"))
        require_open(looked.session)
        rivals = next((one for one in looked.view.rivals if hand_id in one.hand_ids), None)
        if rivals is None:
            detail = f"{hand_id} is no hand of this session at a place that another one claims."
            raise invalid([{"pointer": "/hand_id", "code": "invalid-record", "detail": detail}])
        if rivals.counted == hand_id and not rivals.disputed:
            return looked
        over = tuple(other for other in rivals.hand_ids if other != hand_id)
        sessions().choose(tenant(), actor(), looked.session, hand_id, over)
        return None

    return _decided(session_id, attempt)


def _decided(session_id: str, attempt: Callable[[], Looked | None]) -> Response:
    """The session after an attempt to which no other change came in between.

    An attempt gives the session where it stands as is wanted already. Raises Problem (version-mismatch).
    """
    for _ in range(TRIES):
        try:
            unchanged = attempt()
        except VersionMismatch:
            continue
        return told(unchanged or look(session_id))
    raise other_version("session", look(session_id).session.version)


def _settled(session_id: str) -> Looked:
    """The session with no sheet due and no place disputed. Raises Problem (session-unsettled)."""
    until = time.monotonic() + CLOSING_WAIT
    while True:
        looked = look(session_id)
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


def _require_hands(looked: Looked) -> None:
    """Refuse to open a session again whose hands are in an archive: it would come to less. Raises Problem."""
    gone = archived_hands(looked.session, looked.view)
    if gone:
        names = ", ".join(gone[:10]) + ("" if len(gone) <= 10 else f" and {len(gone) - 10} more")
        detail = f"Hands of this session are in an archive: {names}. Restore them before it is opened again."
        raise Problem("session-closed", detail)


def _decision() -> str | None:
    """The reason of a body that may be left out."""
    return read_as(DecisionSchema(), read_json()).get("reason") if read_body() else None
