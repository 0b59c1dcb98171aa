"""Section imports: 100,000 hands uploaded to a running service, against a Flask echo of one of them.

Everything runs as `make run` has it: Redis waits for the disk at each write, and there are as many
processes of the service, and as many workers, as cores. The time is that from the first byte of the upload
to the last hand's outcome; sheets are made after that.
"""

from __future__ import annotations

import contextlib
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx
import psutil

from bench.hands import club
from bench.http import gunicorn, rate
from bench.timing import Line
from records.hands import Hands
from records.sheets import Sheets
from records.wire import dumps
from tests.support.processes import Process, RunningService, wait_until

HANDS: Final = 100_000
VARIANT: Final = "french-tarot-4"
BOUND: Final = 2.5
ROUNDS: Final = 5
"""Of the echo, before and after."""

_LOOK_SECONDS: Final = 0.25
_MEGABYTE: Final = 1_000_000


class Times(NamedTuple):
    """Seconds since the upload began."""

    uploaded: float
    imported: float
    scored: float


def lines() -> Iterator[Line]:
    """Hands a second against the echo's requests a second; and the most memory that a process ever had."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        hands, one = folder / "hands.ndjson", folder / "one.json"
        size = _write(hands, one)
        rates = _echo(one)
        with _service(folder) as (service, workers):
            times = _import(service, hands)
            api = _peak(child.pid for child in psutil.Process(service.api.pid).children())
            working = _peak(worker.pid for worker in workers)
        rates += _echo(one)
    rate_ = HANDS / times.imported
    told = f"import of {HANDS:,} hands of {size:,} bytes ({rate_:,.0f} a second) / echo"
    yield Line(told, rate_ / statistics.median(rates), BOUND, "at least")
    yield Line("the same until all sheets are made", HANDS / times.scored / statistics.median(rates))
    yield Line("of these, until the upload was stored", times.uploaded, unit="s")
    yield Line("memory of a process of the service, at its highest", api, unit="MB")
    yield Line("memory of a worker, at its highest", working, unit="MB")


def _write(hands: Path, one: Path) -> int:
    """Write the upload, and for the echo the hand whose size is nearest to the mean, which is answered."""
    sizes = []
    with hands.open("wb") as out:
        for number, hand in enumerate(club(VARIANT, HANDS)):
            sizes.append(out.write(dumps({"hand_id": f"import-{number}", **_as_dict(hand)}) + b"\n"))
    mean = statistics.mean(sizes)
    place = min(range(1000), key=lambda at: abs(sizes[at] - mean))
    with hands.open("rb") as written:
        one.write_bytes([next(written) for _ in range(place + 1)][-1].strip())
    return round(mean)


def _as_dict(hand: Any) -> dict[str, Any]:
    return {name: value for name, value in hand.as_dict().items() if name != "hand_id"}


def _echo(body: Path) -> list[float]:
    """Requests a second, several times."""
    with gunicorn("bench.echo:app") as port:
        rate(port, body)
        return [rate(port, body) for _ in range(ROUNDS)]


@contextlib.contextmanager
def _service(folder: Path) -> Iterator[tuple[RunningService, list[Process]]]:
    """A running service, and its workers."""
    with RunningService(folder) as service, contextlib.ExitStack() as running:
        workers = [service.worker]
        for number in range(1, len(os.sched_getaffinity(0))):
            worker = Process(f"worker{number}", service.worker.command, folder, service.worker.env)
            workers.append(running.enter_context(worker))
        with service.redis.client() as client:
            ready = Hands(client)
            wait_until(lambda: ready.ready().workers == len(workers), "the workers are there")
        yield service, workers


def _import(service: RunningService, hands: Path) -> Times:
    """Upload the hands, and wait until they are imported, and until their sheets are made."""
    with httpx.Client(base_url=service.base_url, timeout=60) as http, service.redis.client() as client:
        started = time.perf_counter()
        with hands.open("rb") as body:
            accepted = http.post(
                "/v1/imports", content=body, headers={"Content-Type": "application/x-ndjson"}
            )
        assert accepted.status_code == 202, accepted.text
        uploaded = time.perf_counter() - started
        while (state := http.get(accepted.headers["Location"]).json())["status"] != "done":
            _show(state["done"], started)
            time.sleep(_LOOK_SECONDS)
        imported = time.perf_counter() - started
        _show(state["done"], started, end="\n")
        assert state["created"] == HANDS, state
        sheets = Sheets(client)
        while sum(sheets.due()):
            time.sleep(_LOOK_SECONDS)
        return Times(uploaded, imported, time.perf_counter() - started)


def _show(done: int, started: float, end: str = "") -> None:
    """The progress, in one line that is written over."""
    seconds = time.perf_counter() - started
    told = f"\r      {done:7,} of {HANDS:,} hands, {seconds:5.1f} s, {done / seconds:6,.0f} a second"
    print(told, end=end, file=sys.stderr, flush=True)


def _peak(pids: Iterable[int]) -> float:
    """The most memory that one of these processes ever had, in megabytes."""
    return max(_highest(pid) for pid in pids) / _MEGABYTE


def _highest(pid: int) -> int:
    """Bytes that were resident at most, as the kernel has kept it."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024
