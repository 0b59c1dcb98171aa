"""Tournaments: made and directed here, played at the tables, whose hands name them as their session."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import Any, Final

from flask import Blueprint, Response, request
from marshmallow import fields, validate

from records.hands import InvalidCursor, VersionMismatch
from records.limits import MAX_ROUNDS
from records.tournament_fields import load_directions, load_tournament
from records.tournament_hands import Outcome, outcome_of
from records.tournament_log import Tournament
from records.tournament_players import player_sheet_view
from records.tournament_rules import CannotDirect
from records.tournament_tables import (
    Table,
    penalties_table,
    player_sheet_table,
    players_table,
    table_sheet_table,
    teams_table,
)
from records.tournament_views import Names, sheet_view, standings_view, tournament_view
from records.tournaments import TournamentExists, known_events
from service.answers import answer, page_of
from service.auth import actor, need, tenant
from service.bodies import read_json
from service.idempotency import once
from service.paper import of_tournaments
from service.paper.about import About
from service.paper.words import rules_called
from service.papers import PaperQuery, Sheet, written
from service.problems import Problem, invalid
from service.queries import LogQuery, PageQuery, Query, WholeNumber, between, parameter_fault, takes
from service.tenancy import known_variants, tournaments
from service.versions import offered_tags, other_version
from service.wiring import wired

TRIES: Final = 5
"""How often a tournament is looked at anew when another event came between reading it and adding to it."""

CLOSING_WAIT: Final = 1.0
"""Seconds that closing waits for sheets which are due: workers take milliseconds."""
_PAUSE: Final = 0.05

_NUMBER: Final = re.compile(r"[0-9]{1,9}")

blueprint = Blueprint("tournaments", __name__, url_prefix="/v1/tournaments")


class RoundQuery(PaperQuery):
    """Of which round."""

    round_ = WholeNumber(data_key="round", validate=between(1, MAX_ROUNDS))


class StandingsQuery(RoundQuery):
    """After which round, and what a file of them lists."""

    of = fields.String(load_default="players", validate=validate.OneOf(("players", "teams")))


@blueprint.post("")
@once
@takes(Query)
def create(query: Mapping[str, Any]) -> Response:
    """Make the tournament of the body."""
    need("direct")
    try:
        made = tournaments().create(tenant(), actor(), load_tournament(read_json(), known_variants()))
    except TournamentExists as error:
        detail = f"The tournament {error} is there with other settings."
        raise Problem("tournament-exists", detail) from error
    tournament_id = made.tournament.tournament_id
    response = _shown(stored_tournament(tournament_id), 201 if made.created else 200)
    response.headers["Location"] = f"/v1/tournaments/{tournament_id}"
    return response


@blueprint.get("")
@takes(PageQuery)
def listed(query: Mapping[str, Any]) -> Response:
    """A page of the tournaments."""
    need("read")
    try:
        page = tournaments().page(tenant(), query.get("cursor"), query["limit"])
    except InvalidCursor:
        raise invalid([parameter_fault("cursor", "No page of this list gave this cursor.")]) from None
    return page_of("tournaments", page.items, page.next, "cursor")


@blueprint.get("/<tournament_id>")
@takes(Query)
def read(query: Mapping[str, Any], tournament_id: str) -> Response:
    """How the tournament stands."""
    need("read")
    return _shown(stored_tournament(tournament_id))


@blueprint.get("/<tournament_id>/events")
@takes(LogQuery)
def events(query: Mapping[str, Any], tournament_id: str) -> Response:
    """The log of the tournament, whole unless a limit is given."""
    need("read")
    entries = stored_tournament(tournament_id).log[query["after"] :]
    page = entries[: query.get("limit")]
    following = str(page[-1].seq) if len(entries) > len(page) else None
    return page_of("events", [entry._asdict() for entry in page], following, "after")


@blueprint.post("/<tournament_id>/events")
@once
@takes(Query)
def direct(query: Mapping[str, Any], tournament_id: str) -> Response:
    """Add the events of the body, all or none."""
    need("direct")
    directions = load_directions(read_json())
    expected = offered_tags("tournament")
    until = time.monotonic() + CLOSING_WAIT
    tries = 0
    while tries < TRIES:
        tournament = stored_tournament(tournament_id)
        known = known_events(tournament, directions)
        if known == len(directions):
            return _changed(tournament)
        if expected is not None and str(tournament.version) not in expected:
            raise other_version("tournament", tournament.version)
        try:
            tournaments().direct(tenant(), actor(), tournament, directions[known:], known)
        except CannotDirect as error:
            if error.passes and time.monotonic() < until:
                time.sleep(_PAUSE)
                continue
            where = {"pointer": f"/events/{error.index}", "code": error.code, "detail": error.detail}
            raise Problem(error.code, error.detail, [where]) from error
        except VersionMismatch:
            tries += 1
            continue
        return _changed(stored_tournament(tournament_id))
    raise other_version("tournament", stored_tournament(tournament_id).version)


@blueprint.get("/<tournament_id>/standings")
@takes(StandingsQuery)
def standings(query: Mapping[str, Any], tournament_id: str) -> Response:
    """The standings as they are now, or after a round."""
    need("read")
    tournament = stored_tournament(tournament_id)
    up_to = _round_of(query, tournament)
    found = _outcome(tournament, up_to)
    names = _names(tournament, found)
    view = standings_view(tournament, found, names, up_to)

    def tables(how: str) -> list[Table]:
        if how != "xlsx":
            return [teams_table(view) if query["of"] == "teams" else players_table(view)]
        teams = [teams_table(view, exact=True)] if view["teams"] else []
        return [players_table(view, exact=True), *teams, penalties_table(view)]

    response = written(
        Sheet(
            view,
            lambda language: of_tournaments.standings_paper(view, _about(tournament, names, language)),
            tables,
            f"{tournament_id}-standings",
            tournament.log[0].recorded_at,
        ),
        query,
    )
    response.add_etag()
    response.make_conditional(request)
    return response


@blueprint.get("/<tournament_id>/tables/<table>/sheet")
@takes(RoundQuery)
def sheet(query: Mapping[str, Any], tournament_id: str, table: str) -> Response:
    """The score sheet of a table, of one round or of each."""
    need("read")
    tournament = stored_tournament(tournament_id)
    if not (_NUMBER.fullmatch(table) and 1 <= int(table) <= tournament.settings["tables"]):
        detail = f"The tournament has the tables 1 to {tournament.settings['tables']}, and no {table!r}."
        raise Problem("unknown-table", detail)
    round_ = _round_of(query, tournament)
    found = _outcome(tournament)
    rounds = range(1, tournament.settings["rounds"] + 1) if round_ is None else (round_,)
    zero_sum = not known_variants()[tournament.settings["variant"]].game.by_difference
    names = _names(tournament, found)
    view = sheet_view(tournament, found, names, int(table), rounds, zero_sum)
    return written(
        Sheet(
            view,
            lambda language: of_tournaments.table_paper(
                view, _about(tournament, names, language), tournament.version
            ),
            lambda how: [table_sheet_table(view)],
            f"{tournament_id}-table-{int(table)}",
            tournament.log[0].recorded_at,
        ),
        query,
    )


@blueprint.get("/<tournament_id>/players/<key:player>/sheet")
@takes(PaperQuery)
def player_sheet(query: Mapping[str, Any], tournament_id: str, player: str) -> Response:
    """A player's own sheet."""
    need("read")
    tournament = stored_tournament(tournament_id)
    found = _outcome(tournament)
    if player not in found.ledgers:
        raise Problem("unknown-player", f"{player!r} is in no standings of this tournament.")
    names = _names(tournament, found)
    view = player_sheet_view(tournament, found, names, player)
    return written(
        Sheet(
            view,
            lambda language: of_tournaments.player_paper(view, _about(tournament, names, language)),
            lambda how: [player_sheet_table(view)],
            f"{tournament_id}-player",
            tournament.log[0].recorded_at,
        ),
        query,
    )


