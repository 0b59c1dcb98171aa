"""Batches: the hands of a snapshot of the log, scored under rule sets other than their own.

A batch is told by how many hands each shard's list has when it begins: what comes later is not in it. Its
chunks are spans of those lists, which workers do (`records.rescore_chunks`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import orjson
import redis
import uuid_utils

from records.feed import Feed
from records.hand_list import list_of
from records.log import Stream
from records.redis_client import store_errors
from records.redis_keys import KINDS, feed_key, stream_key
from records.redis_log import RedisLog
from records.rescore_keys import KIND, all_keys, batch_key, batch_name, store_time
from records.rescore_room import MOST_KEPT, NoRoom, check_room, expected
from records.rescore_scripts import END, NOTE, START
from records.selections import Selection, spans
from records.stored_hands import KIND as HAND

__all__ = ["CHUNK", "KEPT_SECONDS", "NoRoom", "RescoreState", "Rescores"]

CHUNK: Final = 1_000
"""Hands that are scored at once, under all rule sets of the batch."""

KEPT_SECONDS: Final = 7 * 86_400
"""How long a batch and its results are kept once it is over."""

_SETUP_SECONDS: Final = 600
_GROUP: Final = 20
_LOOK: Final = 1_000


@dataclass(frozen=True, slots=True)
class RescoreState:
    """How far a batch is. Times are in milliseconds since 1970; ``total`` and what follows are sheets."""

    rescore_id: str
    status: str
    select: dict[str, Any]
    variants: list[str]
    accepted: int
    started: int | None
    finished: int | None
    now: int
    chunks: int
    total: int
    """Hands that turn out not to pass the filters are taken off on the way."""
    done: int
    failed: int
    """How many of those that are done could not be made."""
    position: str
    """The cursor of the feed from which on follows what the snapshot has not."""
    stale: bool


class Rescores:
    """The batches of all tenants. Makes no connection before it is used; threads may share it."""

    def __init__(self, client: redis.Redis, most_kept: int = MOST_KEPT) -> None:
        self._redis = client
        self._log = RedisLog(client)
        self._feed = Feed(client)
        self._most_kept = most_kept
        self._start = client.register_script(START)
        self._end = client.register_script(END)
        self._note = client.register_script(NOTE)

    def missing(self, tenant: str, hand_ids: Sequence[str]) -> list[int]:
        """The places of ids that no hand has. Raises `StoreUnavailable`."""
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            for hand_id in hand_ids:
                pipe.exists(stream_key(Stream(HAND, tenant, hand_id)))
            return [place for place, found in enumerate(pipe.execute()) if not found]

    def start(self, tenant: str, selection: Selection, variants: Sequence[str]) -> str:
        """Begin a batch over the hands as they are now; its id. Raises `NoRoom`, `StoreUnavailable`."""
        stream = Stream(KIND, tenant, str(uuid_utils.uuid7()))
        # The feed's end first: what comes in between is in the snapshot, and told as if it came later.
        position, lengths = self._feed.end(tenant)
        counts = self._counts(tenant, selection)
        hands = sum(counts)
        reserved = expected(hands, len(variants))
        check_room(self._redis, reserved, self._most_kept)
        fields: dict[str, Any] = {
            "select": orjson.dumps(selection.as_dict()),
            "variants": orjson.dumps(list(variants)),
            "counts": orjson.dumps(counts),
            "size": CHUNK,
            "hands": hands,
            "reserved": reserved,
            "position": position,
            "looked": orjson.dumps(lengths),
        }
        if selection.hand_ids:
            self._keep_ids(stream, selection.hand_ids)
        pairs = [part for field in fields.items() for part in field]
        chunks = len(spans(counts, CHUNK))
        with store_errors():
            self._start(all_keys(stream), [batch_name(stream), KEPT_SECONDS, chunks, *pairs])
        return stream.id

    def _counts(self, tenant: str, selection: Selection) -> list[int]:
        if selection.hand_ids is not None:
            return [len(selection.hand_ids)]
        return self._log.listed(HAND, tenant, list_of(selection.filters), None).lengths()

    def _keep_ids(self, stream: Stream, hand_ids: Sequence[str]) -> None:
        key = f"{batch_key(stream)}:ids"
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            for first in range(0, len(hand_ids), _LOOK):
                pipe.rpush(key, *hand_ids[first : first + _LOOK])
            pipe.expire(key, _SETUP_SECONDS)
            pipe.execute()

    def state(self, tenant: str, rescore_id: str) -> RescoreState | None:
        """How far a batch is; None if there is none, or no longer. Raises `StoreUnavailable`."""
        stream = Stream(KIND, tenant, rescore_id)
        with store_errors():
            found = cast(dict[bytes, bytes], self._redis.hgetall(batch_key(stream)))
            if b"accepted" not in found:
                return None
            now = store_time(self._redis)
        number = {name: int(found.get(name.encode(), 0)) for name in _NUMBERS}
        variants = orjson.loads(found[b"variants"])
        started, finished = found.get(b"started"), found.get(b"finished")
        ended = found.get(b"ended", b"done").decode()
        return RescoreState(
            rescore_id=rescore_id,
            status=ended if finished is not None else "running" if started is not None else "queued",
            select=orjson.loads(found[b"select"]),
            variants=variants,
            accepted=number["accepted"],
            started=None if started is None else int(started),
            finished=None if finished is None else int(finished),
            now=now,
            chunks=len(spans(orjson.loads(found[b"counts"]), number["size"])),
            total=(number["hands"] - number["passed"]) * len(variants),
            done=number["done"] * len(variants),
            failed=number["failed"],
            position=found[b"position"].decode(),
            stale=b"moved" in found or self._has_moved(stream, orjson.loads(found[b"looked"])),
        )

    def _has_moved(self, stream: Stream, looked: list[int]) -> bool:
        """Whether anything was appended to a hand since. How far was looked in vain is kept."""
        is_over = False
        before = [*looked]
        append = KINDS.index(HAND)
        while not is_over:
            with store_errors(), self._redis.pipeline(transaction=False) as pipe:
                for shard, first in enumerate(looked):
                    pipe.lrange(feed_key(shard, stream.tenant), first, first + _LOOK - 1)
                found: list[list[bytes]] = pipe.execute()
            # Sheets are told in the feed too: they are what the log says already.
            if any(entry[0] == append for entries in found for entry in entries):
                self._keep(stream, "moved", b"1")
                return True
            looked = [first + len(entries) for first, entries in zip(looked, found, strict=True)]
            is_over = all(len(entries) < _LOOK for entries in found)
        if looked != before:
            self._keep(stream, "looked", orjson.dumps(looked))
        return False

    def _keep(self, stream: Stream, field: str, value: bytes) -> None:
        with store_errors():
            self._note([batch_key(stream)], [field, value])

    def cancel(self, tenant: str, rescore_id: str) -> bool:
        """End a batch, and throw its results away; whether there is one. Raises `StoreUnavailable`.

        What a worker is just making is not stored any more.
        """
        stream = Stream(KIND, tenant, rescore_id)
        with store_errors():
            return bool(self._end(all_keys(stream), [batch_name(stream), KEPT_SECONDS]))

    def results(self, tenant: str, state: RescoreState) -> Iterator[bytes]:
        """The packed results of the chunks in order, up to the first that is not done.

        Raises `StoreUnavailable`.
        """
        return self._parts(Stream(KIND, tenant, state.rescore_id), "results", state.chunks, 1)

    def sums(self, tenant: str, state: RescoreState) -> Iterator[bytes]:
        """What the chunks that are done add to the players' sums. Raises `StoreUnavailable`."""
        stream = Stream(KIND, tenant, state.rescore_id)
        return self._parts(stream, "sums", state.chunks, _GROUP, gaps=True)

    def _parts(
        self, stream: Stream, what: str, chunks: int, group: int, *, gaps: bool = False
    ) -> Iterator[bytes]:
        key = f"{batch_key(stream)}:{what}"
        for first in range(0, chunks, group):
            numbers = [str(number) for number in range(first, min(first + group, chunks))]
            with store_errors():
                found = cast(list[bytes | None], self._redis.hmget(key, numbers))
            for part in found:
                if part is not None:
                    yield part
                elif not gaps:
                    return


_NUMBERS: Final = ("accepted", "size", "hands", "passed", "done", "failed")
