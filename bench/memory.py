"""Section memory: what a stored hand takes in Redis, all keys together: log, sheet, lists."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import redis

from bench.hands import club
from bench.timing import Line
from records.hands import Hands
from tests.support.hand_records import status_of
from tests.support.processes import RedisServer
from workers.scoring import Scorer

HANDS: Final = 10_000
BOUND: Final = 2048
KINDS: Final = ("french-tarot-4", "illustrated-mayr-sedlaczek-2016")


def lines() -> Iterator[Line]:
    """Bytes a hand, over ten thousand hands that were submitted, scored and listed as the service does it."""
    for variant in KINDS:
        name = f"a stored hand of {variant}, with sheet and lists"
        yield Line(name, _bytes_a_hand(variant), BOUND, unit="bytes")


def _bytes_a_hand(variant: str) -> float:
    with (
        tempfile.TemporaryDirectory() as folder,
        RedisServer(Path(folder)) as server,
        server.client() as client,
    ):
        return _measure(client, variant)


def _measure(client: redis.Redis, variant: str) -> float:
    client.config_set("appendonly", "no")  # takes time, and no memory that lasts
    hands, scorer = Hands(client), Scorer(client)
    first, *others = club(variant, HANDS + 1)
    # Scripts and connections are there before the first look.
    hands.submit("default", "bench", first, status_of(first))
    _score_all(scorer)
    before = _used(client)
    for hand in others:
        hands.submit("default", "bench", hand, "scored")
    _score_all(scorer)
    return (_used(client) - before) / HANDS


def _score_all(scorer: Scorer) -> None:
    while sum(scorer.score_some()):
        pass


def _used(client: redis.Redis) -> int:
    known: Any = client.info("memory")
    used: int = known["used_memory"]
    return used
