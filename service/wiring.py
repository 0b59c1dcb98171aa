"""What the views need, built once per application by `create_app`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from threading import BoundedSemaphore
from typing import Final, NamedTuple

import redis
from flask import current_app

from records.boards import Boards
from records.deliveries import Deliveries
from records.exports import Exporter
from records.feed import Feed
from records.hands import Hands
from records.idempotency import Idempotency
from records.import_jobs import Imports
from records.imports import Importer
from records.keys import Keys
from records.logs import line_writer
from records.meters import Meters
from records.players import Players
from records.proposals import Proposals
from records.queue import WEBHOOKS, WorkQueue
from records.rates import Rates
from records.readiness import Readiness
from records.redis_client import connect
from records.rescores import Rescores
from records.sessions import Sessions
from records.table_links import TableLinks
from records.tournaments import Tournaments
from records.variant_store import Variants, VariantStore
from records.webhooks import Webhooks
from service.config import Settings
from service.config_error import ConfigError
from service.counts import Calls
from service.keyring import KeyRing
from service.looks import Looks
from service.places import Places

LONG_WAITS: Final = 5
"""How many calls of a process may wait long at once. It has eight threads, besides those for listeners; the
others answer the rest."""

_TENANTS: Final = 1_000
"""Tenants that a process is ready for at once."""


class Lifetime:
    """Tells whether this process is about to end. Who holds a connection open has to ask."""

    def __init__(self) -> None:
        self.ending: Callable[[], bool] = lambda: False


class Views(NamedTuple):
    """Stored things that may name the variants of a tenant's house."""

    hands: Hands
    feed: Feed
    sessions: Sessions
    tournaments: Tournaments


@dataclass(frozen=True, slots=True)
class Wiring:
    """The dependencies of the views."""

    settings: Settings
    ready: Callable[[], Readiness]
    views_of: Callable[[str], Views]
    """What is stored for a tenant."""
    variants: VariantStore
    idempotency: Idempotency
    importer: Importer
    imports: Imports
    exporter: Exporter
    players: Players
    meters: Meters
    keys: Keys
    key_ring: KeyRing
    rates: Rates | None
    """Where there is a limit to the calls of a key."""
    boards: Boards
    table_links: TableLinks
    proposals: Proposals
    rescores: Rescores
    webhooks: Webhooks
    deliveries: Deliveries
    couriers: WorkQueue
    """The queue of those who deliver webhooks."""
    listeners: Places
    """For calls that follow the feed."""
    uploads: Places
    """For calls that take records in."""
    log_call: Callable[[str, dict[str, object]], None]
    """Writes a line in the log."""
    looks: Looks = field(default_factory=Looks)
    """For boards and tables."""
    calls: Calls = field(default_factory=Calls)
    lifetime: Lifetime = field(default_factory=Lifetime)
    long_waits: BoundedSemaphore = field(default_factory=lambda: BoundedSemaphore(LONG_WAITS))
    """Held by a call that waits long for its sheet."""


def wire(settings: Settings) -> Wiring:
    """Build the dependencies; none of them connects before its first use. Raises ConfigError."""
    if settings.redis_url is None:
        # redis-py would take port 6379 of this machine, which may be somebody else's.
        raise ConfigError("TRULL_REDIS_URL is not set. `make run` starts a Redis and sets it.")
    client = connect(settings.redis_url)
    queue = connect(settings.queue_url) if settings.queue_url else None
    variants = VariantStore(client)
    keys = Keys(client)
    return Wiring(
        settings,
        Hands(client, queue=queue).ready,
        lru_cache(_TENANTS)(lambda tenant: _views(client, queue, variants.of(tenant))),
        variants,
        Idempotency(client),
        Importer(client, variants),
        Imports(client),
        Exporter(client, variants),
        Players(client),
        Meters(client, queue),
        keys,
        KeyRing(settings, keys),
        Rates(client, settings.rate_limit) if settings.rate_limit else None,
        Boards(client),
        TableLinks(client),
        Proposals(client),
        Rescores(client),
        Webhooks(client),
        Deliveries(client),
        WorkQueue(queue or client, WEBHOOKS),
        Places(settings.max_listeners),
        Places(settings.max_uploads),
        line_writer(settings.log_format),
    )


def _views(client: redis.Redis, queue: redis.Redis | None, known: Variants) -> Views:
    return Views(
        Hands(client, known, queue), Feed(client, known), Sessions(client, known), Tournaments(client, known)
    )


def wired() -> Wiring:
    """The dependencies of the application that serves the current request."""
    wiring: Wiring = current_app.extensions["trull"]
    return wiring
