"""Scripts called with little around them: every answer, refusal and loss is as redis-py has it."""

from __future__ import annotations

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import pytest
import redis
from redis.client import Pipeline
from redis.exceptions import ConnectionError as ConnectionLost
from redis.exceptions import ResponseError
from redis.exceptions import TimeoutError as TooSlow

from records.log import Append, Stream
from records.redis_client import connect
from records.redis_log import RedisLog
from records.redis_script import QuickScript, Words
from tests.support.processes import RedisServer, wait_until

ECHO = "redis.call('SET', KEYS[1], ARGV[1]) return {KEYS[1], ARGV[1]}"


def clients(redis_client: redis.Redis) -> object:
    known: Any = redis_client.info("clients")
    return known["connected_clients"]


def test_it_answers_what_the_script_answers(redis_client: redis.Redis) -> None:
    script = QuickScript(redis_client, ECHO)
    assert script(["k"], [b"\x00v"]) == [b"k", b"\x00v"]
    assert redis_client.get("k") == b"\x00v"
    assert script(["k"], ["ü"]) == [b"k", "ü".encode()]
    assert script(["k"], [7]) == [b"k", b"7"]


def test_a_server_that_forgot_the_script_learns_it_again(redis_client: redis.Redis) -> None:
    script = QuickScript(redis_client, ECHO)
    script(["k"], ["1"])
    redis_client.script_flush()
    assert script(["k"], ["2"]) == [b"k", b"2"]


