"""Measures: what is counted, what is read of the store, and who may see it."""

from __future__ import annotations

import json
import re

import pytest
import redis
from prometheus_client.parser import text_string_to_metric_families

from records.log import Stream
from records.meters import LAG_BUCKETS, LagNotes
from records.redis_client import connect
from records.redis_keys import due_key, shard_of
from records.sheets import LATER
from service.app import create_app
from service.config import Settings
from service.configured_keys import ApiKey
from tests.service.clients import CheckedClient, code_of
from tests.service.conftest import checked_client
from tests.service.document import load_document
from workers.jobs import drain_with

KEY = "0123456789abcdef"
RESULT = load_document().raw["components"]["examples"]["ReportedResult"]["value"]

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def samples_of(text: str) -> Samples:
    """Every value by its name and labels."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def measured(client: CheckedClient) -> Samples:
    response = client.get("/metrics")
    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith("text/plain; version=")
    return samples_of(response.get_data(as_text=True))


def test_calls_are_counted_by_route_and_status(client: CheckedClient) -> None:
    for path in ("/openapi.json", "/v1/variants/illustrated-beck", "/v1/variants/none", "/v1/nothing", "/x"):
        client.get(path)
    client.open("/v1/variants", method="BREW")
    found = measured(client)

    def calls(method: str, route: str, status: str) -> float:
        return found["trull_http_requests_total", (("method", method), ("route", route), ("status", status))]

    assert calls("GET", "/openapi.json", "200") == 1
    assert calls("GET", "/v1/variants/{variant_id}", "200") == 1
    assert calls("GET", "/v1/variants/{variant_id}", "404") == 1
    assert calls("GET", "none", "404") == 2
    assert calls("other", "none", "405") == 1
    name = "trull_http_request_duration_seconds_count"
    assert found[name, (("method", "GET"), ("route", "/v1/variants/{variant_id}"))] == 2


def test_without_the_store_calls_are_told(client: CheckedClient) -> None:
    found = measured(client)
    assert found["trull_redis_up", ()] == 0
    assert not [name for name, _ in found if name.startswith("trull_due")]


def test_events_are_counted_once(stored: CheckedClient, redis_client: redis.Redis) -> None:
    assert measured(stored)["trull_appended_events_total", ()] == 0
    for number in range(3):
        stored.post("/v1/hands", json=RESULT | {"hand_id": f"h-{number}"})
    penalty = {"type": "penalty_assessed", "player": "Anna", "points": -1}
    stored.post("/v1/hands/h-1/events", json={"events": [penalty, penalty]}, headers={"If-Match": '"1"'})
    drain_with(redis_client)  # sheets are no events
    assert measured(stored)["trull_appended_events_total", ()] == 5
    assert measured(stored)["trull_appended_events_total", ()] == 5


def test_many_events_are_counted_in_parts(stored: CheckedClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("records.meters._AT_ONCE", 2)
    ids = [f"h-{n}" for n in range(400) if shard_of(Stream("hand", "default", f"h-{n}")) == 3][:5]
    for hand_id in ids:
        stored.post("/v1/hands", json=RESULT | {"hand_id": hand_id})
    assert [measured(stored)["trull_appended_events_total", ()] for _ in range(4)] == [2, 4, 5, 5]


def test_what_is_due_and_for_how_long(stored: CheckedClient, redis_client: redis.Redis) -> None:
    assert measured(stored)["trull_oldest_due_seconds", ()] == 0
    for number in range(3):
        stored.post("/v1/hands", json=RESULT | {"hand_id": f"h-{number}"})
    mark = "hand:default:h-1"
    key = due_key(shard_of(Stream("hand", "default", "h-1")))
    at = redis_client.zscore(key, mark)
    assert at is not None
    redis_client.zadd(key, {mark: at - 90_000})
    found = measured(stored)
    assert found["trull_due_hands", ()] == 3
    assert 90 <= found["trull_oldest_due_seconds", ()] < 100
    redis_client.zadd(key, {mark: at - 500_000 + LATER})
    assert 500 <= measured(stored)["trull_oldest_due_seconds", ()] < 510, "what is not urgent counts as well"
    redis_client.zadd(key, {mark: at + 30_000})
    assert measured(stored)["trull_oldest_due_seconds", ()] < 10, "somebody is at work on it"


def test_how_late_sheets_come(stored: CheckedClient, redis_client: redis.Redis) -> None:
    for number in range(4):
        stored.post("/v1/hands", json=RESULT | {"hand_id": f"h-{number}"})
    drain_with(redis_client)
    found = measured(stored)
    assert found["trull_scoring_lag_seconds_count", ()] == 4
    assert found["trull_scoring_lag_seconds_bucket", (("le", "60.0"),)] == 4
    assert found["trull_scoring_lag_seconds_sum", ()] < 40
    notes = LagNotes(redis_client)
    notes.add([0.0, LAG_BUCKETS[0], 77.5])
    notes.pass_on()
    notes.pass_on()
    again = measured(stored)
    first = ("trull_scoring_lag_seconds_bucket", (("le", str(LAG_BUCKETS[0])),))
    assert again[first] - found[first] == 2
    assert again["trull_scoring_lag_seconds_count", ()] == 7
    assert again["trull_scoring_lag_seconds_bucket", (("le", "60.0"),)] == 6


def test_imports_are_no_late_sheets(stored: CheckedClient, redis_client: redis.Redis) -> None:
    imported = stored.post("/v1/hands:import", data=json.dumps(RESULT), content_type="application/x-ndjson")
    assert imported.get_json(force=True)["status"] == 202
    drain_with(redis_client)
    found = measured(stored)
    assert found["trull_scoring_lag_seconds_count", ()] == 0
    assert found["trull_due_hands", ()] == 0


def test_notes_of_a_worker_are_lost_where_the_store_is_away() -> None:
    notes = LagNotes(connect("redis://127.0.0.1:1/0"))
    notes.add([1.0])
    notes.pass_on()


def test_jobs_workers_and_redis(stored: CheckedClient, redis_client: redis.Redis) -> None:
    stored.post("/v1/hands", json=RESULT)
    stored.post("/v1/imports", data=b"{}\n", content_type="application/x-ndjson")
    found = measured(stored)
    assert found["trull_jobs", (("state", "queued"),)] == 2
    assert found["trull_jobs", (("state", "failed"),)] == 0
    assert found["trull_workers", ()] == 0
    assert found["trull_open_imports", ()] == 1
    assert found["trull_redis_up", ()] == 1
    assert found["trull_redis_memory_bytes", ()] > 100_000
    assert found["trull_redis_aof_enabled", ()] == 1
    assert found["trull_redis_aof_size_bytes", ()] > 0
    assert found["trull_redis_aof_write_ok", ()] == 1
    redis_client.config_set("appendonly", "no")
    try:
        found = measured(stored)
        assert found["trull_redis_aof_enabled", ()] == 0
    finally:
        redis_client.config_set("appendonly", "yes")


def test_an_operators_key_is_needed(redis_url: str) -> None:
    keys = (ApiKey.of("all", KEY + "1"), ApiKey.of("rest", KEY + "2", ("submit", "read", "cards", "direct")))
    client = checked_client(create_app(Settings(redis_url=redis_url, api_keys=keys)))
    assert code_of(client.get("/metrics"), 401) == "unauthenticated"
    assert code_of(client.get("/metrics", headers={"Authorization": f"Bearer {KEY}2"}), 403) == "forbidden"
    assert client.get("/metrics", headers={"Authorization": f"Bearer {KEY}1"}).status_code == 200


def test_the_document_names_every_measure(stored: CheckedClient) -> None:
    told = load_document().raw["paths"]["/metrics"]["get"]["description"]
    rows = [line for line in told.splitlines() if line.startswith("| `trull_")]
    named = set()
    for row in rows:
        first, *others = re.findall(r"`([…a-z_]+)`", row.split("|")[1])
        whole = [first, *(re.sub("^…", "trull_redis", other) for other in others)]
        named |= set(whole)
    families = text_string_to_metric_families(stored.get("/metrics").get_data(as_text=True))
    served = {
        f"{family.name}_total" if family.type == "counter" else family.name
        for family in families
        if not family.name.endswith("_created")
    }
    assert served == named
