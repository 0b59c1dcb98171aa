"""When Redis goes away and comes back: clients are told at once, and what was acknowledged is there."""

from __future__ import annotations

import time
from pathlib import Path

import httpx

from tests.e2e.test_http import BEGUN, RESULT, WHOLE, anew, code_of, sheet_of
from tests.service.clients import checked_http_client
from tests.support.processes import RunningService, wait_until

KEY = "club-key-0123456789"


def test_redis_away_and_back(tmp_path: Path) -> None:
    with RunningService(tmp_path) as service, checked_http_client(service.base_url, timeout=15) as http:
        before = http.post("/v1/hands", json=anew(WHOLE)).headers["Location"]
        service.redis.kill()
        for method, path, headers in (
            ("POST", "/v1/hands", {}),
            ("POST", "/v1/hands", {"Prefer": "wait=10"}),
            ("GET", "/v1/hands", {}),
            ("GET", before, {}),
            ("GET", f"{before}/score", {}),
            ("GET", "/readyz", {}),
        ):
            started = time.monotonic()
            response = http.request(method, path, headers=headers, json=anew(RESULT))
            assert code_of(response, 503) == "store-unavailable"
            assert int(response.headers["Retry-After"]) > 0
            assert time.monotonic() - started < 3
        assert http.get("/healthz").status_code == 200
        assert http.post("/v1/score", json=WHOLE).status_code == 200
        service.redis.start()
        for process in (service.worker, service.sweeper):  # a supervisor would start them again
            if not process.is_running():
                process.kill()
                process.start()
        wait_until(lambda: http.get("/readyz").status_code == 200, "readiness after Redis came back", 60)
        assert sheet_of(http, before, seconds=60)["version"] == 23
        after = http.post("/v1/hands", json=anew(RESULT)).headers["Location"]
        assert sheet_of(http, after, seconds=60)["scores"] == {"Anna": 42, "Béla": 0, "Cyril": 0}


def test_keys_open_the_service_name_the_actor_and_are_in_no_log(tmp_path: Path) -> None:
    with RunningService(tmp_path, {"TRULL_API_KEYS": f"club:{KEY}"}) as service:
        hand = anew(BEGUN)
        with checked_http_client(service.base_url) as http:
            assert code_of(http.post("/v1/hands", json=hand), 401) == "unauthenticated"
            wrong = {"Authorization": f"Bearer {KEY}0"}
            assert code_of(http.get("/v1/hands", headers=wrong), 401) == "unauthenticated"
        with checked_http_client(service.base_url, headers={"Authorization": f"Bearer {KEY}"}) as http:
            location = http.post("/v1/hands", json=hand).headers["Location"]
            events = http.get(f"{location}/events").json()["events"]
            assert {event["actor"] for event in events} == {"club"}
            service.redis.kill()
            assert code_of(http.post("/v1/hands", json=anew(BEGUN)), 503) == "store-unavailable"
        logs = "".join(process.output() for process in (service.api, service.worker, service.sweeper))
        assert "store unavailable" in logs
        assert KEY not in logs
        assert httpx.URL(service.redis_url).password not in logs
