"""The connection to Redis: short timeouts, and no command is ever sent twice by itself.

Left to itself redis-py may repeat a command, up to ten times, depending on how the client is made. Where
only the answer was lost, that writes twice; and a store that is away is noticed after seconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, cast

import redis
from redis.backoff import NoBackoff
from redis.exceptions import (
    ClusterDownError,
    ClusterError,
    MasterDownError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisClusterException,
    ResponseError,
)
from redis.exceptions import ConnectionError as ConnectionLost
from redis.exceptions import TimeoutError as TooSlow
from redis.retry import Retry

from records.log import StoreUnavailable
from records.redis_cluster import Cluster, is_cluster

TIMEOUT: Final = 1.0
"""Seconds to wait for a connection or an answer. A write is answered once it is on disk."""

AWAY: Final = (ConnectionLost, TooSlow)
"""What redis-py raises when Redis cannot be reached, is starting, or does not answer in time."""

_REFUSED: Final = (ClusterDownError, MasterDownError, OutOfMemoryError, ReadOnlyError)
# Refusals that redis-py has no class for, or that an engine before 7.0 wraps in a script's error.
_REFUSAL: Final = re.compile(
    r"(?:^|[\s-])(?:MISCONF|NOREPLICAS|OOM|READONLY|LOADING|MASTERDOWN|CLUSTERDOWN) "
)


def connect(url: str, timeout: float = TIMEOUT) -> redis.Redis:
    """A client of the Redis or the Redis Cluster at that URL. It connects when it is first used; threads may
    share it. Raises ValueError.

    ``timeout``: seconds to wait for an answer; who uses commands that block needs more.
    """
    if is_cluster(url):
        options = {"socket_connect_timeout": TIMEOUT, "socket_timeout": timeout, "socket_keepalive": True}
        return cast(redis.Redis, Cluster(url, **options))
    return redis.Redis.from_url(
        url,
        socket_connect_timeout=TIMEOUT,
        socket_timeout=timeout,
        socket_keepalive=True,
        retry=Retry(NoBackoff(), 0),
    )


def spreads(client: redis.Redis) -> bool:
    """Whether the client is that of a cluster, which spreads the shards over several nodes."""
    made: object = client
    return isinstance(made, Cluster)


def info_of_nodes(client: redis.Redis, *sections: str) -> list[dict[str, Any]]:
    """What a Redis tells of itself, or each primary of a cluster. Raises what redis-py raises."""
    told: Any = client.info(*sections)
    return list(told.values()) if spreads(client) else [told]


@contextmanager
def store_errors() -> Iterator[None]:
    """Raise `StoreUnavailable` where Redis is away, too slow, or refuses to write."""
    try:
        yield
    except (*AWAY, ClusterError, RedisClusterException) as error:
        raise StoreUnavailable(str(error)) from error
    except ResponseError as error:
        if isinstance(error, _REFUSED) or _REFUSAL.search(str(error)):
            raise StoreUnavailable(str(error)) from error
        raise
