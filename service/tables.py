"""At the table: who holds its link enters a hand's result, and the other side confirms it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Final

import uuid_utils
from flask import Blueprint, Response, request

from records.proposals import CONFIRMED, OBJECTED, OPEN, TableState
from records.stored_hands import rfc3339
from records.table_hands import annulments, load_hand, load_voice, place_fault
from service.answers import answer
from service.auth import actor
from service.bodies import read_json
from service.pages import page_file, secret_page
from service.problems import Problem, invalid
from service.queries import Query, takes
from service.table_looks import (
    changed,
    expected_versions,
    is_told_again,
    open_proposal,
    place_of_call,
    require_fitting,
    require_open,
    require_version,
    scored,
    settled,
    table_now,
    told,
)
from service.tenancy import known_variants

ASSETS: Final = {
    "table.js": "text/javascript; charset=utf-8",
    "table-form.js": "text/javascript; charset=utf-8",
    "table-words.js": "text/javascript; charset=utf-8",
    "table.css": "text/css; charset=utf-8",
}
"""The files that the page is made of, besides those of boards."""

blueprint = Blueprint("tables", __name__)


@blueprint.get("/v1/tables/<token>")
@takes(Query)
def read(query: Mapping[str, Any], token: str) -> Response:
    """The table as it is, with the proposal that waits for the other side."""
    place = place_of_call()
    state = settled(place)  # first: a hand that is appended by it is to be seen
    response = told(place, table_now(place, shared=True), state)
    response.make_conditional(request)
    return response


@blueprint.get("/v1/tables/<token>/form")
@takes(Query)
def form(query: Mapping[str, Any], token: str) -> Response:
    """What a result may hold under the variant that is played here."""
    variant = table_now(place_of_call(), shared=True).variant
    contracts = [contract.as_dict() for contract in variant.game.result_form(variant)]
    body = {
        "variant": variant.id,
        "name": variant.name,
        "players": variant.players,
        "contracts": contracts,
        "annulments": annulments(variant),
    }
    response = answer(body, headers={"Cache-Control": "private, no-cache"})
    response.add_etag()
    response.make_conditional(request)
    return response


@blueprint.post("/v1/tables/<token>/score")
@takes(Query)
def preview(query: Mapping[str, Any], token: str) -> Response:
    """The sheet of a hand that is being entered. Nothing is stored."""
    now = table_now(place_of_call(), shared=True)
    return answer(scored(load_hand(read_json(), now, known_variants(), signed=False).record))


@blueprint.put("/v1/tables/<token>/proposal")
@takes(Query)
def propose(query: Mapping[str, Any], token: str) -> Response:
    """Put a hand before the other side, in place of a proposal that is there."""
    place = place_of_call()
    state = settled(place)
    now = table_now(place)
    hand = load_hand(read_json(), now, known_variants(), signed=True)
    scored(hand.record)
    tags = expected_versions()
    if is_told_again(state, tags, hand):
        return told(place, now, state)
    require_open(place, now)
    require_version(state, tags)
    number = now.number if hand.number is None else hand.number
    fault = place_fault(now, number, hand.event, hand.record.players)
    if fault is not None:
        raise invalid([fault._asdict()])
    before = state.proposal
    proposal = {
        "hand_id": str(uuid_utils.uuid7()),
        "status": OPEN,
        "by": hand.by,
        "at": _moment(),
        "variant": now.variant.id,
        "players": list(hand.record.players),
        "table": now.table,
        "round": now.round,
        "number": number,
        "event": hand.event,
        "objection": None,
        "replaces": None if before is None else {"by": before["by"], "at": before["at"]},
    }
    return told(place, now, changed(place, state, proposal, state.last))


@blueprint.post("/v1/tables/<token>/proposal:confirm")
@takes(Query)
def confirm(query: Mapping[str, Any], token: str) -> Response:
    """Have the proposed hand appended to the log, once."""
    place = place_of_call()
    state = settled(place)
    now = table_now(place)
    voice = load_voice(read_json(), objects=False)
    tags = expected_versions()
    if _is_confirmed(state, tags):
        return told(place, now, state)  # by this phone or by another one; told again it is no other hand
    try:
        proposal = open_proposal(place, now, state, tags, voice.by)
        require_fitting(now, proposal)
        said = {"by": voice.by, "at": _moment(), "actor": actor(), "of": state.version}
        changed(place, state, {**proposal, "status": CONFIRMED, "confirmed": said}, state.last)
    except Problem:
        # What is in the way may be this very hand, which another phone has confirmed meanwhile.
        if not _is_confirmed(settled(place), tags):
            raise
    state = settled(place)
    return told(place, table_now(place), state)


@blueprint.post("/v1/tables/<token>/proposal:object")
@takes(Query)
def object_(query: Mapping[str, Any], token: str) -> Response:
    """Give the proposed hand back with a word."""
    place = place_of_call()
    state = settled(place)
    now = table_now(place)
    voice = load_voice(read_json(), objects=True)
    tags = expected_versions()
    proposal = open_proposal(place, now, state, tags, voice.by)
    said = {"by": voice.by, "at": _moment(), "word": voice.word}
    objected = {**proposal, "status": OBJECTED, "objection": said}
    return told(place, now, changed(place, state, objected, state.last))


@blueprint.get("/tables/<token>")
def page(token: str) -> Response:
    """The page; what it shows it asks for by itself."""
    return secret_page("table.html")


@blueprint.get("/tables/assets/<asset>")
def asset(asset: str) -> Response:
    """The files that the page is made of."""
    return page_file(asset, ASSETS)


def _is_confirmed(state: TableState, tags: list[str]) -> bool:
    """Whether the proposal that was open at one of these versions has been confirmed."""
    return state.last is not None and str(state.last["of"]) in tags


def _moment() -> str:
    return rfc3339(time.time_ns() // 1_000_000)
