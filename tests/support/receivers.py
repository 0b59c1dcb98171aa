"""Receivers of webhooks: real HTTP servers that answer as they are told, and keep what they were sent."""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import orjson
from standardwebhooks import Webhook as Verifier

from tests.support.processes import wait_until


class Message(NamedTuple):
    """What a receiver was sent, and when."""

    headers: dict[str, str]
    body: bytes
    path: str
    at: float

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def payload(self) -> dict[str, Any]:
        told: dict[str, Any] = orjson.loads(self.body)
        return told

    def verify(self, secret: str) -> None:
        """Raises `WebhookVerificationError` unless it was signed with the secret."""
        Verifier(secret).verify(self.body, self.headers)


class Receiver:
    """A server on this machine. ``answer`` is the status for the nth message, from 0, in its own time."""

    def __init__(
        self,
        answer: Callable[[int], int] = lambda _: 204,
        body: bytes = b"",
        port: int = 0,
        certificate: Path | None = None,
    ) -> None:
        self.messages: list[Message] = []
        self.answer, self.body = answer, body
        self._server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self._server.daemon_threads = True
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}/hook"

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        receiver = self
        lock = threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                with lock:
                    number = len(receiver.messages)
                    receiver.messages.append(Message(headers, body, self.path, time.monotonic()))
                self.send_response(receiver.answer(number))
                self.send_header("Content-Length", str(len(receiver.body)))
                self.send_header("Location", "/elsewhere")
                self.end_headers()
                self.wfile.write(receiver.body)

            def log_message(self, *_: object) -> None:
                """Nothing."""

        return Handler

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def wait_for(self, count: int, seconds: float = 20) -> list[Message]:
        """The messages, once there are that many."""
        wait_until(lambda: len(self.messages) >= count, f"{count} messages", seconds)
        return self.messages
