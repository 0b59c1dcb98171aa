"""Boards: read-only links to what a session comes to, for whoever holds the link (`records.links`)."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import redis

from records.links import Link, Links, TooManyLinks

NAMES: Final = ("full", "initials")
"""How players are named on a board."""

MAX_BOARDS: Final = 100
"""Boards that a session may have at once."""


class Board(NamedTuple):
    """A board: whose session it shows, and how."""

    board_id: str
    tenant: str
    session_id: str
    names: str
    made_at: str
    made_by: str

    def as_dict(self) -> dict[str, Any]:
        """The board as JSON, without its secret."""
        return {
            "board_id": self.board_id,
            "session_id": self.session_id,
            "names": self.names,
            "made_at": self.made_at,
            "made_by": self.made_by,
        }


class TooManyBoards(Exception):
    """The session has as many boards as it may have."""


class Boards:
    """The boards of all sessions. Makes no connection before it is used; threads may share it.

    Every method raises `StoreUnavailable` when the store is away.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._links = Links(client, "boards")

    def make(self, tenant: str, session_id: str, names: str, actor: str) -> tuple[Board, str]:
        """A new board of a session, and the token that leads to it. Raises `TooManyBoards`."""
        try:
            link, token = self._links.make(tenant, session_id, actor, MAX_BOARDS, [names])
        except TooManyLinks as error:
            raise TooManyBoards(session_id) from error
        return _board(link), token

    def listed(self, tenant: str, session_id: str) -> list[Board]:
        """The boards of a session, the oldest first."""
        return [_board(link) for link in self._links.listed(tenant, session_id)]

    def revoke(self, tenant: str, session_id: str, board_id: str) -> bool:
        """Have a board's link lead nowhere from now on. Whether there was such a board."""
        return self._links.revoke(tenant, session_id, board_id)

    def find(self, token: str) -> Board | None:
        """The board that a token leads to; None if there is none, or no longer."""
        link = self._links.find(token)
        return None if link is None else _board(link)


def _board(link: Link) -> Board:
    (names,) = link.terms
    return Board(link.link_id, link.tenant, link.place, names, link.made_at, link.made_by)
