"""`make run` for real: every test starts the whole service in a data folder of its own."""

import os
import re
import shlex
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path

import httpx
import psutil
import pytest

from service.engine import Version, free_port, mark_data
from service.launch import take_lock
from service.supervisor import PROGRAMS_LOCK
from service.up import WAITING
from tests.support.make_run import MakeRun, assert_all_end, has_ended
from tests.support.processes import ROOT, RedisServer, wait_until

# Some tests start everything twice, which takes a while where others work on the same machine.
pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def make_run(tmp_path: Path) -> Iterator[MakeRun]:
    """Not yet started; whatever a test leaves behind is ended."""
    run = MakeRun(tmp_path)
    yield run
    run.stop()


def posted_by_the_curl_line(run: MakeRun) -> httpx.Response:
    """Do what the printed line would do in a shell."""
    line = next(line for line in run.output().splitlines() if line.startswith("curl "))
    words = shlex.split(line)
    headers = dict(word.split(": ") for flag, word in pairwise(words) if flag == "-H")
    body = words[words.index("-d") + 1]
    return httpx.post(words[2], content=body.encode(), headers=headers, timeout=20, trust_env=False)


def test_a_hand_is_scored_and_still_there_after_a_restart(make_run: MakeRun) -> None:
    programs = make_run.start_until_ready()
    answer = posted_by_the_curl_line(make_run)
    assert answer.status_code == 201, answer.text
    score = httpx.get(f"{make_run.url}{answer.headers['Location']}/score", trust_env=False)
    assert score.status_code == 200, score.text
    assert_stops_in_order(make_run, signal.SIGINT, programs)

    programs = make_run.start_until_ready()
    again = httpx.get(f"{make_run.url}{answer.headers['Location']}/score", trust_env=False)
    assert again.status_code == 200
    assert again.json() == score.json()
    assert_stops_in_order(make_run, signal.SIGTERM, programs)


def assert_stops_in_order(run: MakeRun, number: signal.Signals, programs: dict[str, psutil.Process]) -> None:
    run.signal(number)
    assert run.wait(60) == 0
    assert all(map(has_ended, programs.values()))
    log = run.output()
    # Redis says good-bye when everyone else has gone.
    assert "Shutting down: Master" in log
    assert log.index("Shutting down: Master") < log.index("User requested shutdown")
    assert log.index("bye bye") < log.index("Stopped.")


def test_open_access_is_said_loudly_and_keys_are_asked_for_when_set(
    tmp_path: Path, make_run: MakeRun
) -> None:
    make_run.start_until_ready()
    assert "ACCESS IS OPEN" in make_run.output()
    make_run.stop()
    key = "0123456789abcdef0123456789abcdef"
    with_keys = MakeRun(tmp_path, "with-keys", TRULL_API_KEYS=f"club:{key}")
    with_keys.data = make_run.data
    try:
        with_keys.start_until_ready()
        assert "ACCESS IS OPEN" not in with_keys.output()
        assert "is no setting" not in with_keys.output()
        assert "Memory overcommit must" not in with_keys.output()
        assert "Authorization: Bearer YOUR-KEY" in with_keys.output()
        assert posted_by_the_curl_line(with_keys).status_code == 401
        variants = f"{with_keys.url}/v1/variants"
        assert httpx.get(variants, trust_env=False).status_code == 401
        entered = httpx.get(variants, headers={"Authorization": f"Bearer {key}"}, trust_env=False)
        assert entered.status_code == 200
    finally:
        with_keys.stop()
    for written in (with_keys.output(), *(path.read_text() for path in with_keys.data.glob("*.*"))):
        assert key not in written


def test_the_sandbox_key_is_shown_and_stays(make_run: MakeRun) -> None:
    make_run.start_until_ready()
    (key,) = re.findall(r"^trull_\S+$", make_run.output(), re.M)
    assert "`.venv/bin/trull keys sandbox --empty`" in make_run.output()
    headers = {"Authorization": f"Bearer {key}"}
    hand = posted_by_the_curl_line(make_run).headers["Location"]
    apart = httpx.get(f"{make_run.url}{hand}", headers=headers, trust_env=False)
    assert apart.status_code == 404
    listed = httpx.get(f"{make_run.url}/v1/hands", headers=headers, trust_env=False)
    assert listed.json()["hands"] == []
    assert stat.S_IMODE((make_run.data / "sandbox-key").stat().st_mode) == 0o600
    make_run.stop()
    (make_run.data / "sandbox-key").write_text("trull_none\n")
    make_run.start_until_ready()
    (other,) = re.findall(r"^trull_\S+$", make_run.output(), re.M)
    assert other != key, "what was kept is no key"
    make_run.stop()
    make_run.start_until_ready()
    assert re.findall(r"^trull_\S+$", make_run.output(), re.M) == [other]


def test_stored_keys_alone(tmp_path: Path, make_run: MakeRun) -> None:
    """Refused while there is none; a key that the command makes is enough from then on."""
    closed = MakeRun(tmp_path, "closed", TRULL_API_KEYS="stored")
    closed.data = make_run.data
    closed.start()
    assert closed.wait(60) == 1
    assert "trull cannot start: TRULL_API_KEYS is `stored`, and the store has no keys" in closed.output()
    make_run.start_until_ready()
    command = [sys.executable, "-m", "cli", "keys", "make", "club"]
    key = subprocess.run(command, cwd=ROOT, env=make_run.env, capture_output=True, text=True).stdout.strip()
    make_run.stop()
    try:
        closed.start_until_ready()
        assert "ACCESS IS OPEN" not in closed.output()
        assert "Bearer YOUR-KEY" in closed.output()
        assert not re.findall(r"^trull_\S+$", closed.output(), re.M)
        for headers, status in (({}, 401), ({"Authorization": f"Bearer {key}"}, 200)):
            hands = httpx.get(f"{closed.url}/v1/hands", headers=headers, trust_env=False)
            assert hands.status_code == status
    finally:
        closed.stop()


