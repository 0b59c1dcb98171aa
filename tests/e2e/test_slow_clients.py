"""Slow clients, for real: they are cut off, and the others are served."""

from __future__ import annotations

import http.client
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Event, Thread
from typing import BinaryIO

import httpx
import pytest

from service.patience import ANSWER_SECONDS, BODY_RATE, BODY_SECONDS, HEAD_SECONDS, NEXT_MS
from tests.service.document import load_document
from tests.support.processes import RunningService

pytestmark = pytest.mark.timeout(200)

CROWD = 80
"""More than all processes have threads, on two cores."""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RunningService]:
    with RunningService(tmp_path) as running:
        yield running


class Dribble(Thread):
    """Connections that each send a byte every half second behind a beginning, until they are cut off."""

    def __init__(self, base_url: str, beginning: bytes, count: int) -> None:
        super().__init__(daemon=True)
        host, _, port = base_url.removeprefix("http://").partition(":")
        self.open = [socket.create_connection((host, int(port))) for _ in range(count)]
        self.began = time.monotonic()
        self.answers: list[bytes] = []
        self.lasted: list[float] = []
        self.stop = Event()
        for connection in self.open:
            connection.sendall(beginning)
            connection.setblocking(False)

    def run(self) -> None:
        while self.open and not self.stop.wait(0.5):
            for connection in list(self.open):
                if self._is_cut(connection):
                    self.lasted.append(time.monotonic() - self.began)
                    self.open.remove(connection)
                    connection.close()

    def _is_cut(self, connection: socket.socket) -> bool:
        try:
            connection.send(b"x")
            told = connection.recv(4096)
        except BlockingIOError:
            return False
        except OSError:
            return True
        if told:
            self.answers.append(told)
            return False
        return True


def test_slow_loris(service: RunningService) -> None:
    slow = Dribble(service.base_url, b"GET /v1/variants HTTP/1.1\r\nHost: localhost\r\nX-Slow: ", CROWD)
    slow.start()
    began = time.monotonic()
    answer = httpx.get(f"{service.base_url}/v1/variants", timeout=60, trust_env=False)
    assert answer.status_code == 200
    assert time.monotonic() - began < 2 * HEAD_SECONDS
    slow.join(6 * HEAD_SECONDS)
    assert not slow.open, "every one of them was cut off"
    assert any(told.startswith(b"HTTP/1.1 408 ") for told in slow.answers)
    assert min(slow.lasted) > HEAD_SECONDS - 1
    assert service.api.output().count("Traceback") == 0


def test_who_says_nothing_takes_no_thread(service: RunningService) -> None:
    """A browser connects before it has a call, and others for ill. A stop waits for none of them either."""
    host, _, port = service.base_url.removeprefix("http://").partition(":")
    with ExitStack() as stack:
        silent = [
            stack.enter_context(socket.create_connection((host, int(port)), timeout=20))
            for _ in range(3 * CROWD)
        ]
        time.sleep(0.5)
        began = time.monotonic()
        assert httpx.get(f"{service.base_url}/v1/variants", timeout=60, trust_env=False).status_code == 200
        assert time.monotonic() - began < 3
        for one in silent[::40]:
            one.sendall(b"GET /v1/variants HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert one.recv(12) == b"HTTP/1.1 200"
        began = time.monotonic()
        service.api.signal(signal.SIGTERM)
        assert service.api.wait() == 0
        assert time.monotonic() - began < 10
    assert service.api.output().count("Traceback") == 0


def test_a_slow_body(service: RunningService) -> None:
    """And one that is slow, but fast enough, is read to its end."""
    lines = (
        "POST /v1/score HTTP/1.1",
        "Host: localhost",
        "Content-Type: application/json",
        "Content-Length: 5000",
    )
    head = "".join(f"{line}\r\n" for line in (*lines, "")).encode()
    slow = Dribble(service.base_url, head, 4)
    slow.start()
    record = load_document().raw["components"]["examples"]["ReportedResult"]["value"]
    body = httpx.Request("POST", "http://x", json=record).content
    padded = body + b" " * (2 * int(BODY_SECONDS) * BODY_RATE - len(body))
    step = 2 * BODY_RATE  # a second

    def pieces() -> Iterator[bytes]:
        for at in range(0, len(padded), step):
            time.sleep(0.8)
            yield padded[at : at + step]

    patient = httpx.post(
        f"{service.base_url}/v1/score",
        content=pieces(),
        headers={"Content-Type": "application/json"},
        timeout=60,
        trust_env=False,
    )
    assert patient.status_code == 200, patient.text
    slow.join(3 * BODY_SECONDS)
    assert not slow.open
    assert all(b"The body could not be read to its end." in told for told in slow.answers)
    assert BODY_SECONDS - 1 < min(slow.lasted) <= max(slow.lasted) < 2 * BODY_SECONDS


def test_a_kept_connection_is_not_slow(service: RunningService) -> None:
    """It is served as often as it asks, whatever its age."""
    with httpx.Client(base_url=service.base_url, trust_env=False) as client:
        for _ in range(5):
            assert client.get("/v1/variants").status_code == 200
            time.sleep(HEAD_SECONDS / 4)


@pytest.mark.parametrize("others", [0, CROWD], ids=["alone", "in a crowd"])
def test_calls_of_one_connection(service: RunningService, others: int) -> None:
    """Sent at once after the answer, later than a thread stays for them, and two together: all in order."""
    host, _, port = service.base_url.removeprefix("http://").partition(":")
    crowd = [socket.create_connection((host, int(port))) for _ in range(others)]

    def call(number: int) -> bytes:
        return f"GET /v1/variants HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: call-{number}\r\n\r\n".encode()

    with socket.create_connection((host, int(port))) as connection:
        connection.settimeout(60)
        reader = connection.makefile("rb")
        for number, pause in enumerate((0.0, 0.0, 3 * NEXT_MS / 1000, 0.0)):
            time.sleep(pause)
            connection.sendall(call(2 * number) + call(2 * number + 1))
            for one in (2 * number, 2 * number + 1):
                assert _answered(reader) == f"call-{one}"
        connection.sendall(call(8))
        assert _answered(reader) == "call-8"
    for other in crowd:
        other.sendall(call(9))
        assert other.recv(12) == b"HTTP/1.1 200"
        other.close()


def _answered(reader: BinaryIO) -> str:
    """Read an answer to its end; the call's id."""
    assert reader.readline() == b"HTTP/1.1 200 OK\r\n"
    headers = http.client.parse_headers(reader)
    reader.read(int(headers["Content-Length"]))
    return headers["X-Request-Id"]


def test_the_document_has_the_numbers() -> None:
    prose = " ".join(load_document().raw["info"]["description"].split())
    assert f"has {HEAD_SECONDS:.0f} seconds to come, a body {BODY_SECONDS:.0f} seconds" in prose
    assert f"at {BODY_RATE} bytes a second" in prose
    assert f"not taken an answer within {ANSWER_SECONDS:.0f} seconds" in prose
