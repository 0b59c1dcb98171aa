"""A TCP proxy that can swallow answers: how a write is tested whose answer is lost."""

from __future__ import annotations

import selectors
import socket
import threading
from types import TracebackType
from typing import Self, cast


class Proxy:
    """Stands between a client and a server on this machine."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.drop_when: bytes | None = None
        """The next request that holds this reaches the server; instead of its answer the connection ends."""
        self.dropped = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._target))
            threading.Thread(target=self._serve, args=(client, server), daemon=True).start()

    def _serve(self, client: socket.socket, server: socket.socket) -> None:
        """Pass on what comes from either side, in pieces of any size, until an answer is to be swallowed."""
        swallow = False
        with client, server, selectors.DefaultSelector() as selector:
            selector.register(client, selectors.EVENT_READ)
            selector.register(server, selectors.EVENT_READ)
            while True:
                for key, _ in selector.select():
                    data = cast(socket.socket, key.fileobj).recv(1 << 20)
                    if not data:
                        return
                    if key.fileobj is client:
                        if self.drop_when is not None and self.drop_when in data:
                            self.drop_when = None
                            swallow = True
                        server.sendall(data)
                    elif swallow:
                        self.dropped += 1
                        return
                    else:
                        client.sendall(data)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.close()
