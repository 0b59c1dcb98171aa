"""The event log on a real Redis."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from typing import cast

import pytest
import redis
from redis.crc import key_slot

from records.log import Append, EventLog, StoreUnavailable, Stream, VersionMismatch
from records.redis_client import connect
from records.redis_keys import SHARDS, due_key, shard_of, stream_key
from records.redis_log import RedisLog
from tests.records.event_log_contract import HAND, EventLogContract
from tests.support.processes import RedisServer
from tests.support.proxy import Proxy


class TestRedisLog(EventLogContract):
    """All of the contract."""

    @pytest.fixture
    def log(self, redis_url: str) -> Iterator[EventLog]:
        with connect(redis_url, timeout=10) as client:
            yield RedisLog(client)


@pytest.fixture
def log(redis_client: redis.Redis) -> RedisLog:
    return RedisLog(redis_client)


def test_an_append_and_its_due_mark_are_one_step(log: RedisLog, redis_client: redis.Redis) -> None:
    log.append(HAND, 0, Append(b"x", 1))
    assert redis_client.exists(due_key(shard_of(HAND))) == 0
    log.append(HAND, 1, Append(b"y", 1, due=True))
    found = log.read(HAND)
    assert found is not None
    marks = redis_client.zrange(due_key(shard_of(HAND)), 0, -1, withscores=True)
    assert marks == [(b"hand:default:h-1", found.entries[1].recorded)]


def test_every_key_of_a_stream_is_in_its_shard(log: RedisLog, redis_client: redis.Redis) -> None:
    stream = Stream("hand", "default", "h}{x")
    for number in range(40):  # enough for the short list to run over
        id_ = f"{number}" if number else stream.id
        if shard_of(stream) == shard_of(stream._replace(id=id_)) or number == 0:
            log.append(stream._replace(id=id_), 0, Append(b"x", 1, due=True, lists=(("session", "{t99}"),)))
    tag = f"{{t{shard_of(stream):02}}}:"
    keys = [key.decode() for key in cast(list[bytes], redis_client.keys())]
    assert len(keys) >= 4
    assert all(key.startswith(tag) for key in keys)
    assert {key_slot(key.encode()) for key in keys} == {key_slot(tag.encode())}


def test_shards_never_move() -> None:
    """Where a stored hand is found. A change here would lose every hand."""
    assert SHARDS == 16
    assert stream_key(Stream("hand", "default", "club-2026-11-29-t3-h07")) == (
        "{t02}:hand:default:club-2026-11-29-t3-h07"
    )
    assert stream_key(Stream("hand", "default", "h-1")) == "{t14}:hand:default:h-1"


def test_streams_spread_over_all_shards() -> None:
    counts = Counter(shard_of(Stream("hand", "default", f"hand-{number}")) for number in range(16_000))
    assert set(counts) == set(range(SHARDS))
    assert max(counts.values()) < 1300


def test_the_store_stamps_entries_by_its_own_clock(log: RedisLog, redis_client: redis.Redis) -> None:
    before = redis_client.time()[0]
    log.append(HAND, 0, Append(b"x", 1))
    found = log.read(HAND)
    assert found is not None
    assert before * 1000 <= found.created <= (redis_client.time()[0] + 1) * 1000


def test_a_lost_answer_is_no_second_write(redis_server: RedisServer, redis_client: redis.Redis) -> None:
    """redis-py as it comes sends the append again, up to ten times."""
    with Proxy(redis_server.access.port) as proxy:
        client = connect(redis_server.url.replace(str(redis_server.access.port), str(proxy.port)))
        log = RedisLog(client)
        log.append(HAND, 0, Append(b"first", 1))
        proxy.drop_when = b"second"
        with pytest.raises(StoreUnavailable):
            log.append(HAND, 1, Append(b"second", 1))
        assert proxy.dropped == 1
        with pytest.raises(VersionMismatch) as refused:
            log.append(HAND, 1, Append(b"second", 1))
        assert refused.value.current == 2
        client.close()
    found = RedisLog(redis_client).read(HAND)
    assert found is not None
    assert [entry.body for entry in found.entries] == [b"first", b"second"]


def test_nobody_there() -> None:
    log = RedisLog(connect("redis://127.0.0.1:1/0"))
    started = time.monotonic()
    with pytest.raises(StoreUnavailable):
        log.append(HAND, 0, Append(b"x", 1))
    with pytest.raises(StoreUnavailable):
        log.read(HAND)
    with pytest.raises(StoreUnavailable):
        list(log.listed("hand", "default", None, None))
    assert time.monotonic() - started < 1


def test_a_store_that_hangs_is_given_up_within_seconds(spare_redis: RedisServer) -> None:
    with connect(spare_redis.url) as client:
        log = RedisLog(client)
        log.append(HAND, 0, Append(b"x", 1))
        with spare_redis.client() as other:
            other.client_pause(5_000)
        started = time.monotonic()
        with pytest.raises(StoreUnavailable):
            log.append(HAND, 1, Append(b"y", 1))
        assert time.monotonic() - started < 2


def test_a_store_that_went_away_and_came_back(spare_redis: RedisServer) -> None:
    with connect(spare_redis.url) as client:
        log = RedisLog(client)
        log.append(HAND, 0, Append(b"x", 1))
        spare_redis.kill()
        with pytest.raises(StoreUnavailable):
            log.append(HAND, 1, Append(b"y", 1))
        spare_redis.start()
        assert log.append(HAND, 1, Append(b"y", 1)) == 2
        found = log.read(HAND)
        assert found is not None
        assert [entry.body for entry in found.entries] == [b"x", b"y"]


@pytest.mark.parametrize(
    "make_refuse",
    [
        {"maxmemory": "1"},
        {"min-replicas-to-write": "1"},
        {"replicaof": "127.0.0.1 1"},
    ],
    ids=["memory is full", "too few replicas", "read only"],
)
def test_a_store_that_refuses_to_write(spare_redis: RedisServer, make_refuse: dict[str, str]) -> None:
    with connect(spare_redis.url) as client:
        log = RedisLog(client)
        log.append(HAND, 0, Append(b"x", 1))
        for name, value in make_refuse.items():
            if name == "replicaof":
                client.replicaof(*value.split())
                client.config_set("replica-serve-stale-data", "yes")
            else:
                client.config_set(name, value)
        with pytest.raises(StoreUnavailable):
            log.append(HAND, 1, Append(b"y", 1))
        found = log.read(HAND)
        assert found is not None
        assert found.version == 1


def test_a_fault_of_ours_is_not_taken_for_a_store_that_is_away(
    log: RedisLog, redis_client: redis.Redis
) -> None:
    redis_client.set(stream_key(HAND), "no list")
    with pytest.raises(redis.ResponseError, match="WRONGTYPE"):
        log.read(HAND)
    with pytest.raises(redis.ResponseError, match="WRONGTYPE"):
        log.append(HAND, 0, Append(b"x", 1))
