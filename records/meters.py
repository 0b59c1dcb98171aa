"""What an operator wants measured of the store: what was appended, what is due, and how late sheets come.

The log is told of nothing for this. How many events were appended is counted from the feed, on from
where it was counted last: two counters at once find the same. How long hands wait for their sheets, workers
note now and then, so that no hand costs a command more:

    trull:appended    up to which position each list of the feed was counted, and the events until there
    trull:lags        of sheets: how many took up to so many seconds, and all of them together
    trull:deliveries  of webhooks: how many attempts came to what
"""

from __future__ import annotations

import contextlib
import struct
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final, NamedTuple, cast

import redis
from rq.registry import FailedJobRegistry, StartedJobRegistry

from records.deliveries import OUTCOMES
from records.log import StoreUnavailable
from records.notices import Notices
from records.queue import QUEUE, WorkQueue
from records.redis_client import info_of_nodes, store_errors
from records.redis_keys import SHARDS, due_key, feed_key, tag_of
from records.sheets import LATER, MAX_LEASE

LAG_BUCKETS: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Seconds from the append to the sheet that are told apart."""

_APPENDED: Final = "trull:appended"
_LAGS: Final = "trull:lags"
_DELIVERIES: Final = "trull:deliveries"
_SUM: Final = "sum"
_SUMS: Final = ("used_memory", "maxmemory", "connected_clients", "aof_current_size")
_LEAST: Final = ("uptime_in_seconds", "aof_enabled")
_STATUSES: Final = ("aof_last_write_status", "aof_last_bgrewrite_status")
_AT_ONCE: Final = 20_000
"""Entries of one list of the feed that are counted in one go: some milliseconds."""
_ENTRY: Final = struct.Struct(">B13xH")


class Lags(NamedTuple):
    """How long sheets took: how many took up to each of `LAG_BUCKETS` and longer, and the seconds of all."""

    counts: tuple[int, ...]
    total: float


@dataclass(frozen=True, slots=True)
class Reading:
    """The store as it is now. Ages are in seconds; ``info`` is what Redis tells of itself."""

    info: Mapping[str, Any]
    appended: int
    due: int
    oldest_due: float
    lags: Lags
    jobs: Mapping[str, int]
    workers: int
    imports: int
    waiting_deliveries: int
    oldest_delivery: float
    """For how long the oldest could have been tried."""
    attempts: Mapping[str, int]
    """Of deliveries, by what they came to."""


class LagNotes:
    """How long sheets took, noted by one worker until it passes them on."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        self._noted: Counter[int] = Counter()
        self._total = 0.0

    def add(self, lags: Iterable[float]) -> None:
        """Note some, in seconds."""
        for lag in lags:
            self._noted[bisect_left(LAG_BUCKETS, lag)] += 1
            self._total += lag

    def pass_on(self) -> None:
        """Add what was noted to what all have; where the store is away it is lost."""
        if not self._noted:
            return
        noted, total = self._noted, self._total
        self._noted, self._total = Counter(), 0.0
        pipe = self._redis.pipeline(transaction=False)
        for bucket, count in noted.items():
            pipe.hincrby(_LAGS, str(bucket), count)
        pipe.hincrbyfloat(_LAGS, _SUM, total)
        with contextlib.suppress(StoreUnavailable), store_errors():
            pipe.execute()


