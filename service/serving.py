"""gunicorn's worker: what is no HTTP is answered with a problem, and who does not close holds up nobody."""

from __future__ import annotations

from typing import Any, Final

import uuid_utils
from gunicorn.glogging import Logger
from gunicorn.http.errors import (
    ConfigurationProblem,
    InvalidResponseHeader,
    InvalidResponseHeaderName,
    ParseException,
)
from gunicorn.util import close_graceful, write_nonblock

from records.problems import problem_body
from records.wire import dumps
from service.patience import PatientWorker

_OURS: Final = (ConfigurationProblem, InvalidResponseHeader, InvalidResponseHeaderName)
"""What is no fault of the client."""

LINGER_SECONDS: Final = 1.0
"""How long a client has to take the last of an answer and to close."""


class Log(Logger):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's log of itself."""

    def access(self, *_: Any) -> None:
        """Calls are logged by the application. gunicorn would put together fields that nobody reads."""


class Worker(PatientWorker):
    """Threads that serve calls."""

    def handle(self, conn: Any) -> Any:
        """Serve a call, and close the connection if it is not kept.

        That waits for the client to close it too. gunicorn would wait in the loop that all connections of
        the process depend on, two seconds for each client that does not.
        """
        kept = super().handle(conn)
        if not kept:
            close_graceful(conn.sock, LINGER_SECONDS)
        return kept

    def finish_request(self, conn: Any, fs: Any) -> None:
        """What is left to do when a thread has served a call."""
        if fs.cancelled() or fs.exception() is not None or fs.result():
            super().finish_request(conn, fs)
        else:  # closed by now
            self.nr_conns -= 1

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Answer what cannot be read as a request. gunicorn's own answer is a page of HTML."""
        if not isinstance(exc, ParseException) or isinstance(exc, _OURS):
            super().handle_error(req, client, addr, exc)
            return
        self.log.warning("a request from %s is no valid HTTP: %s", (addr or ("a socket",))[0], exc)
        name = str(uuid_utils.uuid7())
        problem = problem_body("bad-request", f"The request cannot be read: {exc}.", "/")
        body = dumps({**problem, "request_id": name})
        head = (
            "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application/problem+json\r\n"
            f"Content-Length: {len(body)}\r\nRequest-Id: {name}\r\nX-Request-Id: {name}\r\n"
            "X-Content-Type-Options: nosniff\r\n\r\n"
        )
        try:
            write_nonblock(client, head.encode() + body)
        except OSError as error:
            self.log.debug("nobody took the answer: %s", error)
