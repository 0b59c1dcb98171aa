"""kill -9 under load, long and hard; seconds of it in `tests/faults/test_kills.py`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults import scenarios
from tests.support.make_run import MakeRun

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3_600)]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[MakeRun]:
    run = MakeRun(tmp_path, TRULL_WORKERS="2")
    run.start_until_ready()
    yield run
    run.stop()


def test_one_program_after_the_other(run: MakeRun) -> None:
    scenarios.kill_one_after_the_other(run, rounds=20, seconds=1, pause=0, tell=print)


def test_everything_again_and_again(run: MakeRun) -> None:
    scenarios.kill_everything(run, rounds=30, seconds=3, pause=0, tell=print)
