"""A look at a tournament is made once for all who look."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Barrier

import pytest

from service.looks import KEPT, LEAST, SHARE, Looks


class Thing:
    """Something to be looked at, which counts how often it was."""

    def __init__(self) -> None:
        self.position = "1"
        self.asked = 0
        self.made = 0

    def where(self) -> str:
        self.asked += 1
        return self.position

    def make(self) -> object:
        time.sleep(0.02)
        self.made += 1
        return object()


def test_many_who_look_at_once_have_it_made_once() -> None:
    looks, thing, barrier = Looks(), Thing(), Barrier(20)

    def look(_: int) -> object:
        barrier.wait()
        return looks.at("thing", thing.where, thing.make)

    with ThreadPoolExecutor(20) as threads:
        first = set(threads.map(look, range(20)))
        assert (len(first), thing.made) == (1, 1)
        thing.position = "2"
        second = set(threads.map(look, range(20)))
    assert (len(second), thing.made) == (1, 2)
    assert first.isdisjoint(second)


def test_up_to_an_age_nobody_asks_whether_it_has_changed() -> None:
    looks, thing = Looks(), Thing()
    first = looks.at("thing", thing.where, thing.make, 60)
    thing.position = "2"
    assert looks.at("thing", thing.where, thing.make, 60) is first
    assert thing.asked == 1
    assert looks.at("thing", thing.where, thing.make) is not first


def test_what_comes_while_a_look_is_made_is_found_the_next_time() -> None:
    looks, thing = Looks(), Thing()

    def make() -> object:
        thing.position = "2"
        return thing.make()

    looks.at("thing", thing.where, make)
    looks.at("thing", thing.where, make)
    assert thing.made == 2
    looks.at("thing", thing.where, make)
    assert thing.made == 2


def test_a_look_that_failed_is_made_again() -> None:
    looks, thing = Looks(), Thing()

    def fail() -> object:
        raise ConnectionError

    with pytest.raises(ConnectionError):
        looks.at("thing", thing.where, fail, 60)
    looks.at("thing", thing.where, thing.make, 60)
    assert thing.made == 1


def test_a_look_that_takes_long_is_not_made_for_every_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """The processor's clock is set, or the test would have to keep it busy."""
    ticks = count(step=LEAST)
    monkeypatch.setattr(time, "thread_time", lambda: next(ticks))
    looks, thing = Looks(), Thing()
    first = looks.at("thing", thing.where, thing.make)
    thing.position = "2"
    assert looks.at("thing", thing.where, thing.make) is first
    time.sleep(SHARE * LEAST)
    assert looks.at("thing", thing.where, thing.make) is not first


def test_only_so_many_are_kept() -> None:
    looks, thing = Looks(), Thing()
    thing.make = object  # type: ignore[method-assign]  # no need to wait for so many
    first = looks.at(0, thing.where, thing.make)
    for one in range(1, KEPT):
        looks.at(one, thing.where, thing.make)
    assert looks.at(0, thing.where, thing.make) is first
    for one in range(1, KEPT + 1):
        looks.at(one, thing.where, thing.make)
    assert looks.at(0, thing.where, thing.make) is not first
