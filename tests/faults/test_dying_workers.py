"""A worker is killed on the way from a job to its sheets; every step of it in `tests/soak`."""

from __future__ import annotations

from pathlib import Path

from tests.faults.club import Ledger
from tests.faults.dying import let_workers_die
from tests.support.processes import RunningService

STEPS = ("between dequeue and start", "between claiming and storing")


def test_between_dequeue_and_start_and_in_mid_job(tmp_path: Path) -> None:
    with RunningService(tmp_path) as service:
        let_workers_die(service, Ledger(), STEPS, tell=print)
