"""Section memory: what a stored hand takes in Redis, all keys together: log, sheet, lists, feed."""

from __future__ import annotations

import random
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import redis

from bench.hands import club
from bench.timing import Line
from records.codec import write_entry
from records.hands import Hands
from records.log import Append, Stream
from records.record import HandRecord
from records.redis_keys import stream_key
from records.redis_log import RedisLog
from records.stored_hands import KIND, write_head
from tests.support.processes import RedisServer
from workers.scoring import Scorer

HANDS: Final = 10_000
FEWER: Final = 2_000
"""Of the kinds that take some eighty appends a hand."""
BOUND: Final = 2048
FRENCH: Final = "french-tarot-4"
TAROCK: Final = "illustrated-mayr-sedlaczek-2016"

_TIME_BYTES: Final = 6

EventId = Callable[[HandRecord, int], str]


class Kind(NamedTuple):
    """A way in which a hand comes to be stored."""

    name: str
    variant: str
    bound: float | None
    live: bool = False
    event_id: EventId | None = None
    hands: int = HANDS


KINDS: Final = (
    Kind("posted whole", FRENCH, BOUND),
    Kind("posted whole", TAROCK, BOUND),
    Kind("played live", FRENCH, BOUND, live=True),
    Kind("played live", TAROCK, BOUND, live=True, hands=FEWER),
    Kind(
        "played live, event ids by table and number",
        FRENCH,
        BOUND,
        live=True,
        hands=FEWER,
        event_id=lambda hand, number: f"{hand.session_id}-t{hand.table}-h{hand.number}-{number}",
    ),
    # 16 bytes of pure chance an event: there is no bound that could be kept.
    Kind(
        "played live, event ids by chance (UUIDv4)",
        FRENCH,
        None,
        live=True,
        hands=FEWER,
        event_id=lambda _hand, _number: str(uuid.uuid4()),
    ),
)


def lines() -> Iterator[Line]:
    """Bytes a hand, over ten thousand hands that were stored, scored and listed as the service does it."""
    for kind in KINDS:
        yield Line(f"a hand of {kind.variant}, {kind.name}", _bytes_a_hand(kind), kind.bound, unit="bytes")


def _bytes_a_hand(kind: Kind) -> float:
    with (
        tempfile.TemporaryDirectory() as folder,
        RedisServer(Path(folder)) as server,
        server.client() as client,
    ):
        return _measure(client, kind)


def _measure(client: redis.Redis, kind: Kind) -> float:
    client.config_set("appendonly", "no")  # takes time, and no memory that lasts
    first, *others = club(kind.variant, kind.hands + 1, by_cards=kind.live)
    scorer, store = Scorer(client), _Store(client)
    # Scripts and connections are there before the first look.
    store.put(first, kind)
    _score_all(scorer)
    before = _used(client)
    for number, hand in enumerate(others):
        store.put(hand, kind)
        if number % 500 == 0:
            _score_all(scorer)
    _score_all(scorer)
    return (_used(client) - before) / kind.hands


class _Store:
    """Stores hands at once, or event by event as they come from a table."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        self._hands = Hands(client)
        self._log = RedisLog(client)
        self._chance = random.Random(7)

    def put(self, hand: HandRecord, kind: Kind) -> None:
        if not kind.live:
            self._hands.submit("default", "bench", hand, "scored")
            return
        sent = hand.sent
        if kind.event_id:
            sent = [{**event, "event_id": kind.event_id(hand, at)} for at, event in enumerate(sent)]
        begun = HandRecord(**{**_fields(hand), "events": hand.events[:1], "sent": sent[:1]})
        stream = Stream(KIND, "default", self._hands.submit("default", "bench", begun, "incomplete").hand_id)
        last = len(sent)
        for at in range(1, last):
            body = write_entry("bench", None, hand.events[at : at + 1], sent[at : at + 1])
            is_last = at + 1 == last
            head = write_head("scored" if is_last else "incomplete", due=is_last)
            self._log.append(stream, at, Append(body, 1, head, due=is_last))
        self._slow_down(stream_key(stream))

    def _slow_down(self, key: str) -> None:
        """As if people had played: seconds lie between two appends, which take room in the log."""
        head, view, *entries = cast(list[bytes], self._redis.lrange(key, 0, -1))
        time = int.from_bytes(entries[0][:_TIME_BYTES])
        slow = []
        for entry in entries:
            slow.append(time.to_bytes(_TIME_BYTES) + entry[_TIME_BYTES:])
            time += round(self._chance.lognormvariate(8.3, 0.8))  # most are between two and ten seconds
        with self._redis.pipeline() as pipe:
            pipe.delete(key)
            pipe.rpush(key, head, view, *slow)
            pipe.execute()


def _fields(hand: HandRecord) -> dict[str, Any]:
    return {name: getattr(hand, name) for name in HandRecord.__slots__}


def _score_all(scorer: Scorer) -> None:
    while sum(scorer.score_some()):
        pass


def _used(client: redis.Redis) -> int:
    known: Any = client.info("memory")
    used: int = known["used_memory"]
    return used
