"""Calling Lua scripts: one with little around it, and one for several shards in one round trip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import redis
from redis.commands.core import Script
from redis.exceptions import NoScriptError

from records.redis_client import spreads

Word = str | int | bytes

Words = tuple[Sequence[str], Sequence[Word]]
"""The keys, all of one shard, and the arguments of a script."""


def call_each(client: redis.Redis, script: Script, calls: Sequence[Words]) -> list[Any]:
    """The script's answers to several calls, in one round trip, which has one wait for the disk.

    Raises what redis-py raises; what was called before that is done.
    """
    if len(calls) < 2 or spreads(client):  # redis-py takes no scripts in a cluster's pipeline
        return [script(keys, words) for keys, words in calls]
    with client.pipeline(transaction=False) as pipe:
        for keys, words in calls:
            # By its name alone: redis-py's way asks first whether the server knows it, in a round trip of its
            # own, and does without an answer where the server forgets it just then.
            pipe.evalsha(script.sha, len(keys), *keys, *words)
        answers = pipe.execute(raise_on_error=False)
    for place, answer in enumerate(answers):
        if isinstance(answer, NoScriptError):
            answers[place] = script(*calls[place])
        elif isinstance(answer, Exception):
            raise answer
    return answers


class QuickScript:
    """What redis-py's ``Script`` is, in half its time.

    redis-py measures each command for its own instruments and wraps it for retries, none of which are used
    here: that takes as long as all the rest of a call to Redis. Errors are the same.
    """

    watched: ClassVar[bool] = False
    """Whether somebody has wrapped the client's commands, who is to see this one too."""

    def __init__(self, client: redis.Redis, text: str) -> None:
        self._script = client.register_script(text)
        # A cluster's client has to find the node first.
        self._pool = None if spreads(client) else client.connection_pool

    def __call__(self, keys: Sequence[str], words: Sequence[Word], pipe: redis.Redis | None = None) -> Any:
        """The script's answer; in a pipeline, nothing yet. Raises what redis-py raises.

        A pipeline's answer may be a `NoScriptError`, which says that nothing was done.
        """
        if pipe is not None:
            return pipe.evalsha(self._script.sha, len(keys), *keys, *words)
        if self._pool is None or self.watched:
            return self._script(keys, words)
        connection = self._pool.get_connection()
        try:
            # Both close the connection where they fail on the way.
            connection.send_command(  # type: ignore[no-untyped-call]  # redis-py's own lacks some types
                "EVALSHA", self._script.sha, len(keys), *keys, *words
            )
            return connection.read_response()
        except NoScriptError:
            pass
        finally:
            self._pool.release(connection)
        return self._script(keys, words)
