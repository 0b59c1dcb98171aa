"""A table as a call sees it: found by its link, brought on from the version that was seen, told."""

from __future__ import annotations

from typing import Any, Final

import uuid_utils
from flask import Response, g

from records.hands import HandExists
from records.judging import judge_record, sheet_of
from records.log import VersionMismatch
from records.proposals import CONFIRMED, OPEN, Proposal, TableState
from records.record import HandRecord
from records.refusals import fault_of
from records.schemas import load_record
from records.session_log import Session
from records.session_view import SessionView
from records.sessions import digest_of
from records.table_hands import TableHand, at_the_table, others, place_fault, record_of
from records.table_links import TableLink, TablePlace
from records.table_now import TableNow, session_now, tournament_now
from records.tournament_hands import Facts
from records.tournament_log import Tournament
from service.answers import answer
from service.problems import Problem, invalid
from service.tenancy import hands, known_variants, sessions, tournaments
from service.versions import expected_tags, other_version
from service.wiring import wired
from trull import RulesError

LAST: Final = ("hand_id", "table", "round", "number", "by", "confirmed_by", "at")
"""What is told of the hand that was confirmed last."""


def expected_versions() -> list[str]:
    """The versions of If-Match. Raises Problem where there is none, or it is not readable."""
    return [tag.partition("-")[0] for tag in expected_tags("table")]


def settled(place: TablePlace) -> TableState:
    """What the table is at, once a hand that was confirmed is in the log."""
    proposals = wired().proposals
    state = proposals.get(place)
    while state.proposal is not None and state.proposal["status"] == CONFIRMED:
        proposal = state.proposal
        following = (
            (None, _last(proposal)) if _appended(place, proposal) else (_renamed(proposal), state.last)
        )
        try:
            state = proposals.put(place, state, *following)
        except VersionMismatch:
            state = proposals.get(place)
    return state


def _appended(place: TablePlace, proposal: Proposal) -> bool:
    """Whether the confirmed hand is in the log: not if its id is another hand's."""
    record = record_of(proposal, place.id, known_variants())
    judged = judge_record(record, keep=True)
    actor = proposal["confirmed"]["actor"]
    try:
        hands().submit(place.tenant, actor, record, judged.status, kept=judged.kept)
    except HandExists:
        return False
    return True


def _renamed(proposal: Proposal) -> Proposal:
    """The proposal under a new id: everybody at the table sees the old one, and some may submit hands."""
    return {**proposal, "hand_id": str(uuid_utils.uuid7())}


def _last(proposal: Proposal) -> dict[str, Any]:
    """What the table keeps of a hand that is in the log."""
    said = proposal["confirmed"]
    return {
        **{name: proposal[name] for name in ("hand_id", "table", "round", "number", "by")},
        "confirmed_by": said["by"],
        "at": said["at"],
        "of": said["of"],
    }


def place_of_call() -> TablePlace:
    """The table whose link the call was made with. Raises Problem (unknown-table-link)."""
    link: TableLink | None = g.table_link
    if link is None:
        raise Problem("unknown-table-link", "This link leads to no table. Perhaps it was revoked.")
    return link.place


def table_now(place: TablePlace, *, shared: bool = False) -> TableNow:
    """The table as it is now. Raises Problem where its session or tournament is not there any more.

    ``shared``: as it was found for all who look at it, with which nothing is decided. Phones at fifty tables
    ask every two seconds, and a tournament with its hands is long to read.
    """
    read = _read_session if place.table is None else _read_tournament
    if shared:
        stored = sessions()
        thing = ("table", *place[:3])
        found = wired().looks.at(thing, lambda: stored.position(place.tenant), lambda: read(place))
    else:
        found = read(place)
    if found is None:
        raise Problem("unknown-table-link", f"The {place.kind} of this link is not there any more.")
    if place.table is None:
        session, view = found
        return session_now(session, view, known_variants()[session.about.variant])
    tournament, tables = found
    variant = known_variants()[tournament.settings["variant"]]
    return tournament_now(tournament, tables.get(str(place.table), ()), place.table, variant)


def _read_session(place: TablePlace) -> tuple[Session, SessionView] | None:
    session = sessions().get(place.tenant, place.id)
    return None if session is None else (session, sessions().view(place.tenant, session))


def _read_tournament(place: TablePlace) -> tuple[Tournament, dict[str | None, list[Facts]]] | None:
    """The tournament, and the hands of each table."""
    tournament = tournaments().get(place.tenant, place.id)
    if tournament is None:
        return None
    tables: dict[str | None, list[Facts]] = {}
    for one in tournaments().hands(place.tenant, place.id):
        tables.setdefault(one.played.table, []).append(one)
    return tournament, tables