def test_who_watches_the_clients_commands_sees_it(
    redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[object] = []
    execute: Any = redis_client.execute_command

    def watching(*words: Any, **options: Any) -> Any:
        seen.append(words[0])
        return execute(*words, **options)

    script = QuickScript(redis_client, ECHO)
    script(["k"], ["1"])
    monkeypatch.setattr(redis_client, "execute_command", watching)
    script(["k"], ["2"])
    assert seen == []
    monkeypatch.setattr(QuickScript, "watched", True)
    assert script(["k"], ["3"]) == [b"k", b"3"]
    assert seen == ["EVALSHA"]


def test_a_refusal_is_raised_and_the_connection_kept(redis_client: redis.Redis) -> None:
    script = QuickScript(redis_client, "return redis.error_reply('MY no')")
    connected = clients(redis_client)
    for _ in range(3):
        with pytest.raises(ResponseError, match="MY no"):
            script([], [])
    assert clients(redis_client) == connected


def test_a_slow_answer_is_no_answer_to_the_next_call(spare_redis: RedisServer) -> None:
    """The connection on which it was awaited is closed, or the next call would read it as its own."""
    with connect(spare_redis.url, timeout=0.3) as client:
        script = QuickScript(client, ECHO)
        script(["k"], ["before"])
        spare_redis.signal(signal.SIGSTOP)
        try:
            with pytest.raises(TooSlow):
                script(["k"], ["late"])
        finally:
            spare_redis.signal(signal.SIGCONT)
        assert script(["k"], ["next"]) == [b"k", b"next"]


def test_a_server_that_was_started_anew_is_found_at_once(spare_redis: RedisServer) -> None:
    with connect(spare_redis.url) as client:
        script = QuickScript(client, ECHO)
        script(["k"], ["1"])
        spare_redis.kill()
        with pytest.raises(ConnectionLost):
            script(["k"], ["2"])
        spare_redis.start()
        assert script(["k"], ["3"]) == [b"k", b"3"]


@pytest.fixture(params=[False, True], ids=["direct", "watched"])
def watched(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether somebody has wrapped the client's commands."""
    is_watched: bool = request.param
    monkeypatch.setattr(QuickScript, "watched", is_watched)
    return is_watched


@pytest.mark.usefixtures("watched")
class TestSeveralCalls:
    @pytest.mark.parametrize("count", [0, 1, 3])
    def test_they_are_answered_in_their_order(self, redis_client: redis.Redis, count: int) -> None:
        answers = QuickScript(redis_client, ECHO).each(calls_of(count))
        assert answers == [[f"k{number}".encode(), str(number).encode()] for number in range(count)]

    def test_they_are_sent_in_one_go(self, redis_client: redis.Redis) -> None:
        def questions() -> object:
            stats = cast(dict[str, dict[str, int]], redis_client.info("commandstats"))
            return [stats.get(f"cmdstat_script{end}", {}).get("calls") for end in ("", "|exists")]

        script = QuickScript(redis_client, ECHO)
        script.each(calls_of(2))
        before = questions()
        script.each(calls_of(3))
        assert questions() == before, "redis-py asks whether the script is known"

    @pytest.mark.parametrize("failing", [False, True], ids=["done", "refused"])
    def test_the_server_forgets_the_script(
        self, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch, failing: bool
    ) -> None:
        """In the worst moment: after all that could have been asked, and before the calls."""
        script = QuickScript(redis_client, "return redis.error_reply('MY no')" if failing else ECHO)
        forget_in_pipelines(monkeypatch)
        redis_client.script_flush()
        if failing:
            with pytest.raises(ResponseError, match="MY no"):
                script.each(calls_of(3))
        else:
            answers = script.each(calls_of(3))
            assert answers == [[f"k{number}".encode(), str(number).encode()] for number in range(3)]

    def test_one_of_them_is_refused(self, redis_client: redis.Redis) -> None:
        script = QuickScript(redis_client, ECHO)
        script(["k"], ["0"])
        connected = clients(redis_client)
        with pytest.raises(ResponseError):
            script.each([(["k1"], ["1"]), ([], []), (["k2"], ["2"])])
        assert redis_client.mget("k1", "k2") == [b"1", b"2"]
        assert clients(redis_client) == connected

    def test_the_server_is_away(self) -> None:
        script = QuickScript(connect("redis://127.0.0.1:1/0"), ECHO)
        first, second = script.begin(calls_of(2)).answers()
        assert isinstance(first, ConnectionLost)
        assert isinstance(second, ConnectionLost)
        with pytest.raises(ConnectionLost):
            script.each(calls_of(2))

    def test_the_server_dies_before_it_answers(self, spare_redis: RedisServer) -> None:
        with connect(spare_redis.url) as client:
            script = QuickScript(client, ECHO)
            script.each(calls_of(2))
            spare_redis.signal(signal.SIGSTOP)
            with ThreadPoolExecutor(1) as thread:
                told = thread.submit(lambda: script.begin(calls_of(2)).answers())
                time.sleep(0.1)
                spare_redis.kill()
                assert [type(answer) for answer in told.result()] == [ConnectionLost] * 2
            spare_redis.start()
            assert script.each(calls_of(2)) == [[b"k0", b"0"], [b"k1", b"1"]]

    def test_late_answers_are_not_those_of_the_next_calls(self, spare_redis: RedisServer) -> None:
        with connect(spare_redis.url, timeout=0.3) as client:
            script = QuickScript(client, ECHO)
            script.each(calls_of(2))
            spare_redis.signal(signal.SIGSTOP)
            try:
                assert [type(answer) for answer in script.begin(calls_of(2)).answers()] == [TooSlow] * 2
            finally:
                spare_redis.signal(signal.SIGCONT)
            assert script.each([(["next"], ["1"]), (["last"], ["2"])]) == [[b"next", b"1"], [b"last", b"2"]]


def test_what_is_begun_is_done_whether_it_is_asked_for_or_not(redis_client: redis.Redis) -> None:
    script = QuickScript(redis_client, ECHO)
    script(["k"], ["0"])
    begun = script.begin(calls_of(3))
    wait_until(lambda: redis_client.mget("k0", "k1", "k2") == [b"0", b"1", b"2"], "they are done")
    # Others are answered meanwhile, over other connections.
    assert script(["k"], ["1"]) == [b"k", b"1"]
    assert begun.answers() == [[b"k0", b"0"], [b"k1", b"1"], [b"k2", b"2"]]


@pytest.mark.parametrize("watching", [False, True])
def test_answers_that_nobody_asks_for_are_not_those_of_the_next_call(
    redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch, watching: bool
) -> None:
    monkeypatch.setattr(QuickScript, "watched", watching)
    script = QuickScript(redis_client, ECHO)
    script(["k"], ["0"])
    connected = clients(redis_client)
    script.begin(calls_of(3)).leave()
    assert script(["k"], ["1"]) == [b"k", b"1"]
    assert clients(redis_client) == connected


@pytest.mark.usefixtures("watched")
def test_appends_to_many_where_the_script_is_forgotten(
    redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget_in_pipelines(monkeypatch)
    redis_client.script_flush()
    streams = [Stream("hand", "default", f"h-{number}") for number in range(100)]
    log = RedisLog(redis_client)
    assert log.append_many([(stream, 0, Append(b"x", 3)) for stream in streams]) == [3] * 100
    assert [found and found.version for found in log.read_many(streams)] == [3] * 100


def calls_of(count: int) -> list[Words]:
    return [([f"k{number}"], [number]) for number in range(count)]


def forget_in_pipelines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the server forget all scripts as a pipeline is sent."""
    send = Pipeline._execute_pipeline

    def forgetful(pipe: Pipeline, connection: Any, commands: Any, raise_on_error: bool) -> Any:
        connection.send_command("SCRIPT", "FLUSH")
        connection.read_response()
        return send(pipe, connection, commands, raise_on_error)  # type: ignore[no-untyped-call]  # redis-py has no types here

    monkeypatch.setattr(Pipeline, "_execute_pipeline", forgetful)