def test_a_second_start_on_the_same_data_is_refused(tmp_path: Path, make_run: MakeRun) -> None:
    programs = make_run.start_until_ready()
    assert "runs on" in MakeRun(tmp_path, "second").refuses()
    assert make_run.programs() == programs


def test_an_address_in_use_is_refused(tmp_path: Path, make_run: MakeRun) -> None:
    make_run.start_until_ready()
    bind = make_run.url.removeprefix("http://")
    other = MakeRun(tmp_path, "other", TRULL_BIND=bind, TRULL_DATA_DIR=str(tmp_path / "other-data"))
    assert f"{bind} is in use" in other.refuses()


@pytest.mark.parametrize("victim", ["up", "supervisord"])
def test_a_killed_run_takes_all_with_it_and_the_next_has_the_data(make_run: MakeRun, victim: str) -> None:
    programs = make_run.start_until_ready()
    location = posted_by_the_curl_line(make_run).headers["Location"]
    if victim == "up":
        make_run.kill_alone()
    else:
        programs["supervisord"].kill()
        assert make_run.wait() == 1
    # At once, while the others may still be stopping: the start has to wait for the old Redis.
    make_run.start_until_ready()
    assert_all_end(programs)
    assert httpx.get(f"{make_run.url}{location}", trust_env=False).status_code == 200


def test_a_program_that_is_killed_comes_back(make_run: MakeRun) -> None:
    before = make_run.start_until_ready()
    location = posted_by_the_curl_line(make_run).headers["Location"]
    for victim in ("workers.sweep", "workers.deliver", "workers.run", "gunicorn", "redis-server"):
        before[victim].kill()
        wait_until(partial(is_back, make_run, victim, before), f"a new {victim}")
        wait_until(lambda: is_served(make_run, location), f"the hand from before the end of {victim}")
        wait_until(lambda: is_scored(make_run), f"a score after the end of {victim}")


def is_back(run: MakeRun, word: str, before: dict[str, psutil.Process]) -> bool:
    now = run.programs().get(word)
    return now is not None and now.pid != before[word].pid


def is_served(run: MakeRun, location: str) -> bool:
    try:
        return httpx.get(f"{run.url}{location}", trust_env=False).status_code == 200
    except httpx.TransportError:
        return False


def is_scored(run: MakeRun) -> bool:
    try:
        return posted_by_the_curl_line(run).status_code == 201
    except httpx.TransportError:
        return False


def test_only_the_owner_may_read_the_data(make_run: MakeRun) -> None:
    make_run.start_until_ready()
    assert stat.S_IMODE(make_run.data.stat().st_mode) == 0o700
    for path in (make_run.data / "redis").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_a_redis_that_runs_already_is_used(tmp_path: Path, spare_redis: RedisServer) -> None:
    run = MakeRun(tmp_path, TRULL_REDIS_URL=spare_redis.url)
    try:
        programs = run.start_until_ready()
        assert "redis-server" not in programs
        assert posted_by_the_curl_line(run).status_code == 201
    finally:
        run.stop()
    with spare_redis.client() as client:
        assert client.dbsize() > 0
    assert not (run.data / "redis").exists()


def test_a_redis_that_is_not_there_is_told_soon(tmp_path: Path) -> None:
    port = free_port()
    run = MakeRun(tmp_path, TRULL_REDIS_URL=f"redis://:hush-hush@127.0.0.1:{port}/0", TRULL_WORKER="1")
    try:
        run.start()
        told = f"Not ready: Redis cannot be reached. TRULL_REDIS_URL names 127.0.0.1:{port}: is that right?"
        wait_until(lambda: told in run.output(), "what is missing", 55)
        assert "TRULL_WORKER is no setting of Trull" in run.output()
        assert "hush-hush" not in run.output()
    finally:
        run.stop()


def test_data_of_a_newer_redis_is_refused(make_run: MakeRun) -> None:
    mark_data(make_run.data, Version(99, 0, 0))
    assert "was written by Redis 99.0.0" in make_run.refuses()
    assert not (make_run.data / "redis").exists()


def test_what_a_killed_run_has_left_is_waited_for_before_the_data_are_looked_at(make_run: MakeRun) -> None:
    mark_data(make_run.data, Version(99, 0, 0))
    left = take_lock(make_run.data / PROGRAMS_LOCK, shared=True)
    assert left is not None
    make_run.start()
    wait_until(lambda: WAITING in make_run.output(), "the start says that it waits")
    assert make_run.is_running()
    os.close(left)
    assert "was written by Redis 99.0.0" in make_run.refusal()


@pytest.mark.parametrize(
    ("env", "says"),
    [
        ({"TRULL_BIND": "0.0.0.0:8000"}, "TRULL_API_KEYS"),
        ({"TRULL_BIND": "8000"}, "TRULL_BIND"),
        ({"TRULL_WORKERS": "many"}, "TRULL_WORKERS"),
        ({"TRULL_REDIS_URL": "localhost"}, "TRULL_REDIS_URL"),
        ({"TRULL_API_KEYS": "club:short"}, "TRULL_API_KEYS"),
        ({"TRULL_DATA_DIR": "/dev/null/data"}, "TRULL_DATA_DIR"),
    ],
)
def test_a_setting_that_cannot_be_used_is_refused(tmp_path: Path, env: dict[str, str], says: str) -> None:
    assert says in MakeRun(tmp_path, **env).refuses()
