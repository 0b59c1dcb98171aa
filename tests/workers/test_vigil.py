"""How long a job looks for more, and what it leaves behind when it ends."""

from __future__ import annotations

import time

import pytest
import redis

from records.queue import BELIEF_SECONDS, WorkQueue
from workers.vigil import Stop, Vigil

AWAKE = "trull:awake"


class Looking:
    """A vigil whose rounds are taken one by one."""

    def __init__(self, client: redis.Redis, seconds: float = 5.0, linger: float = 0.05) -> None:
        self.client = client
        self.queue = WorkQueue(client)
        self.vigil = Vigil(self.queue, seconds, linger)
        self.rounds = self.vigil.rounds()

    def look(self) -> bool | None:
        """Whether the settings are to be asked for anew; None when it is over."""
        time.sleep(0.005)
        return next(self.rounds, None)

    def is_awake(self) -> bool:
        return bool(self.client.exists(AWAKE))

    def jobs(self) -> int:
        return self.client.llen("rq:queue:trull")

    def until_asleep(self) -> None:
        assert self.look() is not None
        while self.is_awake():
            assert self.look() is not None


def test_it_is_awake_while_something_is_found(redis_client: redis.Redis) -> None:
    looking = Looking(redis_client)
    started = time.monotonic()
    while time.monotonic() - started < 0.2:
        assert looking.look() is not None
        looking.vigil.found()
        assert looking.is_awake()


def test_it_looks_on_while_it_may_be_believed_awake(redis_client: redis.Redis) -> None:
    looking = Looking(redis_client)
    looking.until_asleep()
    slept = time.monotonic()
    while looking.look() is not None:
        last = time.monotonic()
    assert last - slept >= BELIEF_SECONDS - 0.01, "the last look is late enough"
    looking.vigil.end()
    assert (looking.jobs(), looking.is_awake()) == (0, False)


def test_it_ends_whatever_it_finds_then(redis_client: redis.Redis) -> None:
    """Who stored that has woken another, or believed this one awake. Were it awake again, the other's job
    would be one too many, and with hands that come just so far apart they would pile up.
    """
    looking = Looking(redis_client)
    looking.until_asleep()
    over = time.monotonic() + BELIEF_SECONDS
    late = 0
    while looking.look() is not None:
        late += time.monotonic() > over
        looking.vigil.found()
        assert not looking.is_awake()
    assert late <= 1, "the last look, and none after it"
    looking.vigil.end()
    assert looking.jobs() == 0


def test_settings_are_asked_for_anew_each_second_and_for_the_last_look(redis_client: redis.Redis) -> None:
    looking = Looking(redis_client, linger=1.2)
    assert looking.look() is True
    assert looking.look() is False
    time.sleep(1.0)
    assert looking.look() is True
    looking.until_asleep()
    last = False
    while (anew := looking.look()) is not None:
        assert not last, "only the last one"
        last = anew
    assert last


@pytest.mark.parametrize("ended_by", ["its time", "a stop", "itself"])
def test_who_ends_early_leaves_another_job(
    redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch, ended_by: str
) -> None:
    looking = Looking(redis_client, seconds=0.2, linger=5)
    assert looking.look() is True
    if ended_by == "its time":
        time.sleep(0.2)
        assert looking.look() is None
    elif ended_by == "a stop":
        monkeypatch.setattr(Stop, "requested", True)
        assert looking.look() is None
    looking.vigil.end()
    assert looking.jobs() == 1
    assert looking.is_awake(), "nobody needs to be woken for what that job will find"
