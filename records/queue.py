"""The queues to the workers: one wake-up for any number of hands, and one for any number of deliveries.

What has to be scored is told by the due marks; a job only says that somebody should look. So a
burst of hands needs a single job, and a job that is lost costs no more than the time until the
sweeper looks. Jobs are named by string and carry JSON: nothing here knows the workers.
"""

from __future__ import annotations

import logging
import time
from typing import Final

import redis
from redis.exceptions import RedisError
from rq import Queue, Worker
from rq.serializers import JSONSerializer

QUEUE: Final = "trull"
"""The queue of all but webhooks. A worker that listens to two can lose a job when it is killed."""
WEBHOOKS: Final = "trull-webhooks"
"""The queue of those who deliver webhooks, so that no receiver can hold up what others wait for."""

DRAIN: Final = "workers.jobs.drain"
IMPORT: Final = "workers.jobs.import_lines"
RESCORE: Final = "workers.jobs.rescore"
DELIVER: Final = "workers.deliver.deliver"
JOB_SECONDS: Final = 60
"""How long a job may run."""

WORKER_TTL: Final = 20
"""An idle worker shows every five seconds that it lives (RQ: 15 less than this)."""

_AWAKE: Final = {QUEUE: "trull:awake", WEBHOOKS: "trull:awake:webhooks"}
_FIRST: Final = {QUEUE: DRAIN, WEBHOOKS: DELIVER}
"""What a queue's workers are woken for."""
_AWAKE_SECONDS: Final = 5
BELIEF_SECONDS: Final = 0.1
"""How long a process relies on it that a worker which it saw awake, or woke, will look."""
_RQ_GRACE: Final = 60

_log = logging.getLogger(__name__)


class WorkQueue:
    """Wakes the workers of one queue."""

    def __init__(self, client: redis.Redis, name: str = QUEUE) -> None:
        self._redis = client
        self._queue = Queue(name, connection=client, serializer=JSONSerializer)
        self._awake = _AWAKE[name]
        self._first = _FIRST[name]
        self._seen_awake = float("-inf")

    def notify(self) -> None:
        """See to it that a worker looks for what is due, now or at the end of what it does.

        Never raises for a Redis that is away: the marks are stored, and the sweeper finds them. Under load
        only one call in many asks whether somebody is awake (`BELIEF_SECONDS`).
        """
        now = time.monotonic()
        if now - self._seen_awake < BELIEF_SECONDS:
            return
        try:
            if self._redis.set(self._awake, b"1", nx=True, ex=_AWAKE_SECONDS):
                self.enqueue()
            self._seen_awake = now
        except RedisError as error:
            _log.warning("workers not woken, the sweeper will: %s", error)

    def notify_import(self) -> None:
        """See to it that a worker looks for what is to be imported. Never raises, like `notify`."""
        try:
            self.enqueue(IMPORT)
        except RedisError as error:
            _log.warning("workers not woken, the sweeper will: %s", error)

    def notify_rescore(self) -> None:
        """See to it that a worker looks for batches. Never raises, like `notify`."""
        try:
            self.enqueue(RESCORE)
        except RedisError as error:
            _log.warning("workers not woken, the sweeper will: %s", error)

    def enqueue(self, job: str | None = None) -> None:
        """Put in a job, whatever there is already."""
        self._queue.enqueue(
            job or self._first, job_timeout=JOB_SECONDS, ttl=JOB_SECONDS, result_ttl=0, failure_ttl=3600
        )

    def enqueue_below(self, waiting: int, job: str | None = None) -> bool:
        """Put in a job if fewer than that many wait; whether it did."""
        if self._queue.count >= waiting:
            return False
        self.enqueue(job)
        return True

    def ask_for_help(self, job: str) -> None:
        """Put in a job that another worker can do at the same time, unless one waits for its turn."""
        if not self.waits(job):
            self.enqueue(job)

    def waits(self, job: str) -> bool:
        """Whether such a job is there that no worker has taken yet."""
        return any(waiting.func_name == job for waiting in self._queue.jobs)

    def stay_awake(self) -> None:
        """A worker is looking, and will look again: nobody has to be woken for the next seconds."""
        self._redis.set(self._awake, b"1", ex=_AWAKE_SECONDS)

    def fall_asleep(self) -> None:
        """From now on a worker has to be woken.

        Look once more when `BELIEF_SECONDS` have passed: what came until then may have woken nobody.
        """
        self._redis.delete(self._awake)

    def workers(self) -> int:
        """How many workers of the queue have been seen within the last seconds.

        RQ lets a worker's key live `WORKER_TTL` and a minute from each sign of life, so that what is left of
        that tells its age without comparing clocks.
        """
        keys = Worker.all_keys(queue=self._queue)
        with self._redis.pipeline(transaction=False) as pipe:
            for key in keys:
                pipe.ttl(key)
            return sum(left >= _RQ_GRACE for left in pipe.execute())
