"""The counts of the calls that were answered, across the processes of the service.

Every process counts its own calls, in files of a folder that gunicorn's master makes: whichever process
is asked adds up those of all, also of processes that have ended. Without that folder there is one process,
which counts in memory.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram

BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds until an answer begins that are told apart."""


class Calls:
    """The counts of one application."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "trull_http_requests", "Calls answered.", ("method", "route", "status"), registry=self.registry
        )
        self._seconds = Histogram(
            "trull_http_request_duration_seconds",
            "Seconds from a call until its answer began.",
            ("method", "route"),
            buckets=BUCKETS,
            registry=self.registry,
        )

        # To look one up by its labels takes longer than to count.
        self._of_labels = cache(self._labelled)

    def add(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a call. There are only so many methods, routes and statuses."""
        requests, durations = self._of_labels(method, route, status)
        requests.inc()
        durations.observe(seconds)

    def _labelled(self, method: str, route: str, status: int) -> tuple[Counter, Histogram]:
        return self._requests.labels(method, route, str(status)), self._seconds.labels(method, route)
