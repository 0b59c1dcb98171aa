"""The gunicorn worker of Trull: it has patience with slow clients, but not without end.

A thread of gunicorn's own reads from a client for as long as something comes, however slowly, and waits five
seconds for the first of it. Some dozens of connections that send a byte now and then (slow loris), or nothing
at all, would take all threads.
"""

from __future__ import annotations

import contextlib
import select
import selectors
import time
from functools import partial
from typing import Any, Final

from gunicorn.http.errors import NoMoreData
from gunicorn.http.unreader import SocketUnreader
from gunicorn.workers.gthread import TConn, ThreadWorker

from service.memory import PIECE
from service.sockets import QuietSocket

HEAD_SECONDS: Final = 10.0
"""How long the head of a request may take to come."""
BODY_SECONDS: Final = 20.0
"""How long a body may take beyond what `BODY_RATE` allows for its length."""
BODY_RATE: Final = 500
"""Bytes a second that a body comes at, at least."""
ANSWER_SECONDS: Final = 60.0
"""How long a client has to take what is sent in one piece: an answer, or a part of a streamed one."""

NEXT_MS: Final = 50
"""How long a thread stays with a connection for the next request."""

_LEAST_SECONDS: Final = 1.0

_TOO_SLOW: Final = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class PacedReader(SocketUnreader):  # type: ignore[misc]  # gunicorn has no types
    """Reads from a connection, until its client has taken too long."""

    max_body_chunk = PIECE  # gunicorn's own is a large block

    def __init__(self, connection: Any) -> None:
        super().__init__(connection)
        self._until = 0.0
        self._in_head = True

    def begin(self, since: float) -> None:
        """The head of a request begins, of which there was something at that time."""
        # What was sent together with the request before is read already: its answer has no read before it.
        self.sock.settimeout(ANSWER_SECONDS)
        # While all threads are taken it waits here, and what has come meanwhile can be read at once.
        self._until = max(since + HEAD_SECONDS, time.monotonic() + _LEAST_SECONDS)
        self._in_head = True

    def begin_body(self) -> None:
        """The head has been read."""
        self._until = time.monotonic() + BODY_SECONDS
        self._in_head = False

    def chunk(self, size_hint: int | None = None) -> bytes:
        """What comes next. Raises NoMoreData when the client has taken too long."""
        left = self._until - time.monotonic()
        try:
            # A time of zero would mean not to wait at all, which is another error.
            self.sock.settimeout(max(left, 0.001))
            data: bytes = super().chunk(size_hint)
        except TimeoutError as error:
            if self._in_head:
                with contextlib.suppress(OSError):
                    self.sock.sendall(_TOO_SLOW)
            raise NoMoreData from error
        finally:
            # From here on it is for the answer.
            self.sock.settimeout(ANSWER_SECONDS)
        if not self._in_head:
            self._until += len(data) / BODY_RATE
        return data


class PatientWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """A gthread worker whose connections are read by a `PacedReader`.

    A thread that has answered stays with its connection for a moment: to give it back to the loop that all
    connections depend on, and to have it again from there, costs as much as a small call takes.
    """

    def enqueue_req(self, conn: Any) -> None:
        """Hand a connection with something to read to a thread. A new one waits in the loop for that."""
        if not conn.initialized and not self.cfg.is_ssl and not isinstance(conn.sock, QuietSocket):
            conn.sock = QuietSocket(conn.sock)
        if not conn.initialized and not conn.data_ready:
            conn.data_ready = _comes(conn, 0)
            if not conn.data_ready:
                self._await_first(conn)
                return
        conn.init = partial(_init, conn, time.monotonic())
        super().enqueue_req(conn)

    def _await_first(self, conn: Any) -> None:
        """Leave a new connection to the loop until something comes."""
        conn.set_timeout()
        self.pending_conns.append(conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self.on_pending_socket_readable, conn))

    def _cap_keepalive(self, deadline: float) -> None:
        """The worker stops: close connections on which nothing comes by then, also those that are new."""
        super()._cap_keepalive(deadline)
        for conn in self.pending_conns:
            conn.timeout = min(conn.timeout, deadline)

    def handle(self, conn: Any) -> Any:
        """Serve calls of a connection."""
        kept = super().handle(conn)
        while kept is True and self._has_next(conn):
            conn.init = partial(_init, conn, time.monotonic())
            kept = super().handle(conn)
        return kept

    def _has_next(self, conn: Any) -> bool:
        """Whether another request comes at once, while there is a thread for each connection."""
        if not self.alive or self.nr_conns > self.cfg.threads or conn.parser.unreader.buf.getvalue():
            return False
        return _comes(conn, NEXT_MS) and self.alive

    def handle_request(self, req: Any, conn: Any) -> Any:
        """Answer the request whose head has been read."""
        conn.parser.unreader.begin_body()
        try:
            return self._answer(req, conn)
        except TimeoutError as error:
            # gunicorn would take it for a fault of ours.
            self.log.warning("an answer was not taken to its end: %s", error)
            return False

    def _answer(self, req: Any, conn: Any) -> Any:
        if not isinstance(conn.sock, QuietSocket):
            return super().handle_request(req, conn)
        conn.sock.hold()
        try:
            return super().handle_request(req, conn)
        finally:
            conn.sock.flush()


def _comes(conn: Any, milliseconds: int) -> bool:
    """Whether there is something to read from a connection, or its end, by then."""
    socket = select.poll()
    socket.register(conn.sock, select.POLLIN)
    return bool(socket.poll(milliseconds))


def _init(conn: Any, since: float) -> None:
    """What a thread does first with a connection, for each request."""
    TConn.init(conn)
    if not isinstance(conn.parser.unreader, PacedReader):
        conn.parser.unreader = PacedReader(conn.sock)
    conn.parser.unreader.begin(since)
