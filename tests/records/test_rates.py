"""Rates: never more calls than the limit, whatever processes and threads count them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
import redis

from records.rates import Rate, Rates
from records.redis_client import connect


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def granted(rates: Rates, calls: int, name: str = "k") -> int:
    found = [rates.call(name) for _ in range(calls)]
    return sum(one is not None and one.granted for one in found)


def test_so_many_and_no_more(redis_client: redis.Redis) -> None:
    rates = Rates(redis_client, Rate(3, 60))
    standings = [rates.call("k") for _ in range(5)]
    assert [(one.granted, one.left) for one in standings if one] == [
        (True, 2), (True, 1), (True, 0), (False, 0), (False, 0)
    ]  # fmt: skip
    assert all(one is not None and 59 <= one.seconds <= 60 for one in standings)
    assert granted(rates, 5, "another") == 3


def test_all_are_there_again_after_a_while(redis_client: redis.Redis) -> None:
    clock = Clock()
    rates = Rates(redis_client, Rate(2, 60), clock)
    assert granted(rates, 4) == 2
    clock.now += 59
    assert granted(rates, 4) == 0
    clock.now += 1.1
    redis_client.delete("rate:k")  # as if its time were over there, too
    assert granted(rates, 4) == 2


def test_the_window_ends_in_the_store(redis_client: redis.Redis) -> None:
    Rates(redis_client, Rate(200, 60)).call("k")
    assert redis_client.get("rate:k") == b"2", "a lot is taken at once"
    assert 59_000 < redis_client.pttl("rate:k") <= 60_000


def test_what_a_lot_left_of_the_last_window_is_gone(redis_client: redis.Redis) -> None:
    clock = Clock()
    rates = Rates(redis_client, Rate(1_000, 60), clock)
    assert granted(rates, 1) == 1
    clock.now += 61
    redis_client.delete("rate:k")
    standing = rates.call("k")
    assert standing is not None
    assert standing.left == 999


@pytest.mark.parametrize("limit", [7, 250])
def test_processes_share_the_limit(redis_url: str, limit: int) -> None:
    with connect(redis_url) as one, connect(redis_url) as other:
        several = [Rates(client, Rate(limit, 600)) for client in (one, other, one)]
        with ThreadPoolExecutor(6) as threads:
            found = sum(threads.map(lambda n: granted(several[n % 3], limit), range(6)))
    assert found == limit


def test_so_many_keys_are_known_at_once(redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("records.rates._MOST", 2)
    rates = Rates(redis_client, Rate(2, 60))
    assert [granted(rates, 3, f"k-{number}") for number in range(5)] == [2] * 5
    assert granted(rates, 1, "k-0") == 0, "the store has not forgotten it"


def test_without_the_store_nobody_is_stopped() -> None:
    assert Rates(connect("redis://127.0.0.1:1/0"), Rate(1, 60)).call("k") is None
