"""What may be set from outside, read once from the environment.

Every value is checked then, so that a typing error stops the start with a sentence that names the
variable, and not a request an hour later.
"""

import difflib
import hashlib
import hmac
import ipaddress
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from records.limits import MAX_BODY
from records.logs import FORMATS, UnknownFormat, format_from_env
from records.rates import Rate
from records.redis_cluster import is_cluster
from records.webhook_urls import UnknownPermission, private_from_env
from service.addresses import DEFAULT_BIND, read_bind, read_queue_url, read_redis_url
from service.config_error import ConfigError
from service.configured_keys import ApiKey, read_api_keys

NAMES = (
    "TRULL_BIND",
    "TRULL_API_KEYS",
    "TRULL_REDIS_URL",
    "TRULL_QUEUE_URL",
    "TRULL_DATA_DIR",
    "TRULL_WORKERS",
    "TRULL_LOG_FORMAT",
    "TRULL_CORS_ORIGINS",
    "TRULL_RATE_LIMIT",
    "TRULL_WEBHOOK_PRIVATE",
)
"""The variables that mean something."""
MAX_WORKERS = 256
USUAL_RATE = Rate(6_000, 60)
"""The calls that a key may make unless told otherwise."""
_ORIGIN = re.compile(r"https?://(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::[1-9][0-9]{0,4})?")

STORED = "stored"
"""As TRULL_API_KEYS it means: the keys in the store, and no others."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of the service; `Settings.from_env()` is the usual way to one."""

    redis_url: str | None = field(default=None, repr=False)  # may hold a password
    queue_url: str | None = field(default=None, repr=False)  # the same Redis, where there is none
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    data_dir: Path = Path("data")
    api_keys: tuple[ApiKey, ...] = ()
    stored_keys_only: bool = False
    log_format: str = FORMATS[0]
    cors_origins: frozenset[str] = frozenset()
    rate_limit: Rate | None = None
    webhook_private: bool = False

    # Limits that the interface promises in openapi.yaml.
    max_body_bytes: int = MAX_BODY
    max_wait_seconds: int = 10
    max_listeners: int = 16  # of the feed, in each process of the service
    max_uploads: int = 4  # of imports, in each process of the service

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> "Settings":
        """Read the TRULL_* variables; one that is empty counts as unset. Raises ConfigError."""
        env = os.environ if environ is None else environ
        host, port = read_bind(env.get("TRULL_BIND") or DEFAULT_BIND)
        stored = env.get("TRULL_API_KEYS") == STORED
        settings = cls(
            redis_url=read_redis_url(env.get("TRULL_REDIS_URL") or None),
            queue_url=read_queue_url(env.get("TRULL_QUEUE_URL") or None),
            host=host,
            port=port,
            workers=_workers(env.get("TRULL_WORKERS") or None),
            data_dir=Path(env.get("TRULL_DATA_DIR") or "data").absolute(),
            api_keys=() if stored else read_api_keys(env.get("TRULL_API_KEYS") or ""),
            stored_keys_only=stored,
            log_format=_log_format(env),
            cors_origins=_origins(env.get("TRULL_CORS_ORIGINS") or ""),
            webhook_private=_webhook_private(env),
        )
        settings = replace(settings, rate_limit=_rate(env.get("TRULL_RATE_LIMIT") or None, settings.is_open))
        _check_together(settings)
        return settings

    @staticmethod
    def unknown_names(environ: Mapping[str, str] | None = None) -> list[str]:
        """A sentence for each variable that looks like a setting and is none."""
        env = os.environ if environ is None else environ
        told = []
        for name in sorted(env):
            if name.startswith("TRULL_") and name not in NAMES:
                near = difflib.get_close_matches(name[6:], [known[6:] for known in NAMES], 1)
                meant = f"did you mean TRULL_{near[0]}?" if near else f"there are {', '.join(NAMES)}."
                told.append(f"{name} is no setting of Trull and does nothing; {meant}")
        return told

    @property
    def bind(self) -> str:
        """Host and port as a server takes them, an IPv6 address in brackets."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the service."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:  # a name, which may resolve to anything
            return False

    @property
    def is_open(self) -> bool:
        """Whether the settings ask for no key (on loopback): anyone may call, until the store has a key."""
        return not self.api_keys and not self.stored_keys_only

    def known_key(self, key: str) -> ApiKey | None:
        """What is known of `key`, or None. Takes the same time whichever key it is."""
        offered = hashlib.sha256(key.encode("utf-8", "surrogateescape")).digest()
        found = None
        for known in self.api_keys:
            if hmac.compare_digest(known.digest, offered):
                found = known
        return found


NO_STORED_KEYS = (
    "TRULL_API_KEYS is `stored`, and the store has no keys: bind to 127.0.0.1 with TRULL_API_KEYS unset, "
    "make one with `trull keys make`, and start again."
)


def _check_together(settings: Settings) -> None:
    """Refuse settings that are good by themselves, and not with each other. Raises ConfigError."""
    if settings.redis_url and is_cluster(settings.redis_url) and not settings.queue_url:
        raise ConfigError(
            "TRULL_QUEUE_URL is not set: the workers' queue needs a Redis of its own beside a cluster."
        )
    if settings.is_open and not settings.is_loopback:
        raise ConfigError(
            f"TRULL_API_KEYS is not set, and TRULL_BIND ({settings.bind}) can be reached from "
            "other machines: set at least one name:key pair, or `stored` where `trull keys` has made "
            "keys, or bind to 127.0.0.1."
        )
    if settings.is_open and "*" in settings.cors_origins:
        raise ConfigError(
            "TRULL_CORS_ORIGINS is `*`, and there are no keys: any web page could read and write. "
            "Set TRULL_API_KEYS, or name the pages."
        )


def _workers(value: str | None) -> int:
    if value is None:
        return len(os.sched_getaffinity(0))
    if not (re.fullmatch(r"[0-9]{1,3}", value) and 1 <= int(value) <= MAX_WORKERS):
        raise ConfigError(f"TRULL_WORKERS must be a whole number from 1 to {MAX_WORKERS}, not {value!r}.")
    return int(value)


def _origins(value: str) -> frozenset[str]:
    """Origins with commas or spaces between them, or `*` for all."""
    origins = frozenset(value.replace(",", " ").split())
    for origin in origins - {"*"}:
        if not _ORIGIN.fullmatch(origin):
            raise ConfigError(
                f"TRULL_CORS_ORIGINS: {origin!r} is no origin; one is like https://club.example, with a port "
                "where it is not the usual one, in small letters and without a path."
            )
    return origins


def _rate(value: str | None, is_open: bool) -> Rate | None:
    """Calls and seconds with a slash between them, or `off`; unset, keys have the usual limit."""
    if value is None:
        return None if is_open else USUAL_RATE
    if value == "off":
        return None
    found = re.fullmatch(r"([1-9][0-9]{0,8})/([1-9][0-9]{0,4})", value)
    if found is None:
        raise ConfigError(
            f"TRULL_RATE_LIMIT must be calls/seconds, like {USUAL_RATE.calls}/{USUAL_RATE.seconds}, "
            f"or off, not {value!r}."
        )
    return Rate(int(found[1]), int(found[2]))


def _webhook_private(env: Mapping[str, str]) -> bool:
    try:
        return private_from_env(env)
    except UnknownPermission as error:
        raise ConfigError(str(error)) from None


def _log_format(env: Mapping[str, str]) -> str:
    try:
        return format_from_env(env)
    except UnknownFormat as error:
        raise ConfigError(str(error)) from None
