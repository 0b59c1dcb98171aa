"""Which key is good for what: those of TRULL_API_KEYS, and those in the store.

A call should not cost a question to the store. What a process knows of a stored key, and whether there
is any, holds for a second: so long may a revoked key still be good.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from typing import Final, NamedTuple

from records.keys import Bearer, Keys
from records.log import StoreUnavailable
from records.scopes import TENANT
from service.config import Settings

KNOWN_SECONDS: Final = 1.0
"""How long an answer of the store holds."""


class _Known(NamedTuple):
    bearer: Bearer
    until: float


class KeyRing:
    """The keys of one application; threads share it."""

    def __init__(self, settings: Settings, keys: Keys) -> None:
        self._settings = settings
        self._keys = keys
        self._known: dict[bytes, _Known] = {}
        self._used: dict[str, int] = {}
        self._open_until = 0.0
        self._away_until = 0.0
        self._is_closed = not settings.is_open
        self.most = 10_000
        """Keys that are known at once; beyond that all are asked for anew."""

    def bearer_of(self, offered: str) -> Bearer | None:
        """Who calls with this key; None if it is none of ours.

        While the store is away, who was known before is known still. Raises `StoreUnavailable`.
        """
        configured = self._settings.known_key(offered)
        if configured is not None:
            name = configured.name
            return Bearer(f"configured-{name}", name, configured.scopes, configured.player, TENANT)
        name_of_it = hashlib.sha256(offered.encode("utf-8", "surrogateescape")).digest()
        known = self._known.get(name_of_it)
        if known is not None and time.monotonic() < known.until:
            return known.bearer
        try:
            bearer = self._keys.find(offered)
        except StoreUnavailable:
            if known is None:
                raise
            return known.bearer
        if bearer is None:
            self._known.pop(name_of_it, None)
            return None
        if len(self._known) >= self.most:
            self._known.clear()
        self._known[name_of_it] = _Known(bearer, time.monotonic() + KNOWN_SECONDS)
        self._note_use(bearer)
        return bearer

    def is_open(self, *, anew: bool = True) -> bool | None:
        """Whether a call needs no key; None where only the store knows, and it is away.

        That it is away holds for a second, too, unless it is to be asked anew: what needs no store is not to
        wait for one that does not answer.
        """
        if self._is_closed:
            return False
        if time.monotonic() < self._open_until:
            return True
        if not anew and time.monotonic() < self._away_until:
            return None
        try:
            self._is_closed = self._keys.are_set()
        except StoreUnavailable:
            self._away_until = time.monotonic() + KNOWN_SECONDS
            return None
        self._open_until = time.monotonic() + KNOWN_SECONDS
        return not self._is_closed

    def _note_use(self, bearer: Bearer) -> None:
        """Note the hour of the use, once in it."""
        hour = int(time.time() // 3600)
        if self._used.get(bearer.key_id) != hour:
            with contextlib.suppress(StoreUnavailable):
                self._keys.note_use(bearer.key_id, hour)
                self._used[bearer.key_id] = hour