def stored_tournament(tournament_id: str) -> Tournament:
    """The tournament of a path. Raises Problem (unknown-tournament)."""
    found = tournaments().get(tenant(), tournament_id)
    if found is None:
        raise Problem("unknown-tournament", f"No tournament has the id {tournament_id!r}.")
    return found


def _outcome(tournament: Tournament, up_to: int | None = None) -> Outcome:
    return outcome_of(tournament, tournaments().hands(tenant(), tournament.tournament_id), up_to)


def _about(tournament: Tournament, names: Names, language: str) -> About:
    variant = known_variants()[tournament.settings["variant"]]
    return About(language, rules_called(language, variant.id, variant.name), names)


def _names(tournament: Tournament, found: Outcome) -> Names:
    """The display names of all who are in the tournament."""
    return wired().players.names(tenant(), {*tournament.players, *found.ledgers})


def _round_of(query: Mapping[str, Any], tournament: Tournament) -> int | None:
    round_: int | None = query.get("round_")
    if round_ is not None and round_ > tournament.settings["rounds"]:
        raise invalid(
            [parameter_fault("round", f"The tournament has {tournament.settings['rounds']} rounds.")]
        )
    return round_


def _shown(tournament: Tournament, status: int = 200) -> Response:
    found = _outcome(tournament)
    response = answer(tournament_view(tournament, found, _names(tournament, found)), status)
    response.set_etag(str(tournament.version))
    return response


def _changed(tournament: Tournament) -> Response:
    status = "closed" if tournament.is_closed else "open"
    response = answer({"version": tournament.version, "status": status})
    response.set_etag(str(tournament.version))
    return response
