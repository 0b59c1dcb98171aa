"""Secret links: what lets whoever holds one do one thing with one place, until it is revoked.

The token of a link is twelve digits that find it and 128 random bits that open it. Only their digest is
stored, so that who can read the store cannot follow anybody's links; a secret of that length needs no
slower one. A revoked link is gone at once (docs/adr/0078-boards.md).
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, cast

import orjson
import redis

from records.redis_client import store_errors
from records.stored_hands import rfc3339

_ID_BYTES: Final = 6
_SECRET_BYTES: Final = 16

# KEYS: the place's links    ARGV: how many there may be, id, link
_ADD: Final = """
if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
return 1
"""


class Link(NamedTuple):
    """A link without its secret. ``place`` is what it is to, ``terms`` what it allows there, as JSON."""

    link_id: str
    tenant: str
    place: str
    terms: tuple[Any, ...]
    made_at: str
    made_by: str


class TooManyLinks(Exception):
    """The place has as many links of the kind as it may have."""


class Links:
    """The links of one kind, to all places. Makes no connection before it is used; threads may share it.

    Every method raises `StoreUnavailable` when the store is away.
    """

    def __init__(self, client: redis.Redis, kind: str) -> None:
        """``kind`` is a plural without a colon, which begins the names of what is stored."""
        self._redis = client
        self._kind = kind
        self._add = client.register_script(_ADD)

    def make(
        self, tenant: str, place: str, actor: str, most: int, terms: Sequence[Any] = ()
    ) -> tuple[Link, str]:
        """A new link, and the token that leads to it. Raises `TooManyLinks` where ``most`` are there."""
        link_id, secret = secrets.token_hex(_ID_BYTES), secrets.token_urlsafe(_SECRET_BYTES)
        link = Link(link_id, tenant, place, tuple(terms), rfc3339(time.time_ns() // 1_000_000), actor)
        stored = orjson.dumps([_digest(secret), *terms, link.made_at, actor])
        with store_errors():
            if not self._add([self._key(tenant, place)], [most, link_id, stored]):
                raise TooManyLinks(place)
            # A link whose place in the index were lost would lead nowhere, and could still be revoked.
            self._redis.hset(self._kind, link_id, orjson.dumps([tenant, place]).decode())
        return link, f"{link_id}{secret}"

    def listed(self, tenant: str, place: str) -> list[Link]:
        """The links to a place, the oldest first."""
        with store_errors():
            found = cast(dict[bytes, bytes], self._redis.hgetall(self._key(tenant, place)))
        links = [_link(id_.decode(), tenant, place, stored)[0] for id_, stored in found.items()]
        return sorted(links, key=lambda link: (link.made_at, link.link_id))

    def revoke(self, tenant: str, place: str, link_id: str) -> bool:
        """Have a link lead nowhere from now on. Whether the place had it."""
        with store_errors():
            gone = self._redis.hdel(self._key(tenant, place), link_id)
            if gone:  # else it may be another tenant's
                self._redis.hdel(self._kind, link_id)
        return bool(gone)

    def find(self, token: str) -> Link | None:
        """The link that a token leads to; None if there is none, or no longer."""
        link_id, secret = token[: 2 * _ID_BYTES], token[2 * _ID_BYTES :]
        with store_errors():
            found = cast("bytes | None", self._redis.hget(self._kind, link_id))
            if found is None:
                return None
            tenant, place = orjson.loads(found)
            stored = cast("bytes | None", self._redis.hget(self._key(tenant, place), link_id))
        if stored is None:
            return None
        link, digest = _link(link_id, tenant, place, stored)
        return link if hmac.compare_digest(digest, _digest(secret)) else None

    def _key(self, tenant: str, place: str) -> str:
        return f"{self._kind}:{tenant}:{place}"


def _link(link_id: str, tenant: str, place: str, stored: bytes) -> tuple[Link, str]:
    digest, *terms, made_at, made_by = orjson.loads(stored)
    return Link(link_id, tenant, place, tuple(terms), made_at, made_by), digest


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
