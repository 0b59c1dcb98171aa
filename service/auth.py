"""Who calls, and what they may do: the keys of TRULL_API_KEYS, their scopes and their players."""

from __future__ import annotations

import re
from typing import Final

from flask import g, request

from records.visibility import EVERYTHING, NOTHING, Viewer
from service.config import ApiKey
from service.problems import Problem
from service.wiring import wired

ANONYMOUS: Final = "anonymous"
"""The actor where access is open: no key is set, on a loopback bind."""

OPEN_ENDPOINTS: Final = frozenset(
    {
        "health.healthz",
        "health.readyz",
        "docs.openapi_yaml",
        "docs.openapi_json",
        "docs.page",
        "docs.asset",
        "docs.home",
        "docs.folder",
        "rulebook.rules",
        # The token in the path is the key.
        "boards.read",
        "boards.page",
        "boards.asset",
    }
)
"""What needs no key: whether the service is well, and what it can do."""

_BEARER = re.compile(r"bearer +([!-~]+)", re.IGNORECASE)


def authenticate() -> None:
    """Refuse a call without a valid key. Needed where keys are set; runs for unknown paths too."""
    if request.endpoint in OPEN_ENDPOINTS:
        return
    offered = _BEARER.fullmatch(request.environ.get("HTTP_AUTHORIZATION", "").strip())
    key = wired().settings.known_key(offered[1]) if offered else None
    if key is None:
        raise Problem(
            "unauthenticated",
            "Send one of the service's keys as `Authorization: Bearer <key>`.",
            headers={"WWW-Authenticate": 'Bearer realm="trull"'},
        )
    g.key = key


def actor() -> str:
    """The name of the key that makes this call, for the log of the hand."""
    key = _key()
    return ANONYMOUS if key is None else key.name


def has_scope(scope: str) -> bool:
    """Whether this call may do what the scope stands for. Where access is open, everything is allowed."""
    key = _key()
    return key is None or scope in key.scopes


def need(scope: str) -> None:
    """Refuse a call whose key lacks the scope. Raises Problem (forbidden)."""
    if not has_scope(scope):
        raise Problem("forbidden", f"The key has not the scope {scope!r}, which this needs.")


def player() -> str | None:
    """Whose key makes this call, if it is a player's."""
    key = _key()
    return None if key is None else key.player


def viewer(wanted: str | None = None) -> Viewer:
    """Whose eyes this call looks with; `wanted` is the player that it names. Raises Problem (forbidden)."""
    sees_all = has_scope("cards")
    if wanted is None:
        own = player()
        return EVERYTHING if sees_all else NOTHING if own is None else Viewer(player=own)
    if not sees_all and wanted != player():
        raise Problem("forbidden", f"The key may not see the cards of {wanted!r}.")
    return Viewer(player=wanted)


def _key() -> ApiKey | None:
    """The key of this call; None where access is open."""
    key: ApiKey | None = g.get("key")
    return key
