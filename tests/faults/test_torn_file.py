"""The append-only file torn after the last acknowledged write, and damaged before it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.faults import scenarios
from tests.faults.club import Club, Ledger, check
from tests.support.make_run import MakeRun
from tests.support.processes import ROOT, wait_until


@pytest.fixture
def run(tmp_path: Path) -> Iterator[MakeRun]:
    run = MakeRun(tmp_path)
    yield run
    run.stop()


def file_of(run: MakeRun) -> Path:
    """The file that Redis appends to."""
    folder = run.data / "redis"
    files = [*folder.glob("appendonlydir/*.incr.aof"), *folder.glob("appendonly.aof")]
    assert len(files) == 1
    return files[0]


def submit_some(run: MakeRun, ledger: Ledger, hands: int) -> None:
    goal = len(ledger.acknowledged) + hands
    with Club(run.url, ledger, pause=0.01):
        wait_until(lambda: len(ledger.acknowledged) >= goal, "some hands")


def test_torn_it_starts_and_damaged_it_refuses_and_names_the_repair(run: MakeRun) -> None:
    ledger = Ledger()
    run.start_until_ready()
    submit_some(run, ledger, 40)
    scenarios.kill_all(run)
    whole = file_of(run).read_bytes()
    begun = whole[whole.rindex(b"*1\r\n$5\r\nMULTI") :]
    file_of(run).write_bytes(whole + begun[:-9])
    run.start_until_ready()
    assert "an append that was not finished" in run.output()
    submit_some(run, ledger, 5)
    check(run.url, ledger)
    scenarios.kill_all(run)
    whole = file_of(run).read_bytes()

    broken = bytearray(whole)
    at = whole.index(b"$5\r\nRPUSH", len(whole) // 2)
    broken[at + 1 : at + 2] = b"99999999"
    file_of(run).write_bytes(broken)
    said = run.refuses()
    assert f"TRULL_DATA_DIR={run.data} make repair" in said
    assert file_of(run).read_bytes() == broken, "nothing is changed unasked"

    env = {**os.environ, "TRULL_DATA_DIR": str(run.data)}
    subprocess.run([sys.executable, "-m", "service.repair"], cwd=ROOT, env=env, check=True)
    run.start_until_ready()
    kept = httpx.get(f"{run.url}/v1/hands?limit=1000", trust_env=False).json()["hands"]
    assert 0 < len(kept) < len(ledger.acknowledged)
    assert {hand["hand_id"] for hand in kept} <= ledger.acknowledged


@pytest.mark.xdist_group("shared_run")
def test_damaged_while_it_runs_it_is_not_started_again(shared_run: MakeRun) -> None:
    run, ledger = shared_run, Ledger()
    submit_some(run, ledger, 20)
    whole = file_of(run).read_bytes()
    at = whole.index(b"$5\r\nRPUSH", len(whole) // 2)
    scenarios.kill(run, "redis-server")
    file_of(run).write_bytes(whole[:at] + b"$99999999" + whole[at + 2 :])
    wait_until(lambda: "Redis cannot start: " in run.output(), "the reason in the log")
    assert "make repair" in run.output()
    started = time.monotonic()
    assert "redis" in scenarios.reasons(run)
    assert time.monotonic() - started < 3
    file_of(run).write_bytes(whole)  # the backup
    wait_until(lambda: scenarios.is_ready(run), "readiness with the file put back", 30)
    check(run.url, ledger)
