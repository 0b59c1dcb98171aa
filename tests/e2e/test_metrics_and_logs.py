"""Measures of several processes, and what every process writes into the log."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from tests.service.document import load_document
from tests.support.processes import RunningService, wait_until

KEY = "key-that-nobody-may-read-0123456789"
RESULT = load_document().raw["components"]["examples"]["ReportedResult"]["value"]
HEADERS = {"Authorization": f"Bearer {KEY}"}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RunningService]:
    with RunningService(tmp_path, {"TRULL_API_KEYS": f"club:{KEY}"}) as running:
        yield running


def call(service: RunningService, path: str, **options: Any) -> httpx.Response:
    """Over a connection of its own, so that any of the processes may answer."""
    with httpx.Client(base_url=service.base_url, headers=HEADERS, trust_env=False) as client:
        return client.get(path, **options)


def variants_told(service: RunningService) -> float:
    text = call(service, "/metrics").text
    start = 'trull_http_requests_total{method="GET",route="/v1/variants",status="200"} '
    return sum(float(line.removeprefix(start)) for line in text.splitlines() if line.startswith(start))


def test_processes_count_together_and_the_dead_still_count(service: RunningService) -> None:
    folders = set(Path("/dev/shm").glob(f"trull-counts-{service.api.pid}-*"))
    assert len(folders) == 1
    for _ in range(40):
        assert call(service, "/v1/variants").status_code == 200
    assert {variants_told(service) for _ in range(10)} == {40}
    victim, *_ = psutil.Process(service.api.pid).children()
    victim.kill()
    wait_until(lambda: not victim.is_running() or victim.status() == psutil.STATUS_ZOMBIE, "its end")
    wait_until(lambda: len(psutil.Process(service.api.pid).children()) > 1, "another process")
    assert variants_told(service) == 40
    call(service, "/v1/variants")
    assert {variants_told(service) for _ in range(10)} == {41}
    service.api.stop()
    assert not any(folder.exists() for folder in folders)


def test_what_a_killed_master_left_is_removed(service: RunningService) -> None:
    (left,) = Path("/dev/shm").glob(f"trull-counts-{service.api.pid}-*")
    service.api.kill()
    assert left.exists()
    service.api.start()
    wait_until(lambda: not left.exists(), "its folder is removed")


def test_one_line_a_call_under_its_id(service: RunningService) -> None:
    answer = call(service, "/v1/hands/nothing?as=Anna", headers={"X-Request-Id": "till-7"})
    assert answer.status_code == 404
    assert answer.headers["Request-Id"] == answer.headers["X-Request-Id"] == "till-7"
    assert answer.json()["request_id"] == "till-7"
    wait_until(lambda: "till-7" in service.api.output(), "the line: it comes after the answer")
    lines = [json.loads(line) for line in service.api.output().splitlines()]
    (told,) = (line for line in lines if line.get("request_id") == "till-7")
    assert told.pop("duration_ms") > 0
    assert told.pop("timestamp").endswith("Z")
    assert told == {
        "event": "request",
        "level": "info",
        "request_id": "till-7",
        "method": "GET",
        "route": "/v1/hands/{hand_id}",
        "path": "/v1/hands/nothing",
        "status": 404,
        "actor": "club",
    }


def test_every_process_writes_json_and_no_secret(service: RunningService) -> None:
    """Also where things go wrong: foreign keys, a store that is away, workers that look for it."""
    hand = httpx.post(
        f"{service.base_url}/v1/hands", json=RESULT, headers=HEADERS | {"Prefer": "wait=5"}, trust_env=False
    )
    assert hand.status_code == 201
    wrong = {"Authorization": "Bearer another-secret-of-somebody"}
    assert httpx.get(f"{service.base_url}/v1/hands", headers=wrong, trust_env=False).status_code == 401
    board = "5f0c2b9e71aaT4x_1l8hU6vUO2dEsDKhQA"
    for path in (f"/v1/boards/{board}", f"/boards/{board}"):
        httpx.get(f"{service.base_url}{path}", trust_env=False)
    service.redis.stop()
    assert call(service, "/v1/hands").status_code == 503
    assert call(service, f"/v1/boards/{board}").status_code == 503
    assert call(service, "/metrics").status_code == 200
    programs = (service.api, service.worker, service.sweeper)
    wait_until(lambda: all("Redis" in program.output() for program in programs[1:]), "workers notice it")
    for program in programs:
        program.stop()
        for line in program.output().splitlines():
            assert {"event", "level", "timestamp"} <= json.loads(line).keys(), line
        for secret in (
            KEY,
            board,
            "another-secret",
            service.redis.access.password,
            "Authorization",
            "Bearer",
        ):
            assert secret not in program.output()


def test_text_for_who_reads_it(tmp_path: Path) -> None:
    with RunningService(tmp_path, {"TRULL_LOG_FORMAT": "text"}) as service:
        call(service, "/v1/variants", headers={"X-Request-Id": "till-8"})
        wait_until(lambda: "till-8" in service.api.output(), "the line")
        os.kill(service.worker.pid, signal.SIGTERM)
        service.worker.wait()
        (line,) = (line for line in service.api.output().splitlines() if "till-8" in line)
        assert "[info" in line
        assert "route=/v1/variants" in line
        assert "worker ended" in service.worker.output()
        assert "{" not in service.worker.output()
        assert "\x1b" not in service.api.output()
