"""Rate limits: each key makes so many calls in a while, and every answer says how it stands.

The fields are those of draft-ietf-httpapi-ratelimit-headers (version 10).
"""

from __future__ import annotations

from flask import Response, g, request

from records.rates import Standing
from service.auth import OPEN_ENDPOINTS, caller_id
from service.cors import is_preflight
from service.problems import Problem
from service.wiring import wired


def limit() -> None:
    """Count the current call, and refuse it where the key has none left. Raises Problem (rate-limited)."""
    rates = wired().rates
    if rates is None or request.endpoint in OPEN_ENDPOINTS or is_preflight():
        return
    standing = rates.call(caller_id())
    g.standing = standing
    if standing is not None and not standing.granted:
        rate = wired().settings.rate_limit
        assert rate is not None, "there are rates"
        detail = f"This key may make {rate.calls:,} calls in {rate.seconds:,} seconds, and has made them."
        raise Problem("rate-limited", detail, headers={"Retry-After": str(standing.seconds)})


def tell(response: Response) -> None:
    """Say in the answer how the key stands."""
    standing: Standing | None = g.get("standing")
    rate = wired().settings.rate_limit
    if standing is not None and rate is not None:
        response.headers["RateLimit-Policy"] = f'"default";q={rate.calls};w={rate.seconds}'
        response.headers["RateLimit"] = f'"default";r={standing.left};t={standing.seconds}'
