"""A client's connection, whose timeouts cost nothing until it has to wait."""

from __future__ import annotations

import select
import socket
import time
from typing import Any


class QuietSocket(socket.socket):
    """The socket of a connection that was accepted, and behaves as that would.

    Before each call on a socket with a timeout Python asks the system whether it would wait, and whenever the
    timeout is set it tells the system so. At each of these another thread may go on in place of this one: a
    dozen times for a small call. Here a call is tried, and only where it would wait, it is waited for.
    """

    def __init__(self, accepted: socket.socket) -> None:
        family, kind, protocol = accepted.family, accepted.type, accepted.proto
        super().__init__(family, kind, protocol, fileno=accepted.detach())
        super().setblocking(False)
        self._seconds: float | None = None
        self._holds = False
        self._held = b""

    def settimeout(self, value: float | None) -> None:
        """As Python's, but the system is not told."""
        self._seconds = value

    def gettimeout(self) -> float | None:
        """As Python's."""
        return self._seconds

    def setblocking(self, flag: bool) -> None:
        """As Python's, but the system is not told."""
        self._seconds = None if flag else 0.0

    def recv(self, bufsize: int, flags: int = 0) -> bytes:
        """As Python's."""
        until = None
        while True:
            try:
                return super().recv(bufsize, flags)
            except BlockingIOError:
                if self._seconds == 0:
                    raise
                until = self._wait(select.POLLIN, until)

    def send(self, data: Any, flags: int = 0) -> int:
        """As Python's, after what is held back."""
        self.flush()
        return self._send(data, flags, None)[0]

    def sendall(self, data: Any, flags: int = 0) -> None:
        """As Python's: the timeout is for all of it."""
        if self._holds and not self._held:
            self._held = bytes(data)
            return
        left, until = memoryview(self._held + data if self._held else data), None
        self._holds, self._held = False, b""
        while left:
            sent, until = self._send(left, flags, until)
            left = left[sent:]

    def sendfile(self, file: Any, offset: int = 0, count: int | None = None) -> int:
        """As Python's, after what is held back."""
        self.flush()
        return super().sendfile(file, offset, count)

    def hold(self) -> None:
        """Send what comes next, a head, together with what follows it, or at the next `flush`."""
        self._holds = True

    def flush(self) -> None:
        """Send what is held back, and hold back nothing more."""
        held, self._holds, self._held = self._held, False, b""
        if held:
            self.sendall(held)

    def _send(self, data: Any, flags: int, until: float | None) -> tuple[int, float | None]:
        """How many bytes were sent, and until when more may be waited for, once there was a wait."""
        while True:
            try:
                return super().send(data, flags), until
            except BlockingIOError:
                if self._seconds == 0:
                    raise
                until = self._wait(select.POLLOUT, until)

    def _wait(self, what: int, until: float | None) -> float:
        """Wait until it can go on; the time by which it has to. Raises TimeoutError."""
        if until is None:
            until = float("inf") if self._seconds is None else time.monotonic() + self._seconds
        left = until - time.monotonic()
        poll = select.poll()
        poll.register(self, what)
        if left < 0 or not poll.poll(None if left == float("inf") else left * 1000):
            raise TimeoutError("timed out")
        return until
