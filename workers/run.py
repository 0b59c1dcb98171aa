"""`python -m workers.run`: one worker, until SIGTERM.

It takes up to `RUN_SECONDS` to end, since it finishes what it has claimed. Redis may go away and
come back meanwhile.
"""

from __future__ import annotations

import logging
import signal
import sys
from types import FrameType
from typing import Final

import redis
from redis.client import Pipeline
from rq import SimpleWorker, worker_registration
from rq.exceptions import StopRequested
from rq.serializers import JSONSerializer
from rq.worker import WorkerStatus

from records.queue import QUEUE, WORKER_TTL
from workers.jobs import Log, OwnJob, ScoringJob
from workers.store import clients_from_env, logs_from_env, wait_for
from workers.vigil import Stop

_MAINTENANCE_SECONDS: Final = 30

_ANSWER_SECONDS: Final = WORKER_TTL
"""An idle worker waits five seconds for a job. RQ raises a shorter timeout, but not of open connections."""

_STOPS: Final = (signal.SIGTERM, signal.SIGINT)

_log = logging.getLogger(__name__)


class ScoringWorker(SimpleWorker):
    """An RQ worker on one queue, which runs its jobs in its own process.

    A forked process for each job would cost more than most jobs take, and protect nothing: jobs are
    our own functions, and what they do may be done twice.
    """

    # RQ waits twice as long after each attempt, up to a minute: longer than a sheet may take.
    max_connection_wait_time = 2.0

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """Also make the running job come to its end."""
        Stop.requested = True
        super().request_stop(signum, frame)  # type: ignore[no-untyped-call]  # RQ has no types here

    def heartbeat(self, timeout: int | None = None, pipeline: Pipeline | None = None) -> None:
        """Also be listed: RQ does that once, and strikes off who was not heard of while Redis was away."""
        super().heartbeat(timeout, pipeline)
        worker_registration.register(self, pipeline)
        # RQ stops an idle worker by an exception out of its signal handler, which whatever is interrupted
        # may swallow. It would then wait for jobs for ever: here, every five seconds, it is asked again.
        if Stop.requested and pipeline is None and self.get_state() != WorkerStatus.BUSY:
            raise StopRequested

    def check_for_suspension(self, burst: bool) -> None:
        """From here on, within its loop, the worker can be told to stop."""
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPS)
        super().check_for_suspension(burst)

    def subscribe(self) -> None:
        """No channel for commands: a worker is told what to do by the queue and by signals alone."""


def main() -> None:
    """Score, import and re-score until asked to stop."""
    work_on(QUEUE, ScoringJob)


def work_on(queue: str, jobs: type[OwnJob]) -> None:
    """Run the jobs of a queue until asked to stop."""
    logs_from_env()
    clients = clients_from_env(_ANSWER_SECONDS)
    Log.client = clients.log
    while not Stop.requested:
        # While there is no worker with handlers of its own. Nothing is claimed then: end at once.
        for number in _STOPS:
            signal.signal(number, lambda *_: sys.exit(0))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPS)
        for client in clients:
            wait_for(client)
        # A worker that ends between being listed and its loop would stay listed.
        signal.pthread_sigmask(signal.SIG_BLOCK, _STOPS)
        worker = ScoringWorker(
            [queue],
            connection=clients.queue,
            serializer=JSONSerializer,
            job_class=jobs,
            worker_ttl=WORKER_TTL,
            maintenance_interval=_MAINTENANCE_SECONDS,
            log_job_description=False,
        )
        try:
            # Returns when it was asked to stop, or when Redis went away while it was needed.
            worker.work(logging_level="WARNING")
        except redis.RedisError as error:
            _log.warning("lost Redis: %s", error)
    _log.info("worker ended")


if __name__ == "__main__":
    main()
