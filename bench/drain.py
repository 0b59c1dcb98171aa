"""Section drain: how fast workers score what is due, against a plain loop over the same hands."""

from __future__ import annotations

import contextlib
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import redis

from bench.hands import club
from bench.timing import Line
from records.codec import Opening, write_entry
from records.hands import Hands
from records.log import Append, Stream
from records.queue import WorkQueue
from records.redis_keys import due_key, due_name, shard_of
from records.redis_log import RedisLog
from records.sheet_codec import write_sheet
from records.sheets import Sheets
from records.stored_hands import write_head
from tests.support.processes import Process, RedisServer, wait_until
from trull.variants import VARIANTS
from workers.scoring import sheet_for

HANDS: Final = 4_000
ROUNDS: Final = 3
VARIANT: Final = "french-tarot-4"


def lines() -> Iterator[Line]:
    """Hands a second; Redis's own time is in the workers' figures and not in the loop's."""
    with tempfile.TemporaryDirectory() as folder, RedisServer(Path(folder)) as server:
        with server.client() as client, contextlib.ExitStack() as running:
            rates: dict[int, list[float]] = {0: [], 1: [], 2: []}
            for workers in (1, 2):
                command = [sys.executable, "-m", "workers.run"]
                env = {"TRULL_REDIS_URL": server.url}
                running.enter_context(Process(f"worker{workers}", command, Path(folder), env))
                wait_until(
                    lambda: Hands(client).ready().workers == workers,  # noqa: B023  # called in this round alone
                    "the workers are there",
                )
                for round_ in range(ROUNDS):
                    streams = _store(client, f"w{workers}-r{round_}")
                    rates[0].append(_loop(client, streams))
                    rates[workers].append(_drain(client, streams))
        loop, one, two = (sorted(rates[workers])[len(rates[workers]) // 2] for workers in (0, 1, 2))
    yield Line("a plain loop", loop, unit="hands/s")
    yield Line("one worker", one, unit="hands/s")
    yield Line("one worker / a plain loop", one / loop)
    yield Line("two workers / a plain loop", two / loop)


def _store(client: redis.Redis, prefix: str) -> list[Stream]:
    """Store hands of which none is due yet: an idle worker would begin with the first."""
    log = RedisLog(client)
    streams = []
    for number, hand in enumerate(club(VARIANT, HANDS)):
        stream = Stream("hand", "default", f"{prefix}-{number}")
        body = write_entry("bench", Opening(VARIANT, hand.players), hand.events, hand.sent)
        log.append(stream, 0, Append(body, len(hand.events), write_head("scored", due=True)))
        streams.append(stream)
    return streams


def _loop(client: redis.Redis, streams: list[Stream]) -> float:
    """Unpack, replay, score and pack the sheet, with everything in memory."""
    found = [stream for stream in RedisLog(client).read_many(streams) if stream is not None]
    started = time.perf_counter()
    for stored in found:
        made = sheet_for(stored, VARIANTS)
        write_sheet(made.sheet, made.facts)
    return len(found) / (time.perf_counter() - started)


def _drain(client: redis.Redis, streams: list[Stream]) -> float:
    with client.pipeline() as pipe:
        for stream in streams:
            pipe.zadd(due_key(shard_of(stream)), {due_name(stream): 0})
        started = time.perf_counter()
        pipe.execute()
    WorkQueue(client).notify()
    sheets = Sheets(client)
    while sum(sheets.due()):
        time.sleep(0.005)
    return len(streams) / (time.perf_counter() - started)
