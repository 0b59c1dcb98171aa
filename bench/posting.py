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
from pathlib import Path
from typing import Final

from bench.load import CONNECTIONS, read_answer

AN_EVENING: Final = 30

_HEAD: Final = (
    "POST /v1/hands HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
)


class Stream:
    """The hands that are to be posted, one after the other."""

    def __init__(self, records: list[bytes], prefix: str, seconds: float, rate: float) -> None:
        self.records, self.prefix, self.rate = records, prefix, rate
        self.started = time.monotonic()
        self.until = self.started + seconds
        # Threads may share it without a lock, which would cost more than the rest.
        self.numbers = itertools.count()

    def next(self) -> tuple[float, bytes]:
        """When the next hand is to be sent, and the request; nothing when the time is over."""
        number = next(self.numbers)
        due = self.started + number / self.rate if self.rate else time.monotonic()
        if max(due, time.monotonic()) > self.until:
            return due, b""
        names = f'{{"hand_id":"{self.prefix}-{number}","session_id":"{self.prefix}-s{number // AN_EVENING}",'
        record = self.records[number % len(self.records)]
        return due, f"{_HEAD}{len(names) + len(record) - 1}\r\n\r\n{names}".encode() + record[1:]


class Poster(threading.Thread):
    """A connection that posts the next hand until there is none."""

    def __init__(self, port: int, stream: Stream) -> None:
        super().__init__()
        self.port, self.stream = port, stream
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
                due, request = self.stream.next()
                if not request:
                    return
                if (early := due - time.monotonic()) > 0:
                    time.sleep(early)
                connection.sendall(request)
                read_answer(connection, b"202")
                self.times.append(time.monotonic() - due)


def main(port: int, records: list[bytes], prefix: str, seconds: float, rate: float) -> dict[str, float]:
    """Post, and tell how it went. Raises RuntimeError where a hand was not taken."""
    stream = Stream(records, prefix, seconds, rate)
    posters = [Poster(port, stream) for _ in range(CONNECTIONS)]
    for poster in posters:
        poster.start()
    for poster in posters:
        poster.join()
    took = time.monotonic() - stream.started
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
