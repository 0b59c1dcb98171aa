"""Which hands are old enough for the archive (`records.archive`)."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from datetime import datetime
from typing import Final, cast

import redis

from records import session_log, tournament_log
from records.archive import ArchivedHand
from records.feed_entries import ENTRY
from records.log import StoredStream, Stream
from records.redis_client import store_errors
from records.redis_keys import KINDS, SHARDS, TOMBSTONE, feed_key, ids_key, stream_key
from records.redis_log import RedisLog, stored
from records.stored_hands import KIND, opening_of, status_of

FINISHED: Final = ("scored", "annulled", "void")
"""The statuses of hands that may be archived."""

_CHUNK: Final = 1000


def old_hands(client: redis.Redis, tenant: str, before: datetime) -> Iterator[ArchivedHand]:
    """The finished hands to which nothing was added since that moment, shard by shard, oldest first.

    Finished is a hand that is scored, annulled or void, with the sheet of its latest version. One that is
    irregular waits for a correction, however long, and one of an open session or tournament for its end.
    Raises `StoreUnavailable`.
    """
    limit = round(before.timestamp() * 1000)
    for shard in range(SHARDS):
        candidates = dict(_candidates(client, tenant, shard, limit))
        fed = _fed(client, tenant, shard, candidates)
        for place, stream in candidates.items():
            with store_errors():
                parts = cast(list[bytes], client.lrange(stream_key(stream), 0, -1))
            found = stored(stream, parts)
            if found is not None and _is_finished(found) and found.entries[-1].recorded < limit:
                yield ArchivedHand(stream, tuple(parts), tuple(fed.get(place, ())))


def _is_finished(found: StoredStream) -> bool:
    has_sheet = found.view is not None and found.view.version == found.version
    return has_sheet and status_of(found) in FINISHED


def _open(log: RedisLog, tenant: str, session_ids: Iterable[str | None]) -> set[str]:
    """Those of the ids that are of an open session or tournament."""
    names = {name for name in session_ids if name is not None}
    found: set[str] = set()
    for told in (session_log, tournament_log):
        streams = [told.stream_of(tenant, name) for name in names]
        there = [one for one in log.glance(streams) if one is not None]
        found |= {one.stream.id for one in there if told.summary_of(one)["status"] == "open"}
    return found


def _candidates(client: redis.Redis, tenant: str, shard: int, limit: int) -> Iterator[tuple[int, Stream]]:
    """The hands of a shard that are finished and were begun before that time, with their places."""
    log = RedisLog(client)
    position = 0
    while True:
        with store_errors():
            ids = client.lrange(ids_key(shard, KIND, tenant), position, position + _CHUNK - 1)
        there = {
            place: Stream(KIND, tenant, id_.decode())
            for place, id_ in enumerate(cast(list[bytes], ids), position)
            if not id_.startswith(TOMBSTONE.encode())
        }
        glances = dict(zip(there, log.glance(list(there.values())), strict=True))
        old = {
            place: found
            for place, found in glances.items()
            if found is not None and found.created < limit and _is_finished(found)
        }
        sessions = {place: opening_of(found).session_id for place, found in old.items()}
        still_open = _open(log, tenant, sessions.values())
        yield from (
            (place, found.stream) for place, found in old.items() if sessions[place] not in still_open
        )
        if len(ids) < _CHUNK:
            return
        position += _CHUNK


def _fed(
    client: redis.Redis, tenant: str, shard: int, places: Container[int]
) -> dict[int, list[tuple[int, bytes]]]:
    """The feed's entries of the streams at those places of a shard, with their positions."""
    found: dict[int, list[tuple[int, bytes]]] = {}
    number = KINDS.index(KIND)
    position = 0
    while True:
        with store_errors():
            part = client.lrange(feed_key(shard, tenant), position, position + _CHUNK - 1)
        for at, entry in enumerate(cast(list[bytes], part), position):
            if entry:
                what, _, place, _, _ = ENTRY.unpack(entry)
                if what & 15 == number and place in places:
                    found.setdefault(place, []).append((at, entry))
        if len(part) < _CHUNK:
            return found
        position += _CHUNK
