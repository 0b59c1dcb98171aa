"""The client at the other end of the connection, while its request is being answered.

WSGI has no word for it: gunicorn gives the socket. Without one (in tests without a server) the client
is always there and takes everything.
"""

from __future__ import annotations

import select
import socket
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


class Peer:
    """The client of a request."""

    def __init__(self, environ: WSGIEnvironment) -> None:
        self._socket: socket.socket | None = environ.get("gunicorn.socket")

    def leaves_within(self, seconds: float) -> bool:
        """Wait, and be told at once when the client closes the connection."""
        if self._socket is None:
            time.sleep(seconds)
            return False
        until = time.monotonic() + seconds
        if not select.select([self._socket], [], [], seconds)[0]:
            return False
        try:
            if not self._socket.recv(1, socket.MSG_PEEK):
                return True
        except OSError:
            return True
        # It has sent something more, perhaps its next request.
        time.sleep(max(0.0, until - time.monotonic()))
        return False

    def takes_within(self, seconds: float) -> bool:
        """Whether a little can be written without waiting, now or within the time."""
        return self._socket is None or bool(select.select([], [self._socket], [], seconds)[1])
