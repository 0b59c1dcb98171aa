"""What Prometheus reads: the calls that this service answered, and the state of the store."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

from flask import Blueprint, Response, g, request
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from records.keys import Keys
from records.log import StoreUnavailable
from records.meters import LAG_BUCKETS, Lags, Meters, Reading
from service.auth import need_operator
from service.calls import route
from service.counts_folder import MULTIPLE
from service.wiring import wired

_METHODS: Final = frozenset(("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"))

blueprint = Blueprint("metrics", __name__)


def count(response: Response) -> None:
    """Count the current call, of which this is the answer. Methods are anybody's words, unlike routes."""
    method = request.method
    told = method if method in _METHODS else "other"
    wired().calls.add(told, route(), response.status_code, time.perf_counter() - g.began)


@blueprint.get("/metrics")
def metrics() -> Response:
    """All measures as text. It is answered while the store is away, too."""
    need_operator()
    service = wired()
    registry = service.calls.registry
    if MULTIPLE in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # it has no types
    store = CollectorRegistry()
    store.register(_Store(service.meters, service.keys))
    text = generate_latest(registry) + generate_latest(store)
    return Response(text, content_type=CONTENT_TYPE_LATEST)


class _Store(Collector):
    """The measures of the store, read when they are asked for."""

    def __init__(self, meters: Meters, keys: Keys) -> None:
        self._meters = meters
        self._keys = keys

    def collect(self) -> Iterator[Metric]:
        try:
            reading = self._meters.read(self._keys.tenants())
        except StoreUnavailable:
            yield _gauge("trull_redis_up", "Whether Redis answers.", {}, 0)
            return
        yield _gauge("trull_redis_up", "Whether Redis answers.", {}, 1)
        yield from _work(reading)
        yield from _redis(reading.info)


def _work(reading: Reading) -> Iterator[Metric]:
    appended = CounterMetricFamily("trull_appended_events", "Events appended to the log, ever.")
    appended.add_metric([], reading.appended)
    yield appended
    yield _gauge("trull_due_hands", "Hands that are due for a sheet.", {}, reading.due)
    oldest = "Seconds for which the oldest hand is due that no worker is at work on."
    yield _gauge("trull_oldest_due_seconds", oldest, {}, reading.oldest_due)
    yield _lags(reading.lags)
    jobs = GaugeMetricFamily("trull_jobs", "Jobs in the queue's lists.", labels=("state",))
    for state, number in reading.jobs.items():
        jobs.add_metric([state], number)
    yield jobs
    yield _gauge("trull_workers", "Workers seen within the last seconds.", {}, reading.workers)
    yield _gauge("trull_open_imports", "Imports that are not done.", {}, reading.imports)
    yield from _deliveries(reading)


def _deliveries(reading: Reading) -> Iterator[Metric]:
    tries = CounterMetricFamily(
        "trull_webhook_attempts",
        "Attempts to deliver to webhooks, by what they came to.",
        labels=("outcome",),
    )
    for outcome, number in reading.attempts.items():
        tries.add_metric([outcome], number)
    yield tries
    waiting = "Deliveries of webhooks that wait for an attempt."
    yield _gauge("trull_webhook_waiting", waiting, {}, reading.waiting_deliveries)
    oldest = "Seconds for which the oldest attempt is due that nobody is at work on."
    yield _gauge("trull_webhook_oldest_due_seconds", oldest, {}, reading.oldest_delivery)


def _lags(lags: Lags) -> Metric:
    name = "trull_scoring_lag_seconds"
    family = HistogramMetricFamily(name, "Seconds from the append of a hand's last event to its sheet.")
    reached = 0
    buckets: list[tuple[str, float]] = []
    for bound, number in zip((*map(str, LAG_BUCKETS), "+Inf"), lags.counts, strict=True):
        reached += number
        buckets.append((bound, reached))
    family.add_metric([], buckets, lags.total)
    return family


def _redis(info: Mapping[str, Any]) -> Iterator[Metric]:
    """What Redis tells of itself."""
    told = (
        ("memory_bytes", "used_memory", "Bytes of memory that Redis has in use."),
        ("memory_limit_bytes", "maxmemory", "Bytes of memory that Redis may use; 0: all there are."),
        ("clients", "connected_clients", "Connections to Redis."),
        ("uptime_seconds", "uptime_in_seconds", "Seconds since Redis was started."),
        ("aof_enabled", "aof_enabled", "Whether Redis keeps an append-only file."),
        ("aof_size_bytes", "aof_current_size", "Bytes of the append-only file."),
    )
    for name, field, meaning in told:
        if field in info:  # without the file, its size is not told
            yield _gauge(f"trull_redis_{name}", meaning, {}, info[field])
    for name, field, meaning in (
        (
            "aof_write_ok",
            "aof_last_write_status",
            "Whether the last write of the append-only file went well.",
        ),
        ("aof_rewrite_ok", "aof_last_bgrewrite_status", "Whether its last rewrite went well."),
    ):
        yield _gauge(f"trull_redis_{name}", meaning, {}, int(info.get(field) == "ok"))


def _gauge(name: str, meaning: str, labels: dict[str, str], value: float) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, meaning, labels=tuple(labels))
    family.add_metric(list(labels.values()), value)
    return family
