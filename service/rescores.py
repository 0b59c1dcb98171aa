"""Batches: stored hands under other rule sets, by the million."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flask import Blueprint, Response
from marshmallow import ValidationError, fields, validate, validates_schema

from records.faults import no_variant, shown
from records.hands import HandFilters
from records.limits import MAX_LABEL, MAX_PLAYER, MAX_SELECTED
from records.rescore_results import summary_of
from records.rescores import KEPT_SECONDS, NoRoom, RescoreState
from records.selections import Selection
from records.stored_hands import rfc3339
from service.answers import answer
from service.auth import need, tenant
from service.bodies import read_json
from service.hands import STATUSES
from service.idempotency import once
from service.problems import Problem, invalid
from service.queries import Moment, Query, takes
from service.rescore_lines import CSV, csv_lines, ndjson_lines
from service.score import MAX_COMPARED
from service.small_bodies import SmallBody, shape_fault, shape_faults
from service.tenancy import hands, known_variants
from service.uploads import NDJSON
from service.wiring import wired

blueprint = Blueprint("rescores", __name__, url_prefix="/v1/rescores")


class Yes(fields.Field[bool]):
    """True, and nothing else that might be meant so."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if value is not True:
            raise ValidationError("Only true says something.")
        return True


class Select(SmallBody):
    """Which hands: all of them, those of these ids, or those that pass filters."""

    error_messages = {"unknown": "Unknown: say hand_ids, all, or filters of the list."}  # noqa: RUF012 - Marshmallow's own

    all = Yes()
    hand_ids = fields.List(fields.String(), validate=validate.Length(1, MAX_SELECTED))
    session_id = fields.String(validate=validate.Regexp(r"^[A-Za-z0-9._~-]{1,128}$"))
    player = fields.String(validate=validate.Length(1, MAX_PLAYER))
    variant = fields.String()
    status = fields.String(validate=validate.OneOf(STATUSES))
    label = fields.String(validate=validate.Length(1, MAX_LABEL))
    played_from = Moment()
    played_to = Moment()

    @validates_schema
    def is_one(self, data: Mapping[str, Any], **_: Any) -> None:
        """All and ids stand alone, and something has to be said."""
        if not data:
            raise ValidationError("Say which hands: hand_ids, a filter of their list, or all: true.")
        if len(data) > 1 and not data.keys().isdisjoint(("all", "hand_ids")):
            raise ValidationError("hand_ids and all stand alone: no filter narrows them.")


class Request(SmallBody):
    """What to score, and under which rule sets."""

    select = fields.Nested(Select, required=True)
    variants = fields.List(fields.String(), required=True, validate=validate.Length(1, MAX_COMPARED))


class ResultsQuery(Query):
    """How results are written."""

    format = fields.String(load_default="ndjson", validate=validate.OneOf(("ndjson", "csv")))


@blueprint.post("")
@once
@takes(Query)
def start(query: Mapping[str, Any]) -> Response:
    """Begin a batch over the hands as they are now."""
    need("read")
    selection, variants = _read_request(read_json())
    service = wired()
    try:
        rescore_id = service.rescores.start(tenant(), selection, variants)
    except NoRoom as error:
        detail = (
            f"Results of {error.kept:,} bytes are kept or expected, and these may take {error.wanted:,} "
            "more: delete a batch, or wait until one is kept no longer."
        )
        raise Problem("rate-limited", detail, headers={"Retry-After": str(error.retry)}) from error
    hands().notify_rescore()
    return answer(_as_dict(_state(rescore_id)), 202, {"Location": f"/v1/rescores/{rescore_id}"})


@blueprint.get("/<rescore_id>")
@takes(Query)
def read(query: Mapping[str, Any], rescore_id: str) -> Response:
    """How far the batch is."""
    need("read")
    return answer(_as_dict(_state(rescore_id)))


@blueprint.delete("/<rescore_id>")
@takes(Query)
def cancel(query: Mapping[str, Any], rescore_id: str) -> Response:
    """End the batch, and throw its results away."""
    need("read")
    if not wired().rescores.cancel(tenant(), rescore_id):
        raise _unknown(rescore_id)
    return answer(_as_dict(_state(rescore_id)))


