"""Webhooks: who is told of what, where, and with which secrets it is signed.

Unlike a key, a secret has to be stored as it is: each delivery is signed with it. It is told to nobody
after it was made. How deliveries are made and kept is in `records.deliveries` (docs/adr/0090-webhooks.md).
"""

from __future__ import annotations

import base64
import secrets
import time
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import orjson
import redis
import uuid_utils

from records.feed import Feed
from records.redis_client import store_errors
from records.redis_keys import SHARDS
from records.stored_hands import rfc3339
from records.webhook_scripts import (
    CHANGE,
    DELETE,
    MAKE,
    ROTATE,
    all_keys,
    list_key,
    shard_of_tenant,
    tenants_key,
)

EVENTS: Final = ("hand.scored", "hand.corrected", "session.settled", "rescore.done")
"""What a webhook can tell of."""

MAX_WEBHOOKS: Final = 20
"""Webhooks of a tenant."""
MAX_DESCRIPTION: Final = 500
"""Characters of a webhook's description."""
MAX_SECRETS: Final = 5
"""Secrets of a webhook that are good at once; the oldest goes."""
OLD_SECRET_SECONDS: Final = 86_400
"""How long a secret stays good once there is a new one, unless told otherwise."""
MAX_OLD_SECRET_SECONDS: Final = 7 * 86_400

_SECRET_BYTES: Final = 32
_PREFIX: Final = "whsec_"
_TRIES: Final = 10


class Secret(NamedTuple):
    """A secret: when it was made and until when it is good (ms since 1970), None for ever."""

    secret: str
    made: int
    until: int | None


class Target(NamedTuple):
    """Where a webhook leads, what it tells of, and what it is for."""

    url: str
    events: tuple[str, ...]
    description: str | None = None


class Webhook(NamedTuple):
    """A webhook as it is stored. Times are in milliseconds since 1970."""

    webhook_id: str
    tenant: str
    target: Target
    enabled: bool
    reason: str | None
    """Why it is not: ``asked``, ``gone`` (it answered 410) or ``failing`` (for a day, and nothing else)."""
    disabled: int | None
    secrets: tuple[Secret, ...]
    """The newest first."""
    made: int
    by: str
    cursor: str
    """Up to where in the feed its deliveries were made."""
    delivered: int | None
    """When a delivery was last taken."""

    def good_secrets(self, now: int) -> list[Secret]:
        """Those that sign by then, the newest first."""
        return [one for one in self.secrets if one.until is None or one.until > now]

    def as_dict(self, now: int) -> dict[str, Any]:
        """The webhook as JSON, without its secrets."""
        return {
            "webhook_id": self.webhook_id,
            "url": self.target.url,
            "events": list(self.target.events),
            "description": self.target.description,
            "enabled": self.enabled,
            "disabled_reason": self.reason,
            "disabled_at": _time(self.disabled),
            "secrets": [
                {"created_at": rfc3339(one.made), "valid_until": _time(one.until)}
                for one in self.good_secrets(now)
            ],
            "created_at": rfc3339(self.made),
            "created_by": self.by,
            "last_delivered_at": _time(self.delivered),
        }


class TooManyWebhooks(Exception):
    """The tenant has as many webhooks as it may have."""


