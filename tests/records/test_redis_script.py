"""Scripts called with little around them: every answer, refusal and loss is as redis-py has it."""

from __future__ import annotations

import signal
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
from records.redis_script import QuickScript, Words, call_each
from tests.support.processes import RedisServer

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


def test_in_a_pipeline_it_waits_for_the_others(redis_client: redis.Redis) -> None:
    script = QuickScript(redis_client, ECHO)
    script(["other"], ["0"])
    with redis_client.pipeline(transaction=False) as pipe:
        script(["k"], ["1"], pipe)
        assert redis_client.get("k") is None
        assert pipe.execute() == [[b"k", b"1"]]


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


@pytest.mark.parametrize("count", [0, 1, 3])
def test_several_calls_in_one_round_trip(redis_client: redis.Redis, count: int) -> None:
    script = redis_client.register_script(ECHO)
    calls: list[Words] = [([f"k{number}"], [number]) for number in range(count)]
    answers = call_each(redis_client, script, calls)
    assert answers == [[f"k{number}".encode(), str(number).encode()] for number in range(count)]


def test_several_calls_are_sent_in_one_go(redis_client: redis.Redis) -> None:
    def questions() -> object:
        stats = cast(dict[str, dict[str, int]], redis_client.info("commandstats"))
        return [stats.get(f"cmdstat_script{end}", {}).get("calls") for end in ("", "|exists")]

    script = redis_client.register_script(ECHO)
    script(["k"], [0])
    before = questions()
    call_each(redis_client, script, [(["k"], [0])] * 3)
    assert questions() == before, "redis-py asks whether the script is known"


@pytest.mark.parametrize("failing", [False, True], ids=["done", "refused"])
def test_several_calls_of_a_script_that_the_server_forgets(
    redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch, failing: bool
) -> None:
    """In the worst moment: after all that could have been asked, and before the calls."""
    script = redis_client.register_script("return redis.error_reply('MY no')" if failing else ECHO)
    forget_in_pipelines(monkeypatch)
    calls: list[Words] = [([f"k{number}"], [number]) for number in range(3)]
    if failing:
        with pytest.raises(ResponseError, match="MY no"):
            call_each(redis_client, script, calls)
    else:
        answers = call_each(redis_client, script, calls)
        assert answers == [[f"k{number}".encode(), str(number).encode()] for number in range(3)]


def test_a_known_script_that_is_refused_in_one_of_several_calls(redis_client: redis.Redis) -> None:
    script = redis_client.register_script(ECHO)
    redis_client.script_load(ECHO)
    with pytest.raises(ResponseError):
        call_each(redis_client, script, [(["k1"], ["1"]), ([], []), (["k2"], ["2"])])
    assert redis_client.mget("k1", "k2") == [b"1", b"2"]


def test_appends_to_many_where_the_script_is_forgotten(
    redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget_in_pipelines(monkeypatch)
    streams = [Stream("hand", "default", f"h-{number}") for number in range(100)]
    log = RedisLog(redis_client)
    assert log.append_many([(stream, 0, Append(b"x", 3)) for stream in streams]) == [3] * 100
    assert [found and found.version for found in log.read_many(streams)] == [3] * 100


def forget_in_pipelines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the server forget all scripts as a pipeline is sent."""
    send = Pipeline._execute_pipeline

    def forgetful(pipe: Pipeline, connection: Any, commands: Any, raise_on_error: bool) -> Any:
        connection.send_command("SCRIPT", "FLUSH")
        connection.read_response()
        return send(pipe, connection, commands, raise_on_error)  # type: ignore[no-untyped-call]  # redis-py has no types here

    monkeypatch.setattr(Pipeline, "_execute_pipeline", forgetful)