def scored(record: HandRecord) -> dict[str, Any]:
    """The sheet of a hand. Raises Problem where its facts cannot be true together."""
    try:
        judged = judge_record(record)
    except RulesError as error:
        fault = fault_of(error, record.players)
        place = {"pointer": at_the_table(str(fault["pointer"]))}
        raise Problem(error.code, error.told(record.players), [{**fault, **place}]) from None
    return sheet_of(judged, None).as_dict(record.players, None, 1)


def open_proposal(place: TablePlace, now: TableNow, state: TableState, tags: list[str], by: str) -> Proposal:
    """The proposal that somebody of the other side speaks to. Raises Problem."""
    require_open(place, now)
    require_version(state, tags)
    proposal = state.proposal
    if proposal is None or proposal["status"] != OPEN:
        raise Problem("no-open-proposal", "No result waits for the other side; propose one first.")
    speakers = others(proposal["event"], proposal["players"], proposal["by"])
    if by not in speakers:
        detail = (
            f"{proposal['by']} has entered it, and one of the other side speaks to it: {', '.join(speakers)}."
        )
        raise invalid([{"pointer": "/by", "code": "invalid-record", "detail": detail}])
    return proposal


def require_open(place: TablePlace, now: TableNow) -> None:
    if not now.is_open:
        raise Problem(f"{place.kind}-closed", f"The {place.kind} is closed, and takes no more hands.")


def require_version(state: TableState, tags: list[str]) -> None:
    if str(state.version) not in tags:
        raise other_version("table", state.version)


def require_fitting(now: TableNow, proposal: Proposal) -> None:
    """Refuse a proposal that the table has gone past. Raises Problem (proposal-outdated)."""
    detail = None
    if proposal["round"] != now.round:
        detail = f"The table is in round {now.round} now."
    elif not set(proposal["players"]) <= set(now.players):
        detail = "Other players sit at this table now."
    elif fault := place_fault(now, proposal["number"], proposal["event"], proposal["players"]):
        detail = fault.detail
    if detail is not None:
        raise Problem("proposal-outdated", f"{detail} Enter the hand again.")


def is_told_again(state: TableState, tags: list[str], hand: TableHand) -> bool:
    """Whether the proposal is there already, made by the same call."""
    proposal = state.proposal
    return (
        proposal is not None
        and proposal["status"] == OPEN
        and str(state.version - 1) in tags
        and (proposal["by"], proposal["event"]) == (hand.by, hand.event)
        and proposal["players"] == list(hand.record.players)
        and hand.number in (None, proposal["number"])
    )


def changed(
    place: TablePlace, seen: TableState, proposal: Proposal | None, last: dict[str, Any] | None
) -> TableState:
    """Bring the table on. Raises Problem where another phone was faster."""
    try:
        return wired().proposals.put(place, seen, proposal, last)
    except VersionMismatch as error:
        raise other_version("table", error.current) from None


def told(place: TablePlace, now: TableNow, state: TableState) -> Response:
    """The table as an answer. Its entity tag begins with the version that changes are made for."""
    body = {
        "name": now.name,
        "status": "closed" if not now.is_open else "complete" if now.is_complete else "open",
        "variant": now.variant.id,
        "players": list(now.players),
        "names": wired().players.names(place.tenant, {*now.players, *_spoken_of(state)}),
        "table": now.table,
        "round": now.round,
        "next": {
            "players": list(now.seats),
            "number": now.number,
            "asks_number": now.asks_number,
            "most": now.most,
        },
        "version": state.version,
        "proposal": None if state.proposal is None else _proposal_dict(state.proposal),
        "last": None if state.last is None else {name: state.last[name] for name in LAST},
        "hands": now.hands,
        "totals": now.totals,
    }
    response = answer(body, headers={"Cache-Control": "private, no-cache"})
    response.set_etag(f"{state.version}-{digest_of(body)}")
    return response


def _spoken_of(state: TableState) -> list[str]:
    return [] if state.proposal is None else state.proposal["players"]


def _proposal_dict(proposal: Proposal) -> dict[str, Any]:
    """A proposal with its sheet, and who may speak to it."""
    variants = known_variants()
    body = {name: proposal[name] for name in ("variant", "players")}
    record = load_record({**body, "events": [proposal["event"]]}, variants)
    told = {name: value for name, value in proposal.items() if name not in ("variant", "confirmed")}
    return {
        **told,
        "confirmers": others(proposal["event"], proposal["players"], proposal["by"]),
        "sheet": sheet_of(judge_record(record, keep=True), None).as_dict(record.players, None, 1),
    }
