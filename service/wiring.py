"""What the views need, built once per application by `create_app`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import BoundedSemaphore
from typing import Final, cast

from flask import current_app

from records.boards import Boards
from records.exports import Exporter
from records.feed import Feed
from records.hands import Hands
from records.idempotency import Idempotency
from records.import_jobs import Imports
from records.imports import Importer
from records.meters import Meters
from records.players import Players
from records.redis_client import connect
from records.rescores import Rescores
from records.sessions import Sessions
from records.tournaments import Tournaments
from records.variant_store import Variants, VariantStore
from service.config import ConfigError, Settings
from service.counts import Calls
from service.places import Places

TENANT: Final = "default"
"""Whose the stored things are: there is one tenant so far."""

LONG_WAITS: Final = 5
"""How many calls of a process may wait long at once. It has eight threads, besides those for listeners; the
others answer the rest."""


class Lifetime:
    """Tells whether this process is about to end. Who holds a connection open has to ask."""

    def __init__(self) -> None:
        self.ending: Callable[[], bool] = lambda: False


@dataclass(frozen=True, slots=True)
class Wiring:
    """The dependencies of the views."""

    settings: Settings
    hands: Hands
    variants: VariantStore
    feed: Feed
    idempotency: Idempotency
    importer: Importer
    imports: Imports
    exporter: Exporter
    sessions: Sessions
    tournaments: Tournaments
    players: Players
    meters: Meters
    boards: Boards
    rescores: Rescores
    listeners: Places
    """For calls that follow the feed."""
    uploads: Places
    """For calls that take records in."""
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
    known = variants.of(TENANT)
    return Wiring(
        settings,
        Hands(client, known, queue),
        variants,
        Feed(client, known),
        Idempotency(client),
        Importer(client, variants),
        Imports(client),
        Exporter(client, variants),
        Sessions(client, known),
        Tournaments(client, known),
        Players(client),
        Meters(client, queue),
        Boards(client),
        Rescores(client),
        Places(settings.max_listeners),
        Places(settings.max_uploads),
    )


def wired() -> Wiring:
    """The dependencies of the application that serves the current request."""
    return cast(Wiring, current_app.extensions["trull"])


def known_variants() -> Variants:
    """The variants that the caller may name."""
    return wired().variants.of(TENANT)
