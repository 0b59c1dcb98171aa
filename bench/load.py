"""Requests over kept connections as fast as they are answered: `bench.load PORT PATH FILE SECONDS`.

Prints how many were answered with 200 in a second. Raw sockets, since a full HTTP client would need
more of the two cores than the server that it is to measure.
"""

from __future__ import annotations

import socket
import sys
import threading
import time
from pathlib import Path

CONNECTIONS = 8


class Connection(threading.Thread):
    """One connection that sends the same request until the time is over."""

    def __init__(self, port: int, request: bytes, until: float) -> None:
        super().__init__()
        self.port, self.request, self.until = port, request, until
        self.answered = 0

    def run(self) -> None:
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while time.monotonic() < self.until:
                connection.sendall(self.request)
                read_answer(connection)
                self.answered += 1


def read_answer(connection: socket.socket, status: bytes = b"200") -> None:
    """Read one answer to its end. Raises RuntimeError unless it has that status."""
    answer = connection.recv(65536)
    while (end := answer.find(b"\r\n\r\n")) < 0:
        answer += more(connection)
    head = answer[:end].lower()
    if not head.startswith(b"http/1.1 " + status):
        raise RuntimeError(answer[:500].decode(errors="replace"))
    length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
    missing = end + 4 + length - len(answer)
    while missing > 0:
        missing -= len(more(connection))


def more(connection: socket.socket) -> bytes:
    data = connection.recv(65536)
    if not data:
        raise RuntimeError("the server closed the connection")
    return data


def main(port: int, path: str, body: bytes, seconds: float) -> float:
    """Answers a second."""
    lines = (f"POST {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json")
    head = "\r\n".join((*lines, f"Content-Length: {len(body)}", "", ""))
    started = time.monotonic()
    threads = [Connection(port, head.encode() + body, started + seconds) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(thread.answered for thread in threads) / (time.monotonic() - started)


if __name__ == "__main__":
    print(main(int(sys.argv[1]), sys.argv[2], Path(sys.argv[3]).read_bytes(), float(sys.argv[4])))
