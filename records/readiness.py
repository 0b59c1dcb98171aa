"""Whether the store and the workers are there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import redis

from records.log import StoreUnavailable
from records.queue import WorkQueue
from records.redis_client import store_errors


@dataclass(frozen=True, slots=True)
class Readiness:
    """What the service needs, as it is now.

    ``aof`` is the state of the append-only file: ``ok``, ``off`` or ``failing``. ``workers`` have been
    seen within seconds. Without Redis nothing is known of either, and ``detail`` says what is wrong.
    """

    redis: bool
    aof: str | None = None
    workers: int | None = None
    detail: str | None = None


def look(client: redis.Redis, queue: WorkQueue) -> Readiness:
    """Ask Redis. Never raises for one that is away."""
    try:
        with store_errors():
            known: Any = client.info("persistence")
            workers = queue.workers()
    except StoreUnavailable as error:
        return Readiness(redis=False, detail=str(error))
    aof = "ok"
    if not known.get("aof_enabled"):
        aof = "off"
    elif known.get("aof_last_write_status") != "ok":
        aof = "failing"
    return Readiness(redis=True, aof=aof, workers=workers)