class Webhooks:
    """The webhooks of all tenants. Makes no connection before it is used; threads may share it.

    Every method raises `StoreUnavailable` when the store is away.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        self._feed = Feed(client)
        self._make = client.register_script(MAKE)
        self._change = client.register_script(CHANGE)
        self._rotate = client.register_script(ROTATE)
        self._delete = client.register_script(DELETE)

    def make(self, tenant: str, target: Target, by: str) -> Webhook:
        """A new webhook, which tells of what comes from now on. Raises `TooManyWebhooks`."""
        now = milliseconds()
        webhook_id = str(uuid_utils.uuid7())
        fields: dict[str, str | int | bytes] = {
            "about": _write_target(target),
            "enabled": "1",
            "secrets": _write_secrets([_new_secret(now)]),
            "made": now,
            "by": by,
            "cursor": self._feed.end(tenant)[0],
        }
        pairs = [part for field in fields.items() for part in field]
        keys = [tenants_key(shard_of_tenant(tenant)), list_key(tenant), all_keys(tenant, webhook_id)[0]]
        with store_errors():
            if not self._make(keys, [tenant, MAX_WEBHOOKS, webhook_id, now, *pairs]):
                raise TooManyWebhooks(tenant)
        made = self.get(tenant, webhook_id)
        assert made is not None, "it was just made"
        return made

    def get(self, tenant: str, webhook_id: str) -> Webhook | None:
        """A webhook, or None."""
        return self._read([(tenant, webhook_id)])[0]

    def all(self, tenants: Sequence[str]) -> list[Webhook]:
        """The webhooks of some tenants, of each the oldest first."""
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            for tenant in tenants:
                pipe.zrange(list_key(tenant), 0, -1)
            lists: list[list[bytes]] = pipe.execute()
        names = [(tenant, id_.decode()) for tenant, ids in zip(tenants, lists, strict=True) for id_ in ids]
        return [found for found in self._read(names) if found]

    def tenants(self) -> list[str]:
        """The tenants that have webhooks."""
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            for shard in range(SHARDS):
                pipe.zrange(tenants_key(shard), 0, -1)
            return [tenant.decode() for some in pipe.execute() for tenant in some]

    def _read(self, names: Sequence[tuple[str, str]]) -> list[Webhook | None]:
        """Webhooks by their tenants and ids."""
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            for tenant, webhook_id in names:
                pipe.hgetall(all_keys(tenant, webhook_id)[0])
            found: list[dict[bytes, bytes]] = pipe.execute()
        return [
            _webhook(webhook_id, tenant, fields) if fields else None
            for (tenant, webhook_id), fields in zip(names, found, strict=True)
        ]

    def change(self, tenant: str, webhook_id: str, changes: dict[str, Any]) -> Webhook | None:
        """Change a webhook's ``url``, ``events``, ``description`` or whether it is ``enabled``.

        None if it is gone. Enabled anew, it tells of what comes from then on. Disabled, it drops what waits.
        """
        for _ in range(_TRIES):
            found = self.get(tenant, webhook_id)
            if found is None:
                return None
            said = {name: value for name, value in changes.items() if name != "enabled"}
            enabled = changes.get("enabled")
            wanted = "" if enabled is None else "1" if enabled else "0"
            cursor = self._feed.end(tenant)[0] if enabled and not found.enabled else found.cursor
            arguments = [_write_target(found.target), _write_target(found.target._replace(**said))]
            with store_errors():
                if self._change(all_keys(tenant, webhook_id), [*arguments, wanted, cursor]):
                    return self.get(tenant, webhook_id)
        raise AssertionError(f"webhook {webhook_id} is changed all the time")

    def rotate(self, tenant: str, webhook_id: str, old_seconds: int) -> tuple[Webhook, str] | None:
        """Give a webhook a new secret, and tell it this once; None if it is gone.

        Those that it has stay good for that many seconds, and no longer than they would have been.
        """
        for _ in range(_TRIES):
            found = self.get(tenant, webhook_id)
            if found is None:
                return None
            now = milliseconds()
            until = now + old_seconds * 1000
            new = _new_secret(now)
            kept = [
                one._replace(until=until if one.until is None else min(one.until, until))
                for one in found.good_secrets(now)
            ]
            wanted = [new, *(one for one in kept if one.until is not None and one.until > now)][:MAX_SECRETS]
            with store_errors():
                arguments = [_write_secrets(found.secrets), _write_secrets(wanted)]
                if self._rotate([all_keys(tenant, webhook_id)[0]], arguments):
                    return found._replace(secrets=tuple(wanted)), new.secret
        raise AssertionError(f"the secrets of webhook {webhook_id} change all the time")

    def delete(self, tenant: str, webhook_id: str) -> bool:
        """Delete a webhook with all its deliveries; whether there was one."""
        keys = [tenants_key(shard_of_tenant(tenant)), list_key(tenant), *all_keys(tenant, webhook_id)]
        with store_errors():
            return bool(self._delete(keys, [tenant, webhook_id]))


def milliseconds() -> int:
    """The time by this machine's clock, in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def _new_secret(now: int) -> Secret:
    return Secret(_PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode(), now, None)


def _write_target(target: Target) -> bytes:
    return orjson.dumps([*target])  # it takes plain tuples only


def _write_secrets(some: Sequence[Secret]) -> bytes:
    return orjson.dumps([[*secret] for secret in some])


def _webhook(webhook_id: str, tenant: str, fields: dict[bytes, bytes]) -> Webhook:
    url, events, description = orjson.loads(fields[b"about"])
    reason, disabled, delivered = (fields.get(name) for name in (b"reason", b"disabled", b"delivered"))
    return Webhook(
        webhook_id,
        tenant,
        Target(url, tuple(events), description),
        fields[b"enabled"] == b"1",
        None if reason is None else reason.decode(),
        None if disabled is None else int(disabled),
        tuple(Secret(*one) for one in orjson.loads(fields[b"secrets"])),
        int(fields[b"made"]),
        fields[b"by"].decode(),
        fields[b"cursor"].decode(),
        None if delivered is None else int(delivered),
    )


def _time(at: int | None) -> str | None:
    return None if at is None else rfc3339(at)
