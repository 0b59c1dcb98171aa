"""The disk of the data runs full. Redis ends at the write that it cannot make, and loses nothing."""

from __future__ import annotations

from pathlib import Path

from tests.faults import scenarios
from tests.faults.club import Ledger
from tests.faults.disk import small_disk
from tests.support.make_run import MakeRun


def test_a_disk_that_runs_full_and_gets_room_again(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "16m") as disk:
        run = MakeRun(disk)
        run.log = tmp_path / "up.log"
        try:
            run.start_until_ready()
            scenarios.fill_the_disk(run, Ledger(), disk, seconds=2, pause=0, tell=print)
        finally:
            run.stop()
