"""The chunks of batches: claimed one after the other, by the batches in turn, and stored once each.

Workers claim a chunk with a lease, as they claim hands that are due (`records.sheets`); who dies leaves one
that falls due again. A chunk is done when its results are stored, which takes it away in the same step: so
each sheet is counted once, whoever has made it.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, cast

import orjson
import redis

from records.hand_list import HandFilters, list_of
from records.log import Stream
from records.redis_client import store_errors
from records.redis_keys import SHARDS, TOMBSTONE
from records.redis_log import RedisLog
from records.rescore_keys import all_keys, batch_key, batch_name, batch_named, open_key, store_time
from records.rescore_results import ChunkResults
from records.rescore_scripts import CLAIM, FINISH
from records.rescores import KEPT_SECONDS
from records.selections import HAND_IDS, Span, filters_of, spans
from records.stored_hands import KIND as HAND

LEASE: Final = 5.0
"""Seconds after which a claimed chunk may be claimed again. One takes some tenths of a second at most."""

_MAX_LEASE: Final = 60.0
_TRIES: Final = 20
"""After so many workers that died at it, a chunk is given up, and the batch has failed."""


class Chunk(NamedTuple):
    """A part of a batch that is to be done now, by nobody else for the time of the lease."""

    batch: Stream
    number: int
    variants: list[str]
    filters: HandFilters
    """What the hands have to pass, besides being in the list."""
    hands: int
    streams: list[Stream]
    """The hands, as far as they are still in the store."""


class RescoreChunks:
    """The chunks of all batches."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        self._log = RedisLog(client)
        self._claim = client.register_script(CLAIM)
        self._finish = client.register_script(FINISH)

    def left(self) -> list[Stream]:
        """The batches that are not over, that whose turn it is first. Raises `StoreUnavailable`.

        It is the turn of the one of which a chunk was claimed longest ago.
        """
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            for shard in range(SHARDS):
                pipe.zrange(open_key(shard), 0, -1, withscores=True)
            found = [item for items in pipe.execute() for item in items]
        return [batch_named(name) for name, _ in sorted(found, key=lambda item: item[1])]

    def claim(self, batch: Stream, lease: float = LEASE) -> Chunk | None:
        """A chunk of a batch that nobody is at work on. Raises `StoreUnavailable`."""
        arguments: list[str | int] = [batch_name(batch), KEPT_SECONDS, _ms(lease), _ms(_MAX_LEASE), _TRIES]
        with store_errors():
            found = self._claim(all_keys(batch), arguments)
        if found is None:
            return None
        number, size, select, variants, counts = cast(tuple[int, bytes, bytes, bytes, bytes], found)
        told = orjson.loads(select)
        span = spans(orjson.loads(counts), int(size))[number]
        streams = self._hands(batch, told, span)
        return Chunk(batch, number, orjson.loads(variants), filters_of(told), span.hands, streams)

    def _hands(self, batch: Stream, select: dict[str, Any], span: Span) -> list[Stream]:
        if HAND_IDS in select:
            with store_errors():
                last = span.first + span.hands - 1
                named = cast(list[bytes], self._redis.lrange(f"{batch_key(batch)}:ids", span.first, last))
            return [Stream(HAND, batch.tenant, id_.decode()) for id_ in named]
        listing = self._log.listed(HAND, batch.tenant, list_of(filters_of(select)), None)
        ids: list[bytes] = []
        while len(ids) < span.hands:  # a list may come in two parts
            some = listing.ids(span.shard, span.first + len(ids), span.hands - len(ids))
            assert some, f"{batch}: a list has become shorter"
            ids += some
        left = [id_.decode() for id_ in ids if not id_.startswith(TOMBSTONE.encode())]
        return [Stream(HAND, batch.tenant, id_) for id_ in left]

    def finish(self, chunk: Chunk, results: ChunkResults) -> bool:
        """Keep the results of a chunk; whether it was left. Raises `StoreUnavailable`.

        Nothing is changed where another has done the chunk, or the batch was cancelled.
        """
        packed, sums = results.packed()
        counts = {
            "done": results.hands,
            "passed": chunk.hands - results.hands,
            "failed": results.failed,
            "bytes": len(packed) + len(sums),
        }
        arguments: list[str | int | bytes] = [batch_name(chunk.batch), KEPT_SECONDS]
        arguments += [chunk.number, packed, sums]
        for count in counts.items():
            arguments += count
        with store_errors():
            return bool(self._finish(all_keys(chunk.batch), arguments))

    def waiting(self, batch: Stream, late: float = 0) -> int:
        """How many chunks of a batch could have been claimed ``late`` seconds ago, and were not.

        Raises `StoreUnavailable`.
        """
        with store_errors():
            latest = store_time(self._redis) - _ms(late)
            return self._redis.zcount(f"{batch_key(batch)}:left", "-inf", latest)


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
