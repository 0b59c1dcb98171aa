"""Which web pages may call the service from a browser: those of TRULL_CORS_ORIGINS.

Keys travel in a header that a page sets itself, never in cookies, so credentials are not allowed.
"""

from __future__ import annotations

from typing import Final

from flask import Response, request

from service.wiring import wired

ANY: Final = "*"

_METHODS: Final = "GET, HEAD, POST, PUT, PATCH, DELETE"
_HEADERS: Final = (
    "Authorization, Content-Type, If-Match, If-None-Match, Prefer, Idempotency-Key, Last-Event-ID, "
    "Request-Id, X-Request-Id"
)
_SHOWN: Final = (
    "ETag, Link, Location, Retry-After, Preference-Applied, Idempotent-Replayed, Request-Id, X-Request-Id, "
    "RateLimit, RateLimit-Policy"
)
_SECONDS: Final = "7200"
"""How long a browser may remember the answer to its question; none does so longer."""


def is_preflight() -> bool:
    """Whether a browser asks if a page may make a call; it asks without the call's key."""
    return (
        request.method == "OPTIONS"
        and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in request.environ
        and _allowed() is not None
    )


def allow(response: Response) -> None:
    """Say in the answer that the page that asks may read it, if it may."""
    if not wired().settings.cors_origins:
        return
    response.vary.add("Origin")
    origin = _allowed()
    if origin is None:
        return
    response.headers["Access-Control-Allow-Origin"] = origin
    if is_preflight():
        response.headers["Access-Control-Allow-Methods"] = _METHODS
        response.headers["Access-Control-Allow-Headers"] = _HEADERS
        response.headers["Access-Control-Max-Age"] = _SECONDS
    else:
        response.headers["Access-Control-Expose-Headers"] = _SHOWN


def _allowed() -> str | None:
    """The origin of the page that asks, if it may call."""
    origin: str | None = request.environ.get("HTTP_ORIGIN")
    known = wired().settings.cors_origins
    return origin if origin is not None and (origin in known or ANY in known) else None
