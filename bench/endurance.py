"""`python -m bench.endurance [MINUTES]`: posts and imports at once, each at 0.4 of what it can do at most.

First it measures how fast whole hands can be posted one by one, and how fast a file of 100,000 is imported;
then both go on together for ten minutes, files of 20,000 one after the other. Told are errors, times, memory
and Redis's growth; ends with 1 where a bound is not kept.
"""

from __future__ import annotations

import itertools
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx
import psutil
import redis

from bench.__main__ import shown
from bench.imports import mixed_hands
from bench.posts import post, write_records
from bench.running import Running, whole_service
from bench.timing import Line
from records.wire import dumps

SHARE: Final = 0.4
"""Of what can be done at most, which both have to keep up."""
AIM: Final = 0.41
"""What the load is: a little more, since what is under way at the end does not count."""
MINUTES: Final = 10.0
SAMPLE: Final = 20_000
"""Hands of the file that is imported again and again."""
MOST: Final = 5
"""So many of these are one file, when it is measured how fast imports are at most."""
SCORED_BOUND: Final = 1.0
"""Seconds until a fresh hand has its sheet, for 99 of a hundred."""
GROWTH_BOUND: Final = 2048
"""Bytes of Redis's memory a hand."""
FLAT_BOUND: Final = 1.1
"""What a process has in the last third of the time, as a multiple of what it had in the second one."""

_LOOK_SECONDS: Final = 0.02
_PROBE_SECONDS: Final = 0.5
_READING_SECONDS: Final = 5.0
_MEGABYTE: Final = 1_000_000
_JSON: Final = {"Content-Type": "application/json"}
_NDJSON: Final = {"Content-Type": "application/x-ndjson"}


class Reading(NamedTuple):
    """Bytes that the processes had at a moment, each kind's largest."""

    service: int
    workers: int


def main(minutes: float) -> int:
    """Measure, load, and tell."""
    with tempfile.TemporaryDirectory() as name, whole_service(Path(name)) as running:
        all_kept = True
        for line in _lines(running, Path(name), minutes * 60):
            print(shown(line), flush=True)
            all_kept &= line.passed
    return 0 if all_kept else 1


def _lines(running: Running, folder: Path, seconds: float) -> Iterator[Line]:
    records, _ = write_records(folder)
    hands = [dumps({**record, "hand_id": ""}) for record in mixed_hands(SAMPLE)]
    post(running.port, records, "warm", 5)
    told = post(running.port, records, "most", 20)
    most_posts = told["answered"] / told["seconds"]
    yield Line("hands posted one by one at most", most_posts, unit="a second")
    with httpx.Client(base_url=running.service.base_url, timeout=60, trust_env=False) as http:
        began = time.monotonic()
        hands_imported = max(_importing(http, hands * MOST, "bulk"))
        most_imported = hands_imported / (time.monotonic() - began)
        yield Line("hands imported at most", most_imported, unit="a second")
        _await_sheets(http)
    with running.service.redis.client() as client:
        load = Load(running, records, hands, AIM * most_posts, AIM * most_imported)
        began_with = _used(client)
        done = load.run(seconds)
        with httpx.Client(base_url=running.service.base_url, timeout=60, trust_env=False) as http:
            _await_sheets(http)
        grown = (_used(client) - began_with) / (done.posted + done.imported)
    for kind, count, most in (
        ("posted one by one", done.posted, most_posts),
        ("imported", done.imported, most_imported),
    ):
        each = count / seconds
        yield Line(
            f"hands {kind} ({each:,.0f} a second) / what can be done at most", each / most, SHARE, "at least"
        )
    yield from done.lines(grown)


