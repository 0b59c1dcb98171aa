"""Section imports: 100,000 hands uploaded to a running service, against a Flask echo of one of them.

Everything runs as `make run` has it: Redis waits for the disk at each write, and there are as many
processes of the service, and as many workers, as cores. The time is that from the first byte of the upload
to the last hand's outcome; sheets are made after that.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx

from bench.hands import club
from bench.http import echoing, rate
from bench.running import whole_service
from bench.timing import Line
from records.sheets import Sheets
from records.wire import dumps
from tests.support.processes import RunningService

HANDS: Final = 100_000
WHOLE: Final = 20_000
"""Of hands with all their cards, which are told without a bound."""
VARIANT: Final = "illustrated-mayr-sedlaczek-2016"
BOUND: Final = 2.5
ROUNDS: Final = 5
"""Of the echo, before and after."""

_LOOK_SECONDS: Final = 0.25
_MEGABYTE: Final = 1_000_000


class Times(NamedTuple):
    """Seconds since the upload began."""

    imported: float
    scored: float


def lines() -> Iterator[Line]:
    """Hands a second against the echo's requests a second; and the most memory that a process ever had."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        mixed, whole, one = (folder / name for name in ("mixed.ndjson", "whole.ndjson", "one.json"))
        size, size_whole = _write(mixed, mixed_hands(), one), _write(whole, _whole())
        rates = _echo(one)
        with whole_service(folder) as running:
            times = _import(running.service, mixed, HANDS)
            times_whole = _import(running.service, whole, WHOLE)
            api, working = _peak(running.pids_of_service()), _peak(running.pids_of_workers())
        rates += _echo(one)
    echo = statistics.median(rates)
    a_second, whole_a_second = HANDS / times.imported, WHOLE / times_whole.imported
    told = f"import of {HANDS:,} hands, {size:,} bytes each ({a_second:,.0f} a second) / echo"
    yield Line(told, a_second / echo, BOUND, "at least")
    yield Line("the same until all sheets are made", HANDS / times.scored / echo)
    told = (
        f"{WHOLE:,} hands with all cards, {size_whole:,} bytes each ({whole_a_second:,.0f} a second) / echo"
    )
    yield Line(told, whole_a_second / echo)
    yield Line("memory of a process of the service, at its highest", api, unit="MB")
    yield Line("memory of a worker, at its highest", working, unit="MB")


def mixed_hands(count: int = HANDS) -> Iterator[dict[str, Any]]:
    """Hands in each way in which a club has them: a third by cards, by tricks, and by their score sheet."""
    whole = club(VARIANT, count)
    chance = random.Random(11)
    for number in range(count):
        record = {"hand_id": f"mixed-{number}", **_as_dict(next(whole))}
        if number % 3 == 2:
            # As many by cards as by tricks are left, since they alternate by chance.
            record["events"] = [_result(chance, record["players"])]
        yield record


def _whole() -> Iterator[dict[str, Any]]:
    for number, hand in enumerate(club(VARIANT, WHOLE)):
        yield {"hand_id": f"whole-{number}", **_as_dict(hand)}


def _result(chance: random.Random, players: list[str]) -> dict[str, Any]:
    """What a score sheet says of a hand."""
    declarer = chance.choice(players)
    pagat = {"bonus": "pagat", "player": declarer, "stage": "after_pickup", "made": chance.random() < 0.5}
    return {
        "type": "result_reported",
        "declarer": declarer,
        "contract": chance.choice(("dreiblatt", "zweiblatt", "einblatt", "solo")),
        "card_points": chance.randint(20, 50),
        "bonuses": [pagat] if chance.random() < 0.5 else [],
    }


def _write(out: Path, records: Iterable[dict[str, Any]], one: Path | None = None) -> int:
    """Write an upload, and for the echo the hand whose size is nearest to the mean, which is answered."""
    sizes = []
    with out.open("wb") as file:
        sizes = [file.write(dumps(record) + b"\n") for record in records]
    mean = statistics.mean(sizes)
    if one is not None:
        nearest = min(range(1000), key=lambda at: abs(sizes[at] - mean))
        with out.open("rb") as file:
            one.write_bytes(next(islice(file, nearest, None)).strip())
    return round(mean)


def _as_dict(hand: Any) -> dict[str, Any]:
    return {name: value for name, value in hand.as_dict().items() if name != "hand_id"}


def _echo(body: Path) -> list[float]:
    """Requests a second, several times."""
    with echoing() as port:
        rate(port, body)
        return [rate(port, body) for _ in range(ROUNDS)]


def _import(service: RunningService, hands: Path, count: int) -> Times:
    """Upload the hands, and wait until they are imported, and until their sheets are made."""
    with httpx.Client(base_url=service.base_url, timeout=60) as http, service.redis.client() as client:
        progress = Progress(count)
        with hands.open("rb") as body:
            accepted = http.post(
                "/v1/imports", content=body, headers={"Content-Type": "application/x-ndjson"}
            )
        assert accepted.status_code == 202, accepted.text
        while (state := http.get(accepted.headers["Location"]).json())["status"] != "done":
            progress.show(state["done"])
            time.sleep(_LOOK_SECONDS)
        imported = progress.seconds()
        progress.show(count, end="\n")
        assert state["created"] == count, state
        sheets = Sheets(client)
        while sum(sheets.due()):
            time.sleep(_LOOK_SECONDS)
        return Times(imported, progress.seconds())


class Progress:
    """How far an import is, in one line that is written over."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._started = time.perf_counter()

    def seconds(self) -> float:
        """How long it has taken so far."""
        return time.perf_counter() - self._started

    def show(self, done: int, end: str = "") -> None:
        """Write the line anew."""
        seconds = self.seconds()
        told = (
            f"\r      {done:7,} of {self._count:,} hands, {seconds:5.1f} s, {done / seconds:6,.0f} a second"
        )
        print(told, end=end, file=sys.stderr, flush=True)


def _peak(pids: Iterable[int]) -> float:
    """The most memory that one of these processes ever had, in megabytes."""
    return max(_highest(pid) for pid in pids) / _MEGABYTE


def _highest(pid: int) -> int:
    """Bytes that were resident at most, as the kernel has kept it."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024
