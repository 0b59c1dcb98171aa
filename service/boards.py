"""Boards: a page that follows a session live, for whoever holds its link; and the links themselves."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from flask import Blueprint, Response, request
from marshmallow import RAISE, Schema, ValidationError, fields, validate
from werkzeug.exceptions import NotFound

from records.board_view import board_dict
from records.boards import MAX_BOARDS, NAMES, Board, TooManyBoards
from records.checks import without_nulls
from records.log import StoreUnavailable
from records.sessions import digest_of
from records.wire import dumps
from service.answers import answer
from service.auth import actor, need, tenant
from service.bodies import read_body, read_json
from service.docs import CONTENT_POLICY, OWN, content
from service.event_stream import HEARTBEAT_SECONDS, takes_more
from service.feed import EVENT_STREAM, RETRY_SECONDS
from service.peer import Peer
from service.problems import Problem, invalid
from service.queries import Query, takes
from service.score import shape_faults
from service.session_looks import stored_session
from service.wiring import wired

LOOK_SECONDS: Final = 1.0
"""How often a board that is followed is looked at, where anything was appended since."""

ASSETS: Final = {
    "board.js": "text/javascript; charset=utf-8",
    "board.css": "text/css; charset=utf-8",
    "words.js": "text/javascript; charset=utf-8",
    "uplot.js": "text/javascript; charset=utf-8",
    "uplot.css": "text/css; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
"""The files that the page is made of."""

blueprint = Blueprint("boards", __name__)


class NewBoardSchema(Schema):
    """How the board is to be; the body may be left out."""

    class Meta:
        unknown = RAISE

    names = fields.String(load_default="full", validate=validate.OneOf(NAMES))


@blueprint.post("/v1/sessions/<name:session_id>/boards")
@takes(Query)
def make(query: Mapping[str, Any], session_id: str) -> Response:
    """Make a link to the session's board. The token is in this answer, and nowhere afterwards."""
    need("direct")
    stored_session(session_id)
    wanted: dict[str, Any] = {"names": NAMES[0]}
    if read_body():
        try:
            wanted = NewBoardSchema().load(without_nulls(read_json(), 1))
        except ValidationError as error:
            raise invalid(shape_faults(error.messages_dict)) from None
    try:
        board, token = wired().boards.make(tenant(), session_id, wanted["names"], actor())
    except TooManyBoards:
        detail = f"The session has {MAX_BOARDS} boards already; revoke one that nobody looks at any more."
        raise Problem("too-many-boards", detail) from None
    links = {"token": token, "page": f"/boards/{token}"}
    return answer({**board.as_dict(), **links}, 201, {"Location": f"/v1/boards/{token}"})


@blueprint.get("/v1/sessions/<name:session_id>/boards")
@takes(Query)
def listed(query: Mapping[str, Any], session_id: str) -> Response:
    """The boards of the session, without their tokens."""
    need("direct")
    stored_session(session_id)
    boards = wired().boards.listed(tenant(), session_id)
    return answer({"boards": [board.as_dict() for board in boards], "next": None})


@blueprint.delete("/v1/sessions/<name:session_id>/boards/<board_id>")
@takes(Query)
def revoke(query: Mapping[str, Any], session_id: str, board_id: str) -> Response:
    """Have the link lead nowhere from now on."""
    need("direct")
    stored_session(session_id)
    if not wired().boards.revoke(tenant(), session_id, board_id):
        raise Problem("unknown-board", f"The session has no board with the id {board_id!r}.")
    return Response(status=204)


@blueprint.get("/v1/boards/<token>")
@takes(Query)
def read(query: Mapping[str, Any], token: str) -> Response:
    """What the board shows; followed live by who accepts an event stream. The token is the key."""
    board = _board(token)
    kinds = ["application/json", EVENT_STREAM]
    if request.accept_mimetypes.best_match(kinds, kinds[0]) == EVENT_STREAM:
        return _stream(token)
    shown = _shown(board)
    response = answer(shown, headers={"Cache-Control": "private, no-cache"})
    response.set_etag(digest_of(shown))
    response.make_conditional(request)
    return response


@blueprint.get("/boards/<token>")
def page(token: str) -> Response:
    """The page; what it shows it asks for by itself."""
    headers = {
        "Content-Security-Policy": CONTENT_POLICY,
        # The address is the secret.
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-cache",
    }
    return Response(content(OWN / "board.html"), headers=headers, content_type="text/html; charset=utf-8")


@blueprint.get("/boards/assets/<asset>")
def asset(asset: str) -> Response:
    """The files that the page is made of."""
    media_type = ASSETS.get(asset)
    if media_type is None:
        raise NotFound
    return Response(content(OWN / asset), content_type=media_type)


def _board(token: str) -> Board:
    """The board of a token. Raises Problem (unknown-board)."""
    board = wired().boards.find(token)
    if board is None:
        raise Problem("unknown-board", "This link leads to no board. Perhaps it was revoked.")
    return board


def _shown(board: Board) -> dict[str, Any]:
    stored = wired().views_of(board.tenant).sessions
    session = stored.get(board.tenant, board.session_id)
    if session is None:
        raise Problem("unknown-board", "The session of this board is not there any more.")
    return board_dict(session, stored.view(board.tenant, session), board.names)


def _stream(token: str) -> Response:
    """The board each time that it changes. Holds one of the places for listeners until it is closed."""
    service = wired()
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    if request.method == "HEAD":
        return Response(headers=headers, content_type=EVENT_STREAM)
    place = service.listeners.take()
    if place is None:
        detail = f"{service.settings.max_listeners} listeners follow at this process already."
        raise Problem("rate-limited", detail, headers={"Retry-After": str(RETRY_SECONDS)})

    def look() -> dict[str, Any] | None:
        found = service.boards.find(token)
        if found is None:
            return None
        stored = service.views_of(found.tenant).sessions
        session = stored.get(found.tenant, found.session_id)
        if session is None:
            return None
        return board_dict(session, stored.view(found.tenant, session), found.names)

    def position() -> str:
        found = service.boards.find(token)
        return "" if found is None else service.views_of(found.tenant).sessions.position(found.tenant)

    stream = _follow(position, look, Peer(request.environ), service.lifetime.ending)
    return place.held_by(Response(stream, headers=headers, content_type=EVENT_STREAM))


def _follow(
    position: Callable[[], str],
    look: Callable[[], dict[str, Any] | None],
    peer: Peer,
    ending: Callable[[], bool],
) -> Iterator[bytes]:
    """The board as it is and each time that it has changed; ends with `gone` when the link is revoked."""
    yield b"retry: 2000\n\n"
    seen = shown = None
    said = time.monotonic()
    while not ending():
        try:
            now = position()
            if now != seen:
                seen, board = now, look()
                if board is None:
                    yield b"event: gone\ndata: {}\n\n"
                    return
                if (digest := digest_of(board)) != shown:
                    if not takes_more(peer, ending):
                        return
                    shown, said = digest, time.monotonic()
                    yield b"event: board\nid: %b\ndata: %b\n\n" % (digest.encode(), dumps(board))
        except StoreUnavailable:
            seen = None  # the stream stays open, and goes on when the store is back
        if time.monotonic() - said >= HEARTBEAT_SECONDS:
            if not takes_more(peer, ending):
                return
            said = time.monotonic()
            yield b":\n\n"
        if peer.leaves_within(LOOK_SECONDS):
            return