class Done(NamedTuple):
    """What came of the load."""

    told: dict[str, float]
    imported: int
    lags: list[float]
    readings: list[Reading]

    @property
    def posted(self) -> int:
        """Hands that were posted one by one."""
        return int(self.told["answered"])

    def lines(self, grown: float) -> Iterator[Line]:
        """The table, but for how many they were. ``grown``: Redis by so many bytes a hand."""
        for name in ("p50", "p99", "slowest"):
            yield Line(f"time of a post, {name}", self.told[name], unit="ms")
        lags = sorted(self.lags)
        late = lags[int(len(lags) * 0.99)]
        yield Line("fresh hands scored after, p50", lags[len(lags) // 2], unit="s")
        yield Line("fresh hands scored after, p99", late, SCORED_BOUND, unit="s")
        third = len(self.readings) // 3
        second, last = self.readings[third : 2 * third], self.readings[-third:]
        for kind, name in enumerate(("service", "workers")):
            before, after = (statistics.median(one[kind] for one in part) for part in (second, last))
            told = f"memory of the {name}, last third / second third ({after / _MEGABYTE:.0f} MB a process)"
            yield Line(told, after / before, FLAT_BOUND)
        yield Line("Redis grew by, a hand", grown, GROWTH_BOUND, unit="bytes")


class Load:
    """Posts, imports, probes of how fast hands are scored, and readings of the memory, all at once.

    A fault in any of them ends it: there are to be none.
    """

    def __init__(
        self, running: Running, records: Path, hands: list[bytes], posts: float, imports: float
    ) -> None:
        self._running, self._records, self._hands = running, records, hands
        self._posts, self._imports = posts, imports
        self._errors: list[Exception] = []
        self._told: dict[str, float] = {}
        self._imported = 0
        self._lags: list[float] = []
        self._readings: list[Reading] = []

    def run(self, seconds: float) -> Done:
        """Go on for so long. Raises the first fault."""
        until = time.monotonic() + seconds
        tasks: list[Callable[[float], None]] = [self._post, self._import_all, self._probe, self._read_memory]
        threads = [threading.Thread(target=self._guarded, args=(task, until)) for task in tasks]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self._errors:
            raise self._errors[0]
        return Done(self._told, self._imported, self._lags, self._readings)

    def _guarded(self, task: Callable[[float], None], until: float) -> None:
        try:
            task(until)
        except Exception as error:  # raised again by the thread that waits for this one
            self._errors.append(error)

    def _goes_on(self, until: float) -> bool:
        return time.monotonic() < until and not self._errors

    def _post(self, until: float) -> None:
        seconds = until - time.monotonic()
        self._told = post(self._running.port, self._records, "steady", seconds, self._posts)

    def _import_all(self, until: float) -> None:
        """A file of some seconds' hands after the other, each when its time has come."""
        started = time.monotonic()
        with httpx.Client(base_url=self._running.service.base_url, timeout=60, trust_env=False) as http:
            for number in itertools.count():
                before = number * len(self._hands)
                time.sleep(max(0.0, started + before / self._imports - time.monotonic()))
                if not self._goes_on(until):
                    return
                for done in _importing(http, self._hands, f"file-{number}"):
                    if time.monotonic() < until:
                        self._imported = before + done

    def _probe(self, until: float) -> None:
        """Submit a hand now and then, and look how long its sheet takes."""
        body = self._hands[0]
        with httpx.Client(base_url=self._running.service.base_url, timeout=60, trust_env=False) as http:
            for number in itertools.count():
                if not self._goes_on(until):
                    return
                began = time.monotonic()
                sent = http.post("/v1/hands", content=_named(body, f"probe-{number}"), headers=_JSON)
                assert sent.status_code == 202, sent.text
                while http.get(f"/v1/hands/probe-{number}/score").status_code != 200:
                    time.sleep(_LOOK_SECONDS)
                self._lags.append(time.monotonic() - began)
                time.sleep(_PROBE_SECONDS)

    def _read_memory(self, until: float) -> None:
        while self._goes_on(until):
            kinds = (self._running.pids_of_service(), self._running.pids_of_workers())
            self._readings.append(Reading(*(max(map(_resident, pids)) for pids in kinds)))
            time.sleep(_READING_SECONDS)


def _importing(http: httpx.Client, hands: list[bytes], prefix: str) -> Iterator[int]:
    """Upload the hands under other names, and tell how many are stored until all are."""
    body = b"\n".join(_named(hand, f"{prefix}-{number}") for number, hand in enumerate(hands))
    accepted = http.post("/v1/imports", content=body, headers=_NDJSON)
    assert accepted.status_code == 202, accepted.text
    while (state := http.get(accepted.headers["Location"]).json())["status"] != "done":
        yield state["done"]
        time.sleep(0.1)
    assert state["created"] == len(hands), state
    yield len(hands)


def _named(hand: bytes, hand_id: str) -> bytes:
    """The hand under that id; hands are written with an empty one."""
    return hand.replace(b'"hand_id":""', f'"hand_id":"{hand_id}"'.encode(), 1)


def _await_sheets(http: httpx.Client) -> None:
    """Wait until nothing is due."""
    while not any(line == "trull_due_hands 0.0" for line in http.get("/metrics").text.splitlines()):
        time.sleep(0.2)


def _resident(pid: int) -> int:
    return psutil.Process(pid).memory_info().rss


def _used(client: redis.Redis) -> int:
    known: Any = client.info("memory")
    used: int = known["used_memory"]
    return used


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if sys.argv[1:] else MINUTES))
