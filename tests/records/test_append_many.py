"""Appends to many streams at once, streams with a history, and marks that are not urgent."""

from __future__ import annotations

import pytest
import redis

from records.log import Append, StoreUnavailable, Stream, VersionMismatch
from records.redis_client import connect
from records.redis_keys import SHARDS, due_key, due_name, shard_of
from records.redis_log import RedisLog
from records.sheets import Claimed, Sheets
from tests.records.event_log_contract import ids
from tests.support.processes import RedisServer
from tests.support.proxy import Proxy

STREAMS = [Stream("hand", "default", f"h-{number}") for number in range(100)]


def streams_of(found: list[Claimed]) -> list[Stream]:
    return [stream for stream, _ in found]


@pytest.fixture
def log(redis_client: redis.Redis) -> RedisLog:
    return RedisLog(redis_client)


def test_each_is_as_if_appended_alone(log: RedisLog) -> None:
    lists = (("session", "s"), ("player", "Béla"))
    answers = log.append_many([(stream, 0, Append(b"x", 3, b"head", lists=lists)) for stream in STREAMS])
    assert answers == [3] * 100
    alone = Stream("hand", "default", "alone")
    log.append(alone, 0, Append(b"x", 3, b"head", lists=lists))
    one = log.read(alone)
    assert one is not None
    for found in log.read_many(STREAMS):
        assert found is not None
        assert (found.version, found.head, found.view) == (one.version, one.head, one.view)
        assert [entry.body for entry in found.entries] == [b"x"]
        assert found.created == found.entries[0].recorded
    for by in (None, *lists):
        assert sorted(ids(list(log.listed("hand", "default", by, None)))) == sorted(
            [*(stream.id for stream in STREAMS), "alone"]
        )


def test_what_is_in_the_way_of_one_is_not_in_the_way_of_others(log: RedisLog) -> None:
    log.append(STREAMS[7], 0, Append(b"x", 2))
    answers = log.append_many([(stream, 0, Append(b"y", 1)) for stream in STREAMS[:20]])
    assert [place for place, answer in enumerate(answers) if answer != 1] == [7]
    refused = answers[7]
    assert isinstance(refused, VersionMismatch)
    assert refused.current == 2


def test_the_same_stream_twice(log: RedisLog) -> None:
    first, second = log.append_many([(STREAMS[0], 0, Append(b"x", 1)), (STREAMS[0], 0, Append(b"y", 1))])
    assert first == 1
    assert isinstance(second, VersionMismatch)
    assert log.append_many([(STREAMS[0], 1, Append(b"y", 2)), (STREAMS[0], 3, Append(b"z", 1))]) == [3, 4]
    found = log.read(STREAMS[0])
    assert found is not None
    assert [entry.body for entry in found.entries] == [b"x", b"y", b"z"]


def test_nothing_at_all(log: RedisLog) -> None:
    assert log.append_many([]) == []


def test_a_lost_answer_is_told_of_each(redis_server: RedisServer, redis_client: redis.Redis) -> None:
    with Proxy(redis_server.access.port) as proxy:
        client = connect(redis_server.url.replace(str(redis_server.access.port), str(proxy.port)))
        log = RedisLog(client)
        log.append_many([(STREAMS[0], 0, Append(b"first", 1))])
        proxy.drop_when = b"second"
        appends = [(stream, 0, Append(b"second", 1)) for stream in STREAMS[1:4]]
        assert all(isinstance(answer, StoreUnavailable) for answer in log.append_many(appends))
        # How many of the three scripts had come through is chance; none is done twice.
        for answer in log.append_many(appends):
            assert answer == 1 or (isinstance(answer, VersionMismatch) and answer.current == 1)
        assert proxy.dropped == 1
        client.close()
    for found in RedisLog(redis_client).read_many(STREAMS[1:4]):
        assert found is not None
        assert [entry.body for entry in found.entries] == [b"second"]


