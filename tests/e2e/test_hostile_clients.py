"""Clients that speak no HTTP, or begin to and say no more."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import orjson
import pytest

from tests.service.document import Answer, load_document
from tests.support.processes import RunningService

STALLED = 60
"""More than the threads of two processes."""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RunningService]:
    """A service that is patient for two seconds."""
    service = RunningService(tmp_path)
    at = service.api.command.index("python:service.gunicorn_conf")
    service.api.command[at] = "python:tests.support.impatient"
    service.api.env["PYTHONPATH"] = str(Path(__file__).parents[2])
    with service:
        yield service


def connect(service: RunningService, said: bytes) -> socket.socket:
    url = httpx.URL(service.base_url)
    made = socket.create_connection((url.host, url.port or 0), timeout=20)
    made.sendall(said)
    return made


def answer_to(service: RunningService, said: bytes) -> tuple[int, httpx.Headers, bytes]:
    """All that comes back until the service closes the connection."""
    with connect(service, said) as client:
        told = b""
        while some := client.recv(65536):
            told += some
    head, _, body = told.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    return int(first.split()[1]), httpx.Headers(dict(line.split(": ", 1) for line in lines)), body


def test_what_is_no_http_is_answered_with_a_problem(service: RunningService) -> None:
    for said in (
        b"GET /v1/variants?limit=" + b"1" * 9_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /v1/variants HTTP/1.1\r\nHost: x\r\nX: " + b"1" * 9_000 + b"\r\n\r\n",
        b"NONSENSE\r\n\r\n",
        b"GET /v1/variants HTTP/9.7\r\nHost: x\r\n\r\n",
        b"GET /v1/variants HTTP/1.1\r\nHost: x\r\nA Name: 1\r\n\r\n",
        b"GET /v1/variants HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\n{}",
        b"GET /v1/variants HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: nonsense\r\n\r\n",
    ):
        status, headers, body = answer_to(service, said)
        assert status == 400, said
        assert orjson.loads(body)["type"] == "urn:trull:problem:bad-request"
        load_document().check(Answer("GET", "/v1/variants", status, headers, body))
    assert httpx.get(f"{service.base_url}/healthz", trust_env=False).status_code == 200


@pytest.mark.parametrize(
    "said",
    [
        b"POST /v1/score HTTP/1.1\r\nHost: x\r\nContent-",
        b"POST /v1/score HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        b"Content-Length: 99\r\n\r\n{",
        b"POST /v1/hands:import HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n5\r\n{}\n{}\r\n",
    ],
    ids=["header", "body", "chunk"],
)
def test_who_stalls_is_cut_off(service: RunningService, said: bytes) -> None:
    """However many there are, the service answers others soon."""
    stalled = [connect(service, said) for _ in range(STALLED)]
    began = time.monotonic()
    for _ in range(5):
        assert httpx.get(f"{service.base_url}/v1/variants", trust_env=False, timeout=20).status_code == 200
    assert time.monotonic() - began < 15
    for client in stalled:
        while client.recv(65536):
            pass
        client.close()


def test_who_takes_no_answer_is_cut_off(service: RunningService) -> None:
    """Also amid answers to calls that came all at once, of which the service has to read only the first."""
    count = 60
    call = b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"
    assert httpx.get(f"{service.base_url}/openapi.json", trust_env=False, timeout=20).status_code == 200
    with connect(service, call * count) as client:
        time.sleep(6)
        told = b""
        with contextlib.suppress(ConnectionError):
            while some := client.recv(1 << 20):
                told += some
    assert 1 <= told.count(b"HTTP/1.1 200 OK") < count
    assert "Traceback" not in service.api.output()
