"""Calling Lua scripts with little around them, one at a time or several in one round trip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import redis
from redis.exceptions import NoScriptError, RedisError

from records.redis_client import AWAY, spreads

Word = str | int | bytes

Words = tuple[Sequence[str], Sequence[Word]]
"""The keys, all of one shard, and the arguments of a script."""


class QuickScript:
    """What redis-py's ``Script`` is, in half its time.

    redis-py measures each command for its own instruments and wraps it for retries, none of which are used
    here: that takes as long as all the rest of a call to Redis. Errors are the same.
    """

    watched: ClassVar[bool] = False
    """Whether somebody has wrapped the client's commands, who is to see this one too."""

    def __init__(self, client: redis.Redis, text: str) -> None:
        self._redis = client
        self._script = client.register_script(text)
        # A cluster's client has to find the node first.
        self._pool = None if spreads(client) else client.connection_pool

    def __call__(self, keys: Sequence[str], words: Sequence[Word]) -> Any:
        """The script's answer. Raises what redis-py raises."""
        if self._pool is None or self.watched:
            return self._script(keys, words)
        connection: Any = self._pool.get_connection()  # redis-py's own lacks some types
        try:
            # Both close the connection where they fail on the way.
            connection.send_command(*self._command((keys, words)))
            return connection.read_response()
        except NoScriptError:
            pass
        finally:
            self._pool.release(connection)
        return self._script(keys, words)

    def each(self, calls: Sequence[Words]) -> list[Any]:
        """The answers to several calls, in one round trip, which has one wait for the disk.

        Raises the first error that redis-py would raise; what was called before and after it is done.
        """
        if len(calls) == 1:
            return [self(*calls[0])]
        answers = self.begin(calls).answers()
        for answer in answers:
            if isinstance(answer, RedisError):
                raise answer
        return answers

    def begin(self, calls: Sequence[Words]) -> Begun:
        """Send several calls, whose answers can be asked for later. Raises nothing of redis-py's."""
        if not calls:
            return Begun(self, calls, [])
        if self._pool is None:  # redis-py takes no scripts in a cluster's pipeline
            return Begun(self, calls, [self.tried(*call) for call in calls])
        try:
            if self.watched:
                with self._redis.pipeline(transaction=False) as pipe:
                    for keys, words in calls:
                        pipe.evalsha(self._script.sha, len(keys), *keys, *words)
                    return Begun(self, calls, pipe.execute(raise_on_error=False))
            return Begun(self, calls, self._sent(self._pool, calls))
        except RedisError as error:
            return Begun(self, calls, [error] * len(calls))

    def tried(self, keys: Sequence[str], words: Sequence[Word]) -> Any:
        """The answer to one call in redis-py's way, which teaches the server the script; or its error."""
        try:
            return self._script(keys, words)
        except RedisError as error:
            return error

    def _command(self, call: Words) -> list[Word]:
        keys, words = call
        return ["EVALSHA", self._script.sha, len(keys), *keys, *words]

    def _sent(self, pool: redis.ConnectionPool, calls: Sequence[Words]) -> Waiting:
        """Answers that are on their way. Raises what redis-py raises."""
        connection: Any = pool.get_connection()
        try:
            connection.send_packed_command(connection.pack_commands(map(self._command, calls)))
        except BaseException:
            pool.release(connection)
            raise
        return Waiting(pool, connection, len(calls))


class Waiting:
    """Answers that are on their way over a connection which is nobody else's meanwhile."""

    def __init__(self, pool: redis.ConnectionPool, connection: Any, count: int) -> None:
        self._pool, self._connection, self._count = pool, connection, count

    def read(self) -> list[Any]:
        """Each answer, or the error in its place."""
        answers: list[Any] = []
        try:
            while len(answers) < self._count:
                try:
                    answers.append(self._connection.read_response())
                except AWAY as error:
                    answers += [error] * (self._count - len(answers))
                except RedisError as error:
                    answers.append(error)
        finally:
            self._pool.release(self._connection)
        return answers

    def leave(self) -> None:
        """Nobody will read them."""
        self._connection.disconnect()
        self._pool.release(self._connection)


class Begun:
    """Calls of a script that were sent."""

    def __init__(self, script: QuickScript, calls: Sequence[Words], told: list[Any] | Waiting) -> None:
        self._script, self._calls, self._told = script, calls, told

    def answers(self) -> list[Any]:
        """The answer to each, or the error that redis-py would raise; to be asked for once."""
        found, self._told = self._told, []
        told = found.read() if isinstance(found, Waiting) else found
        for place, answer in enumerate(told):
            if isinstance(answer, NoScriptError):  # nothing was done
                told[place] = self._script.tried(*self._calls[place])
        return told

    def leave(self) -> None:
        """Nobody will ask for the answers any more. What was sent is done or not."""
        found, self._told = self._told, []
        if isinstance(found, Waiting):
            found.leave()
