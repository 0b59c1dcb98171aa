"""A store that is away, full, frozen or has a wrong clock for long; seconds of it in `tests/faults`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults import scenarios
from tests.faults.clock import Clock
from tests.faults.club import Ledger
from tests.faults.disk import small_disk
from tests.support.make_run import MakeRun
from tests.support.processes import RunningService

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3_600)]


def test_a_minute_without_redis(tmp_path: Path) -> None:
    run, ledger = MakeRun(tmp_path, TRULL_WORKERS="2"), Ledger()
    try:
        run.start_until_ready()
        scenarios.take_redis_away(run, ledger, seconds=60, pause=0.02, tell=print)
        scenarios.freeze_redis(run, ledger, seconds=60, pause=0.02, tell=print)
    finally:
        run.stop()


def test_a_disk_that_stays_full_for_minutes(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "64m") as disk:
        run = MakeRun(disk, TRULL_WORKERS="2")
        run.log = tmp_path / "up.log"
        ledger = Ledger()
        try:
            run.start_until_ready()
            for seconds in (5, 30, 180):
                scenarios.fill_the_disk(run, ledger, disk, seconds=seconds, pause=0.02, tell=print)
        finally:
            run.stop()


def test_a_clock_that_is_set_again_and_again(tmp_path: Path) -> None:
    clock = Clock(tmp_path)
    with RunningService(tmp_path, redis_env=clock.env) as service:
        hours = [1, -1, 24 * 365, 0, -24 * 365, 24, 0]
        scenarios.set_the_clock(service, clock, Ledger(), hours, seconds=5, pause=0.02, tell=print)