def test_a_store_that_refuses(log: RedisLog, redis_client: redis.Redis) -> None:
    redis_client.config_set("min-replicas-to-write", 1)
    try:
        answers = log.append_many([(stream, 0, Append(b"x", 1)) for stream in STREAMS[:3]])
    finally:
        redis_client.config_set("min-replicas-to-write", 0)
    assert all(isinstance(answer, StoreUnavailable) for answer in answers)
    assert log.read(STREAMS[0]) is None


def test_nobody_there() -> None:
    log = RedisLog(connect("redis://127.0.0.1:1/0"))
    (answer,) = log.append_many([(STREAMS[0], 0, Append(b"x", 1))])
    assert isinstance(answer, StoreUnavailable)


def test_a_fault_of_ours_is_told(log: RedisLog, redis_client: redis.Redis) -> None:
    redis_client.set(f"{{t{shard_of(STREAMS[0]):02}}}:hand:default:h-0", "no list")
    with pytest.raises(redis.ResponseError, match="WRONGTYPE"):
        log.append_many([(STREAMS[0], 0, Append(b"x", 1))])


class TestHistory:
    def test_entries_keep_their_times(self, log: RedisLog) -> None:
        append = Append(b"c", 6, recorded=3_000, earlier=((1_000, b"a"), (2_000, b"b")))
        assert log.append(STREAMS[0], 0, append) == 6
        found = log.read(STREAMS[0])
        assert found is not None
        assert found.created == 1_000
        assert [tuple(entry) for entry in found.entries] == [(1_000, b"a"), (2_000, b"b"), (3_000, b"c")]
        assert log.append(STREAMS[0], 6, Append(b"d", 1)) == 7

    def test_without_a_time_it_is_now(self, log: RedisLog, redis_client: redis.Redis) -> None:
        log.append(STREAMS[0], 0, Append(b"b", 2, earlier=((None, b"a"),)))
        found = log.read(STREAMS[0])
        assert found is not None
        assert found.created == found.entries[0].recorded == found.entries[1].recorded
        assert abs(found.created / 1000 - redis_client.time()[0]) < 60


class TestUrgency:
    def due(self, log: RedisLog, number: int, *, urgent: bool) -> Stream:
        """A stream of one certain shard."""
        in_shard = [
            stream
            for stream in (Stream("hand", "default", f"u-{n}") for n in range(400))
            if shard_of(stream) == 3
        ]
        log.append(in_shard[number], 0, Append(b"x", 1, due=True, urgent=urgent))
        return in_shard[number]

    def test_what_is_not_urgent_is_claimed_last(self, log: RedisLog, redis_client: redis.Redis) -> None:
        later = [self.due(log, number, urgent=False) for number in range(3)]
        first = [self.due(log, number, urgent=True) for number in (3, 4)]
        sheets = Sheets(redis_client)
        assert streams_of(sheets.claim([3], 2)) == first
        assert sorted(streams_of(sheets.claim([3], 10))) == sorted(later)
        assert streams_of(sheets.claim([3], 10)) == []

    def test_it_can_be_left_for_later(self, log: RedisLog, redis_client: redis.Redis) -> None:
        later, now = self.due(log, 0, urgent=False), self.due(log, 1, urgent=True)
        sheets = Sheets(redis_client)
        assert (sheets.overdue(later=False), sheets.overdue()) == (1, 2)
        assert streams_of(sheets.claim([3], 10, later=False)) == [now]
        assert streams_of(sheets.claim([3], 10, later=False)) == []
        assert streams_of(sheets.claim([3], 10)) == [later]

    def test_once_claimed_it_falls_due_like_any(self, log: RedisLog, redis_client: redis.Redis) -> None:
        stream = self.due(log, 0, urgent=False)
        sheets = Sheets(redis_client)
        assert streams_of(sheets.claim([3], 1, lease=20)) == [stream]
        left = redis_client.zscore(due_key(3), due_name(stream))
        assert left is not None
        assert 15 < left / 1000 - redis_client.time()[0] <= 21


def test_shards_are_as_many_as_the_answers_are_from(log: RedisLog) -> None:
    """The streams above are in all shards, so that each of these tests goes through many scripts."""
    assert {shard_of(stream) for stream in STREAMS} == set(range(SHARDS))
