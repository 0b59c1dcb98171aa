"""Whole hands posted one by one over kept connections: `bench.posting PORT FILE PREFIX SECONDS RATE`.

FILE has a record a line, without `hand_id` and `session_id`; each is sent again and again as another hand,
thirty a session. RATE is in hands a second; 0 is as fast as they are answered. Prints a JSON object: how many
were answered, in how many seconds, and after how many milliseconds: the median, the 99th of a hundred, the
slowest.

At a given rate a hand's time begins when it was to be sent, so that a server that keeps everybody waiting
cannot hide how long.
"""

from __future__ import annotations

import itertools
import json
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bench.load import CONNECTIONS, read_answer

AN_EVENING: Final = 30

_HEAD: Final = (
    "POST /v1/hands HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
)


class Poster(threading.Thread):
    """A connection that posts the next hand until there is none."""

    def __init__(self, port: int, requests: Iterator[tuple[float, bytes]], lock: threading.Lock) -> None:
        super().__init__()
        self.port, self.requests, self.lock = port, requests, lock
        self.times: list[float] = []
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            self._post()
        except (OSError, RuntimeError) as error:
            self.error = error

    def _post(self) -> None:
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while True:
                with self.lock:
                    due, request = next(self.requests, (0.0, b""))
                if not request:
                    return
                time.sleep(max(0.0, due - time.monotonic()))
                began = due or time.monotonic()
                connection.sendall(request)
                read_answer(connection, b"202")
                self.times.append(time.monotonic() - began)


def requests(records: list[bytes], prefix: str, seconds: float, rate: float) -> Iterator[tuple[float, bytes]]:
    """When each hand is to be sent (0.0: at once), and the request, until the seconds are over."""
    started = time.monotonic()
    for number in itertools.count():
        due = started + number / rate if rate else 0.0
        if max(due, time.monotonic()) > started + seconds:
            return
        names = f'{{"hand_id":"{prefix}-{number}","session_id":"{prefix}-s{number // AN_EVENING}",'.encode()
        body = names + records[number % len(records)][1:]
        yield due, f"{_HEAD}{len(body)}\r\n\r\n".encode() + body


def main(port: int, records: list[bytes], prefix: str, seconds: float, rate: float) -> dict[str, float]:
    """Post, and tell how it went. Raises RuntimeError where a hand was not taken."""
    lock, stream = threading.Lock(), requests(records, prefix, seconds, rate)
    started = time.monotonic()
    posters = [Poster(port, stream, lock) for _ in range(CONNECTIONS)]
    for poster in posters:
        poster.start()
    for poster in posters:
        poster.join()
    took = time.monotonic() - started
    for poster in posters:
        if poster.error is not None:
            raise RuntimeError(f"a hand was not taken: {poster.error}")
    times = sorted(itertools.chain.from_iterable(poster.times for poster in posters))
    median, late = (round(times[int(len(times) * part)] * 1000, 2) for part in (0.5, 0.99))
    return {
        "answered": len(times),
        "seconds": took,
        "p50": median,
        "p99": late,
        "slowest": round(times[-1] * 1000, 2),
    }


if __name__ == "__main__":
    told = main(
        int(sys.argv[1]),
        Path(sys.argv[2]).read_bytes().splitlines(),
        sys.argv[3],
        float(sys.argv[4]),
        float(sys.argv[5]),
    )
    print(json.dumps(told))
