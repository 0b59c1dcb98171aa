"""Imports over real connections and by real workers: as they go, and with somebody killed in the middle."""

from __future__ import annotations

import http.client
import json
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Self

import httpx
import psutil
import pytest

from records.limits import MAX_BODY
from tests.service.live_hands import RESULT
from tests.support.hand_records import played
from tests.support.processes import RunningService, wait_until

NDJSON = {"Content-Type": "application/x-ndjson"}
HANDS = 3000


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service of this file's own, since one test takes all places for uploads."""
    with RunningService(tmp_path_factory.mktemp("imports")) as service:
        yield service


@cache
def _hand() -> str:
    return json.dumps({**played("french-tarot-4", 1).as_dict(), "hand_id": "ID"})


def line(hand_id: str) -> bytes:
    return _hand().replace('"ID"', f'"{hand_id}"').encode() + b"\n"


def result(hand_id: str) -> bytes:
    return json.dumps({**RESULT, "hand_id": hand_id}).encode() + b"\n"


class Exchange:
    """A call whose body is sent piece by piece, and whose answer is read meanwhile."""

    def __init__(self, service: RunningService, path: str) -> None:
        url = httpx.URL(service.base_url)
        self._connection = http.client.HTTPConnection(url.host, url.port, timeout=10)
        self._connection.putrequest("POST", path)
        self._connection.putheader("Content-Type", "application/x-ndjson")
        self._connection.putheader("Transfer-Encoding", "chunked")
        self._connection.endheaders()
        self._answer: http.client.HTTPResponse | None = None

    def send(self, piece: bytes) -> None:
        self._connection.send(b"%x\r\n%s\r\n" % (len(piece), piece))

    @property
    def answer(self) -> http.client.HTTPResponse:
        if self._answer is None:
            self._answer = self._connection.getresponse()
        return self._answer

    def read(self) -> dict[str, Any]:
        """The next line of the answer."""
        made: dict[str, Any] = json.loads(self.answer.readline())
        return made

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._answer is not None:
            self._answer.close()
        self._connection.close()


def test_lines_are_answered_before_the_others_are_sent(service: RunningService) -> None:
    """The last 16 KB may wait for more."""
    expected = [{"line": number, "hand_id": f"turn-{number}", "status": 202} for number in range(1, 301)]
    with Exchange(service, "/v1/hands:import") as exchange:
        for turn in range(3):
            exchange.send(b"".join(result(f"turn-{100 * turn + number}") for number in range(1, 101)))
            assert [exchange.read() for _ in range(50)] == expected[50 * turn : 50 * turn + 50]
        assert httpx.get(f"{service.base_url}/v1/hands/turn-150").status_code == 200
        exchange.send(b"")
        assert [json.loads(one) for one in exchange.answer.read().splitlines()] == expected[150:]


def test_who_reads_only_at_the_end_gets_all(service: RunningService) -> None:
    """More than any socket keeps: refusals of several hundred bytes, 10,000 of them."""
    body = b'{"hand_id": "x", "nonsense": 1}\n' * 10_000
    answer = httpx.post(f"{service.base_url}/v1/hands:import", content=body, headers=NDJSON, timeout=60)
    outcomes = [json.loads(line) for line in answer.iter_lines()]
    assert len(answer.content) > 4_000_000
    assert [outcome["line"] for outcome in outcomes] == list(range(1, 10_001))
    assert {outcome["status"] for outcome in outcomes} == {422}


def test_who_leaves_in_the_middle_frees_the_place(service: RunningService) -> None:
    for number in range(20):
        with Exchange(service, "/v1/hands:import") as exchange:
            exchange.send(b"".join(result(f"left-{number}-{copy}") for copy in range(100)))
            exchange.read()
    for path in ("/v1/hands:import", "/v1/imports"):
        for number in range(10):
            with Exchange(service, path) as exchange:
                exchange.send(result(f"gone-{number}"))
    time.sleep(1)
    answer = httpx.post(f"{service.base_url}/v1/hands:import", content=result("stays"), headers=NDJSON)
    assert answer.json()["status"] == 202
    assert httpx.get(f"{service.base_url}/v1/hands/left-19-0").status_code == 200
    with service.redis.client() as client:
        assert client.keys("*:import:*") == [], "nothing is left of uploads that broke off"


