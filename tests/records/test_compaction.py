"""A hand of many appends becomes one element, and nobody who reads it can tell."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import cast

import pytest
import redis

from records.bundles import bundle
from records.codec import read_entry, write_entry
from records.compaction import Compaction
from records.hands import Hands
from records.log import Append, StoredEntry, StoredStream, Stream, VersionMismatch
from records.record import HandRecord
from records.redis_client import connect
from records.redis_keys import stream_key
from records.redis_log import RedisLog
from records.schemas import load_events
from records.stored_hands import StoredHand, write_head
from tests.support.hand_records import played, result
from tests.support.processes import RedisServer
from tests.support.proxy import Proxy

STREAM = Stream("hand", "default", "h")


@pytest.fixture
def log(redis_client: redis.Redis) -> RedisLog:
    return RedisLog(redis_client)


@pytest.fixture
def compaction(redis_client: redis.Redis) -> Compaction:
    return Compaction(redis_client)


def play_live(client: redis.Redis, upto: int | None = None) -> HandRecord:
    """A French hand, its first event submitted and the others appended one by one."""
    hand = next(hand for seed in range(20) if len((hand := played("french-tarot-4", seed)).events) > 60)
    first = HandRecord(STREAM.id, hand.variant, hand.players, hand.events[:1], hand.sent[:1])
    Hands(client).submit("default", "table-3", first, "incomplete")
    for at in range(1, upto or len(hand.events)):
        append(client, hand, at)
    return hand


def append(client: redis.Redis, hand: HandRecord, at: int) -> int:
    is_last = at + 1 == len(hand.events)
    body = write_entry(f"table-{at % 2}", None, hand.events[at : at + 1], hand.sent[at : at + 1])
    head = write_head("scored" if is_last else "incomplete", due=is_last)
    return RedisLog(client).append(STREAM, at, Append(body, 1, head, due=is_last))


def read(log: RedisLog) -> StoredStream:
    found = log.read(STREAM)
    assert found is not None
    return found


def same(one: StoredStream, other: StoredStream) -> bool:
    """Whether they are equal but for the number of pieces."""
    return (one.version, one.created, one.head, one.view, one.entries) == (
        other.version,
        other.created,
        other.head,
        other.view,
        other.entries,
    )


def test_all_is_read_as_before(log: RedisLog, compaction: Compaction, redis_client: redis.Redis) -> None:
    hand = play_live(redis_client)
    before, shown = read(log), Hands(redis_client).get("default", "h")
    size = redis_client.memory_usage(stream_key(STREAM))
    compaction.compact([before])
    after = read(log)
    assert (before.parts, after.parts) == (len(hand.events), 1)
    assert same(before, after)
    assert Hands(redis_client).get("default", "h") == shown
    now = cast(int, redis_client.memory_usage(stream_key(STREAM)))
    assert now < cast(int, size) / 2


def test_entries_that_were_deflated_are_bundled_too(
    log: RedisLog, compaction: Compaction, redis_client: redis.Redis
) -> None:
    """Their bytes differ then, and they say the same."""
    hands = Hands(redis_client)
    penalized = penalize(hands, 3)
    before = read(log)
    compaction.compact([before])
    after = read(log)
    assert after.parts == 1
    assert [entry.body for entry in before.entries] != [entry.body for entry in after.entries]
    assert [read_entry(entry.body) for entry in before.entries] == [
        read_entry(entry.body) for entry in after.entries
    ]
    assert hands.get("default", "h") == penalized


def penalize(hands: Hands, times: int) -> StoredHand:
    """A hand with so many penalties, each with a note that is worth deflating."""
    hands.submit("default", "t", result(hand_id="h"), "scored")
    for _ in range(times):
        stored = hands.get("default", "h")
        assert stored is not None
        hands.append("default", "director", stored, hands.appended(stored, NOTED))
    stored = hands.get("default", "h")
    assert stored is not None
    return stored


NOTED = load_events(
    {"events": [{"type": "penalty_assessed", "player": "Anna", "points": -1, "note": "late again, " * 20}]},
    result().players,
)


def test_an_append_whose_answer_was_lost_is_known_in_a_bundle(
    redis_client: redis.Redis, redis_server: RedisServer
) -> None:
    """A worker was faster than the second try."""

    class Slow(Hands):
        def _append_again(self, stream: Stream, expected: int, append: Append) -> int:
            found = read(RedisLog(redis_client))
            assert found.version == expected + 1
            Compaction(redis_client).compact([found])
            assert read(RedisLog(redis_client)).parts == 1
            return super()._append_again(stream, expected, append)

    stored = penalize(Hands(redis_client), 3)
    port = redis_server.access.port
    with Proxy(port) as proxy, connect(redis_server.url.replace(str(port), str(proxy.port))) as client:
        slow = Slow(client)
        proxy.drop_when = b"EVALSHA"
        assert slow.append("default", "director", stored, slow.appended(stored, NOTED)) == 5
        assert proxy.dropped == 1


def test_twice_is_once(log: RedisLog, compaction: Compaction, redis_client: redis.Redis) -> None:
    play_live(redis_client)
    before = read(log)
    compaction.compact([before])
    stored = redis_client.dump(stream_key(STREAM))
    compaction.compact([before])
    compaction.compact([read(log)])
    assert redis_client.dump(stream_key(STREAM)) == stored


def test_what_was_appended_meanwhile_is_not_lost(
    log: RedisLog, compaction: Compaction, redis_client: redis.Redis
) -> None:
    """Read, then beaten: the bundle is of an older version, and stays away."""
    hand = play_live(redis_client, 50)
    old = read(log)
    append(redis_client, hand, 50)
    compaction.compact([old])
    assert read(log).parts == 51
    for at in range(51, len(hand.events)):
        append(redis_client, hand, at)
    compaction.compact([read(log)])
    assert read(log).parts == 1


def test_appends_go_on_behind_a_bundle(
    log: RedisLog, compaction: Compaction, redis_client: redis.Redis
) -> None:
    hand = play_live(redis_client, 40)
    compaction.compact([read(log)])
    with pytest.raises(VersionMismatch):
        append(redis_client, hand, 39)
    assert append(redis_client, hand, 40) == 41
    before = read(log)
    assert before.parts == 2
    compaction.compact([before])
    assert read(log).parts == 1
    assert same(before, read(log))


@pytest.mark.parametrize("body", [b"\x01\x00", None])
def test_what_would_not_read_the_same_is_left_as_it_is(
    log: RedisLog,
    compaction: Compaction,
    redis_client: redis.Redis,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    body: bytes | None,
) -> None:
    """A fault in bundling: it can cut nothing off, and holds up nothing else."""

    def faulty(entries: tuple[StoredEntry, ...]) -> bytes:
        return bundle(entries[:-1]) or b"" if body is None else body

    monkeypatch.setattr("records.compaction.bundle", faulty)
    play_live(redis_client)
    before = redis_client.dump(stream_key(STREAM))
    compaction.compact([read(log)])
    assert redis_client.dump(stream_key(STREAM)) == before
    assert "left as it is" in caplog.text


def test_a_list_shows_bundled_hands(log: RedisLog, compaction: Compaction, redis_client: redis.Redis) -> None:
    play_live(redis_client)
    before = [found.entries for found in log.listed("hand", "default", None, None)]
    compaction.compact([read(log)])
    after = [found.entries for found in log.listed("hand", "default", None, None)]
    assert before == after
    assert len(after[0]) == 1, "the first entry alone"


def test_hands_of_one_append_and_hands_that_are_not_there(
    log: RedisLog, compaction: Compaction, redis_client: redis.Redis
) -> None:
    Hands(redis_client).submit("default", "t", played("french-tarot-4", 1, hand_id="h"), "scored")
    before = redis_client.dump(stream_key(STREAM))
    found = read(log)
    compaction.compact([found])
    assert redis_client.dump(stream_key(STREAM)) == before
    redis_client.flushall()
    play_live(redis_client)
    found = read(log)
    redis_client.flushall()
    compaction.compact([found])
    assert redis_client.keys() == []


def test_compacted_again_and_again_while_it_is_played(redis_url: str) -> None:
    """With a writer and a reader: every read is a beginning of the hand, whole and in order."""
    stop = Event()
    with connect(redis_url, timeout=10) as client:
        log = RedisLog(client)
        hand = play_live(client, 2)

        def compact() -> int:
            times = 0
            while not stop.is_set():
                Compaction(client).compact([read(log)])
                times += 1
            return times

        def look() -> int:
            times = 0
            while not stop.is_set():
                stored = Hands(client).get("default", "h")
                assert stored is not None
                assert [entry.event for entry in stored.entries] == hand.sent[: stored.version]
                times += 1
            return times

        with ThreadPoolExecutor(3) as others:
            working = [others.submit(compact), others.submit(compact), others.submit(look)]
            try:
                for at in range(2, len(hand.events)):
                    append(client, hand, at)
            finally:
                stop.set()
            assert all(work.result() > 3 for work in working)
        Compaction(client).compact([read(log)])
        found = read(log)
        assert (found.version, found.parts) == (len(hand.events), 1)
