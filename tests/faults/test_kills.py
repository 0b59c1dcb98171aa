"""kill -9 under load; minutes of it in `tests/soak/test_kills.py`."""

from __future__ import annotations

import pytest

from tests.faults import scenarios
from tests.faults.club import Ledger
from tests.support.make_run import MakeRun

pytestmark = pytest.mark.xdist_group("shared_run")


def test_one_program_after_the_other(shared_run: MakeRun) -> None:
    scenarios.kill_one_after_the_other(shared_run, Ledger(), rounds=1, seconds=0.3, pause=0.05, tell=print)


def test_everything_three_times(shared_run: MakeRun) -> None:
    scenarios.kill_everything(shared_run, Ledger(), rounds=3, seconds=0.5, pause=0.05, tell=print)
