"""Section rescore: a batch from the log to its stored results, through RQ, against reading the records' JSON.

The workers' figures have in them everything that a batch takes: claiming chunks, reading the hands, RQ's
jobs, storing the results. Redis has its part of the same cores.
"""

from __future__ import annotations

import contextlib
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import orjson
import redis

from bench.hands import club
from bench.timing import Line
from records.changes import lists_of
from records.codec import write_entry
from records.hands import Hands
from records.judging import opening_of_record
from records.log import Append, Stream
from records.queue import WorkQueue
from records.redis_log import RedisLog
from records.rescores import Rescores
from records.selections import Selection
from records.stored_hands import KIND, write_head
from tests.support.processes import Process, RedisServer, wait_until
from workers.rescores import ChunkRescorer
from workers.scoring import Scorer

HANDS: Final = 20_000
ROUNDS: Final = 5
FEW, MANY = 1_000, 100_000
OWN: Final = "illustrated-mayr-sedlaczek-2016"
RULES: Final = (OWN, "illustrated-beck", "illustrated-loew-1954")
JSON_BOUND: Final = 1.0
SCALING_BOUND: Final = 1.5
MEMORY_BOUND: Final = 1.2


def lines() -> Iterator[Line]:
    """A batch of twenty thousand hands under three rule sets; a worker's peak memory over more of them."""
    with (
        tempfile.TemporaryDirectory() as name,
        RedisServer(Path(name)) as server,
        server.client() as client,
    ):
        store(client, HANDS)
        yield from _speed(server, client, Path(name))
        yield Line("results in Redis, a sheet", _bytes_a_sheet(client), unit="bytes")
    yield from _memory()


def store(client: redis.Redis, count: int, first: int = 0) -> None:
    """Store hands with their sheets and what is kept beside them, as the service and its workers do."""
    log = RedisLog(client)
    planned = []
    for number, hand in enumerate(club(OWN, count), first):
        opening = opening_of_record(hand)
        body = write_entry("bench", opening, hand.events, hand.sent)
        append = Append(body, len(hand.events), write_head("scored", due=True), True, lists_of(opening))
        planned.append((Stream(KIND, "default", f"hand-{number}"), 0, append))
        if len(planned) == 1_000:
            log.append_many(planned)
            planned.clear()
    log.append_many(planned)
    scorer = Scorer(client)
    while sum(scorer.score_some()):
        pass


def _speed(server: RedisServer, client: redis.Redis, folder: Path) -> Iterator[Line]:
    """Turns of each, so that a slower moment of the machine meets all of them."""
    times: dict[str, list[float]] = {name: [] for name in ("json", "loop", "one", "two")}
    records = [orjson.dumps(hand.as_dict()) for hand in club(OWN, 500)]
    with contextlib.ExitStack() as running:
        for workers, name in ((1, "one"), (2, "two")):
            env = {"TRULL_REDIS_URL": server.url}
            command = [sys.executable, "-m", "workers.run"]
            running.enter_context(Process(f"worker{workers}", command, folder, env))
            wait_until(
                lambda: Hands(client).ready().workers == workers,  # noqa: B023  # called in this round alone
                "the workers are there",
            )
            batch(client)
            for _ in range(ROUNDS):
                times["json"].append(_json(records))
                times["loop"].append(_loop(client))
                times[name].append(batch(client))
    best = {name: sorted(found)[len(found) // 2] for name, found in times.items()}
    sheets = HANDS * len(RULES)
    again = "a plain loop that does the same"
    two = 2 * best["two"] / sheets
    yield Line("json.loads of a record", 1e6 * best["json"], unit="µs")
    yield Line("a plain loop, a hand and rule set", 1e6 * best["loop"] / sheets, unit="µs")
    yield Line("two workers, cores x time a hand and rule set", 1e6 * two, unit="µs")
    yield Line(
        "two workers, cores x time a hand and rule set / json.loads of its record",
        two / best["json"],
        JSON_BOUND,
    )
    yield Line(f"one worker / {again}", best["loop"] / best["one"])
    yield Line(f"two workers / {again}", best["loop"] / best["two"], SCALING_BOUND, "at least")
    yield Line("a million hands under three rule sets, two workers", best["two"] * 1e6 / HANDS, unit="s")


def _json(records: Sequence[bytes]) -> float:
    """Seconds that the standard library takes to read a record."""
    started = time.perf_counter()
    for text in records:
        json.loads(text)
    return (time.perf_counter() - started) / len(records)


def _loop(client: redis.Redis) -> float:
    """Seconds that one process takes for the whole batch by itself, without a queue."""
    rescores = Rescores(client)
    started = time.perf_counter()
    rescore_id = rescores.start("default", Selection(), RULES)
    work = ChunkRescorer(client)
    while work.do_next():
        pass
    seconds = time.perf_counter() - started
    rescores.cancel("default", rescore_id)
    return seconds


def batch(client: redis.Redis, *, keep: bool = False) -> float:
    """Seconds from the call that begins a batch until its last result is stored."""
    rescores = Rescores(client)
    started = time.perf_counter()
    rescore_id = rescores.start("default", Selection(), RULES)
    WorkQueue(client).notify_rescore()
    while True:
        state = rescores.state("default", rescore_id)
        assert state is not None
        if state.finished is not None:
            break
        time.sleep(0.01)
    seconds = time.perf_counter() - started
    assert (state.status, state.done, state.failed) == ("done", state.total, 0), state
    if not keep:
        rescores.cancel("default", rescore_id)
    return seconds


def _bytes_a_sheet(client: redis.Redis) -> float:
    def used() -> int:
        taken: int = client.info("memory")["used_memory"]
        return taken

    rescores = Rescores(client)
    before = used()
    rescores.start("default", Selection(), RULES)
    work = ChunkRescorer(client)
    while work.do_next():
        pass
    return (used() - before) / (HANDS * len(RULES))


def _memory() -> Iterator[Line]:
    peaks = [peak(count) for count in (FEW, MANY)]
    yield Line(f"a worker's peak over {FEW:,} hands", peaks[0] / 1024, unit="MB")
    yield Line(f"the same over {MANY:,} / over {FEW:,}", peaks[1] / peaks[0], MEMORY_BOUND)


def peak(count: int) -> int:
    """The most memory, in kB, that a fresh worker ever had after a batch of so many hands."""
    with (
        tempfile.TemporaryDirectory() as name,
        RedisServer(Path(name)) as server,
        server.client() as client,
    ):
        client.config_set("appendonly", "no")
        store(client, count)
        env = {"TRULL_REDIS_URL": server.url}
        with Process("worker", [sys.executable, "-m", "workers.run"], Path(name), env) as worker:
            batch(client)
            status = Path(f"/proc/{worker.pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])
