"""Table links: made, listed and revoked by a director; what they open is in `service.tables`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response
from marshmallow import fields, validate

from records.limits import MAX_TABLES
from records.links import TooManyLinks
from records.table_links import TablePlace
from service.answers import answer
from service.auth import actor, need, tenant
from service.bodies import read_json
from service.owners import directed
from service.problems import Problem, invalid
from service.queries import Query, takes
from service.small_bodies import SmallBody, read_as
from service.tournaments import stored_tournament
from service.wiring import wired

blueprint = Blueprint("table_links", __name__)


class NewLinkSchema(SmallBody):
    """To which table of the tournament the link is to lead."""

    table = fields.Integer(required=True, strict=True, validate=validate.Range(1, MAX_TABLES))


@blueprint.post("/v1/sessions/<name:session_id>/table-links")
@takes(Query)
def make_of_session(query: Mapping[str, Any], session_id: str) -> Response:
    """Make a link to the table of the session. The token is in this answer, and nowhere afterwards."""
    return _made(_place({"session_id": session_id}))


@blueprint.post("/v1/tournaments/<tournament_id>/table-links")
@takes(Query)
def make_of_tournament(query: Mapping[str, Any], tournament_id: str) -> Response:
    """Make a link to a table of the tournament."""
    need("direct")
    tournament = stored_tournament(tournament_id)
    wanted = read_as(NewLinkSchema(), read_json())
    most = tournament.settings["tables"]
    if wanted["table"] > most:
        detail = f"The tournament has the tables 1 to {most}."
        raise invalid([{"pointer": "/table", "code": "invalid-record", "detail": detail}])
    return _made(TablePlace(tenant(), "tournament", tournament.tournament_id, wanted["table"]))


@blueprint.get("/v1/sessions/<name:session_id>/table-links")
@blueprint.get("/v1/tournaments/<tournament_id>/table-links")
@takes(Query)
def listed(query: Mapping[str, Any], **whose: str) -> Response:
    """The links to the table of the session, or to all tables of the tournament, without their tokens."""
    links = wired().table_links.listed(_place(whose))
    return answer({"table_links": [link.as_dict() for link in links], "next": None})


@blueprint.delete("/v1/sessions/<name:session_id>/table-links/<link_id>")
@blueprint.delete("/v1/tournaments/<tournament_id>/table-links/<link_id>")
@takes(Query)
def revoke(query: Mapping[str, Any], link_id: str, **whose: str) -> Response:
    """Have the link lead nowhere from now on."""
    place = _place(whose)
    if not wired().table_links.revoke(place, link_id):
        raise Problem("unknown-table-link", f"The {place.kind} has no table link with the id {link_id!r}.")
    return Response(status=204)


def _place(whose: Mapping[str, str]) -> TablePlace:
    return TablePlace(tenant(), *directed(whose))


def _made(place: TablePlace) -> Response:
    try:
        link, token = wired().table_links.make(place, actor())
    except TooManyLinks:
        detail = f"There are as many links to this {place.kind} as there may be; revoke one of them."
        raise Problem("too-many-table-links", detail) from None
    links = {"token": token, "page": f"/tables/{token}"}
    return answer({**link.as_dict(), **links}, 201, {"Location": f"/v1/tables/{token}"})
