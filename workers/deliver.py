"""`python -m workers.deliver`: delivers webhooks until SIGTERM, on a queue of its own.

It is a worker like the others (`workers.run`), in a process apart from them: no receiver can hold up a score
sheet, and the machine or the network that it runs in may be the only one that reaches the outside. Any number
of these may run.
"""

from __future__ import annotations

import sys
import time
from types import MappingProxyType
from typing import Final

import redis
from rq import get_current_job

from records.queue import DELIVER, WEBHOOKS, WorkQueue
from records.webhook_urls import UnknownPermission, private_from_env
from workers.courier import PACE, Courier, Pace
from workers.jobs import Log, OwnJob
from workers.run import work_on
from workers.vigil import Vigil

RUN_SECONDS: Final = 5.0
"""A job ends after that, so that RQ sees the worker live; there is another one if there is more to do."""

_LINGER_SECONDS: Final = 1.0
_LOOK_SECONDS: Final = 0.05


class Office:
    """The courier of this process. What it has in hand outlasts the job in which it was begun."""

    pace: Pace = PACE
    private: bool = False
    courier: Courier | None = None

    @classmethod
    def courier_for(cls, client: redis.Redis) -> Courier:
        """The courier; made by the first job."""
        cls.courier = cls.courier or Courier(client, cls.pace, private=cls.private)
        return cls.courier


def deliver() -> None:
    """Deliver what is due until nothing is, and a little longer."""
    job = get_current_job()
    assert job is not None, "deliver runs as a job"
    deliver_with(Office.courier_for(Log.client or job.connection), job.connection)


def deliver_with(courier: Courier, queue_client: redis.Redis, seconds: float = RUN_SECONDS) -> None:
    """The same with a courier, and a client of the queue. Raises `StoreUnavailable`."""
    queue = WorkQueue(queue_client, WEBHOOKS)
    vigil = Vigil(queue, seconds, _LINGER_SECONDS)
    for _ in vigil.rounds():
        if courier.look() or courier.in_hand:
            vigil.found()
        time.sleep(_LOOK_SECONDS)
    vigil.end()


class DeliveryJob(OwnJob):
    """A job that delivers, and runs nothing else."""

    jobs = MappingProxyType({DELIVER: deliver})


def main(pace: Pace = PACE) -> None:
    """Work until asked to stop, and until what is on its way has come to its end."""
    try:
        Office.private = private_from_env()
    except UnknownPermission as error:
        sys.exit(str(error))
    Office.pace = pace
    work_on(WEBHOOKS, DeliveryJob)
    if Office.courier is not None:
        Office.courier.close()


if __name__ == "__main__":
    main()
