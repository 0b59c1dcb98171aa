"""How much room the results of batches take, so that they cannot crowd out the log."""

from __future__ import annotations

from typing import Final

import redis

from records.redis_client import store_errors
from records.redis_keys import SHARDS
from records.rescore_keys import batch_key, batch_named, kept_key, store_time

MOST_KEPT: Final = 512 * 1024 * 1024
"""Bytes that the results of all batches may take together."""

_RETRY_SECONDS: Final = 3_600
_LEAST, _HAND, _SHEET = 4096, 48, 8
"""Bytes that a batch, a hand and each of its sheets take at most, as a rule."""


class NoRoom(Exception):
    """The results that are kept leave no room for those of another batch.

    ``retry``: seconds until some of them may go, at most an hour.
    """

    def __init__(self, kept: int, wanted: int, retry: int) -> None:
        super().__init__(f"{kept} bytes of results are kept or expected, {wanted} more are wanted")
        self.kept = kept
        self.wanted = wanted
        self.retry = retry


def expected(hands: int, variants: int) -> int:
    """Bytes that the results of so many hands under so many rule sets will take."""
    return _LEAST + hands * (_HAND + variants * _SHEET)


def check_room(client: redis.Redis, wanted: int, most: int) -> None:
    """Raises `NoRoom` where that is too much beside what is kept, and `StoreUnavailable`.

    Two calls at once may both find the same room: a little more is no harm.
    """
    with store_errors():
        now = store_time(client)
        with client.pipeline(transaction=False) as pipe:
            for shard in range(SHARDS):
                pipe.zremrangebyscore(kept_key(shard), "-inf", now)
                pipe.zrange(kept_key(shard), 0, -1, withscores=True)
            found = [item for items in pipe.execute()[1::2] for item in items]
            for name, _ in found:
                pipe.hmget(batch_key(batch_named(name)), ["finished", "bytes", "reserved"])
            sizes: list[list[bytes | None]] = pipe.execute()
    kept = 0
    for finished, taken, reserved in sizes:
        kept += max(int(taken or 0), 0 if finished is not None else int(reserved or 0))
    if kept + wanted > most:
        until = min([expiry for _, expiry in found if expiry < float("inf")], default=0)
        raise NoRoom(kept, wanted, min(max(round((until - now) / 1000), 1), _RETRY_SECONDS))
