"""Sending one delivery to its receiver, and what came of it.

The name of the receiver is looked up once, here; every address that it has is checked, and the connection is
made to one of those that were checked, so that a name that stands for something else a moment later leads
nowhere. No redirect is followed. All of it, down to the last byte that is read, has a deadline; of the answer
no more is read than is kept.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import httpcore
from httpcore import SOCKET_OPTION, NetworkBackend, NetworkStream, SyncBackend

from records.webhook_urls import Resolve, address_fault, port_of, resolve, url_fault

EXCERPT: Final = 500
"""Bytes of an answer that are kept."""


class Refused(Exception):
    """The receiver's address may not be connected to."""


class Outcome(NamedTuple):
    """The answer's status, and the beginning of its body; or what failed, as a sentence."""

    status: int | None
    error: str | None
    excerpt: str | None = None


class _Stream(NetworkStream):
    """A connection whose every wait ends at the deadline, and not after a time of its own."""

    def __init__(self, stream: NetworkStream, deadline: float) -> None:
        self._stream, self._deadline = stream, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _left(self._deadline, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _left(self._deadline, httpcore.WriteTimeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> NetworkStream:
        left = _left(self._deadline, httpcore.ConnectTimeout)
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, left), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _Checked(NetworkBackend):
    """Connects to addresses that were checked, and to no name."""

    def __init__(self, deadline: float, private: bool, resolve: Resolve) -> None:
        self._deadline, self._private, self._resolve = deadline, private, resolve
        self._plain = SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[SOCKET_OPTION] | None = None,
    ) -> NetworkStream:
        try:
            addresses = self._resolve(host, port)
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(f"{host} has no address") from error
        faults = [fault for address in addresses if (fault := address_fault(address))]
        if faults and not self._private:
            raise Refused(f"{host}: {faults[0]}")
        return _Stream(self._connect(addresses, port), self._deadline)

    def _connect(self, addresses: list[str], port: int) -> NetworkStream:
        """A connection to the first of them that takes one."""
        for address in addresses[:-1]:
            try:
                return self._plain.connect_tcp(address, port, _left(self._deadline, httpcore.ConnectTimeout))
            except httpcore.ConnectError:
                continue
        return self._plain.connect_tcp(addresses[-1], port, _left(self._deadline, httpcore.ConnectTimeout))


def post(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    seconds: float,
    *,
    private: bool = False,
    resolve: Resolve = resolve,
) -> Outcome:
    """Post a body, and take the answer within that many seconds. ``private``: also to private addresses.

    Never raises for what a receiver does.
    """
    if (wrong := url_fault(url, private=private)) is not None:
        return Outcome(None, wrong)
    context = trusted()
    deadline = time.monotonic() + seconds
    parts = urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    # By its parts, so that nothing reads the URL in another way than it was checked.
    where = httpcore.URL(
        scheme=parts.scheme.encode(),
        host=(parts.hostname or "").encode(),
        port=port_of(url),
        target=target.encode(),
    )
    sent = {"Host": parts.netloc, "Content-Type": "application/json", "Connection": "close", **headers}
    pairs = [(name.encode(), value.encode()) for name, value in sent.items()]
    backend = _Checked(deadline, private, resolve)
    try:
        with (
            httpcore.ConnectionPool(context, network_backend=backend) as pool,
            pool.stream("POST", where, headers=pairs, content=body) as response,
        ):
            return Outcome(response.status, None, _excerpt(response))
    except (Refused, httpcore.ConnectError) as error:
        return Outcome(None, f"No connection: {error}")
    except httpcore.TimeoutException:
        return Outcome(None, f"No answer within {seconds:g} seconds.")
    except (httpcore.NetworkError, httpcore.ProtocolError) as error:
        return Outcome(None, f"No answer that could be read: {error}")


def _excerpt(response: httpcore.Response) -> str | None:
    """The beginning of the body. The status counts also where the body does not come."""
    read = b""
    try:
        for part in response.iter_stream():
            read += part
            if len(read) >= EXCERPT:
                break
    except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError):
        pass
    return read[:EXCERPT].decode(errors="replace") or None


def _left(deadline: float, error: type[Exception]) -> float:
    """The seconds that are left. Raises the error where there are none."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise error("the deadline is over")
    return left


@cache
def trusted() -> ssl.SSLContext:
    """Trusts the machine's authorities, and the usual ones where it has none. Made once, for its cost."""
    return httpcore.default_ssl_context()
