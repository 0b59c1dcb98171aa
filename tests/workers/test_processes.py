"""Workers and sweeper as processes: killed, stopped, and with a Redis that goes away."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from records.hands import Hands
from records.log import Append, Stream
from records.redis_client import connect
from records.redis_log import RedisLog
from records.sheets import Sheets
from tests.support.hand_records import played, result, status_of
from tests.support.processes import Process, RedisServer, wait_until

# A worker whose first hand takes for ever, and whose lease is short; it tells by a file that it has claimed.
HANGING = """
import functools, pathlib, sys, time
import workers.jobs, workers.run, workers.scoring

def hang(*_):
    pathlib.Path(sys.argv[1]).touch()
    time.sleep(600)

workers.scoring.replayed = hang
workers.jobs.Scorer = functools.partial(workers.scoring.Scorer, lease=1.0)
workers.run.main()
"""
SHORT_LEASE = """
import functools
import workers.jobs, workers.run, workers.scoring

workers.jobs.Scorer = functools.partial(workers.scoring.Scorer, lease=2.0)
workers.run.main()
"""
# A worker whose stop is lost on its way out of the signal handler, as by a bare except.
DEAF = """
import rq.exceptions, workers.run

class Deaf(workers.run.ScoringWorker):
    def _shutdown(self):
        try:
            super()._shutdown()
        except rq.exceptions.StopRequested:
            pass

