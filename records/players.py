"""Display names of players. A player is known by a key that stays; the name beside it may change.

Names are not in the log, which only grows: a name that is erased is gone.

    {t07}:player:default:<key>     the name, who gave it, and when
    player-changes:default         how often a name was given or taken away
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple, cast

import orjson
import redis

from records.log import Stream
from records.redis_client import store_errors
from records.redis_keys import stream_key
from records.stored_hands import rfc3339

KIND: Final = "player"


class Player(NamedTuple):
    """A player's display name, by whom it was given and when (RFC 3339, UTC)."""

    player: str
    name: str
    actor: str
    updated_at: str


class Players:
    """The display names of all tenants. Makes no connection before it is used; threads may share it."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client

    def name(self, tenant: str, actor: str, player: str, name: str) -> Player:
        """Give a player a name, in place of one that was there. Raises `StoreUnavailable`."""
        with store_errors():
            told: Any = self._redis.time()
            # A cluster answers for each of its nodes.
            seconds, micros = min(told.values()) if isinstance(told, dict) else told
            made = Player(player, name, actor, rfc3339(seconds * 1000 + micros // 1000))
            self._redis.set(_key(tenant, player), orjson.dumps(made[1:]))
            self._redis.incr(_changes_key(tenant))
        return made

    def get(self, tenant: str, player: str) -> Player | None:
        """A player who has a name, or None. Raises `StoreUnavailable`."""
        with store_errors():
            found = cast(bytes | None, self._redis.get(_key(tenant, player)))
        return None if found is None else Player(player, *orjson.loads(found))

    def erase(self, tenant: str, player: str) -> None:
        """Take a name away; the key stays where it was written. Raises `StoreUnavailable`."""
        with store_errors():
            self._redis.delete(_key(tenant, player))
            self._redis.incr(_changes_key(tenant))

    def changes(self, tenant: str) -> int:
        """A number that grows with every change of a name. Raises `StoreUnavailable`."""
        with store_errors():
            return int(cast("bytes | None", self._redis.get(_changes_key(tenant))) or 0)

    def names(self, tenant: str, players: Iterable[str]) -> dict[str, str]:
        """The names of those who have one. Raises `StoreUnavailable`."""
        wanted = list(players)
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            for player in wanted:
                pipe.get(_key(tenant, player))
            found: list[bytes | None] = pipe.execute()
        return {
            player: orjson.loads(stored)[0]
            for player, stored in zip(wanted, found, strict=True)
            if stored is not None
        }


def _changes_key(tenant: str) -> str:
    return f"player-changes:{tenant}"


def _key(tenant: str, player: str) -> str:
    return stream_key(Stream(KIND, tenant, player))
