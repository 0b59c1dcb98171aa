"""Whether the store and the workers are there."""

from __future__ import annotations

from dataclasses import dataclass

import redis
from redis.exceptions import AuthenticationError, BusyLoadingError, ResponseError
from redis.exceptions import TimeoutError as TooSlow

from records.log import StoreUnavailable
from records.queue import WorkQueue
from records.redis_client import info_of_nodes, store_errors


@dataclass(frozen=True, slots=True)
class Readiness:
    """What the service needs, as it is now.

    ``aof`` is the state of the append-only file: ``ok``, ``off`` or ``failing``. ``workers`` have been
    seen within seconds. Without Redis nothing is known of either, and ``detail`` is a sentence that
    says what is wrong. ``queue`` is one where the queue has a Redis of its own, and that is away.
    """

    redis: bool
    aof: str | None = None
    workers: int | None = None
    detail: str | None = None
    queue: str | None = None


def look(client: redis.Redis, queue: WorkQueue) -> Readiness:
    """Ask Redis. Never raises for one that is away."""
    try:
        with store_errors():
            nodes = info_of_nodes(client, "persistence")
    except StoreUnavailable as error:
        return Readiness(redis=False, detail=_what_is_wrong(error.__cause__))
    aof = "ok"
    if any(not known.get("aof_enabled") for known in nodes):
        aof = "off"
    if any(known.get("aof_last_write_status") != "ok" for known in nodes if known.get("aof_enabled")):
        aof = "failing"
    try:
        with store_errors():
            return Readiness(redis=True, aof=aof, workers=queue.workers())
    except StoreUnavailable as error:
        return Readiness(redis=True, aof=aof, queue=_what_is_wrong(error.__cause__, "TRULL_QUEUE_URL"))


def _what_is_wrong(error: BaseException | None, url: str = "TRULL_REDIS_URL") -> str:
    """A sentence for whoever runs the service. Without the error's own words, which name the address."""
    if isinstance(error, BusyLoadingError):
        return "Redis has been started and is still reading its data."
    if isinstance(error, AuthenticationError):
        return f"Redis refuses the password of {url}."
    if isinstance(error, TooSlow):
        return "Redis does not answer in time."
    if isinstance(error, ResponseError):
        return f"Redis refuses ({str(error).partition(' ')[0]})."
    return "Redis cannot be reached."
