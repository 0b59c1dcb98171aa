"""Boards: a page that follows a session or a tournament live, for whoever holds its link; and the links."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from flask import Blueprint, Response
from marshmallow import fields, validate

from records.boards import MAX_BOARDS, NAMES, TooManyBoards
from service.answers import answer
from service.auth import actor, tenant
from service.bodies import read_body, read_json
from service.owners import directed
from service.pages import page_file, secret_page
from service.problems import Problem
from service.queries import Query, takes
from service.small_bodies import SmallBody, read_as
from service.wiring import wired

ASSETS: Final = {
    "board.js": "text/javascript; charset=utf-8",
    "board.css": "text/css; charset=utf-8",
    "tournament.js": "text/javascript; charset=utf-8",
    "terms.js": "text/javascript; charset=utf-8",
    "words.js": "text/javascript; charset=utf-8",
    "uplot.js": "text/javascript; charset=utf-8",
    "uplot.css": "text/css; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
"""The files that the page is made of."""

blueprint = Blueprint("boards", __name__)


class NewBoardSchema(SmallBody):
    """How the board is to be; the body may be left out."""

    names = fields.String(load_default="full", validate=validate.OneOf(NAMES))


@blueprint.post("/v1/sessions/<name:session_id>/boards")
@blueprint.post("/v1/tournaments/<tournament_id>/boards")
@takes(Query)
def make(query: Mapping[str, Any], **whose: str) -> Response:
    """Make a link to a board. The token is in this answer, and nowhere afterwards."""
    owner = directed(whose)
    wanted = read_as(NewBoardSchema(), read_json() if read_body() else {})
    try:
        board, token = wired().boards.make(tenant(), *owner, wanted["names"], actor())
    except TooManyBoards:
        detail = (
            f"The {owner.kind} has {MAX_BOARDS} boards already; revoke one that nobody looks at any more."
        )
        raise Problem("too-many-boards", detail) from None
    links = {"token": token, "page": f"/boards/{token}"}
    return answer({**board.as_dict(), **links}, 201, {"Location": f"/v1/boards/{token}"})


@blueprint.get("/v1/sessions/<name:session_id>/boards")
@blueprint.get("/v1/tournaments/<tournament_id>/boards")
@takes(Query)
def listed(query: Mapping[str, Any], **whose: str) -> Response:
    """The boards that there are, without their tokens."""
    boards = wired().boards.listed(tenant(), *directed(whose))
    return answer({"boards": [board.as_dict() for board in boards], "next": None})


@blueprint.delete("/v1/sessions/<name:session_id>/boards/<board_id>")
@blueprint.delete("/v1/tournaments/<tournament_id>/boards/<board_id>")
@takes(Query)
def revoke(query: Mapping[str, Any], board_id: str, **whose: str) -> Response:
    """Have the link lead nowhere from now on."""
    owner = directed(whose)
    if not wired().boards.revoke(tenant(), *owner, board_id):
        raise Problem("unknown-board", f"The {owner.kind} has no board with the id {board_id!r}.")
    return Response(status=204)


@blueprint.get("/boards/<token>")
def page(token: str) -> Response:
    """The page; what it shows it asks for by itself."""
    return secret_page("board.html")


@blueprint.get("/boards/assets/<asset>")
def asset(asset: str) -> Response:
    """The files that the page is made of."""
    return page_file(asset, ASSETS)
