"""Throwing a tenant's data away, for one that is there to try things out."""

from __future__ import annotations

from typing import Final, cast

import redis

from records.redis_client import store_errors
from records.redis_keys import SHARDS, due_key, tag_of
from records.webhook_scripts import tenants_key

_AT_ONCE: Final = 500


def empty_tenant(client: redis.Redis, tenant: str) -> int:
    """Delete all hands, imports, webhooks, kept answers and the feed of a tenant; how many keys went.

    Its API keys stay. Raises `StoreUnavailable`; done again, it goes on. Cursors from before are of no use.
    """
    with store_errors():
        for shard in range(SHARDS):
            _forget(client, due_key(shard), 1, tenant.encode())
            _forget(client, f"{tag_of(shard)}:imports", 0, tenant.encode())
            _forget(client, tenants_key(shard), 0, tenant.encode())
        gone = 0
        found: list[bytes] = []
        for key in client.scan_iter(match=f"*:{tenant}*", count=_AT_ONCE):
            if _is_of(key, tenant.encode()):
                found.append(key)
            if len(found) >= _AT_ONCE:
                gone += _unlink(client, found)
                found = []
        return gone + _unlink(client, found)


def _forget(client: redis.Redis, key: str, at: int, tenant: bytes) -> None:
    """Take away what a sorted set has of the tenant, which is that part of its members' names."""
    names = cast(list[bytes], client.zrange(key, 0, -1))
    gone = [name for name in names if name.split(b":")[at] == tenant]
    if gone:
        client.zrem(key, *gone)


def _unlink(client: redis.Redis, keys: list[bytes]) -> int:
    with client.pipeline(transaction=False) as pipe:
        for key in keys:
            pipe.unlink(key)
        return sum(pipe.execute())


def _is_of(key: bytes, tenant: bytes) -> bool:
    """Whether a key of the store is one of the tenant's; its own name comes after what it is."""
    parts = key.split(b":")
    at = 2 if parts[0].startswith(b"{t") else 1
    return parts[0] != b"trull" and len(parts) > at and parts[at] == tenant
