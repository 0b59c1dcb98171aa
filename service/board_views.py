"""What a board shows, to whoever has its token: once, or each time that it has changed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from flask import Blueprint, Response, request
from marshmallow import fields, validate

from records.board_view import board_dict
from records.boards import Board
from records.limits import MAX_ENTRANTS, MAX_PLAYER, MAX_ROUNDS
from records.log import StoreUnavailable
from records.sessions import digest_of
from records.tournament_board import LINES, MAX_LINES, TournamentLook
from records.wire import dumps
from service.answers import answer
from service.event_stream import HEARTBEAT_SECONDS, takes_more
from service.feed import EVENT_STREAM, RETRY_SECONDS
from service.peer import Peer
from service.problems import Problem, invalid
from service.queries import Query, WholeNumber, between, parameter_fault, takes
from service.wiring import Wiring, wired

LOOK_SECONDS: Final = 1.0
"""How often a board that is followed is looked at, where anything was appended since."""

_SHARED_SECONDS: Final = 0.5
"""Those who follow the same thing do not even ask for its position more often than so, in a process."""

blueprint = Blueprint("board_views", __name__, url_prefix="/v1/boards")

Part = Callable[[Any], dict[str, Any]]
"""What is shown of a look."""


class BoardQuery(Query):
    """Which part of a tournament's board."""

    after = WholeNumber(load_default=0, validate=between(0, MAX_ENTRANTS))
    limit = WholeNumber(load_default=LINES, validate=between(1, MAX_LINES))
    of = fields.String(load_default="players", validate=validate.OneOf(("players", "teams")))
    round_ = WholeNumber(data_key="round", validate=between(1, MAX_ROUNDS))
    player = fields.String(validate=validate.Length(1, MAX_PLAYER))


@blueprint.get("/<token>")
@takes(BoardQuery)
def read(query: Mapping[str, Any], token: str) -> Response:
    """What the board shows; followed live by who accepts an event stream. The token is the key."""
    board = wired().boards.find(token)
    look = None if board is None else _look(wired(), board)
    if board is None or look is None:
        raise Problem("unknown-board", "This link leads to no board. Perhaps it was revoked.")
    part = _part_of(query, board, look)
    kinds = ["application/json", EVENT_STREAM]
    if request.accept_mimetypes.best_match(kinds, kinds[0]) == EVENT_STREAM:
        return _stream(token, part)
    shown = part(look)
    response = answer(shown, headers={"Cache-Control": "private, no-cache"})
    response.set_etag(digest_of(shown))
    response.make_conditional(request)
    return response


def _look(service: Wiring, board: Board, age: float = 0) -> Any:
    """What the board's session or tournament has come to, for all who look at it; None if it is not there."""
    views = service.views_of(board.tenant)

    def session() -> dict[str, Any] | None:
        found = views.sessions.get(board.tenant, board.of)
        if found is None:
            return None
        return board_dict(found, views.sessions.view(board.tenant, found), board.names)

    def tournament() -> TournamentLook | None:
        found = views.tournaments.get(board.tenant, board.of)
        if found is None:
            return None
        hands = views.tournaments.hands(board.tenant, board.of)
        players = {*found.players, *(player for hand in hands for player in hand.played.players)}
        names = service.players.names(board.tenant, players)
        return TournamentLook(
            found, hands, names, lambda hand_ids: views.tournaments.sheets(board.tenant, hand_ids)
        )

    def position() -> str:
        return f"{views.tournaments.position(board.tenant)} {service.players.changes(board.tenant)}"

    if board.kind == "session":
        thing = (board.tenant, board.kind, board.of, board.names)
        return service.looks.at(thing, lambda: views.sessions.position(board.tenant), session, age)
    return service.looks.at((board.tenant, board.kind, board.of), position, tournament, age)


def _part_of(query: Mapping[str, Any], board: Board, look: Any) -> Part:
    """What is shown of a look. Raises Problem for a query that the board knows no answer to."""
    if board.kind == "session":
        if request.args:
            detail = "A session's board is shown whole; this is for boards of tournaments."
            raise invalid([parameter_fault(name, detail) for name in request.args])
        return dict
    up_to: int | None = query.get("round_")
    rounds = look.tournament.settings["rounds"]
    if up_to is not None and up_to > rounds:
        raise invalid([parameter_fault("round", f"The tournament has {rounds} rounds.")])
    wanted = (query["of"], query["after"], query["limit"], query.get("player"))
    return lambda look: dict(look.board(board.names, up_to).part(*wanted))


def _stream(token: str, part: Part) -> Response:
    """The board each time that it changes. Holds one of the places for listeners until it is closed."""
    service = wired()
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    if request.method == "HEAD":
        return Response(headers=headers, content_type=EVENT_STREAM)
    place = service.listeners.take()
    if place is None:
        detail = f"{service.settings.max_listeners} listeners follow at this process already."
        raise Problem("rate-limited", detail, headers={"Retry-After": str(RETRY_SECONDS)})

    def look() -> Any:
        board = service.boards.find(token)
        return None if board is None else _look(service, board, _SHARED_SECONDS)

    stream = _follow(look, part, Peer(request.environ), service.lifetime.ending)
    return place.held_by(Response(stream, headers=headers, content_type=EVENT_STREAM))


def _follow(look: Callable[[], Any], part: Part, peer: Peer, ending: Callable[[], bool]) -> Iterator[bytes]:
    """The board as it is and each time that it has changed; ends with `gone` when the link is revoked."""
    yield b"retry: 2000\n\n"
    seen = shown = None
    said = time.monotonic()
    while not ending():
        try:
            now = look()
            if now is None:
                yield b"event: gone\ndata: {}\n\n"
                return
            if now is not seen:
                seen, board = now, part(now)
                if (digest := digest_of(board)) != shown:
                    if not takes_more(peer, ending):
                        return
                    shown, said = digest, time.monotonic()
                    yield b"event: board\nid: %b\ndata: %b\n\n" % (digest.encode(), dumps(board))
        except StoreUnavailable:
            pass  # the stream stays open, and goes on when the store is back
        if time.monotonic() - said >= HEARTBEAT_SECONDS:
            if not takes_more(peer, ending):
                return
            said = time.monotonic()
            yield b":\n\n"
        if peer.leaves_within(LOOK_SECONDS):
            return