@blueprint.get("/<rescore_id>/results")
@takes(ResultsQuery)
def results(query: Mapping[str, Any], rescore_id: str) -> Response:
    """The results in the order of the store, as far as the batch is."""
    need("read")
    state = _with_results(rescore_id)
    chunks = wired().rescores.results(tenant(), state)
    if query["format"] == "csv":
        headers = {"Content-Disposition": f'attachment; filename="rescore-{rescore_id}.csv"'}
        lines = csv_lines(chunks, state.variants)
        return Response(lines, headers=headers, content_type=f"{CSV}; charset=utf-8; header=present")
    return Response(ndjson_lines(chunks, state.variants), content_type=NDJSON)


@blueprint.get("/<rescore_id>/summary")
@takes(Query)
def summary(query: Mapping[str, Any], rescore_id: str) -> Response:
    """What the results come to for each player, as far as the batch is."""
    need("read")
    state = _with_results(rescore_id)
    return answer({"summary": summary_of(state.variants, wired().rescores.sums(tenant(), state))})


# --- what is asked for ---------------------------------------------------------------------------


def _read_request(data: Any) -> tuple[Selection, list[str]]:
    """What to score, and under which rule sets. Raises Problem with all faults."""
    faults: list[dict[str, object]] = []
    made: Any
    try:
        made = Request().load(data)
    except ValidationError as error:
        faults += shape_faults(error.messages_dict)
        made = error.valid_data if isinstance(error.valid_data, dict) else {}
    names: list[str] = [name for name in made.get("variants", ()) if isinstance(name, str)]
    select: dict[str, Any] = made.get("select") or {}
    variants = known_variants()
    faults += [
        shape_fault(
            f"/variants/{place}", no_variant(name, variants) if name not in variants else "Named twice."
        )
        for place, name in enumerate(names)
        if name not in variants or name in names[:place]
    ]
    if "variant" in select and select["variant"] not in variants:
        faults.append(shape_fault("/select/variant", no_variant(select["variant"], variants)))
    if "hand_ids" in select:
        faults += _id_faults(select["hand_ids"])
    if faults:
        raise invalid(faults)
    if "hand_ids" in select:
        return Selection(hand_ids=tuple(select["hand_ids"])), names
    select.pop("all", None)
    return Selection(HandFilters(**select)), names


def _id_faults(hand_ids: Sequence[str]) -> list[dict[str, object]]:
    seen: set[str] = set()
    faults = []
    missing = set(wired().rescores.missing(tenant(), hand_ids))
    for place, hand_id in enumerate(hand_ids):
        if hand_id in seen or place in missing:
            detail = "Named twice." if hand_id in seen else f"No hand is called {shown(hand_id)}."
            faults.append(shape_fault(f"/select/hand_ids/{place}", detail))
        seen.add(hand_id)
    return faults


# --- what is answered ----------------------------------------------------------------------------


def _state(rescore_id: str) -> RescoreState:
    found = wired().rescores.state(tenant(), rescore_id)
    if found is None:
        raise _unknown(rescore_id)
    return found


def _with_results(rescore_id: str) -> RescoreState:
    state = _state(rescore_id)
    if state.status == "cancelled":
        raise Problem("unknown-rescore", f"The batch {rescore_id} was cancelled, and has no results.")
    return state


def _unknown(rescore_id: str) -> Problem:
    return Problem("unknown-rescore", f"No batch has the id {shown(rescore_id)}, or it is kept no longer.")


def _as_dict(state: RescoreState) -> dict[str, Any]:
    rate, left = _pace(state)
    ended = state.finished
    return {
        "rescore_id": state.rescore_id,
        "status": state.status,
        "select": state.select,
        "variants": state.variants,
        "total": state.total,
        "done": state.done,
        "failed": state.failed,
        "rate": rate,
        "seconds_left": left,
        "position": state.position,
        "stale": state.stale,
        "accepted_at": rfc3339(state.accepted),
        "finished_at": None if ended is None else rfc3339(ended),
        "expires_at": None if ended is None else rfc3339(ended + KEPT_SECONDS * 1000),
    }


def _pace(state: RescoreState) -> tuple[float | None, int | None]:
    """Sheets a second so far, and the seconds that are left at that rate."""
    if state.started is None or not state.done:
        return None, 0 if state.finished is not None else None
    seconds = max((state.finished or state.now) - state.started, 1) / 1000
    rate = state.done / seconds
    return round(rate, 1), 0 if state.finished is not None else round((state.total - state.done) / rate)
