"""What is due, who may work on it, and which sheet stays."""

from __future__ import annotations

import random
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any, cast

import pytest
import redis

from records.log import Append, Stream
from records.redis_client import connect
from records.redis_keys import SHARDS, due_key, due_name, shard_of
from records.redis_log import RedisLog
from records.sheets import MAX_LEASE, Claimed, MadeSheet, Sheets, StoredSheet, sheet_of

HAND = Stream("hand", "default", "h")
SHARD = shard_of(HAND)


def streams_of(found: list[Claimed]) -> list[Stream]:
    return [stream for stream, _ in found]


@pytest.fixture
def log(redis_client: redis.Redis) -> RedisLog:
    return RedisLog(redis_client)


@pytest.fixture
def sheets(redis_client: redis.Redis) -> Sheets:
    return Sheets(redis_client)


def made(version: int, stream: Stream = HAND, **facts: Any) -> MadeSheet:
    sheet = {"hand_id": stream.id, "variant": "v", "variant_revision": "r", "version": version, **facts}
    return MadeSheet(stream, version, {"status": "scored", **sheet})


def stored(log: RedisLog) -> StoredSheet:
    found = log.read(HAND)
    assert found is not None
    return sheet_of(found, wanted=True)


def test_nothing_is_due_at_first(sheets: Sheets) -> None:
    assert sheets.due() == [0] * SHARDS
    assert sheets.overdue() == 0
    assert streams_of(sheets.claim([SHARD], 10)) == []


def test_what_is_claimed_is_nobody_elses_until_the_lease_ends(log: RedisLog, sheets: Sheets) -> None:
    log.append(HAND, 0, Append(b"x", 1, due=True))
    assert sheets.overdue() == 1
    assert streams_of(sheets.claim([SHARD], 10, lease=0.3)) == [HAND]
    assert streams_of(sheets.claim([SHARD], 10, lease=0.3)) == []
    assert (sheets.overdue(), sum(sheets.due())) == (0, 1)
    time.sleep(0.35)
    assert sheets.overdue() == 1
    assert streams_of(sheets.claim([SHARD], 10)) == [HAND]


def test_no_more_are_claimed_than_asked_for_the_oldest_first(
    log: RedisLog, sheets: Sheets, redis_client: redis.Redis
) -> None:
    streams = [Stream("hand", "default", f"h{number}") for number in range(200)]
    streams = [stream for stream in streams if shard_of(stream) == SHARD][:8]
    random.Random(3).shuffle(streams)
    for stream in streams:
        log.append(stream, 0, Append(b"x", 1, due=True))
        time.sleep(0.002)
    assert streams_of(sheets.claim([SHARD], 3)) == streams[:3]
    assert streams_of(sheets.claim([SHARD], 3)) == streams[3:6]
    assert streams_of(sheets.claim([SHARD], 3)) == streams[6:]


def test_two_workers_never_claim_the_same(redis_url: str, log: RedisLog) -> None:
    streams = [Stream("hand", "default", f"h{number}") for number in range(160)]
    for stream in streams:
        log.append(stream, 0, Append(b"x", 1, due=True))
    start = Barrier(4)

    def claim_all(_: int) -> list[Stream]:
        with connect(redis_url, timeout=10) as client:
            sheets = Sheets(client)
            start.wait()
            claimed: list[Stream] = []
            for shard in range(SHARDS):
                while more := streams_of(sheets.claim([shard], 3)):
                    claimed += more
            return claimed

    with ThreadPoolExecutor(4) as workers:
        claimed = [stream for some in workers.map(claim_all, range(4)) for stream in some]
    assert sorted(claimed) == sorted(streams)


def test_a_sheet_of_the_latest_version_is_kept_and_nothing_is_due(log: RedisLog, sheets: Sheets) -> None:
    log.append(HAND, 0, Append(b"x", 3, due=True))
    assert stored(log) == StoredSheet(None, None, 3, due=True)
    sheets.store([made(3)])
    assert stored(log) == StoredSheet(made(3).sheet, 3, 3, due=False)
    assert sheets.due() == [0] * SHARDS


def test_a_sheet_that_came_too_late_leaves_the_hand_due(log: RedisLog, sheets: Sheets) -> None:
    log.append(HAND, 0, Append(b"x", 3, due=True))
    assert streams_of(sheets.claim([SHARD], 1)) == [HAND]
    log.append(HAND, 3, Append(b"y", 1, due=True))
    sheets.store([made(3)])
    assert stored(log) == StoredSheet(made(3).sheet, 3, 4, due=True)
    assert streams_of(sheets.claim([SHARD], 1)) == [HAND], "at once: the lease was for the old version"


def test_an_older_sheet_never_replaces_a_newer(log: RedisLog, sheets: Sheets) -> None:
    log.append(HAND, 0, Append(b"x", 3, due=True))
    log.append(HAND, 3, Append(b"y", 1, due=True))
    sheets.store([made(4), made(3)])
    assert stored(log) == StoredSheet(made(4).sheet, 4, 4, due=False)


def test_storing_twice_changes_nothing(log: RedisLog, sheets: Sheets, redis_client: redis.Redis) -> None:
    log.append(HAND, 0, Append(b"x", 3, due=True))
    sheets.store([made(3)])
    before = log.read(HAND), redis_client.keys()
    sheets.store([made(3)])
    assert (log.read(HAND), redis_client.keys()) == before


def test_a_sheet_that_failed_can_be_made_after_all(log: RedisLog, sheets: Sheets) -> None:
    log.append(HAND, 0, Append(b"x", 3, due=True))
    sheets.store([made(3, status="failed")])
    sheets.store([made(3)])
    assert stored(log).sheet == made(3).sheet


@pytest.mark.parametrize("how", ["forgotten", "scored"])
def test_a_mark_without_a_hand_goes(sheets: Sheets, redis_client: redis.Redis, how: str) -> None:
    redis_client.zadd(due_key(SHARD), {due_name(HAND): 0})
    assert streams_of(sheets.claim([SHARD], 1)) == [HAND]
    if how == "forgotten":
        sheets.forget([HAND])
    else:
        sheets.store([made(1)])
    assert redis_client.keys() == []


def test_marks_that_a_wrong_clock_set_far_ahead_can_be_streams_of(
    log: RedisLog, sheets: Sheets, redis_client: redis.Redis
) -> None:
    """The clock ran a year ahead when the mark was made, and was set right since."""
    log.append(HAND, 0, Append(b"x", 1, due=True))
    redis_client.zincrby(due_key(SHARD), 365 * 86_400_000, due_name(HAND))
    assert sheets.overdue(seconds=5) == 1
    assert streams_of(sheets.claim([SHARD], 1)) == [HAND]
    assert streams_of(sheets.claim([SHARD], 1)) == []
    until = cast(float, redis_client.zscore(due_key(SHARD), due_name(HAND)))
    assert until <= (time.time() + MAX_LEASE) * 1000


def test_how_long_a_hand_may_be_due_before_it_counts_as_left(log: RedisLog, sheets: Sheets) -> None:
    log.append(HAND, 0, Append(b"x", 1, due=True))
    assert sheets.overdue(seconds=0.3) == 0
    time.sleep(0.35)
    assert sheets.overdue(seconds=0.3) == 1
