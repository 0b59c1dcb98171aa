"""Who calls, for whom, and what they may do: keys, their scopes, their players and their tenants."""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

from flask import g, request

from records.keys import Bearer
from records.log import StoreUnavailable
from records.scopes import TENANT
from records.visibility import EVERYTHING, NOTHING, Viewer
from service.cors import is_preflight
from service.problems import Problem
from service.wiring import wired

ANONYMOUS: Final = "anonymous"
"""The actor where access is open: there is no key, on a loopback bind."""

OPEN_ENDPOINTS: Final = frozenset(
    {
        "health.healthz",
        "health.readyz",
        "docs.openapi_yaml",
        "docs.openapi_json",
        "docs.page",
        "docs.asset",
        "docs.home",
        "rulebook.index",
        "rulebook.rules",
        # The token in the path is the key.
        "board_views.read",
        "boards.page",
        "boards.asset",
        "tables.page",
        "tables.asset",
    }
)
"""What needs no key: whether the service is well, and what it can do."""

STORELESS_ENDPOINTS: Final = frozenset({"score.score_record", "score.compare", "variants.described"})
"""What needs no store, unless a house's variant is named."""

TABLE_ENDPOINTS: Final = frozenset(
    f"tables.{view}" for view in ("read", "form", "preview", "propose", "confirm", "object_")
)
"""What is called with a table link: the token in the path is the key."""

_STRANGER: Final = Bearer("no-table-link", ANONYMOUS, frozenset(), None, "")
"""All who call with links that lead nowhere: together they have the calls of one key, and no tenant."""

_BEARER = re.compile(r"bearer +([!-~]+)", re.IGNORECASE)


def authenticate() -> None:
    """Refuse a call without a valid key, unless access is open. Runs for unknown paths too."""
    endpoint = request.endpoint
    if endpoint in OPEN_ENDPOINTS or is_preflight():
        return
    if endpoint in TABLE_ENDPOINTS:
        assert request.view_args is not None
        link = g.table_link = wired().table_links.find(request.view_args["token"])
        g.bearer = _STRANGER if link is None else link.bearer()
        return
    ring = wired().key_ring
    sent = request.environ.get("HTTP_AUTHORIZATION", "").strip()
    if not sent:
        is_open = g.is_open = ring.is_open(anew=endpoint not in STORELESS_ENDPOINTS)
        if is_open is not False:
            _check_host()
            return
    offered = _BEARER.fullmatch(sent)
    bearer = ring.bearer_of(offered[1]) if offered else None
    if bearer is None:
        raise _unauthenticated("This key is none of the service's, or was revoked. " if offered else "")
    g.bearer = bearer


def _unauthenticated(why: str = "") -> Problem:
    return Problem(
        "unauthenticated",
        f"{why}Send one of the service's keys as `Authorization: Bearer <key>`.",
        headers={"WWW-Authenticate": 'Bearer realm="trull"'},
    )


def _check_host() -> None:
    """Refuse an open call that was sent to another name than this machine's own.

    A web page can give its own name the address 127.0.0.1 (DNS rebinding), and have a browser here call the
    service for it: then the browser says that name.
    """
    host = request.environ.get("HTTP_HOST")
    if host is not None and not _is_ours(host, wired().settings.host.lower()):
        detail = "Access is open to this machine alone: call it as localhost or 127.0.0.1, or with a key."
        raise Problem("misdirected", detail)


@lru_cache(64)
def _is_ours(host: str, own: str) -> bool:
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    if name in ("localhost", own) or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def actor() -> str:
    """The name of the key that makes this call, for the log of the hand."""
    bearer = _bearer()
    return ANONYMOUS if bearer is None else bearer.name


def caller_id() -> str:
    """What tells the key of this call from all others."""
    bearer = _bearer()
    return ANONYMOUS if bearer is None else bearer.key_id


def tenant() -> str:
    """Whose stored things this call is about.

    Raises `StoreUnavailable` where that cannot be known, Problem (unauthenticated) where the store, asked
    anew, has keys.
    """
    bearer = _bearer()
    if bearer is not None:
        return bearer.tenant
    is_open: bool | None = g.is_open
    if is_open is None:
        is_open = g.is_open = wired().key_ring.is_open()
        if is_open is None:
            raise StoreUnavailable("whether there are keys is not known")
    if not is_open:
        raise _unauthenticated()
    return TENANT


def has_scope(scope: str) -> bool:
    """Whether this call may do what the scope stands for. Where access is open, everything is allowed."""
    bearer = _bearer()
    return bearer is None or scope in bearer.scopes


def need(scope: str) -> None:
    """Refuse a call whose key lacks the scope. Raises Problem (forbidden)."""
    if not has_scope(scope):
        raise Problem("forbidden", f"The key has not the scope {scope!r}, which this needs.")


def is_operator() -> bool:
    """Whether this call may do what concerns all tenants: it is of an admin of the default one."""
    bearer = _bearer()
    return bearer is None or (bearer.tenant == TENANT and "admin" in bearer.scopes)


def need_operator() -> None:
    """Refuse a call of anybody but the operator. Raises Problem (forbidden)."""
    need("admin")
    if not is_operator():
        raise Problem("forbidden", "This tells of all tenants, and needs an operator's key.")


def player() -> str | None:
    """Whose key makes this call, if it is a player's."""
    bearer = _bearer()
    return None if bearer is None else bearer.player


def viewer(wanted: str | None = None) -> Viewer:
    """Whose eyes this call looks with; `wanted` is the player that it names. Raises Problem (forbidden)."""
    sees_all = has_scope("cards")
    if wanted is None:
        own = player()
        return EVERYTHING if sees_all else NOTHING if own is None else Viewer(player=own)
    if not sees_all and wanted != player():
        raise Problem("forbidden", f"The key may not see the cards of {wanted!r}.")
    return Viewer(player=wanted)


def _bearer() -> Bearer | None:
    """Who makes this call; None where access is open."""
    bearer: Bearer | None = g.get("bearer")
    return bearer
