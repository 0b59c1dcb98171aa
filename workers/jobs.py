"""The jobs: the only functions that a worker runs, named by string in the queue."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import ClassVar, Final

import redis
from rq import get_current_job
from rq.job import Job

from records.notices import Notices
from records.queue import DRAIN, IMPORT, RESCORE, WEBHOOKS, WorkQueue
from workers.imports import ChunkImporter
from workers.rescores import ChunkRescorer
from workers.scoring import BATCH, MANY, Scorer
from workers.turns import Turn
from workers.vigil import Stop, Vigil

RUN_SECONDS: Final = 5.0
"""A job gives way to others after that; it puts in another one if there is more to do."""

IMPORT_SECONDS: Final = 2.0
"""The same for a job that imports."""

RESCORE_SECONDS: Final = 1.0
"""The same for a job that does chunks of batches."""

LINGER_SECONDS: Final = 0.25
"""How long a job stays awake after it has found nothing more."""

_LOOK_SECONDS: Final = 0.01
_REST_A_HAND: Final = 0.0025
_LONGEST_REST: Final = 0.08


class Log:
    """The client of the log, where it is not that of the job, which comes from the queue."""

    client: redis.Redis | None = None


def drain() -> None:
    """Score what is due until nothing is, and a little longer.

    Under load hands come one after the other. A job costs as much as scoring some hundred of them
    (and fifteen waits for the disk), so it stays for the next, and nobody is woken meanwhile.
    """
    drain_with(*_clients())


def drain_with(
    client: redis.Redis, queue_client: redis.Redis | None = None, seconds: float = RUN_SECONDS
) -> None:
    """The same with a client of the store, and one of the queue if that is elsewhere."""
    queue, scorer, turn = WorkQueue(queue_client or client), Scorer(client), Turn(client)
    notices, couriers = Notices(client), WorkQueue(queue_client or client, WEBHOOKS)
    vigil = Vigil(queue, seconds, LINGER_SECONDS)
    later, told, scored = True, False, 0
    for anew in vigil.rounds():
        if anew or scored >= BATCH:
            # While more hands are imported, their sheets wait: the workers would be in each other's way.
            later = turn.has_come()
        if anew:
            scorer.lags.pass_on()
            told = notices.are_wanted()
        if scored := _score_all(scorer, queue, vigil, turn if later else None):
            vigil.found()
            if told:
                couriers.notify()
        if not later and queue.waits(IMPORT):
            # Its turn has come, and it scores what is urgent, too.
            break
        time.sleep(rest_after(scored) if scored else _LOOK_SECONDS)
    scorer.lags.pass_on()
    vigil.end()


def rest_after(scored: int) -> float:
    """Seconds to let hands gather after a round that scored so many.

    A round costs some round trips and two waits for the disk, whether it has one hand or a hundred: without a
    rest these take more of the machine than all the rest, just when most hands come.
    """
    return min(scored * _REST_A_HAND, _LONGEST_REST) if scored < MANY else 0.0


def import_lines() -> None:
    """Import what was uploaded, for a little while; puts in another job if there is more to do.

    After each batch it scores what is urgent: who submits a hand meanwhile has its sheet within that time.
    """
    import_with(*_clients())


def import_with(
    client: redis.Redis, queue_client: redis.Redis | None = None, seconds: float = IMPORT_SECONDS
) -> None:
    """The same with a client of the store, and one of the queue if that is elsewhere."""
    queue, scorer = WorkQueue(queue_client or client), Scorer(client)
    importing = ChunkImporter(client, between=lambda: _score_urgent(scorer))
    until = time.monotonic() + seconds
    if importing.waiting() > 1:
        # More than one worker can do at once: an idle one takes this job, else it waits its turn.
        queue.ask_for_help(IMPORT)
    while not Stop.requested:
        if not importing.do_next():
            break
        if time.monotonic() > until:
            queue.enqueue(IMPORT)
            break
    scorer.lags.pass_on()
    if importing.is_over():
        queue.notify()


def rescore() -> None:
    """Do chunks of batches, for a little while; puts in another job if there is more to do."""
    rescore_with(*_clients())


def rescore_with(
    client: redis.Redis, queue_client: redis.Redis | None = None, seconds: float = RESCORE_SECONDS
) -> None:
    """The same with a client of the store, and one of the queue if that is elsewhere.

    Between two chunks, and in the midst of a long one, it looks for hands that were just submitted: no batch
    holds up their sheets, though every worker may be at work on one.
    """
    queue, scorer = WorkQueue(queue_client or client), Scorer(client)
    batches = ChunkRescorer(client, between=lambda: _score_urgent(scorer))
    until = time.monotonic() + seconds
    if batches.waiting() > 1:
        # More than one worker can do at once: an idle one takes this job, else it waits its turn.
        queue.ask_for_help(RESCORE)
    while not Stop.requested:
        _score_urgent(scorer)
        if not batches.do_next():
            break
        if time.monotonic() > until:
            queue.enqueue(RESCORE)
            break
    scorer.lags.pass_on()


def _clients() -> tuple[redis.Redis, redis.Redis]:
    """The clients of the log and of the queue, for the job that runs."""
    job = get_current_job()
    assert job is not None, "this runs as a job"
    return Log.client or job.connection, job.connection


def _score_urgent(scorer: Scorer) -> None:
    """Score what somebody may be waiting for."""
    for _ in scorer.score_some(later=False):
        pass


def _score_all(scorer: Scorer, queue: WorkQueue, vigil: Vigil, turn: Turn | None) -> int:
    """Score what is due now; the number of hands.

    With ``turn`` also what is not urgent, as long as that has its turn.
    """
    scored = 0
    for count in scorer.score_some(later=turn is not None):
        scored += count
        if count == BATCH:
            # More than one worker can do at once: an idle one takes this job, else it waits its turn.
            queue.enqueue_below(1)
            if turn and not turn.has_come():
                break
        if vigil.cuts_short():
            break
    return scored


JOBS: Final[Mapping[str, Callable[..., object]]] = {DRAIN: drain, IMPORT: import_lines, RESCORE: rescore}
"""What may be run, by the name that the queue knows it by."""


class RefusedJob(Exception):
    """The job names something that is no job of ours."""


class OwnJob(Job):
    """A job that runs nothing but ``jobs``.

    RQ imports whatever a job names. Whoever can write to the queue could have any function run, and
    JSON in place of pickle does not change that: this does. Callbacks and webhooks are names as well,
    and never used here.
    """

    jobs: ClassVar[Mapping[str, Callable[..., object]]] = {}

    @property
    def func(self) -> Callable[..., object]:
        """The function. Raises `RefusedJob`."""
        name = self.func_name
        function = self.jobs.get(name) if isinstance(name, str) and self.instance is None else None
        if function is None:
            raise RefusedJob(f"{name!r} is no job of these workers")
        return function

    @property
    def success_callback(self) -> None:
        """None, whatever the job says."""
        return None

    @property
    def failure_callback(self) -> None:
        """None, whatever the job says."""
        return None

    @property
    def stopped_callback(self) -> None:
        """None, whatever the job says."""
        return None

    def send_webhooks(self, *args: object, **kwargs: object) -> None:
        """None are sent, whatever the job says."""


class ScoringJob(OwnJob):
    """A job that runs nothing but `JOBS`."""

    jobs = JOBS
