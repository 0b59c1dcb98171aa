"""Redis away for a while: clients are told at once, and all of it comes back by itself."""

from __future__ import annotations

import pytest

from tests.faults import scenarios
from tests.faults.club import Ledger
from tests.support.make_run import MakeRun

pytestmark = pytest.mark.xdist_group("shared_run")


def test_ended_for_seconds(shared_run: MakeRun) -> None:
    scenarios.take_redis_away(shared_run, Ledger(), seconds=2, pause=0.05, tell=print)


def test_there_and_without_an_answer(shared_run: MakeRun) -> None:
    scenarios.freeze_redis(shared_run, Ledger(), seconds=3, pause=0.05, tell=print)
