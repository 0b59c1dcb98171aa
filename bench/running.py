"""A whole service to measure, as `make run` has it: a worker and a process of the service for each core."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import psutil

from records.hands import Hands
from tests.support.processes import Process, RunningService, wait_until


class Running(NamedTuple):
    """A running service, and its workers."""

    service: RunningService
    workers: list[Process]

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.service.base_url.rpartition(":")[2])

    def pids_of_service(self) -> list[int]:
        """The processes that answer calls."""
        return [child.pid for child in psutil.Process(self.service.api.pid).children()]

    def pids_of_workers(self) -> list[int]:
        """The workers."""
        return [worker.pid for worker in self.workers]


@contextlib.contextmanager
def whole_service(folder: Path) -> Iterator[Running]:
    """A running service that keeps what it has in a folder; Redis waits for the disk at each write."""
    with RunningService(folder) as service, contextlib.ExitStack() as running:
        workers = [service.worker]
        for number in range(1, len(os.sched_getaffinity(0))):
            worker = Process(f"worker{number}", service.worker.command, folder, service.worker.env)
            workers.append(running.enter_context(worker))
        with service.redis.client() as client:
            ready = Hands(client)
            wait_until(lambda: ready.ready().workers == len(workers), "the workers are there")
        yield Running(service, workers)
