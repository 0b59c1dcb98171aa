"""The keys of TRULL_API_KEYS: read, checked, and kept as digests."""

import hashlib
import hmac
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from urllib.parse import unquote

from records.names import player_fault
from records.scopes import PLAYER_SCOPES, SCOPES
from service.config_error import ConfigError

MIN_KEY_LENGTH = 16
_KEY_NAME = re.compile(r"[a-z0-9-]+")
# Printable ASCII without the space, the comma that separates entries, and the colon that ends the key.
_KEY = re.compile(r"[!-+\--9;-~]+")


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key that may call the service, kept as its digest alone, so that no log or repr can give it away.

    `player`: whose key it is, if it is one player's; it shows that player's cards.
    """

    name: str
    digest: bytes = field(repr=False)
    scopes: frozenset[str] = frozenset(SCOPES)
    player: str | None = None

    @classmethod
    def of(cls, name: str, key: str, scopes: Collection[str] = SCOPES, player: str | None = None) -> "ApiKey":
        # Keys are long and random, so one fast hash is enough: there is nothing to guess at.
        return cls(name, hashlib.sha256(key.encode()).digest(), frozenset(scopes), player)


def read_api_keys(value: str) -> tuple[ApiKey, ...]:
    """Comma-separated entries `name:key`, with `:scope+scope` and `:player=Name` behind the key where wanted.

    Raises ConfigError, whose messages give the place and the name, never the key.
    """
    keys: dict[str, ApiKey] = {}
    if not value.strip():
        return ()
    for place, entry in enumerate(value.split(","), start=1):
        name, colon, rest = entry.strip().partition(":")
        if not colon:  # the whole entry may be a key whose name was forgotten
            raise ConfigError(f"TRULL_API_KEYS: entry {place} is no name:key pair.")
        if not _KEY_NAME.fullmatch(name):
            raise ConfigError(
                f"TRULL_API_KEYS: the name of entry {place} may hold a-z, 0-9 and hyphens only."
            )
        if name in keys:
            raise ConfigError(f"TRULL_API_KEYS: the name {name!r} is there twice.")
        key, *details = rest.split(":")
        if len(key) < MIN_KEY_LENGTH or not _KEY.fullmatch(key):
            raise ConfigError(
                f"TRULL_API_KEYS: the key of {name!r} must have at least {MIN_KEY_LENGTH} "
                "printable ASCII characters, without spaces, commas and colons."
            )
        added = ApiKey.of(name, key, *_scopes_and_player(name, details))
        if any(hmac.compare_digest(added.digest, known.digest) for known in keys.values()):
            raise ConfigError(f"TRULL_API_KEYS: the key of {name!r} has another name already.")
        keys[name] = added
    return tuple(keys.values())


def _scopes_and_player(name: str, details: list[str]) -> tuple[tuple[str, ...], str | None]:
    """What stands behind the key of that name: scopes, a player, both or nothing.

    It is not repeated in messages: it may be the rest of a key that has a colon.
    """
    scopes: tuple[str, ...] | None = None
    player: str | None = None
    for detail in details:
        said, equals, value = detail.partition("=")
        if said == "player" and equals and player is None:
            player = unquote(value)
            if wrong := player_fault(player):
                raise ConfigError(f"TRULL_API_KEYS: the player of {name!r}: {wrong}")
        elif scopes is None and set(detail.split("+")) <= set(SCOPES):
            scopes = tuple(detail.split("+"))
        else:
            raise ConfigError(
                f"TRULL_API_KEYS: behind the key of {name!r} may stand scopes ({'+'.join(SCOPES)}, or some "
                "of them) and player=Name, each once; a key itself has no colon."
            )
    return scopes or (SCOPES if player is None else PLAYER_SCOPES), player
