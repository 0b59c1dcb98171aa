"""Where webhooks may be sent: which URLs can be given, and which addresses may be connected to.

Whoever may set a webhook has the service call an address of his choice, from inside the operator's
network. So it calls public addresses by https alone, unless the operator says otherwise; and what a name
stands for is looked at again each time that a connection is made (`workers.posting`), since names can be
given other addresses at any time.
"""

from __future__ import annotations

import contextlib
import ipaddress
import os
import re
import socket
from collections.abc import Callable, Mapping
from threading import Thread
from typing import Final
from urllib.parse import urlsplit

MAX_URL: Final = 2048
"""Characters of a webhook's URL."""

ALLOW: Final = "allow"
"""As TRULL_WEBHOOK_PRIVATE it lets webhooks be sent by http, and to private addresses."""

Resolve = Callable[[str, int], list[str]]
"""The addresses that a name stands for. Raises OSError where it has none."""

# Printable ASCII without the space: what else a URL holds is percent-encoded, a name is in Punycode.
_PLAIN: Final = re.compile(r"[!-~]+")
_NETLOC: Final = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(:[0-9]*)?", re.IGNORECASE)

# What of IPv6 was ever given to the public. Outside of it are the old site-local addresses (fec0::/10),
# IPv4 within `::/96`, and networks that are laid over others; `ipaddress` takes all of them for public.
_PUBLIC_6: Final = ipaddress.ip_network("2000::/3")

# Addresses that stand for others, which would be reached through them. Neither is of any use to a receiver.
_STAND_INS: Final = tuple(
    ipaddress.ip_network(block)
    for block in (
        "::ffff:0:0/96",
        "64:ff9b::/96",
        "64:ff9b:1::/48",
        "2002::/16",
        "2001::/32",
        "192.88.99.0/24",
    )
)


class UnknownPermission(ValueError):
    """TRULL_WEBHOOK_PRIVATE is neither unset nor `ALLOW`."""


def private_from_env(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether TRULL_WEBHOOK_PRIVATE allows http and private addresses. Raises `UnknownPermission`."""
    value = environ.get("TRULL_WEBHOOK_PRIVATE") or ""
    if value not in ("", ALLOW):
        raise UnknownPermission(f"TRULL_WEBHOOK_PRIVATE must be {ALLOW} or unset, not {value!r}.")
    return value == ALLOW


def url_fault(url: str, *, private: bool) -> str | None:
    """What is wrong with a URL that is to be called, as a sentence; None if it may be, as far as it tells."""
    if not 1 <= len(url) <= MAX_URL:
        return f"A URL has 1 to {MAX_URL} characters."
    if not _PLAIN.fullmatch(url):
        return "A URL is of plain ASCII; percent-encode the rest, and give the host in Punycode."
    schemes = ("https", "http") if private else ("https",)
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "This is no URL."
    if parts.scheme not in schemes:
        allowed = "" if private or parts.scheme != "http" else " (http:// needs TRULL_WEBHOOK_PRIVATE=allow)"
        return f"The URL must begin with {' or '.join(f'{scheme}://' for scheme in schemes)}{allowed}."
    if "@" in parts.netloc:
        return "The URL must not hold a user or a password; the signature tells who calls."
    if "#" in url:
        return "The URL must not have a fragment, which no receiver would see."
    if not _NETLOC.fullmatch(parts.netloc) or port == 0:
        return "The URL must name a host, and a port from 1 to 65535 if any."
    return None


def address_fault(address: str) -> str | None:
    """Why a public service must not connect to an address, as a sentence; None if it may."""
    found = ipaddress.ip_address(address.partition("%")[0])
    if any(found in block for block in _STAND_INS if block.version == found.version):
        return f"{address} stands for another address."
    is_odd = found.version == _PUBLIC_6.version and found not in _PUBLIC_6
    if is_odd or found.is_multicast or not found.is_global:
        return f"{address} is no public address."
    return None


def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host, each once. Raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def host_fault(url: str, seconds: float, resolve: Resolve = resolve) -> str | None:
    """What is wrong with the addresses of a URL's host by now, as a sentence; None also where it has none.

    It is asked for no longer than that many seconds: it counts when the connection is made.
    """
    parts = urlsplit(url)
    addresses: list[str] = []

    def look() -> None:
        with contextlib.suppress(OSError, UnicodeError):
            addresses.extend(resolve(parts.hostname or "", port_of(url)))

    asking = Thread(target=look, daemon=True)
    asking.start()
    asking.join(seconds)
    return next((fault for address in [*addresses] if (fault := address_fault(address))), None)


def port_of(url: str) -> int:
    """The port that a URL leads to."""
    parts = urlsplit(url)
    return parts.port or (443 if parts.scheme == "https" else 80)
