"""Hands that go on: events added to a stored hand, and a hand told anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from flask import Blueprint, Response
from marshmallow import ValidationError, fields

from records.changes import Change, known_events, restated
from records.faults import INVALID_RECORD, Fault, InvalidRecord
from records.hands import StoredHand, VersionMismatch
from records.judging import opening_of_record
from records.limits import MAX_REASON
from records.names import text_fault
from records.reading import Restated
from records.record import HandRecord, LoadedEvents
from records.schemas import load_events, load_record
from service.answers import answer
from service.auth import actor, need, tenant, viewer
from service.bodies import read_json
from service.hands import stored_hand
from service.idempotency import once
from service.permissions import check_append, check_speaker
from service.problems import broken_rule, faults_of, invalid
from service.queries import Query, takes
from service.small_bodies import SmallBody, shape_faults
from service.tenancy import hands, known_variants
from service.versions import expected_tags, other_version
from trull import RulesError
from trull.errors import IllegalPlay

TRIES: Final = 3
"""How often a hand is looked at anew when another change came between reading it and adding to it."""

blueprint = Blueprint("live", __name__, url_prefix="/v1/hands")


class Restatement(SmallBody):
    """The body of a restatement. The record is read by its own schema, from `records`."""

    record = fields.Raw(required=True)
    reason = fields.String(required=True)


@blueprint.post("/<hand_id>/events")
@once
@takes(Query)
def append(query: Mapping[str, Any], hand_id: str) -> Response:
    """Add the events of the body, all or none, if the hand has the version of If-Match."""
    need("submit")
    body = read_json()
    sent = _events_of(body)
    check_speaker(sent)
    for _ in range(TRIES):
        hand = stored_hand(hand_id)
        known = known_events(hand, sent)
        if known.events and known.events == len(sent):
            return _answer(known.version, hands().status_at(hand, known.version))
        _require_version(hand)
        loaded = load_events(body, hand.record.players)
        new = LoadedEvents(loaded.events[known.events :], loaded.sent[known.events :])
        check_append(hand, new.sent, known.events)
        change = _appended(hand, new, known.events)
        try:
            return _answer(hands().append(tenant(), actor(), hand, change), change.status)
        except VersionMismatch:
            continue  # perhaps by the very same events, sent twice
    raise other_version("hand", stored_hand(hand_id).version)


@blueprint.put("/<hand_id>")
@once
@takes(Query)
def restate(query: Mapping[str, Any], hand_id: str) -> Response:
    """Tell the whole hand anew, if it has the version of If-Match."""
    need("direct")
    body = read_json()
    for _ in range(TRIES):
        hand = stored_hand(hand_id)
        record, reason = _read_restatement(body, hand_id)
        before = _told_before(hand, record, reason)
        if before is not None:
            return _answer(before, hands().status_at(hand, before))
        _require_version(hand)
        try:
            change = restated(hand, record, reason)
        except RulesError as error:
            raise broken_rule(error, record.players, "/record") from None
        try:
            return _answer(hands().append(tenant(), actor(), hand, change), change.status)
        except VersionMismatch:
            continue
    raise other_version("hand", stored_hand(hand_id).version)


def _answer(version: int, status: str) -> Response:
    response = answer({"version": version, "status": status})
    response.set_etag(str(version))
    return response


def _events_of(body: object) -> list[Any]:
    """The events as they came, before their shape is looked at."""
    events = body.get("events") if isinstance(body, dict) else None
    return events if isinstance(events, list) else []


def _appended(hand: StoredHand, new: LoadedEvents, first: int) -> Change:
    """The change that the events make. Raises Problem where they break a rule."""
    try:
        return hands().appended(hand, new)
    except RulesError as error:
        seen_by = viewer()
        own = isinstance(error, IllegalPlay) and new.sent[error.index].get("player", "") == seen_by.player
        if not seen_by.all_cards and not own:
            error.detail = error.discreet
        error.index += first
        raise broken_rule(error, hand.record.players) from None


def _require_version(hand: StoredHand) -> None:
    """Refuse a change that was made for another version. Raises Problem."""
    if str(hand.version) not in expected_tags("hand"):
        raise other_version("hand", hand.version)


def _told_before(hand: StoredHand, record: HandRecord, reason: str) -> int | None:
    """The version that this very restatement made of the version it expects; None if it did not."""
    told = Restated(opening_of_record(record), record.events, record.sent, reason)
    for tag in expected_tags("hand"):
        seq = int(tag) + 1 if tag.isdecimal() and len(tag) < 10 else 0
        if 0 < seq <= hand.version and hand.log[seq - 1].event == told:
            return seq
    return None


def _read_restatement(body: Any, hand_id: str) -> tuple[HandRecord, str]:
    """The record and the reason of a restatement. Raises Problem with the faults of both."""
    faults: list[dict[str, object]] = []
    record: HandRecord | None = None
    reason = ""
    try:
        reason = Restatement().load(body)["reason"]
        faults += _reason_faults(reason)
    except ValidationError as error:
        faults += shape_faults(error.messages_dict)
    if isinstance(body, dict) and body.get("record") is not None:
        try:
            record = load_record(body["record"], known_variants())
            if record.hand_id not in (None, hand_id):
                detail = f"The hand is {hand_id}; a restatement cannot give it another id."
                raise InvalidRecord([Fault("/hand_id", INVALID_RECORD, detail)])
        except InvalidRecord as error:
            faults += faults_of(error, "/record")
    if faults or record is None:
        raise invalid(faults)
    record.hand_id = hand_id
    return record, reason


def _reason_faults(reason: str) -> list[dict[str, object]]:
    wrong = text_fault(reason, MAX_REASON, "A reason") if reason.strip() else "A restatement has a reason."
    return [{"pointer": "/reason", "code": INVALID_RECORD, "detail": wrong}] if wrong else []
