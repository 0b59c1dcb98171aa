"""kill -9 under load, long and hard; seconds of it in `tests/faults/test_kills.py`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults import scenarios
from tests.faults.club import Ledger
from tests.faults.dying import STEPS, let_workers_die
from tests.support.make_run import MakeRun
from tests.support.processes import RunningService

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3_600)]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[MakeRun]:
    run = MakeRun(tmp_path, TRULL_WORKERS="2")
    run.start_until_ready()
    yield run
    run.stop()


def test_one_program_after_the_other(run: MakeRun) -> None:
    scenarios.kill_one_after_the_other(run, Ledger(), rounds=10, seconds=2, pause=0.01, tell=print)


def test_everything_again_and_again(run: MakeRun) -> None:
    scenarios.kill_everything(run, Ledger(), rounds=20, seconds=3, pause=0.01, tell=print)


def test_workers_at_every_step(tmp_path: Path) -> None:
    ledger = Ledger()
    with RunningService(tmp_path) as service:
        for _ in range(3):
            let_workers_die(service, ledger, list(STEPS), tell=print)
