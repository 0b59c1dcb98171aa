"""The answer of the store, or of the service, is lost on the wire."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
import pytest

from tests.faults.club import kinds
from tests.support.processes import RunningService
from tests.support.proxy import Proxy


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunningService, Proxy]]:
    """A service between whose API and store stands a proxy."""
    service = RunningService(tmp_path_factory.mktemp("service"))
    with Proxy(service.redis.access.port) as proxy:
        service.api.env["TRULL_REDIS_URL"] = service.redis_url.replace(
            str(service.redis.access.port), str(proxy.port)
        )
        with service:
            yield service, proxy


def test_the_answer_of_the_store(service: tuple[RunningService, Proxy]) -> None:
    """The append was done, and nobody was told. The service finds out, and tells its client once."""
    running, proxy = service
    with httpx.Client(base_url=running.base_url, timeout=10, trust_env=False) as http:
        for number, hand in enumerate(kinds()[:6]):
            body = {**hand.as_dict(), "hand_id": f"store-{number}"}
            dropped = proxy.dropped
            proxy.drop_when = body["hand_id"].encode()
            answer = http.post("/v1/hands", json=body)
            assert proxy.dropped == dropped + 1, "the answer was not lost"
            assert answer.status_code in (200, 202), answer.text
            assert answer.json()["version"] == len(hand.events)
            assert read_back(http, body) == body["events"]


def test_the_answer_of_the_service(service: tuple[RunningService, Proxy]) -> None:
    """The client submits again: at once, and the beginning of it; it is one hand."""
    running, _ = service
    port = int(running.base_url.rpartition(":")[2])
    body = {**kinds()[0].as_dict(), "hand_id": "client-1"}
    with Proxy(port) as proxy:
        proxy.drop_when = b"client-1"
        with pytest.raises(httpx.RemoteProtocolError):
            httpx.post(
                f"http://127.0.0.1:{proxy.port}/v1/hands",
                content=json.dumps(body),
                trust_env=False,
                headers={"Content-Type": "application/json"},
            )
        assert proxy.dropped == 1
    with httpx.Client(base_url=running.base_url, timeout=10, trust_env=False) as http:
        again = http.post("/v1/hands", json=body)
        assert (again.status_code, again.json()["version"]) == (200, len(body["events"]))
        shorter = http.post("/v1/hands", json={**body, "events": body["events"][:7]})
        assert (shorter.status_code, shorter.json()["version"]) == (200, len(body["events"]))
        assert read_back(http, body) == body["events"]


def read_back(http: httpx.Client, body: dict[str, object]) -> list[object]:
    """The events that the log has of a hand, which is listed once."""
    listed = [hand["hand_id"] for hand in http.get("/v1/hands?limit=1000").json()["hands"]]
    assert listed.count(body["hand_id"]) == 1
    return [event["event"] for event in http.get(f"/v1/hands/{body['hand_id']}/events").json()["events"]]
