"""Answers kept by the caller's key: once, for a day, and free again when the first caller dies."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import cast

import pytest
import redis

from records.idempotency import (
    CLAIM_SECONDS,
    KEPT_SECONDS,
    Call,
    Claim,
    Idempotency,
    InProgress,
    KeptAnswer,
    KeyReused,
)
from records.log import StoreUnavailable
from records.redis_client import connect

CALL = Call("default", ("club", "POST", "/v1/hands"), "k-1", (b"", b"", b'{"hand_id": "h"}'))
ANSWER = KeptAnswer(202, [("Location", "/v1/hands/h"), ("ETag", '"1"')], '{"players": ["Béla"]}'.encode())


@pytest.fixture
def calls(redis_client: redis.Redis) -> Idempotency:
    return Idempotency(redis_client)


def begin(calls: Idempotency, call: Call = CALL) -> Claim:
    begun = calls.begin(call)
    assert isinstance(begun, Claim)
    return begun


def only_key(client: redis.Redis) -> bytes:
    (key,) = cast(list[bytes], client.keys())
    return key


def test_the_answer_is_that_of_the_first(calls: Idempotency) -> None:
    calls.settle(begin(calls), ANSWER)
    assert calls.begin(CALL) == ANSWER
    assert calls.begin(CALL) == ANSWER


def test_while_the_first_is_running(calls: Idempotency) -> None:
    claim = begin(calls)
    with pytest.raises(InProgress):
        calls.begin(CALL)
    calls.settle(claim, None)
    calls.settle(begin(calls), ANSWER)


@pytest.mark.parametrize("settled", [False, True])
@pytest.mark.parametrize(
    "request_",
    [
        (b"", b"", b'{"hand_id": "i"}'),
        (b"on_illegal=flag", *CALL.request[1:]),
        (b"", b'"3"', CALL.request[2]),
    ],
)
def test_another_request_under_the_same_key(
    calls: Idempotency, settled: bool, request_: tuple[bytes, ...]
) -> None:
    claim = begin(calls)
    if settled:
        calls.settle(claim, ANSWER)
    with pytest.raises(KeyReused):
        calls.begin(CALL._replace(request=request_))


@pytest.mark.parametrize(
    "other",
    [
        CALL._replace(tenant="other"),
        CALL._replace(scope=("table", "POST", "/v1/hands")),
        CALL._replace(scope=("club", "PUT", "/v1/hands")),
        CALL._replace(scope=("club", "POST", "/v1/hands/h/events")),
        CALL._replace(key="k-2"),
        CALL._replace(scope=("club", "POST", "/v1/hand"), key="sk-1"),
    ],
)
def test_a_key_is_one_callers_for_one_path(calls: Idempotency, other: Call) -> None:
    calls.settle(begin(calls), ANSWER)
    begin(calls, other)


def test_a_caller_that_died_frees_the_key(calls: Idempotency, redis_client: redis.Redis) -> None:
    begin(calls)
    left = redis_client.pttl(only_key(redis_client))
    assert CLAIM_SECONDS * 1000 - 2000 < left <= CLAIM_SECONDS * 1000
    redis_client.pexpire(only_key(redis_client), 0)
    begin(calls)


def test_who_was_slow_leaves_the_claim_of_another_alone(
    calls: Idempotency, redis_client: redis.Redis
) -> None:
    slow = begin(calls)
    redis_client.pexpire(only_key(redis_client), 0)
    second = begin(calls)
    calls.settle(slow, None)
    calls.settle(slow, ANSWER._replace(status=500))
    with pytest.raises(InProgress):
        calls.begin(CALL)
    calls.settle(second, ANSWER)
    assert calls.begin(CALL) == ANSWER


def test_who_was_slow_still_leaves_an_answer(calls: Idempotency, redis_client: redis.Redis) -> None:
    slow = begin(calls)
    redis_client.pexpire(only_key(redis_client), 0)
    calls.settle(slow, ANSWER)
    assert calls.begin(CALL) == ANSWER


def test_a_day_later(calls: Idempotency, redis_client: redis.Redis) -> None:
    calls.settle(begin(calls), ANSWER)
    key = only_key(redis_client)
    left = redis_client.ttl(key)
    assert KEPT_SECONDS - 2 <= left <= KEPT_SECONDS
    redis_client.expire(key, left - 24 * 3600)
    assert calls.begin(CALL) == ANSWER
    redis_client.expire(key, 0)
    begin(calls)


def test_one_of_many_at_once(redis_url: str) -> None:
    with connect(redis_url, timeout=10) as client:
        calls = Idempotency(client)

        def call(_: int) -> bool:
            try:
                return isinstance(calls.begin(CALL), Claim)
            except InProgress:
                return False

        with ThreadPoolExecutor(8) as threads:
            assert sum(threads.map(call, range(40))) == 1


def test_an_answer_takes_little_room(calls: Idempotency, redis_client: redis.Redis) -> None:
    calls.settle(begin(calls), ANSWER)
    used = redis_client.memory_usage(only_key(redis_client))
    assert used is not None
    assert used < 320


def test_nobody_there() -> None:
    with pytest.raises(StoreUnavailable):
        Idempotency(connect("redis://127.0.0.1:1/0")).begin(CALL)
