"""The clock of the store jumps ahead and back: nothing is lost, doubled or left unscored."""

from __future__ import annotations

from pathlib import Path

from tests.faults import scenarios
from tests.faults.clock import Clock
from tests.faults.club import Ledger
from tests.support.processes import RunningService


def test_a_clock_that_jumps_ahead_and_back(tmp_path: Path) -> None:
    clock = Clock(tmp_path)
    with RunningService(tmp_path, redis_env=clock.env) as service:
        scenarios.set_the_clock(service, clock, Ledger(), [24, -24, 0], seconds=1, pause=0.05, tell=print)
