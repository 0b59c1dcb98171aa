"""kill -9 under load; minutes of it in `tests/soak/test_kills.py`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults import scenarios
from tests.support.make_run import MakeRun


@pytest.fixture
def run(tmp_path: Path) -> Iterator[MakeRun]:
    run = MakeRun(tmp_path)
    run.start_until_ready()
    yield run
    run.stop()


def test_one_program_after_the_other(run: MakeRun) -> None:
    scenarios.kill_one_after_the_other(run, rounds=1, seconds=0.5, pause=0.05, tell=print)


def test_everything_three_times(run: MakeRun) -> None:
    scenarios.kill_everything(run, rounds=3, seconds=1, pause=0.05, tell=print)
