"""`python -m workers.sweep`: sees to it that nothing that is due is left, until SIGTERM.

It looks at the marks themselves and trusts no record that RQ keeps of a job: whoever died, and
whatever was lost between storing a hand and scoring it, a worker is woken again within seconds.
Any number of these may run.
"""

from __future__ import annotations

import logging
import signal
import sys
import time
from typing import Final

import redis

from records.import_chunks import ImportChunks
from records.log import StoreUnavailable
from records.notices import Notices
from records.queue import IMPORT, RESCORE, WEBHOOKS, WorkQueue
from records.rescore_chunks import RescoreChunks
from records.sheets import Sheets
from workers.store import clients_from_env, logs_from_env, wait_for
from workers.turns import Turn

INTERVAL: Final = 2.0
"""Seconds between two looks."""

_LATE: Final = 1.0
"""Seconds that a hand may be due before it counts as left: a worker needs milliseconds."""

_CROWD: Final = 2
"""With that many jobs waiting one more would help nobody."""

_log = logging.getLogger(__name__)


def sweep(client: redis.Redis, late: float = _LATE, queue_client: redis.Redis | None = None) -> int:
    """Wake a worker for what is left; the number of hands.

    ``queue_client`` is of the Redis that has the queue, if that is another one. Raises `StoreUnavailable` or
    what redis-py raises.
    """
    imports, queue = ImportChunks(client), WorkQueue(queue_client or client)
    open_imports = imports.left()
    chunks = sum(imports.waiting(stream, late) for stream in open_imports)
    if chunks and queue.enqueue_below(_CROWD, IMPORT):
        _log.info("%d chunks of imports are left: woke a worker", chunks)
    batches = RescoreChunks(client)
    chunks = sum(batches.waiting(batch, late) for batch in batches.left())
    if chunks and queue.enqueue_below(_CROWD, RESCORE):
        _log.info("%d chunks of batches are left: woke a worker", chunks)
    if Notices(client).has_work() and WorkQueue(queue_client or client, WEBHOOKS).enqueue_below(1):
        _log.info("deliveries are left: woke a courier")
    left = Sheets(client).overdue(late, later=Turn(client).has_come())
    if left and queue.enqueue_below(_CROWD):
        _log.info("%d hands are due and left: woke a worker", left)
    return left


def main(interval: float = INTERVAL) -> None:
    """Look at once, then again and again."""
    logs_from_env()
    # There is nothing to finish.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))
    clients = clients_from_env()
    while True:
        for client in clients:
            wait_for(client)
        try:
            sweep(clients.log, queue_client=clients.queue)
        except (StoreUnavailable, redis.RedisError) as error:
            _log.warning("looked in vain: %s", error)
        time.sleep(interval)


if __name__ == "__main__":
    main()