def test_a_line_without_an_end_takes_no_more_memory_than_a_body(service: RunningService) -> None:
    before = memory(service)

    def body() -> Iterator[bytes]:
        yield result("before")
        for _ in range(200):
            yield b"x" * 1_000_000
        yield b"\n" + result("after")

    answer = httpx.post(f"{service.base_url}/v1/hands:import", content=body(), headers=NDJSON, timeout=60)
    outcomes = [json.loads(line) for line in answer.iter_lines()]
    assert [outcome["status"] for outcome in outcomes] == [202, 413, 202]
    assert memory(service) - before < 5 * MAX_BODY


def memory(service: RunningService) -> int:
    """The most bytes that a process of the service ever had in memory."""
    children = psutil.Process(service.api.pid).children()
    kept = [Path(f"/proc/{child.pid}/status").read_text() for child in children]
    return max(int(status.partition("VmHWM:")[2].split()[0]) * 1024 for status in kept)


def test_a_worker_that_is_killed_in_the_middle(tmp_path: Path) -> None:
    """Twice, and at last everything: what is left goes on by itself, and each line has its outcome once."""
    with in_small_chunks(tmp_path) as service, httpx.Client(base_url=service.base_url, timeout=30) as http:
        body = b"".join(line(f"killed-{number}") for number in range(1, HANDS + 1))
        accepted = http.post("/v1/imports", content=body, headers=NDJSON)
        assert accepted.status_code == 202
        path = accepted.headers["Location"]

        def state() -> dict[str, Any]:
            made: dict[str, Any] = http.get(path).json()
            return made

        for part in (0.1, 0.5):
            wait_until(lambda: state()["done"] > part * HANDS, "the import has begun")  # noqa: B023
            service.worker.kill_alone()
            assert state()["status"] == "running"
            service.worker.start()
        for process in (service.worker, service.sweeper, service.redis):
            process.kill()
        for process in (service.redis, service.sweeper, service.worker):
            process.start()
        wait_until(lambda: state()["status"] == "done", "the import is done", 60)
        made = state()
        assert (made["total"], made["done"], made["created"]) == (HANDS, HANDS, HANDS)
        results = [json.loads(one) for one in http.get(f"{path}/results").iter_lines()]
        assert [(one["line"], one["status"]) for one in results] == [(n, 202) for n in range(1, HANDS + 1)]
        check(http)


def in_small_chunks(folder: Path) -> RunningService:
    """A service that cuts uploads into some thirty chunks, so that nearly always one is in the middle."""
    config = folder / "conf.py"
    config.write_text(
        "from service.gunicorn_conf import *\nimport service.imports\nservice.imports.CHUNK_BYTES = 200_000\n"
    )
    service = RunningService(folder)
    at = service.api.command.index("python:service.gunicorn_conf")
    service.api.command[at] = str(config)
    return service


def check(http: httpx.Client) -> None:
    """Each hand is there once, whole and in the end with its sheet."""
    ids: Counter[str] = Counter()
    query: dict[str, Any] = {"limit": 1000}
    while True:
        page = http.get("/v1/hands", params=query).json()
        ids.update(hand["hand_id"] for hand in page["hands"])
        assert {(hand["version"], hand["status"]) for hand in page["hands"]} == {
            (len(json.loads(_hand())["events"]), "scored")
        }
        if page["next"] is None:
            break
        query["cursor"] = page["next"]
    assert ids == Counter(f"killed-{number}" for number in range(1, HANDS + 1))
    for number in (1, HANDS // 2, HANDS):
        score = f"/v1/hands/killed-{number}/score"
        wait_until(lambda: http.get(score).status_code == 200, "the sheet is made", 60)  # noqa: B023
