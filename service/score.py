"""Scoring on the spot: a record in, its sheet out, nothing stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response
from marshmallow import ValidationError, fields, validate

from records.faults import InvalidRecord, pointer, shown
from records.limits import MAX_FAULTS
from records.record import HandRecord
from records.schemas import load_record
from service.answers import answer
from service.bodies import read_json
from service.problems import broken_rule, faults_of, invalid
from service.queries import Query, takes, variant_named
from service.small_bodies import SmallBody, shape_fault, shape_faults
from service.tenancy import known_variants
from trull import Hand, RulesError, Variant, replay, score
from trull.house import ImpossibleVariant, rulings_only
from trull.sheet import Note

MAX_COMPARED = 100
"""How many variants one comparison may name."""

blueprint = Blueprint("score", __name__, url_prefix="/v1")


class ScoreQuery(Query):
    """`variant`: the rule set to score under, if not the record's own."""

    variant = fields.String()


class Comparison(SmallBody):
    """The body of a comparison. The record is read by its own schema, from `records`."""

    record = fields.Raw(required=True)
    variants = fields.List(fields.String(), required=True, validate=validate.Length(1, MAX_COMPARED))


@blueprint.post("/score")
@takes(ScoreQuery)
def score_record(query: Mapping[str, Any]) -> Response:
    """The sheet of the record in the body, perhaps with other rulings for this once."""
    name = query.get("variant")
    target = variant_named(name) if name is not None else None
    body = read_json()
    if not isinstance(body, dict) or body.get("rulings") in (None, {}):
        record = load_record(_without_rulings(body), known_variants())
        return answer(sheet_of(record, replayed(record), target))
    record, asked = _read_question(body, target)
    hand = _replayed_with(record, asked) if target is None else replayed(record)
    sheet = score(hand, asked)
    sheet.draft.notes.append(Note("other-rulings", f"scored with rulings of the request: {_told(body)}"))
    return answer(sheet.as_dict(record.players, record.hand_id, len(record.events)))


@blueprint.post("/score:compare")
@takes(Query)
def compare(query: Mapping[str, Any]) -> Response:
    """The sheets of one record under several variants, in the order asked for."""
    record, targets = _read_comparison(read_json())
    hand = replayed(record, "/record")
    return answer({"sheets": [sheet_of(record, hand, target) for target in targets]})


def replayed(record: HandRecord, prefix: str = "") -> Hand:
    """The hand that a record tells. Raises Problem where it breaks a rule.

    ``prefix`` is the pointer of the record within the body.
    """
    try:
        return replay(record.variant, record.events)
    except RulesError as error:
        raise broken_rule(error, record.players, prefix) from None


def sheet_of(record: HandRecord, hand: Hand, target: Variant | None) -> dict[str, Any]:
    """The wire sheet of a replayed record, under its own variant or the target."""
    return score(hand, target).as_dict(record.players, record.hand_id, len(record.events))


def _without_rulings(body: Any) -> Any:
    """The record of a body: null is as good as nothing."""
    if isinstance(body, dict) and "rulings" in body:
        return {name: value for name, value in body.items() if name != "rulings"}
    return body


def _read_question(body: dict[str, Any], target: Variant | None) -> tuple[HandRecord, Variant]:
    """The record, and the target or its own variant with the rulings. Raises Problem with all faults."""
    faults: list[dict[str, object]] = []
    record = None
    try:
        record = load_record(_without_rulings(body), known_variants())
        target = target or record.variant
    except InvalidRecord as error:
        faults += faults_of(error)
        if target is None and isinstance(body.get("variant"), str):
            target = known_variants().get(body["variant"])
    if target is not None:
        try:
            target = rulings_only(target, body["rulings"])
        except ImpossibleVariant as error:
            faults += [shape_fault(pointer(path), detail) for path, detail in error.faults[:MAX_FAULTS]]
    if faults or record is None or target is None:
        raise invalid(faults)
    return record, target


def _replayed_with(record: HandRecord, asked: Variant) -> Hand:
    """The hand as it was played; where its own variant refuses that, under the rulings that are asked for."""
    try:
        return replay(record.variant, record.events)
    except RulesError:
        record.variant = asked
        return replayed(record)


def _told(body: dict[str, Any]) -> str:
    return ", ".join(f"{name} {shown(value)}" for name, value in body["rulings"].items())


def _read_comparison(data: Any) -> tuple[HandRecord, list[Variant]]:
    """The record and the variants of a comparison. Raises Problem with the faults of both."""
    faults: list[dict[str, object]] = []
    names: list[str] = []
    record: HandRecord | None = None
    variants = known_variants()
    try:
        names = Comparison().load(data)["variants"]
    except ValidationError as error:
        faults += shape_faults(error.messages_dict)
    faults += [
        shape_fault(f"/variants/{place}", f"No variant is called {name!r}; GET /v1/variants lists them.")
        for place, name in enumerate(names)
        if name not in variants
    ]
    if isinstance(data, dict) and data.get("record") is not None:
        try:
            record = load_record(data["record"], variants)
        except InvalidRecord as error:
            faults += faults_of(error, "/record")
    if faults or record is None:
        raise invalid(faults)
    return record, [variants[name] for name in names]
