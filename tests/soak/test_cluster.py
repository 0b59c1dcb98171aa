"""The service on a Redis Cluster of three nodes, its queue on a Redis of its own: calls, load, kill -9."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.faults.club import Club, Ledger, check
from tests.support.cluster import ThreeNodes
from tests.support.hand_records import played
from tests.support.processes import RunningService, wait_until

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3_600)]


class ServiceOnACluster(RunningService):
    """Its `redis` holds the queue alone."""

    def __init__(self, folder: Path, cluster: ThreeNodes) -> None:
        super().__init__(folder)
        for process in (self.api, self.worker, self.sweeper):
            process.env |= {"TRULL_REDIS_URL": cluster.url, "TRULL_QUEUE_URL": self.redis.url}


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[ThreeNodes]:
    with ThreeNodes(tmp_path) as cluster:
        yield cluster


@pytest.fixture
def service(tmp_path: Path, cluster: ThreeNodes) -> Iterator[ServiceOnACluster]:
    with ServiceOnACluster(tmp_path, cluster) as service:
        yield service


@pytest.fixture
def http(service: ServiceOnACluster) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=service.base_url, timeout=30, trust_env=False) as http:
        yield http


def test_every_call_over_http(http: httpx.Client, service: ServiceOnACluster) -> None:
    """Live hands, sheets, many hands at once, imports, the feed: none of it knows where a shard lies."""
    hand = played("french-tarot-4", 3, hand_id="live", session_id="evening")
    record: dict[str, Any] = hand.as_dict()
    events = record.pop("events")
    made = http.post("/v1/hands", json={**record, "events": events[:1]})
    assert made.status_code == 202, made.text
    for number in range(1, len(events)):
        added = http.post(
            "/v1/hands/live/events",
            json={"events": [events[number]]},
            headers={"If-Match": f'"{number}"', "Idempotency-Key": f"key-{number}"},
        )
        assert added.status_code < 300, added.text
    late = http.post("/v1/hands/live/events", json={"events": events[:1]}, headers={"If-Match": '"1"'})
    assert late.status_code == 412
    wait_until(lambda: http.get("/v1/hands/live/score").status_code == 200, "the sheet of the live hand")
    lines = [
        json.dumps({**played("french-tarot-4", seed % 5).as_dict(), "hand_id": f"h-{seed}"})
        for seed in range(300)
    ]
    ndjson = {"Content-Type": "application/x-ndjson"}
    answers = http.post("/v1/hands:import", content="\n".join(lines[:100]), headers=ndjson)
    assert [json.loads(line)["status"] for line in answers.text.splitlines()] == [202] * 100
    accepted = http.post("/v1/imports", content="\n".join(lines), headers=ndjson)
    assert accepted.status_code == 202, accepted.text
    place = accepted.headers["Location"]
    wait_until(lambda: http.get(place).json()["status"] == "done", "the import", 60)
    scored: dict[str, str | int] = {"status": "scored", "limit": 1000}
    wait_until(lambda: len(http.get("/v1/hands", params=scored).json()["hands"]) == 301, "all sheets", 60)
    told = list(feed(http))
    assert sum(item["type"] == "hand.scored" for item in told) == 301
    assert [
        item["seq"] for item in told if item["type"] == "hand.event" and item["hand_id"] == "live"
    ] == list(range(1, len(events) + 1))
    assert len(http.get("/v1/hands:export").text.splitlines()) == 301
    assert not service.redis.client().keys("{t*"), "the queue's Redis has no part of the log"


def feed(http: httpx.Client) -> Iterator[dict[str, Any]]:
    cursor: dict[str, str] = {}
    while page := http.get("/v1/events", params={"limit": 1000, **cursor}).json():
        yield from page["events"]
        if len(page["events"]) < 1000:
            return
        cursor = {"cursor": page["next"]}


def test_kill_9_of_every_part_under_load(service: ServiceOnACluster, cluster: ThreeNodes) -> None:
    """A node, the queue, the worker, the API: nothing acknowledged is lost, and every sheet is made."""
    ledger = Ledger()
    with Club(service.base_url, ledger, pause=0.01):
        for victim in (*cluster.nodes, service.redis, service.worker, service.sweeper, service.api):
            time.sleep(3)
            before = len(ledger.acknowledged)
            victim.kill()
            time.sleep(5)
            victim.start()
            wait_until(cluster.is_whole, "the cluster is whole again", 60)
            wait_until(lambda: len(ledger.acknowledged) > before + 20, "hands get through again", 60)  # noqa: B023
            print(f"killed {victim.name} of {victim.folder.name}; {ledger.told()}")
    print(f"last sheet after {check(service.base_url, ledger):.1f} s; {ledger.told()}")
    assert ledger.answers["503"], "a node was away and nobody noticed"


def test_without_its_queue_hands_are_stored(service: ServiceOnACluster, http: httpx.Client) -> None:
    """They are answered as fast as ever, /readyz says what is missing, and sheets come once it is back."""
    ledger = Ledger()
    service.redis.kill()
    with Club(service.base_url, ledger, pause=0.02):
        time.sleep(10)
    reasons = {error["check"]: error["detail"] for error in http.get("/readyz").json()["errors"]}
    assert "cannot be reached" in reasons["queue"]
    assert set(ledger.answers) == {"202"}
    service.redis.start()
    print(f"last sheet after {check(service.base_url, ledger):.1f} s; {ledger.told()}")
