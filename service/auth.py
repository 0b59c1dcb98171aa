"""Who calls: the keys of TRULL_API_KEYS."""

from __future__ import annotations

import re
from typing import Final

from flask import g, request

from service.problems import Problem
from service.wiring import wired

ANONYMOUS: Final = "anonymous"
"""The actor where access is open: no key is set, on a loopback bind."""

OPEN_ENDPOINTS: Final = frozenset(
    {"health.healthz", "health.readyz", "docs.openapi_yaml", "docs.openapi_json", "docs.page", "docs.asset"}
)
"""What needs no key: whether the service is well, and what it can do."""

_BEARER = re.compile(r"bearer +([!-~]+)", re.IGNORECASE)


def authenticate() -> None:
    """Refuse a call without a valid key. Needed where keys are set; runs for unknown paths too."""
    if request.endpoint in OPEN_ENDPOINTS:
        return
    offered = _BEARER.fullmatch(request.environ.get("HTTP_AUTHORIZATION", "").strip())
    name = wired().settings.key_name(offered[1]) if offered else None
    if name is None:
        raise Problem(
            "unauthenticated",
            "Send one of the service's keys as `Authorization: Bearer <key>`.",
            headers={"WWW-Authenticate": 'Bearer realm="trull"'},
        )
    g.actor = name


def actor() -> str:
    """The name of the key that makes this call, for the log of the hand."""
    name: str = g.get("actor", ANONYMOUS)
    return name
