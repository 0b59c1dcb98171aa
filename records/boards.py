"""Boards: read-only links to what a session or a tournament comes to (`records.links`)."""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple

import redis

from records.links import Link, Links, TooManyLinks

NAMES: Final = ("full", "initials")
"""How players are named on a board."""

MAX_BOARDS: Final = 100
"""Boards that a session or a tournament may have at once."""

Kind = Literal["session", "tournament"]
"""What a board shows."""

_TOURNAMENT: Final = "tournament/"
"""Begins the place of a tournament's link. No id has a slash, so that it is no session's."""


class Board(NamedTuple):
    """A board: what it shows, and how. ``of`` is the id of the session or tournament."""

    board_id: str
    tenant: str
    kind: Kind
    of: str
    names: str
    made_at: str
    made_by: str

    def as_dict(self) -> dict[str, Any]:
        """The board as JSON, without its secret."""
        return {
            "board_id": self.board_id,
            f"{self.kind}_id": self.of,
            "names": self.names,
            "made_at": self.made_at,
            "made_by": self.made_by,
        }


class TooManyBoards(Exception):
    """The session or tournament has as many boards as it may have."""


class Boards:
    """All boards. Makes no connection before it is used; threads may share it.

    Every method raises `StoreUnavailable` when the store is away.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._links = Links(client, "boards")

    def make(self, tenant: str, kind: Kind, of: str, names: str, actor: str) -> tuple[Board, str]:
        """A new board, and the token that leads to it. Raises `TooManyBoards`."""
        try:
            link, token = self._links.make(tenant, _place(kind, of), actor, MAX_BOARDS, [names])
        except TooManyLinks as error:
            raise TooManyBoards(of) from error
        return _board(link), token

    def listed(self, tenant: str, kind: Kind, of: str) -> list[Board]:
        """The boards of a session or tournament, the oldest first."""
        return [_board(link) for link in self._links.listed(tenant, _place(kind, of))]

    def revoke(self, tenant: str, kind: Kind, of: str, board_id: str) -> bool:
        """Have a board's link lead nowhere from now on. Whether there was such a board."""
        return self._links.revoke(tenant, _place(kind, of), board_id)

    def find(self, token: str) -> Board | None:
        """The board that a token leads to; None if there is none, or no longer."""
        link = self._links.find(token)
        return None if link is None else _board(link)


def _place(kind: Kind, of: str) -> str:
    return of if kind == "session" else f"{_TOURNAMENT}{of}"


def _board(link: Link) -> Board:
    (names,) = link.terms
    kind: Kind = "tournament" if link.place.startswith(_TOURNAMENT) else "session"
    of = link.place.removeprefix(_TOURNAMENT)
    return Board(link.link_id, link.tenant, kind, of, names, link.made_at, link.made_by)
