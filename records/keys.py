"""API keys in the store: made, found, listed and revoked; each belongs to a tenant.

A key is ``trull_<id>_<secret>``. The id is how people speak of it; the secret is 256 random bits, of
which the store has the SHA-256 alone: there is nothing to guess at, so nothing is won by a slow hash
(docs/adr/0081-stored-keys.md).

    trull:keys            what is known of each key, by its id
    trull:keys:revoked    when it was revoked
    trull:keys:used       when it was last used, to the hour
    trull:keys:set        there once a key was made that is no sandbox's: from then on access is not open
    trull:tenants         the tenants that have, or had, keys
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

import orjson
import redis

from records.redis_client import store_errors
from records.scopes import SANDBOX, SCOPES, TENANT

_KEYS: Final = "trull:keys"
_REVOKED: Final = "trull:keys:revoked"
_USED: Final = "trull:keys:used"
_SET: Final = "trull:keys:set"
_TENANTS: Final = "trull:tenants"

_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz234567"
_ID_LETTERS: Final = 12
_WRITTEN: Final = re.compile(r"trull_([a-z2-7]{12})_([A-Za-z0-9_-]{43})")
_HOUR: Final = 3_600_000


class Bearer(NamedTuple):
    """Who a key speaks for: what is needed of it to serve a call."""

    key_id: str
    name: str
    scopes: frozenset[str]
    player: str | None
    tenant: str


@dataclass(frozen=True, slots=True)
class StoredKey:
    """What is known of a key. Times are in milliseconds since 1970; ``used`` is coarse."""

    bearer: Bearer
    created: int
    by: str
    revoked: int | None
    used: int | None


class Keys:
    """The keys of all tenants. Makes no connection before it is used; threads may share it.

    Every call raises `StoreUnavailable` when the store is away.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client

    def make(
        self, name: str, tenant: str, scopes: Collection[str], player: str | None, by: str
    ) -> tuple[StoredKey, str]:
        """A new key, and the only time that it is told. The caller has checked the names."""
        key_id = "".join(secrets.choice(_ALPHABET) for _ in range(_ID_LETTERS))
        secret = secrets.token_urlsafe(32)
        bearer = Bearer(key_id, name, frozenset(scopes), player, tenant)
        with store_errors():
            now = _now()
            if tenant != SANDBOX:
                # First of all: should the rest fail, access is rather closed than open.
                self._redis.set(_SET, b"1")
            self._redis.sadd(_TENANTS, tenant)
            stored = {
                "name": name,
                "tenant": tenant,
                "scopes": [scope for scope in SCOPES if scope in scopes],
                "player": player,
                "digest": _digest(secret).hex(),
                "created": now,
                "by": by,
            }
            self._redis.hset(_KEYS, key_id, orjson.dumps(stored))
        return StoredKey(bearer, now, by, None, None), f"trull_{key_id}_{secret}"

    def find(self, key: str) -> Bearer | None:
        """Who may call with this key, or None. Takes the same time for a wrong secret as for a right one."""
        written = _WRITTEN.fullmatch(key)
        if written is None:
            return None
        key_id, secret = written.groups()
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            pipe.hget(_KEYS, key_id)
            pipe.hexists(_REVOKED, key_id)
            found, revoked = pipe.execute()
        known = orjson.loads(found) if found else {"digest": ""}
        right = hmac.compare_digest(_digest(secret).hex(), known["digest"])
        return _bearer(key_id, known) if right and not revoked else None

    def get(self, key_id: str) -> StoredKey | None:
        """A key by its id."""
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            for name in (_KEYS, _REVOKED, _USED):
                pipe.hget(name, key_id)
            found, revoked, used = pipe.execute()
        return None if found is None else _stored(key_id, found, revoked, used)

    def all(self, tenant: str | None = None) -> list[StoredKey]:
        """The keys of a tenant, or of all tenants, the oldest first."""
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            for name in (_KEYS, _REVOKED, _USED):
                pipe.hgetall(name)
            found, revoked, used = cast(list[dict[bytes, bytes]], pipe.execute())
        keys = [
            _stored(key_id.decode(), value, revoked.get(key_id), used.get(key_id))
            for key_id, value in found.items()
        ]
        wanted = (key for key in keys if tenant in (None, key.bearer.tenant))
        return sorted(wanted, key=lambda key: (key.created, key.bearer.key_id))

    def revoke(self, key_id: str) -> StoredKey | None:
        """Revoke a key for good; what is known of it then, None of one that there is not."""
        if self.get(key_id) is None:
            return None
        with store_errors():
            self._redis.hsetnx(_REVOKED, key_id, cast(Any, _now()))
        return self.get(key_id)

    def note_use(self, key_id: str, hour: int) -> None:
        """Note that a key was used in that hour since 1970."""
        with store_errors():
            self._redis.hset(_USED, key_id, cast(Any, hour * _HOUR))

    def are_set(self) -> bool:
        """Whether a key was ever made that is no sandbox's; revoking the last one opens nothing."""
        with store_errors():
            return bool(self._redis.exists(_SET))

    def tenants(self) -> list[str]:
        """The tenants whose data counts: the default one, and those that have or had keys."""
        with store_errors():
            found = cast(set[bytes], self._redis.smembers(_TENANTS))
        return sorted(({tenant.decode() for tenant in found} | {TENANT}) - {SANDBOX})


def _now() -> int:
    return time.time_ns() // 1_000_000


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()


def _bearer(key_id: str, known: dict[str, Any]) -> Bearer:
    scopes = frozenset(known["scopes"])
    return Bearer(key_id, known["name"], scopes, known["player"], known["tenant"])


def _stored(key_id: str, found: bytes, revoked: bytes | None, used: bytes | None) -> StoredKey:
    known = orjson.loads(found)
    return StoredKey(
        _bearer(key_id, known),
        known["created"],
        known["by"],
        None if revoked is None else int(revoked),
        None if used is None else int(used),
    )
