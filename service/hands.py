"""Hands in the log: submitting them, reading them back, and their sheets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from flask import Blueprint, Response, request
from marshmallow import fields, validate

from records.hands import HandExists, HandFilters, InvalidCursor, StoredHand, Submission
from records.judging import Judged, judge_record, sheet_of
from records.limits import MAX_LABEL, MAX_PLAYER
from records.names import WRONG_ID
from records.record import HandRecord
from records.visibility import Viewer, exposure_of, hide
from service.answers import answer, page_of
from service.auth import actor, need, tenant, viewer
from service.bodies import read_record, wait_seconds
from service.idempotency import once
from service.permissions import check_record, check_told_again
from service.problems import Problem, broken_rule, invalid
from service.queries import (
    Flag,
    LogQuery,
    Moment,
    PageQuery,
    Query,
    parameter_fault,
    takes,
    variant_named,
)
from service.score import ScoreQuery
from service.states import state_of
from service.tenancy import hands
from service.wiring import wired
from trull import RulesError, Variant
from trull.secrecy import seen_from_outside

STATUSES: Final = ("scored", "annulled", "incomplete", "void", "failed", "irregular")
RETRY_SECONDS: Final = 1
"""When a sheet that is due is worth asking for again: workers take milliseconds."""
SHORT_WAIT: Final = 1
"""Seconds that a call waits for a sheet while many others do."""

blueprint = Blueprint("hands", __name__, url_prefix="/v1/hands")


class FiltersQuery(Query):
    """What hands are narrowed to."""

    session_id = fields.String(
        validate=validate.Regexp(
            r"^[A-Za-z0-9._~-]{1,128}$",
            error=WRONG_ID,
        )
    )
    player = fields.String(validate=validate.Length(1, MAX_PLAYER))
    variant = fields.String()
    status = fields.String(validate=validate.OneOf(STATUSES))
    label = fields.String(validate=validate.Length(1, MAX_LABEL))
    played_from = Moment()
    played_to = Moment()


class HandsQuery(FiltersQuery, PageQuery):
    """A page of the list."""


class SubmitQuery(Query):
    """What to do with a hand that breaks a rule."""

    on_illegal = fields.String(validate=validate.OneOf(("flag",)))


class ViewQuery(Query):
    """Whose eyes to look with."""

    as_ = fields.String(data_key="as", validate=validate.Length(1, MAX_PLAYER))


class EventsQuery(LogQuery, ViewQuery):
    """Which events, and whose eyes to look at them with."""


class SheetQuery(ScoreQuery):
    """Which sheet."""

    allow_stale = Flag(load_default=False)


@blueprint.post("")
@once
@takes(SubmitQuery)
def submit(query: Mapping[str, Any]) -> Response:
    """Store the hand of the body; wait for its sheet if asked to."""
    need("submit")
    record = read_record()
    judged = _judged(record, keep="on_illegal" in query)
    check_record(record.sent)
    status = judged.status
    service = wired()
    try:
        stored = hands().submit(tenant(), actor(), record, status, kept=judged.kept)
    except HandExists as error:
        _check_told_again(error.hand_id, record)
        raise _exists(error.hand_id) from error
    if not stored.created:
        status = _check_told_again(stored.hand_id, record).status  # it may have gone on since
    headers = {"Location": f"/v1/hands/{stored.hand_id}"}
    seconds = wait_seconds(service.settings.max_wait_seconds)
    if seconds and status != "incomplete":
        sheet = _awaited(stored, seconds)
        if sheet is not None:
            headers["Preference-Applied"] = f"wait={seconds}"
            return answer(sheet, 201 if stored.created else 200, headers)
    body = {"hand_id": stored.hand_id, "version": stored.version, "status": status}
    return answer(body, 202 if stored.created else 200, headers)


@blueprint.get("")
@takes(HandsQuery)
def listed(query: Mapping[str, Any]) -> Response:
    """A page of the hands that pass all filters."""
    need("read")
    filters = dict(query)
    cursor, limit = filters.pop("cursor", None), filters.pop("limit")
    if "variant" in query:
        variant_named(query["variant"])
    try:
        page = hands().page(tenant(), HandFilters(**filters), cursor, limit)
    except InvalidCursor:
        raise invalid([parameter_fault("cursor", "No page of this list gave this cursor.")]) from None
    return page_of("hands", page.items, page.next, "cursor")


@blueprint.get("/<hand_id>")
@takes(ViewQuery)
def read(query: Mapping[str, Any], hand_id: str) -> Response:
    """Where the hand stands. Its version is the entity tag."""
    need("read")
    seen_by = viewer(query.get("as_"))
    stored = stored_hand(hand_id)
    _check_player(stored, seen_by)
    response = answer(state_of(stored, hands().judged(stored), seen_by))
    response.set_etag(str(stored.version))
    response.make_conditional(request)
    return response


@blueprint.get("/<hand_id>/events")
@takes(EventsQuery)
def events(query: Mapping[str, Any], hand_id: str) -> Response:
    """The log of the hand, whole unless a limit is given."""
    need("read")
    seen_by = viewer(query.get("as_"))
    stored = stored_hand(hand_id)
    _check_player(stored, seen_by)
    entries = stored.entries[query["after"] :]
    page = hide(entries[: query.get("limit")], exposure_of(hands().judged(stored)), seen_by)
    items = [
        {"seq": entry.seq, "recorded_at": entry.recorded_at, "actor": entry.actor, "event": entry.event}
        for entry in page
    ]
    following = str(page[-1].seq) if len(entries) > len(page) else None
    return page_of("events", items, following, "after")


@blueprint.get("/<hand_id>/score")
@takes(SheetQuery)
def sheet(query: Mapping[str, Any], hand_id: str) -> Response:
    """The sheet that a worker made of the latest version; another variant's is worked out here."""
    need("read")
    if "variant" in query:
        target = variant_named(query["variant"])
        stored = stored_hand(hand_id)
        if target.id != stored.record.variant.id:
            return answer(_sheet_now(stored, target))
    found = hands().sheet(tenant(), hand_id)
    if found is None:
        raise _unknown(hand_id)
    if found.sheet is not None and (not found.due or query["allow_stale"]):
        return answer(found.sheet)
    stored = stored_hand(hand_id)
    if not found.due:  # nothing is due because the hand is not whole
        return answer(_sheet_now(stored, None))
    body = {"hand_id": hand_id, "version": found.current_version, "status": stored.status}
    return answer(body, 202, {"Retry-After": str(RETRY_SECONDS)})


