"""What is done to a running service. The tests here do it for seconds, those in `tests/soak` for minutes."""

from __future__ import annotations

import time
from collections.abc import Callable

import httpx
import psutil

from tests.faults.club import Club, Ledger, check
from tests.support.make_run import MakeRun
from tests.support.processes import wait_until

# The worker first: what it had claimed falls due again while the others are killed.
VICTIMS = ("workers.run", "workers.sweep", "an API process", "gunicorn", "redis-server")

Tell = Callable[[str], None]


def kill_one_after_the_other(run: MakeRun, rounds: int, seconds: float, pause: float, tell: Tell) -> None:
    """kill -9 of each program in turn under load; the supervisor brings it back."""
    ledger = Ledger()
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


def kill_everything(run: MakeRun, rounds: int, seconds: float, pause: float, tell: Tell) -> None:
    """kill -9 of all processes at once under load, the supervisor and the launcher too; then a new start."""
    ledger = Ledger()
    with Club(run.url, ledger, pause=pause):
        for number in range(rounds):
            time.sleep(seconds)
            before = len(ledger.acknowledged)
            kill_all(run)
            run.start_until_ready()
            wait_until(lambda: len(ledger.acknowledged) > before, "a hand gets through again")  # noqa: B023
            tell(f"round {number + 1}: killed everything; {ledger.told()}")
    tell(f"last sheet after {check(run.url, ledger):.1f} s; {ledger.told()}")


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
    for process in all_:
        process.suspend()
    for process in all_:
        process.kill()
    run.wait()


def is_ready(run: MakeRun) -> bool:
    """Whether /readyz says so."""
    try:
        return httpx.get(f"{run.url}/readyz", timeout=5, trust_env=False).status_code == 200
    except httpx.TransportError:
        return False