workers.run.ScoringWorker = Deaf
workers.run.main()
"""
SWEEPING = "import workers.sweep; workers.sweep.main(0.25)"


class Crew:
    """A Redis, and what works on it."""

    def __init__(self, server: RedisServer, client: redis.Redis, folder: Path) -> None:
        self.server, self.client, self.folder = server, client, folder
        self.hands = Hands(client)
        self.started: list[Process] = []

    def start(self, name: str, *command: str) -> Process:
        name = f"{name}{len(self.started)}"
        process = Process(name, [sys.executable, *command], self.folder, {"TRULL_REDIS_URL": self.server.url})
        process.start()
        self.started.append(process)
        return process

    def worker(self) -> Process:
        process = self.start("worker", "-c", SHORT_LEASE)
        wait_until(lambda: self.hands.ready().workers == 1, "a worker is seen")
        return process

    def sweeper(self) -> Process:
        return self.start("sweeper", "-c", SWEEPING)

    def submit(self, count: int = 1) -> list[str]:
        hand = result()
        return [self.hands.submit("default", "t", hand, status_of(hand)).hand_id for _ in range(count)]

    def is_scored(self, hand_id: str) -> bool:
        sheet = self.hands.sheet("default", hand_id)
        return sheet is not None and sheet.sheet is not None and sheet.sheet["status"] == "scored"


@pytest.fixture
def crew(spare_redis: RedisServer, tmp_path: Path) -> Iterator[Crew]:
    with connect(spare_redis.url) as client:
        crew = Crew(spare_redis, client, tmp_path)
        try:
            yield crew
        finally:
            for process in crew.started:
                process.stop()


def test_a_worker_that_has_long_been_idle_is_there_at_once(crew: Crew) -> None:
    worker = crew.worker()
    for idle in (1.2, 1.2, 6.0):
        time.sleep(idle)
        hand_id = crew.submit()[0]
        assert crew.hands.wait_for_sheet("default", hand_id, 1, 0.5) is not None
    assert worker.output() == "", "and has met with nothing worth a warning"


def test_a_worker_killed_at_work_costs_no_sheet(crew: Crew) -> None:
    """kill -9 between claiming a hand and storing its sheet."""
    claimed = crew.folder / "claimed"
    dying = crew.start("dying", "-c", HANGING, str(claimed))
    hand_ids = crew.submit(5)
    wait_until(claimed.exists, "a worker has claimed a hand")
    dying.kill()
    crew.start("worker", "-m", "workers.run")
    crew.sweeper()
    for hand_id in hand_ids:
        wait_until(lambda hand_id=hand_id: crew.is_scored(hand_id), "the sheet")  # type: ignore[misc]
    assert sum(Sheets(crew.client).due()) == 0


def test_a_hand_that_woke_nobody_is_found(crew: Crew) -> None:
    """Its submitter died between the append and the wake-up."""
    crew.worker()
    crew.sweeper()
    hand_id = crew.submit()[0]
    wait_until(lambda: crew.is_scored(hand_id), "the first sheet")
    time.sleep(0.5)
    log, stream = RedisLog(crew.client), Stream("hand", "default", hand_id)
    found = log.read(stream)
    assert found is not None
    log.append(stream._replace(id="lost"), 0, Append(found.entries[0].body, 1, found.head, due=True))
    wait_until(lambda: crew.is_scored("lost"), "the sweeper")


def test_a_lost_queue_costs_no_sheet(crew: Crew) -> None:
    """Everything that RQ knows is gone: jobs, workers, registries."""
    hand_ids = crew.submit(20)
    keys = crew.client.keys("rq:*")
    assert isinstance(keys, list)
    crew.client.delete("trull:awake", *keys)
    crew.worker()
    crew.sweeper()
    for hand_id in hand_ids:
        wait_until(lambda hand_id=hand_id: crew.is_scored(hand_id), "the sheet")  # type: ignore[misc]


@pytest.mark.parametrize("busy", [False, True], ids=["idle", "at work"])
def test_redis_goes_away_and_comes_back(crew: Crew, busy: bool) -> None:
    worker, sweeper = crew.worker(), crew.sweeper()
    first = crew.submit(200 if busy else 1)
    if not busy:
        wait_until(lambda: crew.is_scored(first[0]), "the first sheet")
        time.sleep(0.5)
    crew.server.kill()
    time.sleep(1.5)
    assert not crew.hands.ready().redis
    crew.server.start()
    second = crew.submit(3)
    for hand_id in (*first, *second):
        wait_until(lambda hand_id=hand_id: crew.is_scored(hand_id), "the sheet")  # type: ignore[misc]
    assert worker.is_running()
    assert sweeper.is_running()


def test_both_wait_for_a_redis_that_is_not_there_yet(crew: Crew) -> None:
    crew.server.stop()
    worker, sweeper = crew.start("worker", "-m", "workers.run"), crew.sweeper()
    wait_until(lambda: "waiting for Redis" in worker.output() + sweeper.output(), "they wait")
    crew.server.start()
    hand_id = crew.submit()[0]
    wait_until(lambda: crew.is_scored(hand_id), "the sheet")


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("state", ["idle", "at work", "without Redis"])
def test_a_worker_ends_when_told_to(crew: Crew, state: str, how: signal.Signals) -> None:
    worker = crew.worker()
    hand_ids = crew.submit(300) if state == "at work" else []
    if state == "without Redis":
        crew.server.kill()
        time.sleep(0.3)
    worker.signal(how)
    assert worker.wait(10) == 0, worker.output()
    if state == "without Redis":
        return  # RQ may have logged how it lost it
    assert "Traceback" not in worker.output()
    assert crew.hands.ready().workers == 0
    for hand_id in hand_ids:
        sheet = crew.hands.sheet("default", hand_id)
        assert sheet is not None
        assert sheet.due == (sheet.sheet is None)
    overdue = Sheets(crew.client).overdue()
    assert overdue == sum(Sheets(crew.client).due()), "nothing is left claimed"


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_sweeper_ends_at_once(crew: Crew, how: signal.Signals) -> None:
    sweeper = crew.sweeper()
    wait_until(lambda: crew.client.info("clients")["connected_clients"] > 1, "the sweeper looks")
    started = time.monotonic()
    sweeper.signal(how)
    assert sweeper.wait(5) == 0
    assert time.monotonic() - started < 1
    assert "Traceback" not in sweeper.output()


@pytest.mark.parametrize("module", ["workers.run", "workers.sweep"])
@pytest.mark.parametrize("url", ["", "http://x", "redis://:hush-hush/x@127.0.0.1:1/0"])
def test_without_a_redis_to_use_they_say_so(tmp_path: Path, module: str, url: str) -> None:
    process = Process("p", [sys.executable, "-m", module], tmp_path, {"TRULL_REDIS_URL": url})
    with process:
        assert process.wait() == 1
    assert process.output().startswith("TRULL_REDIS_URL is no")
    assert "hush" not in process.output()


@pytest.mark.parametrize("after", [0.0, 0.01, 0.03, 0.1])
def test_a_worker_that_ends_while_it_starts_is_not_listed(crew: Crew, after: float) -> None:
    worker = crew.start("worker", "-m", "workers.run")
    wait_until(lambda: crew.client.exists("rq:workers") == 1, "it is listed")
    time.sleep(after)
    worker.signal(signal.SIGTERM)
    assert worker.wait(10) == 0, worker.output()
    assert crew.hands.ready().workers == 0


def test_an_idle_worker_ends_though_its_stop_was_swallowed(crew: Crew) -> None:
    worker = crew.start("worker", "-c", DEAF)
    wait_until(lambda: crew.hands.ready().workers == 1, "it is listed")
    time.sleep(0.2)
    worker.signal(signal.SIGTERM)
    assert worker.wait(15) == 0, worker.output()
    assert crew.hands.ready().workers == 0


def test_a_killed_worker_is_seen_for_twenty_seconds(crew: Crew) -> None:
    """Its key outlives it by a minute more."""
    crew.worker().kill()
    keys = crew.client.keys("rq:worker:*")
    assert isinstance(keys, list)
    for left, seen in ((80, 1), (61, 1), (59, 0)):
        for key in keys:
            crew.client.expire(key, left)
        assert crew.hands.ready().workers == seen


def test_a_worker_that_was_struck_off_is_seen_again(crew: Crew) -> None:
    """RQ does that to one whose key ran out while Redis was away for minutes."""
    crew.worker()
    keys = crew.client.keys("rq:worker*")
    assert isinstance(keys, list)
    crew.client.delete(*keys)
    wait_until(lambda: crew.hands.ready().workers == 1, "the worker is seen", 8)


def test_two_workers_share_a_backlog(crew: Crew) -> None:
    hand = played("french-tarot-4", 1)
    expected = status_of(hand)
    hand_ids = [crew.hands.submit("default", "t", hand, expected).hand_id for _ in range(800)]
    workers = [crew.start("worker", "-m", "workers.run") for _ in range(2)]
    wait_until(lambda: sum(Sheets(crew.client).due()) == 0, "all sheets")
    assert all(worker.is_running() for worker in workers)
    assert all(crew.is_scored(hand_id) for hand_id in hand_ids[::50])
