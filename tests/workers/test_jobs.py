"""Jobs: one wake-up for many hands, none lost, and nothing run that is no job of ours."""

from __future__ import annotations

import itertools
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
import redis
from rq import Callback, Queue
from rq.job import Job
from rq.serializers import DefaultSerializer, JSONSerializer

from records.hands import Hands
from records.queue import BELIEF_SECONDS, DRAIN, QUEUE, WorkQueue
from records.redis_keys import SHARDS
from records.sheets import Sheets
from tests.support.hand_records import result, status_of
from tests.support.processes import Process, RedisServer, wait_until
from workers.jobs import drain_with, rest_after
from workers.scoring import MANY, Scorer
from workers.vigil import Stop


@pytest.fixture
def hands(redis_client: redis.Redis) -> Hands:
    return Hands(redis_client)


@pytest.fixture
def jobs(redis_client: redis.Redis) -> Queue:
    return Queue(QUEUE, connection=redis_client, serializer=JSONSerializer)


def submit(hands: Hands, count: int = 1) -> list[str]:
    hand = result()
    return [hands.submit("default", "t", hand, status_of(hand)).hand_id for _ in range(count)]


def empty(jobs: Queue) -> None:
    """As if a worker had taken all jobs."""
    jobs.empty()  # type: ignore[no-untyped-call]


def scored(hands: Hands, hand_id: str) -> bool:
    sheet = hands.sheet("default", hand_id)
    return sheet is not None and sheet.sheet is not None


def test_a_burst_of_hands_is_one_job(hands: Hands, jobs: Queue) -> None:
    submit(hands, 50)
    assert jobs.count == 1
    job = jobs.jobs[0]
    assert (job.func_name, job.args, job.kwargs) == (DRAIN, [], {})


def test_a_hand_that_is_only_begun_wakes_nobody(hands: Hands, jobs: Queue) -> None:
    hands.submit("default", "t", result(), "incomplete")
    assert jobs.count == 0


def test_a_drain_scores_all_and_has_to_be_woken_again(
    hands: Hands, jobs: Queue, redis_client: redis.Redis
) -> None:
    ids = submit(hands, 30)
    empty(jobs)
    drain_with(redis_client)
    assert all(scored(hands, hand_id) for hand_id in ids)
    assert jobs.count == 0
    submit(hands)
    assert jobs.count == 1


def test_hands_that_come_while_a_worker_looks_wake_nobody(
    hands: Hands, jobs: Queue, redis_client: redis.Redis
) -> None:
    submit(hands)
    empty(jobs)
    drain = threading.Thread(target=drain_with, args=(redis_client,))
    drain.start()
    try:
        for _ in range(5):
            time.sleep(0.1)
            hand_id = submit(hands)[0]
            assert hands.wait_for_sheet("default", hand_id, 1, 5) is not None
    finally:
        drain.join()
    assert jobs.count == 0


