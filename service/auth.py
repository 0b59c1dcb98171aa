"""Who calls: the keys of TRULL_API_KEYS, and the request's id."""

from __future__ import annotations

import re
from typing import Final

import uuid_utils
from flask import g, request

from service.problems import Problem
from service.wiring import wired

ANONYMOUS: Final = "anonymous"
"""The actor where access is open: no key is set, on a loopback bind."""

OPEN_ENDPOINTS: Final = frozenset(
    {"health.healthz", "health.readyz", "docs.openapi_yaml", "docs.openapi_json", "docs.page", "docs.asset"}
)
"""What needs no key: whether the service is well, and what it can do."""

_SANE_ID = re.compile(r"[A-Za-z0-9._~-]{1,128}")
_BEARER = re.compile(r"bearer +([!-~]+)", re.IGNORECASE)


def identify_request() -> None:
    """Give the request its id: the client's own if it is harmless to log and to send back."""
    offered = request.environ.get("HTTP_REQUEST_ID", "")
    g.request_id = offered if _SANE_ID.fullmatch(offered) else str(uuid_utils.uuid7())


def authenticate() -> None:
    """Refuse a call without a valid key, where keys are set. Runs for unknown paths too."""
    settings = wired().settings
    if settings.is_open or request.endpoint in OPEN_ENDPOINTS:
        g.actor = ANONYMOUS
        return
    offered = _BEARER.fullmatch(request.environ.get("HTTP_AUTHORIZATION", "").strip())
    name = settings.key_name(offered[1]) if offered else None
    if name is None:
        raise Problem(
            "unauthenticated",
            "Send one of the service's keys as `Authorization: Bearer <key>`.",
            headers={"WWW-Authenticate": 'Bearer realm="trull"'},
        )
    g.actor = name


def actor() -> str:
    """The name of the key that makes this call, for the log of the hand."""
    name: str = g.actor
    return name
