"""Proposals: a hand's result that one side of a table has entered, until the other side confirms it.

A table has one of them at most. Every change gives its state another version, and is made for the version
that it saw, in one step of the store; so of two phones that are at it together one is told to look again.
Confirmed is what the state says it is: from then on the hand is appended by whoever looks at the table next,
should the first one not come to it, and never twice, for its id is the proposal's
(docs/adr/0087-proposals.md).
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, cast

import orjson
import redis

from records.log import StoreUnavailable, VersionMismatch
from records.redis_client import store_errors
from records.table_links import TablePlace

OPEN, OBJECTED, CONFIRMED = "open", "objected", "confirmed"

Proposal = dict[str, Any]
"""A proposal as JSON, as it is stored."""

# KEYS: the table's state    ARGV: the version expected, the new one, the new state
_SWAP: Final = """
if (redis.call('HGET', KEYS[1], 'version') or '0') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'state', ARGV[3])
return 1
"""


class TableState(NamedTuple):
    """What a table is at: its version, the proposal if there is one, and how the last one was confirmed."""

    version: int = 0
    proposal: Proposal | None = None
    last: dict[str, Any] | None = None


class Proposals:
    """The proposals of all tables. Makes no connection before it is used; threads may share it."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        self._swap = client.register_script(_SWAP)

    def get(self, place: TablePlace) -> TableState:
        """What a table is at. Raises `StoreUnavailable`."""
        with store_errors():
            version, state = cast(list[bytes | None], self._redis.hmget(_key(place), ["version", "state"]))
        return TableState() if version is None else TableState(int(version), *orjson.loads(state or b""))

    def put(
        self, place: TablePlace, seen: TableState, proposal: Proposal | None, last: dict[str, Any] | None
    ) -> TableState:
        """Bring a table on from the state that was seen. Raises `VersionMismatch`, `StoreUnavailable`."""
        made = TableState(seen.version + 1, proposal, last)
        arguments: list[int | bytes] = [seen.version, made.version, orjson.dumps(made[1:])]
        for is_last in (False, True):
            try:
                with store_errors():
                    done = self._swap([_key(place)], arguments)
            except StoreUnavailable:
                # Perhaps only the answer was lost. Once more writes nothing if it is there by now.
                if is_last:
                    raise
                continue
            if done or (is_last and self.get(place) == made):
                return made
            break
        raise VersionMismatch(self.get(place).version)


def _key(place: TablePlace) -> str:
    table = "" if place.table is None else f":{place.table}"
    return f"proposal:{place.tenant}:{place.owner}{table}"