def test_no_wake_up_is_lost_between_the_last_look_and_the_end(
    hands: Hands, jobs: Queue, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hand is stored at the worst moment: the worker is asleep, and its submitter believes it awake."""
    submit(hands)
    empty(jobs)
    fall_asleep = WorkQueue.fall_asleep

    def early(queue: WorkQueue) -> None:
        if not late_ids:
            late_ids.extend(submit(hands))  # sees it awake
            fall_asleep(queue)
            late_ids.extend(submit(hands))  # believes it awake
            assert jobs.count == 0, "woken by nobody"
        else:
            fall_asleep(queue)

    late_ids: list[str] = []
    monkeypatch.setattr(WorkQueue, "fall_asleep", early)
    drain_with(redis_client)
    assert len(late_ids) == 2
    assert all(scored(hands, hand_id) for hand_id in late_ids)
    assert jobs.count == 0
    assert not redis_client.exists("trull:awake")


def test_a_last_look_that_is_cut_short_leaves_another_job(
    hands: Hands, jobs: Queue, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than one round's hands come while the worker is believed awake, and its time is over just then."""
    monkeypatch.setattr("workers.scoring.MANY", 2)
    # On any machine they come in time, and for the last look.
    monkeypatch.setattr("records.queue.BELIEF_SECONDS", 5)
    monkeypatch.setattr("workers.vigil.BELIEF_SECONDS", 0)
    submit(hands)
    empty(jobs)
    fall_asleep = WorkQueue.fall_asleep

    def late(queue: WorkQueue) -> None:
        fall_asleep(queue)
        submit(hands, 12)  # believes it awake
        assert jobs.count == 0, "woken by nobody"
        monkeypatch.setattr(Stop, "requested", True)

    monkeypatch.setattr(WorkQueue, "fall_asleep", late)
    drain_with(redis_client)
    assert sum(Sheets(redis_client).due()) > 0, "it left some"
    assert jobs.count == 1


def test_a_belief_outlasts_no_vigil(hands: Hands, jobs: Queue, redis_client: redis.Redis) -> None:
    """A worker fell asleep after its last look, which is so long ago that nobody believes it awake."""
    submit(hands)
    empty(jobs)
    drain_with(redis_client)
    time.sleep(BELIEF_SECONDS)
    submit(hands)
    assert jobs.count == 1


def test_many_submitters_ask_seldom_whether_a_worker_is_awake(
    hands: Hands, redis_client: redis.Redis
) -> None:
    def questions() -> int:
        stats = cast(dict[str, dict[str, int]], redis_client.info("commandstats"))
        return stats.get("cmdstat_set", {"calls": 0})["calls"]

    before = questions()
    started = time.monotonic()
    submit(hands, 100)
    asked = questions() - before
    assert 1 <= asked <= 1 + (time.monotonic() - started) / BELIEF_SECONDS


def test_a_drain_gives_way_to_other_jobs(
    hands: Hands, jobs: Queue, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit(hands, 5)
    empty(jobs)
    scored = Scorer.score_some
    rounds = itertools.count()

    def counted(scorer: Scorer, *, later: bool) -> Iterator[int]:
        next(rounds)
        return scored(scorer, later=later)

    monkeypatch.setattr(Scorer, "score_some", counted)
    drain_with(redis_client, seconds=0)
    assert next(rounds) <= 1, "and after no second round"
    assert jobs.count == 1, "for what it left"


def test_hands_gather_while_they_come_one_by_one() -> None:
    """A lone hand's sheet is no later for it, a burst's but little, and what has gathered is worked off."""
    assert rest_after(0) == 0
    assert 0 < rest_after(1) < 0.005
    assert rest_after(1) < rest_after(10) < rest_after(100) <= 0.1
    assert rest_after(MANY) == 0


def test_a_backlog_calls_for_help(
    hands: Hands, jobs: Queue, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("workers.jobs", "workers.scoring"):
        monkeypatch.setattr(f"{module}.BATCH", 4)
        monkeypatch.setattr(f"{module}.MANY", 16)
    submit(hands, SHARDS * 8)
    empty(jobs)
    drain_with(redis_client)
    assert sum(Sheets(redis_client).due()) == 0
    assert jobs.count == 1


def test_the_queue_may_be_away(hands: Hands, redis_client: redis.Redis, jobs: Queue) -> None:
    """The hand is stored and marked; the sweeper will see to it."""
    redis_client.set(jobs.key, "no list")
    hand_id = submit(hands)[0]
    assert sum(Sheets(redis_client).due()) == 1
    assert hands.get("default", hand_id) is not None


@pytest.fixture
def worker(redis_server: RedisServer, redis_url: str, tmp_path: Path) -> Process:
    return Process("worker", [sys.executable, "-m", "workers.run"], tmp_path, {"TRULL_REDIS_URL": redis_url})


def poison(jobs: Queue, kind: str, target: Path) -> Job:
    """A job that would make a file."""
    touch = f"import pathlib; pathlib.Path({str(target)!r}).touch()"
    call: dict[str, Any] = {"args": [f"touch {target}"]}
    if kind == "a function of the system":
        return jobs.enqueue("os.system", **call)
    if kind == "through a module of ours":
        return jobs.enqueue("workers.store.os.system", **call)
    if kind == "a builtin":
        return jobs.enqueue("builtins.exec", args=[touch])
    if kind == "a callback on success":
        return jobs.enqueue(
            DRAIN, on_success=Callback("tests.workers.poison.touch"), meta={"file": str(target)}
        )
    if kind == "a callback on failure":
        return jobs.enqueue(
            "no.such.job", on_failure=Callback("tests.workers.poison.touch"), meta={"file": str(target)}
        )
    assert kind == "a pickle"
    pickling = Queue(QUEUE, connection=jobs.connection, serializer=DefaultSerializer)
    return pickling.enqueue("os.system", **call)


KINDS = (
    "a function of the system",
    "through a module of ours",
    "a builtin",
    "a callback on success",
    "a callback on failure",
    "a pickle",
)


def test_a_poisoned_job_is_refused(hands: Hands, jobs: Queue, worker: Process, tmp_path: Path) -> None:
    poisoned = {kind: poison(jobs, kind, tmp_path / kind.replace(" ", "-")) for kind in KINDS}
    failing = {job.id for kind, job in poisoned.items() if kind != "a callback on success"}
    with worker:
        wait_until(lambda: set(jobs.failed_job_registry.get_job_ids()) == failing, "the jobs are failed")
        hand_id = submit(hands)[0]
        wait_until(lambda: scored(hands, hand_id), "the worker goes on")
        assert worker.is_running()
    for kind in KINDS:
        assert not (tmp_path / kind.replace(" ", "-")).exists(), kind


def test_a_plain_worker_would_run_them(jobs: Queue, redis_url: str, tmp_path: Path) -> None:
    """Shows that the test above can fail."""
    for kind in KINDS:
        poison(jobs, kind, tmp_path / kind.replace(" ", "-"))
        serializer = "pickle" if kind == "a pickle" else "json"
        if kind in KINDS[-2:]:
            options = ["--burst", "--quiet", "--url", redis_url, "--serializer", serializer]
            command = [sys.executable, "-m", "rq.cli", "worker", QUEUE, "--worker-class", "rq.SimpleWorker"]
            with Process(serializer, [*command, *options], tmp_path) as plain:
                assert plain.wait() == 0
    for kind in KINDS:
        assert (tmp_path / kind.replace(" ", "-")).exists(), kind


def test_queue_keys_do_not_pile_up(hands: Hands, redis_client: redis.Redis, worker: Process) -> None:
    with worker:
        for _ in range(4):
            hand_id = submit(hands)[0]
            assert hands.wait_for_sheet("default", hand_id, 1, 10) is not None
            time.sleep(0.4)  # longer than a job lingers: four jobs
    left = [key.decode() for key in cast(list[bytes], redis_client.keys("rq:*"))]
    assert not [key for key in left if key.startswith(("rq:job:", "rq:results:", "rq:execution"))], left


def test_jobs_do_not_pile_up(hands: Hands, jobs: Queue, redis_client: redis.Redis) -> None:
    """Each hand comes just when the worker has fallen asleep, so that each puts in a job."""
    fall_asleep = WorkQueue.fall_asleep
    submit(hands)
    for _ in range(5):
        empty(jobs)
        with pytest.MonkeyPatch.context() as patch:

            def early(queue: WorkQueue) -> None:
                fall_asleep(queue)
                time.sleep(BELIEF_SECONDS)
                submit(hands)

            patch.setattr(WorkQueue, "fall_asleep", early)
            drain_with(redis_client)
        assert jobs.count == 1
    assert sum(Sheets(redis_client).due()) == 0
