"""What is done to a running service. The tests here do it for seconds, those in `tests/soak` for minutes."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import httpx
import psutil

from tests.faults.clock import Clock
from tests.faults.club import FAST, Club, Ledger, check
from tests.support.make_run import MakeRun
from tests.support.processes import RunningService, wait_until

# The worker first: what it had claimed falls due again while the others are killed.
VICTIMS = ("workers.run", "workers.sweep", "an API process", "gunicorn", "redis-server")

Tell = Callable[[str], None]


def kill_one_after_the_other(
    run: MakeRun, ledger: Ledger, rounds: int, seconds: float, pause: float, tell: Tell
) -> None:
    """kill -9 of each program in turn under load; the supervisor brings it back."""
    with Club(run.url, ledger, pause=pause):
        for number in range(rounds):
            for victim in VICTIMS:
                time.sleep(seconds)
                kill(run, victim)
                killed = time.monotonic()
                time.sleep(0.2)
                wait_until(lambda: is_ready(run), f"readiness after the end of {victim}", 60)
                took = time.monotonic() - killed
                tell(f"round {number + 1}: killed {victim}, ready after {took:.1f} s; {ledger.told()}")
    tell(f"last sheet after {check(run.url, ledger):.1f} s; {ledger.told()}")
    assert ledger.answers["503"], "Redis was away and nobody noticed"


def kill_everything(
    run: MakeRun, ledger: Ledger, rounds: int, seconds: float, pause: float, tell: Tell
) -> None:
    """kill -9 of all processes at once under load, the supervisor and the launcher too; then a new start."""
    with Club(run.url, ledger, pause=pause):
        for number in range(rounds):
            time.sleep(seconds)
            before = len(ledger.acknowledged)
            kill_all(run)
            run.start_until_ready()
            wait_until(lambda: len(ledger.acknowledged) > before, "a hand gets through again")  # noqa: B023
            tell(f"round {number + 1}: killed everything; {ledger.told()}")
    tell(f"last sheet after {check(run.url, ledger):.1f} s; {ledger.told()}")


def take_redis_away(run: MakeRun, ledger: Ledger, seconds: float, pause: float, tell: Tell) -> None:
    """Redis ends under load, and cannot be started for so long: its settings are not there."""
    settings = run.data / "redis.conf"
    aside = settings.with_name("redis.conf.aside")
    with Club(run.url, ledger, pause=pause):
        wait_until(lambda: len(ledger.acknowledged) > 20, "the clients are at work")
        settings.rename(aside)
        try:
            kill(run, "redis-server")
            _while_away(run, ledger, seconds)
        finally:
            aside.rename(settings)
        _recovers(run, ledger, tell)
    tell(f"last sheet after {check(run.url, ledger):.1f} s")


def freeze_redis(run: MakeRun, ledger: Ledger, seconds: float, pause: float, tell: Tell) -> None:
    """Redis is there and does not answer, as when its disk hangs."""
    with Club(run.url, ledger, pause=pause):
        wait_until(lambda: len(ledger.acknowledged) > 20, "the clients are at work")
        redis_server = run.programs()["redis-server"]
        redis_server.suspend()
        try:
            _while_away(run, ledger, seconds)
        finally:
            redis_server.resume()
        _recovers(run, ledger, tell)
    tell(f"last sheet after {check(run.url, ledger):.1f} s")


def _while_away(run: MakeRun, ledger: Ledger, seconds: float) -> None:
    until = time.monotonic() + seconds
    wait_until(lambda: ledger.answers["503"] > 0, "a client is told", FAST)
    while time.monotonic() < until:
        started = time.monotonic()
        assert "redis" in reasons(run)
        assert time.monotonic() - started < FAST
        time.sleep(0.1)


def _recovers(run: MakeRun, ledger: Ledger, tell: Tell) -> None:
    before = len(ledger.acknowledged)
    tell(f"away: {ledger.told()}")
    started = time.monotonic()
    wait_until(lambda: is_ready(run), "readiness after Redis came back", 60)
    wait_until(lambda: len(ledger.acknowledged) > before, "a hand gets through again", 60)
    tell(f"back after {time.monotonic() - started:.1f} s: {ledger.told()}")


def fill_the_disk(run: MakeRun, ledger: Ledger, disk: Path, seconds: float, pause: float, tell: Tell) -> None:
    """The disk runs full under load, stays so, and gets room again. ``disk`` is a small one of its own."""
    ballast = disk / "ballast"
    ballast.write_bytes(bytes(shutil.disk_usage(disk).free - 200_000))
    with Club(run.url, ledger, pause=pause):
        wait_until(lambda: ledger.answers["503"] > 10, "a full disk is noticed", 60)
        tell(f"full: {ledger.told()}")
        wait_until(lambda: "disk" in reasons(run), "the reason in /readyz")
        time.sleep(seconds)
        assert "disk" in reasons(run)
        before = len(ledger.acknowledged)
        ballast.unlink()
        wait_until(lambda: is_ready(run), "readiness with room again", 60)
        wait_until(lambda: len(ledger.acknowledged) > before, "a hand gets through again", 60)
    tell(f"room again: {ledger.told()}")
    tell(f"last sheet after {check(run.url, ledger):.1f} s")


def reasons(run: MakeRun) -> dict[str, str]:
    """Why it is not ready, by check."""
    answer = httpx.get(f"{run.url}/readyz", timeout=FAST, trust_env=False)
    if answer.status_code == 200:
        return {}
    return {error["check"]: error["detail"] for error in answer.json()["errors"]}


def kill(run: MakeRun, victim: str) -> None:
    """kill -9 of one program."""
    if victim == "an API process":
        run.programs()["gunicorn"].children()[-1].kill()
    else:
        run.programs()[victim].kill()


def kill_all(run: MakeRun) -> None:
    """kill -9 of the launcher and of all below it, before any of them can react to the end of another."""
    launcher = psutil.Process(run.pid)
    all_ = [launcher, *launcher.children(recursive=True)]
    for act in (psutil.Process.suspend, psutil.Process.kill):
        for process in all_:
            with contextlib.suppress(psutil.NoSuchProcess):
                act(process)
    run.wait()


def is_ready(run: MakeRun) -> bool:
    """Whether /readyz says so."""
    try:
        return httpx.get(f"{run.url}/readyz", timeout=5, trust_env=False).status_code == 200
    except httpx.TransportError:
        return False


def set_the_clock(
    service: RunningService,
    clock: Clock,
    ledger: Ledger,
    hours: Sequence[int],
    seconds: float,
    pause: float,
    tell: Tell,
) -> None:
    """The clock of the store is set under load, again and again, by these hours from the right time."""
    for wrong_by in hours:
        with Club(service.base_url, ledger, pause=pause):
            time.sleep(seconds)
            clock.set_wrong_by(wrong_by)
            time.sleep(seconds)
        with service.redis.client() as client:
            seen = int(client.time()[0])
        assert abs(seen - time.time() - wrong_by * 3600) < 60, "the clock was not set"
        tell(f"{wrong_by:+} hours: last sheet after {check(service.base_url, ledger):.1f} s; {ledger.told()}")
