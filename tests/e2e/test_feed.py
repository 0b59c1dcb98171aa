"""The feed as a stream over real connections: followed, resumed, limited, and let go of."""

from __future__ import annotations

import json
import signal
import socket
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from service.config import Settings
from tests.service.document import load_document
from tests.support.processes import RunningService, wait_until

RESULT: dict[str, Any] = load_document().raw["components"]["examples"]["ReportedResult"]["value"]
PLACES = Settings().max_listeners


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service of this file's own, since tests take all places for listeners."""
    with RunningService(tmp_path_factory.mktemp("feed")) as service:
        yield service


class Listener:
    """Follows the feed as a browser does."""

    def __init__(self, service: RunningService, last: str | None = None, **params: str) -> None:
        headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": last} if last else {})
        self._client = httpx.Client(base_url=service.base_url, timeout=30)
        request = self._client.build_request("GET", "/v1/events", params=params, headers=headers)
        self.response = self._client.send(request, stream=True)
        self._lines = self.response.iter_lines()

    def next(self) -> tuple[str, dict[str, Any]]:
        """The id and the data of the next event."""
        id_ = ""
        for line in self._lines:
            field, _, value = line.partition(": ")
            if field == "id":
                id_ = value
            if field == "data":
                item: dict[str, Any] = json.loads(value)
                return id_, item
        raise AssertionError("the stream has ended")

    def rest(self) -> list[str]:
        """What still comes until the end of the stream."""
        return list(self._lines)

    def close(self) -> None:
        self.response.close()
        self._client.close()


def submit(service: RunningService) -> str:
    hand_id = f"feed-{uuid.uuid4()}"
    assert httpx.post(f"{service.base_url}/v1/hands", json={**RESULT, "hand_id": hand_id}).status_code == 202
    return hand_id


def test_a_hand_and_its_sheet_come_as_they_are_made(service: RunningService) -> None:
    listener = Listener(service, cursor="latest")
    assert listener.response.headers["Content-Type"].startswith("text/event-stream")
    hand_id = submit(service)
    _, event = listener.next()
    _, sheet = listener.next()
    assert (event["type"], event["hand_id"], event["seq"]) == ("hand.event", hand_id, 1)
    assert event["event"]["type"] == "result_reported"
    assert (sheet["type"], sheet["hand_id"], sheet["version"]) == ("hand.scored", hand_id, 1)
    assert sheet["status"] == "scored"
    listener.close()


def test_who_connects_again_misses_nothing(service: RunningService) -> None:
    listener = Listener(service, cursor="latest")
    first = submit(service)
    last, _ = listener.next()
    listener.close()
    second = submit(service)
    resumed = Listener(service, last, cursor="latest")
    seen = [resumed.next()[1] for _ in range(3)]
    assert sorted((item["hand_id"], item["type"]) for item in seen) == sorted(
        [(first, "hand.scored"), (second, "hand.event"), (second, "hand.scored")]
    )
    resumed.close()


def full(service: RunningService) -> list[Listener]:
    """Listeners in all places of a process at least; after that many others found none.

    Which process a connection goes to is chance.
    """
    listeners: list[Listener] = []
    refusals = 0
    while refusals < 10:
        listener = Listener(service, cursor="latest")
        if listener.response.status_code == 200:
            listeners.append(listener)
            continue
        refusals += 1
        assert listener.response.status_code == 429
        assert listener.response.headers["Content-Type"] == "application/problem+json"
        assert int(listener.response.headers["Retry-After"]) >= 1
        listener.close()
    processes = len(psutil.Process(service.api.pid).children())
    assert PLACES <= len(listeners) <= PLACES * processes
    return listeners


def test_listeners_are_limited_and_leave_room_for_others(service: RunningService) -> None:
    listeners = full(service)
    try:
        for _ in range(20):
            assert httpx.get(f"{service.base_url}/healthz", timeout=5).status_code == 200
        hand_id = submit(service)
        for listener in listeners:
            assert listener.next()[1]["hand_id"] == hand_id
    finally:
        for listener in listeners:
            listener.close()


def test_a_listener_that_left_frees_its_place_soon(service: RunningService) -> None:
    for listener in full(service):
        listener.close()
    time.sleep(1)
    for listener in full(service):
        listener.close()


def test_it_ends_with_the_service(tmp_path: Path) -> None:
    with RunningService(tmp_path) as service:
        listener = Listener(service, cursor="latest")
        submit(service)
        listener.next()
        started = time.monotonic()
        service.api.signal(signal.SIGTERM)
        assert not any(line.startswith("data") for line in listener.rest()[3:])
        assert service.api.wait() == 0
        assert time.monotonic() - started < 5
        listener.close()
        assert "Traceback" not in service.api.output()


def test_a_listener_that_reads_nothing_stops_nobody(service: RunningService) -> None:
    """Its buffers are full, and the service's end does not wait for it."""
    url = httpx.URL(service.base_url)
    assert url.port is not None
    with socket.create_connection((url.host, url.port)) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.sendall(b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
        for _ in range(60):
            submit(service)
        assert httpx.get(f"{service.base_url}/healthz", timeout=2).status_code == 200


def test_heartbeats(tmp_path: Path) -> None:
    """With a shorter pause between them than fifteen seconds."""
    config = tmp_path / "conf.py"
    config.write_text(
        "from service.gunicorn_conf import *\nimport service.event_stream\n"
        "service.event_stream.HEARTBEAT_SECONDS = 0.5\n"
    )
    service = RunningService(tmp_path)
    at = service.api.command.index("python:service.gunicorn_conf")
    service.api.command[at] = str(config)
    with service:
        listener = Listener(service, cursor="latest")
        beats = 0
        started = time.monotonic()
        for line in listener._lines:
            beats += line == ":"
            if beats == 3:
                break
        assert 1.4 < time.monotonic() - started < 5
        listener.close()
        wait_until(lambda: not _listening(service), "the place is free")


def _listening(service: RunningService) -> bool:
    """Whether any process of the service has an open connection to a client."""
    return any(
        connection.status == psutil.CONN_ESTABLISHED
        and connection.laddr.port == httpx.URL(service.base_url).port
        for child in psutil.Process(service.api.pid).children()
        for connection in child.net_connections("tcp")
    )
