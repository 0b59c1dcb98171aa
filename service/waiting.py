"""Whether a service that has just been started is ready, and what is told to the one who waits for it."""

import http.client
import json
import time
from collections.abc import Callable
from urllib.parse import urlsplit

FIRST_TOLD = 10.0
"""Seconds after which somebody who watches begins to wonder."""
TOLD_EVERY = 30.0
TOLD_ANEW = 5.0
"""Seconds between two different reasons."""


class Waiting:
    """The wait for a service at an address of this machine.

    ``redis_url`` is that of a Redis that others run, None where the Redis is our own. ``say`` takes a
    sentence now and then.
    """

    def __init__(self, host: str, port: int, redis_url: str | None, say: Callable[[str], None]) -> None:
        self._address = host, port
        self._redis_url = redis_url
        self._say = say
        self._tell_at = time.monotonic() + FIRST_TOLD
        self._told_last: str | None = None

    def is_over(self) -> bool:
        """Ask the service whether it is ready."""
        why = self._why_not()
        if why is None:
            return True
        now = time.monotonic()
        again = TOLD_EVERY - TOLD_ANEW if why == self._told_last else 0
        if now >= self._tell_at + again:
            self._tell_at = now + TOLD_ANEW
            self._told_last = why
            self._say(f"Not ready: {why}")
        return False

    def _why_not(self) -> str | None:
        """What is missing, in a sentence; None when nothing is."""
        # Not through urllib, which would ask a proxy of the environment.
        connection = http.client.HTTPConnection(*self._address, timeout=2)
        try:
            connection.request("GET", "/readyz")
            response = connection.getresponse()
            if response.status == 200:
                return None
            return self._told(json.loads(response.read()))
        except (OSError, http.client.HTTPException, ValueError):
            return "the service does not answer yet."
        finally:
            connection.close()

    def _told(self, problem: dict[str, object]) -> str:
        detail = str(problem.get("detail"))
        checks = [error.get("check") for error in problem.get("errors", [])]  # type: ignore[attr-defined]  # a list
        if self._redis_url is None or "redis" not in checks:
            return detail
        return f"{detail} TRULL_REDIS_URL names {without_secrets(self._redis_url)}: is that right?"


def without_secrets(url: str) -> str:
    """Which Redis the URL means: host and port or a path, without user, password and options."""
    parts = urlsplit(url)
    if parts.scheme == "unix":
        return parts.path
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{host}:{parts.port or 6379}"