def _check_told_again(hand_id: str, record: HandRecord) -> StoredHand:
    """The stored hand whose id a record has. Raises Problem where the caller may not compare them."""
    stored = stored_hand(hand_id)
    check_told_again(stored, hands().judged(stored).is_live, record.sent)
    return stored


def _judged(record: HandRecord, *, keep: bool) -> Judged:
    """What the rules say of a record. Raises Problem where it breaks one and is not to be kept so."""
    try:
        return judge_record(record, keep=keep)
    except RulesError as error:
        raise broken_rule(error, record.players) from None


def _sheet_now(stored: StoredHand, target: Variant | None) -> dict[str, Any]:
    """The sheet of a stored hand, made here. Of a live one it gives no card away."""
    judged = hands().judged(stored)
    if judged.is_live and judged.broken is None:
        # Under another rule set the deal itself might not stand, which tells something of the hands.
        judged = judged._replace(hand=seen_from_outside(judged.hand))
    made = sheet_of(judged, target)
    return made.as_dict(stored.record.players, stored.record.hand_id, stored.version)


def _check_player(stored: StoredHand, seen_by: Viewer) -> None:
    """Refuse to look with the eyes of somebody who does not play. Raises Problem."""
    if "as" in request.args and seen_by.player not in stored.record.players:
        raise invalid([parameter_fault("as", f"{seen_by.player!r} is no player of this hand.")])


def _awaited(stored: Submission, seconds: int) -> dict[str, Any] | None:
    """The sheet of a submitted hand, if a worker makes it in time.

    While many wait already, as they do when the workers are gone, it is a short wait: not all threads
    of the process may hang on the workers.
    """
    service = wired()
    is_long = service.long_waits.acquire(blocking=False)
    try:
        time = seconds if is_long else min(seconds, SHORT_WAIT)
        found = hands().wait_for_sheet(tenant(), stored.hand_id, stored.version, time)
    finally:
        if is_long:
            service.long_waits.release()
    return None if found is None else found.sheet


def stored_hand(hand_id: str) -> StoredHand:
    """The hand of a path. Raises Problem (unknown-hand)."""
    found = hands().get(tenant(), hand_id)
    if found is None:
        raise _unknown(hand_id)
    return found


def _unknown(hand_id: str) -> Problem:
    return Problem("unknown-hand", f"No hand has the id {hand_id!r}.")


def _exists(hand_id: str) -> Problem:
    detail = f"The hand {hand_id} is there with other events, players, variant or place."
    return Problem("hand-exists", detail)
