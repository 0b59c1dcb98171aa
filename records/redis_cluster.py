"""A client of a Redis Cluster that is used like one of a single Redis.

redis-py's own looks for the nodes when it is made; this one when it is first used, so that the service can be
started before its store. It repeats no command after a lost answer, as `records.redis_client` has
it, but follows where a slot has moved to.
"""

from __future__ import annotations

import threading
from typing import Any, Final, Self
from urllib.parse import urlsplit

import redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.commands.core import Script
from redis.retry import Retry

SCHEMES: Final = ("redis+cluster", "rediss+cluster")
"""URLs of a cluster: ``redis+cluster://:password@host:7000,host:7001`` with one or more of its nodes."""

_PRIMARIES: Final = RedisCluster.PRIMARIES


def is_cluster(url: str) -> bool:
    """Whether a URL is that of a cluster."""
    return urlsplit(url).scheme in SCHEMES


class Cluster:
    """The client. Threads may share it. What it does not have itself is the cluster client's."""

    def __init__(self, url: str, **options: Any) -> None:
        """Raises ValueError for a URL that is none. It connects when it is first used."""
        self._urls = node_urls(url)
        self._options = options
        self._lock = threading.Lock()
        self._made: RedisCluster | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client(), name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        if self._made is not None:
            self._made.close()

    def register_script(self, script: str) -> Script:
        """As of any client. Connects to nobody."""
        return Script(self, script)  # type: ignore[arg-type]  # it needs an encoder and EVALSHA

    def get_encoder(self) -> Any:
        """How texts are sent."""
        return redis.Redis().get_encoder()

    def time(self) -> tuple[int, int]:
        """The time of the primary whose clock is behind: seconds and microseconds."""
        told: Any = self._client().time(target_nodes=_PRIMARIES)
        seconds, micros = min(_of_each(told))
        return seconds, micros

    def info(self, *sections: str) -> dict[str, dict[str, Any]]:
        """What each primary tells of itself, by its address."""
        nodes = self._client().get_primaries()  # type: ignore[no-untyped-call]  # redis-py has none
        return {node.name: self._client().info(*sections, target_nodes=node) for node in nodes}

    def _client(self) -> RedisCluster:
        with self._lock:
            if self._made is None:
                first, *others = self._urls
                self._made = RedisCluster(
                    url=first,
                    startup_nodes=[_node(other) for other in others],
                    retry=Retry(NoBackoff(), 0),
                    **self._options,
                )
            return self._made


def node_urls(url: str) -> list[str]:
    """The URLs of the nodes that the URL of a cluster names. Raises ValueError, without the URL."""
    parts = urlsplit(url)
    user, at, hosts = parts.netloc.rpartition("@")
    scheme = parts.scheme.removesuffix("+cluster")
    urls = []
    for host in hosts.split(","):
        node = parts._replace(scheme=scheme, netloc=f"{user}{at}{host}")
        if not node.hostname or node.path.strip("/") not in ("", "0"):
            raise ValueError("a cluster's URL names hosts, and no database but 0")
        _ = node.port  # raises ValueError where it is no number
        urls.append(node.geturl())
    return urls


def _node(url: str) -> ClusterNode:
    parts = urlsplit(url)
    return ClusterNode(parts.hostname, parts.port or 6379)  # type: ignore[no-untyped-call]  # redis-py has none


def _of_each(told: Any) -> list[Any]:
    """What the nodes answered; with a single one redis-py gives that alone."""
    return list(told.values()) if isinstance(told, dict) else [told]