class DeliveryNotes:
    """What attempts to deliver came to, noted by the threads of one worker until it passes them on."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        self._lock = Lock()
        self._noted: Counter[str] = Counter()

    def add(self, outcome: str) -> None:
        """Note one."""
        with self._lock:
            self._noted[outcome] += 1

    def pass_on(self) -> None:
        """Add what was noted to what all have; where the store is away it is lost."""
        with self._lock:
            noted, self._noted = self._noted, Counter()
        pipe = self._redis.pipeline(transaction=False)
        for outcome, count in noted.items():
            pipe.hincrby(_DELIVERIES, outcome, count)
        with contextlib.suppress(StoreUnavailable), store_errors():
            pipe.execute()


class Meters:
    """Reads the store. Makes no connection before it is used; threads may share it."""

    def __init__(self, client: redis.Redis, queue: redis.Redis | None = None) -> None:
        """``queue`` is a client of the Redis that has the workers' queue, if that is another one."""
        self._redis = client
        self._jobs_redis = queue or client
        self._queue = WorkQueue(self._jobs_redis)
        self._notices = Notices(client)

    def read(self, tenants: Iterable[str]) -> Reading:
        """Everything, with the events that these tenants appended. Raises `StoreUnavailable`."""
        with store_errors():
            info = _together(info_of_nodes(self._redis))
            due, oldest = self._due()
            return Reading(
                info,
                self._appended(tenants),
                due,
                oldest,
                self._lags(),
                self._jobs(),
                self._queue.workers(),
                self._imports(),
                *self._deliveries(),
            )

    def _deliveries(self) -> tuple[int, float, dict[str, int]]:
        backlogs = [work.backlog for work in self._notices.work()]
        found = cast(dict[bytes, bytes], self._redis.hgetall(_DELIVERIES))
        oldest = max((one.oldest for one in backlogs), default=0.0)
        attempts = {outcome: int(found.get(outcome.encode(), 0)) for outcome in OUTCOMES}
        return sum(one.waiting for one in backlogs), max(0.0, oldest), attempts

    def _due(self) -> tuple[int, float]:
        """How many hands are due, and for how long the oldest is that nobody is at work on."""
        seconds, micros = self._redis.time()
        now = seconds * 1000 + micros // 1000
        beyond = f"({now + round(MAX_LEASE * 1000)}"
        with self._redis.pipeline(transaction=False) as pipe:
            for shard in range(SHARDS):
                pipe.zcard(due_key(shard))
                pipe.zrangebyscore(due_key(shard), "-inf", now, 0, 1, withscores=True)
                pipe.zrangebyscore(due_key(shard), beyond, "+inf", 0, 1, withscores=True)
            found: list[Any] = pipe.execute()
        marks = [at for _, at in (mark for marks in found[1::3] for mark in marks)]
        marks += [at - LATER for _, at in (mark for marks in found[2::3] for mark in marks)]
        return sum(found[0::3]), max((max(0.0, (now - at) / 1000) for at in marks), default=0.0)

    def _lags(self) -> Lags:
        found = cast(dict[bytes, bytes], self._redis.hgetall(_LAGS))
        counts = tuple(int(found.get(b"%d" % bucket, 0)) for bucket in range(len(LAG_BUCKETS) + 1))
        return Lags(counts, float(found.get(_SUM.encode(), 0)))

    def _jobs(self) -> dict[str, int]:
        """The jobs by state, without tidying up as RQ's own counts do."""
        names = {"queued": None, "started": StartedJobRegistry, "failed": FailedJobRegistry}
        with self._jobs_redis.pipeline(transaction=False) as pipe:
            pipe.llen(f"rq:queue:{QUEUE}")
            for registry in (StartedJobRegistry, FailedJobRegistry):
                pipe.zcard(registry.key_template.format(QUEUE))
            return dict(zip(names, pipe.execute(), strict=True))

    def _imports(self) -> int:
        with self._redis.pipeline(transaction=False) as pipe:
            for shard in range(SHARDS):
                pipe.zcard(f"{tag_of(shard)}:imports")
            return sum(pipe.execute())

    def _appended(self, tenants: Iterable[str]) -> int:
        """How many events were appended; of many at once the last ones may be left to the next call."""
        feeds = [(tenant, shard) for tenant in tenants for shard in range(SHARDS)]
        stored = cast(dict[bytes, bytes], self._redis.hgetall(_APPENDED))
        counted = {
            feed: [int(number) for number in stored.get(_field(feed), b"0 0").split()] for feed in feeds
        }
        with self._redis.pipeline(transaction=False) as pipe:
            for tenant, shard in feeds:
                position = counted[tenant, shard][0]
                pipe.lrange(feed_key(shard, tenant), position, position + _AT_ONCE - 1)
            fresh: list[list[bytes]] = pipe.execute()
        changed = {}
        for feed, entries in zip(feeds, fresh, strict=True):
            if entries:
                position, events = counted[feed]
                counted[feed] = [position + len(entries), events + _events_in(entries)]
                changed[_field(feed)] = b"%d %d" % tuple(counted[feed])
        if changed:
            # A store that cannot write can be read all the same.
            with contextlib.suppress(StoreUnavailable), store_errors():
                self._redis.hset(_APPENDED, mapping=cast(Any, changed))
        return sum(events for _, events in counted.values())


def _together(nodes: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """What the nodes of a cluster tell as if they were one: sums, or what the one tells that is worst off."""
    first, *others = nodes
    if not others:
        return first
    told: dict[str, Any] = {}
    for name in _SUMS:
        told[name] = sum(node.get(name, 0) for node in nodes)
    for name in _LEAST:
        told[name] = min(node.get(name, 0) for node in nodes)
    for name in _STATUSES:
        told[name] = next((node.get(name) for node in nodes if node.get(name) != "ok"), "ok")
    return told


def _field(feed: tuple[str, int]) -> bytes:
    return f"{feed[0]}:{feed[1]}".encode()


def _events_in(entries: Iterable[bytes]) -> int:
    """The events of the appends among entries of the feed; the others tell of sheets."""
    return sum(events for what, events in _ENTRY.iter_unpack(b"".join(entries)) if what < 16)
