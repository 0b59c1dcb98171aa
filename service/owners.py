"""Whose boards and table links a path speaks of: a session's or a tournament's, by the same calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from records.boards import Kind
from service.auth import need
from service.session_looks import stored_session
from service.tournaments import stored_tournament


class Owner(NamedTuple):
    """A session or a tournament that is stored."""

    kind: Kind
    id: str


def directed(whose: Mapping[str, str]) -> Owner:
    """The owner that a path names as `session_id` or `tournament_id`, for a caller who may direct it.

    Raises Problem (forbidden, unknown-session, unknown-tournament).
    """
    need("direct")
    if "session_id" in whose:
        return Owner("session", stored_session(whose["session_id"]).session_id)
    return Owner("tournament", stored_tournament(whose["tournament_id"]).tournament_id)
