"""The addresses among the settings: where the service listens, and where its Redis is."""

import ipaddress
import re
from urllib.parse import urlsplit

from records.redis_cluster import is_cluster, node_urls
from service.config_error import ConfigError

DEFAULT_BIND = "127.0.0.1:8000"


def read_bind(value: str) -> tuple[str, int]:
    """Host and port of TRULL_BIND. Raises ConfigError."""
    problem = ConfigError(f"TRULL_BIND must be host:port, like {DEFAULT_BIND} or [::1]:8000, not {value!r}.")
    host, colon, port_text = value.strip().rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
        try:
            ipaddress.IPv6Address(host)
        except ValueError:
            raise problem from None
    elif ":" in host or "[" in host or "]" in host:
        raise problem
    if not colon or not host or re.search(r"[\s/@]", host):
        raise problem
    if not (re.fullmatch(r"[0-9]{1,5}", port_text) and 1 <= int(port_text) <= 65_535):
        raise problem
    return host, int(port_text)


def read_redis_url(value: str | None) -> str | None:
    """TRULL_REDIS_URL as it is, if it can be one. Raises ConfigError."""
    if value is None:
        return None
    # The value may hold a password, so it is never repeated in the message.
    problem = ConfigError(
        "TRULL_REDIS_URL must look like redis://host:6379/0, rediss://host/0, unix:///path "
        "or redis+cluster://host:7000,host:7001."
    )
    try:
        if is_cluster(value):
            node_urls(value)
            return value
    except ValueError:
        raise problem from None
    return _url_of_one(value, problem)


def read_queue_url(value: str | None) -> str | None:
    """TRULL_QUEUE_URL as it is, if it can be one. Raises ConfigError."""
    if value is None:
        return None
    return _url_of_one(
        value,
        ConfigError("TRULL_QUEUE_URL must look like redis://host:6379/0, rediss://host/0 or unix:///path."),
    )


def _url_of_one(value: str, problem: ConfigError) -> str:
    """The URL of a single Redis. Raises the problem for any other."""
    try:
        parts = urlsplit(value)
        _ = parts.port  # raises when it is not a number
    except ValueError:
        raise problem from None
    if parts.scheme not in ("redis", "rediss", "unix"):
        raise problem
    if not (parts.path if parts.scheme == "unix" else parts.hostname):
        raise problem
    return value
