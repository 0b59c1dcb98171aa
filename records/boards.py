"""Boards: read-only links to what a session comes to, for whoever holds the link.

A link holds a secret of 128 random bits. Only its digest is stored, so that who can read the store cannot
follow anybody's links; a secret of that length needs no slower digest. A revoked link is gone at once
(docs/adr/0078-boards.md).
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from typing import Any, Final, NamedTuple, cast

import orjson
import redis

from records.redis_client import store_errors
from records.stored_hands import rfc3339

NAMES: Final = ("full", "initials")
"""How players are named on a board."""

MAX_BOARDS: Final = 100
"""Boards that a session may have at once."""

_ID_BYTES: Final = 6
_SECRET_BYTES: Final = 16
_INDEX: Final = "boards"

# KEYS: the session's boards    ARGV: how many there may be, id, board
_ADD: Final = """
if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
return 1
"""


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
        self._redis = client
        self._add = client.register_script(_ADD)

    def make(self, tenant: str, session_id: str, names: str, actor: str) -> tuple[Board, str]:
        """A new board of a session, and the token that leads to it. Raises `TooManyBoards`."""
        board_id, secret = secrets.token_hex(_ID_BYTES), secrets.token_urlsafe(_SECRET_BYTES)
        board = Board(board_id, tenant, session_id, names, rfc3339(time.time_ns() // 1_000_000), actor)
        stored = orjson.dumps([_digest(secret), *board[3:]])
        with store_errors():
            if not self._add([_key(tenant, session_id)], [MAX_BOARDS, board_id, stored]):
                raise TooManyBoards(session_id)
            # A link whose place in the index were lost would lead nowhere, and could still be revoked.
            self._redis.hset(_INDEX, board_id, orjson.dumps([tenant, session_id]).decode())
        return board, f"{board_id}{secret}"

    def listed(self, tenant: str, session_id: str) -> list[Board]:
        """The boards of a session, the oldest first."""
        with store_errors():
            found = cast(dict[bytes, bytes], self._redis.hgetall(_key(tenant, session_id)))
        boards = [_board(id_.decode(), tenant, session_id, stored)[0] for id_, stored in found.items()]
        return sorted(boards, key=lambda board: (board.made_at, board.board_id))

    def revoke(self, tenant: str, session_id: str, board_id: str) -> bool:
        """Have a board's link lead nowhere from now on. Whether there was such a board."""
        with store_errors():
            gone = self._redis.hdel(_key(tenant, session_id), board_id)
            if gone:  # else it may be another tenant's
                self._redis.hdel(_INDEX, board_id)
        return bool(gone)

    def find(self, token: str) -> Board | None:
        """The board that a token leads to; None if there is none, or no longer."""
        board_id, secret = token[: 2 * _ID_BYTES], token[2 * _ID_BYTES :]
        with store_errors():
            place = cast("bytes | None", self._redis.hget(_INDEX, board_id))
            if place is None:
                return None
            tenant, session_id = orjson.loads(place)
            stored = cast("bytes | None", self._redis.hget(_key(tenant, session_id), board_id))
        if stored is None:
            return None
        board, digest = _board(board_id, tenant, session_id, stored)
        return board if hmac.compare_digest(digest, _digest(secret)) else None


def _board(board_id: str, tenant: str, session_id: str, stored: bytes) -> tuple[Board, str]:
    digest, *rest = orjson.loads(stored)
    return Board(board_id, tenant, session_id, *rest), digest


def _key(tenant: str, session_id: str) -> str:
    return f"boards:{tenant}:{session_id}"


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
