"""`Idempotency-Key` over HTTP: the same call again, at once, meanwhile, and a day later."""

from __future__ import annotations

import threading
import time
from typing import Any, cast

import pytest
import redis

from records.idempotency import CLAIM_SECONDS
from tests.service.clients import CheckedClient, code_of
from tests.service.conftest import checked_client
from tests.service.document import load_document

EXAMPLES = load_document().raw["components"]["examples"]
RESULT: dict[str, Any] = EXAMPLES["ReportedResult"]["value"]
BEGUN: dict[str, Any] = EXAMPLES["JustBegun"]["value"]
NAMELESS = {name: value for name, value in RESULT.items() if name != "hand_id"}
KEY = {"Idempotency-Key": "8e03978e-40d5-43e8-bc93-6894a57f9324"}
REPLAYED = "Idempotent-Replayed"


def count(client: CheckedClient) -> int:
    return len(client.get("/v1/hands").get_json()["hands"])


def test_a_hand_without_an_id_is_made_once(stored: CheckedClient) -> None:
    first = stored.post("/v1/hands", json=NAMELESS, headers=KEY)
    again = stored.post("/v1/hands", json=NAMELESS, headers=KEY)
    assert first.status_code == again.status_code == 202
    assert first.get_json() == again.get_json()
    assert again.headers["Location"] == first.headers["Location"]
    assert (REPLAYED in first.headers, again.headers[REPLAYED]) == (False, "true")
    assert first.headers["Request-Id"] != again.headers["Request-Id"]
    assert count(stored) == 1


def test_without_a_key_there_are_two(stored: CheckedClient) -> None:
    for _ in range(2):
        assert stored.post("/v1/hands", json=NAMELESS).status_code == 202
    assert count(stored) == 2


def test_a_day_later(stored: CheckedClient, redis_client: redis.Redis) -> None:
    first = stored.post("/v1/hands", json=NAMELESS, headers=KEY)
    for key in cast(list[bytes], redis_client.keys("once:*")):
        redis_client.expire(key, redis_client.ttl(key) - 24 * 3600)
    again = stored.post("/v1/hands", json=NAMELESS, headers=KEY)
    assert (again.get_json(), again.headers[REPLAYED]) == (first.get_json(), "true")
    for key in cast(list[bytes], redis_client.keys("once:*")):
        redis_client.expire(key, 0)
    assert stored.post("/v1/hands", json=NAMELESS, headers=KEY).get_json() != first.get_json()


def test_the_same_events_once_more(stored: CheckedClient) -> None:
    """They have no event_id, so that only the key tells that they were sent before."""
    stored.post("/v1/hands", json=BEGUN)
    path = f"/v1/hands/{BEGUN['hand_id']}/events"
    body = {"events": [{"type": "passed", "player": "Cyril"}]}
    headers = {**KEY, "If-Match": '"2"'}
    first = stored.post(path, json=body, headers=headers)
    again = stored.post(path, json=body, headers=headers)
    assert first.status_code == again.status_code == 200
    assert (again.get_json(), again.headers["ETag"]) == (first.get_json(), '"3"')
    assert again.headers[REPLAYED] == "true"
    assert len(stored.get(path).get_json()["events"]) == 3
    assert code_of(stored.post(path, json=body, headers={"If-Match": '"2"'}), 412) == "version-mismatch"
    other = stored.post(path, json=body, headers={**KEY, "If-Match": '"3"'})
    assert code_of(other, 422) == "idempotency-key-reused"


def test_a_restatement_once_more(stored: CheckedClient) -> None:
    stored.post("/v1/hands", json=BEGUN)
    path = f"/v1/hands/{BEGUN['hand_id']}"
    body = {"record": {**BEGUN, "players": ["Anna", "Béla", "Dora"]}, "reason": "Dora played, not Cyril"}
    headers = {**KEY, "If-Match": '"2"'}
    first = stored.put(path, json=body, headers=headers)
    again = stored.put(path, json=body, headers=headers)
    assert (first.status_code, again.status_code, again.headers[REPLAYED]) == (200, 200, "true")
    assert again.get_json() == first.get_json()


@pytest.mark.parametrize(
    "change",
    [
        {"json": {**NAMELESS, "labels": ["final"]}},
        {"query_string": {"on_illegal": "flag"}},
        {"json": {}},
    ],
)
def test_another_request_under_the_same_key(stored: CheckedClient, change: dict[str, Any]) -> None:
    stored.post("/v1/hands", json=NAMELESS, headers=KEY)
    other = stored.post("/v1/hands", **{"json": NAMELESS, **change}, headers=KEY)
    assert code_of(other, 422) == "idempotency-key-reused"
    assert count(stored) == 1


def test_a_refusal_is_kept_too(stored: CheckedClient) -> None:
    body = {**RESULT, "events": [{**RESULT["events"][0], "card_points": 71}]}
    first = stored.post("/v1/hands", json=body, headers=KEY)
    again = stored.post("/v1/hands", json=body, headers=KEY)
    assert code_of(first, 422) == code_of(again, 422) == "inconsistent-result"
    assert (again.get_json(), again.headers[REPLAYED]) == (first.get_json(), "true")
    assert again.headers["Content-Type"] == "application/problem+json"


def test_a_body_that_is_no_json(stored: CheckedClient) -> None:
    for replayed in (False, True):
        response = stored.post("/v1/hands", data="{", content_type="application/json", headers=KEY)
        assert code_of(response, 400) == "malformed-json"
        assert (REPLAYED in response.headers) == replayed


def test_what_the_store_refused_is_tried_again(stored: CheckedClient, redis_client: redis.Redis) -> None:
    redis_client.config_set("min-replicas-to-write", 1)
    try:
        assert code_of(stored.post("/v1/hands", json=RESULT, headers=KEY), 503) == "store-unavailable"
    finally:
        redis_client.config_set("min-replicas-to-write", 0)
    again = stored.post("/v1/hands", json=RESULT, headers=KEY)
    assert (again.status_code, REPLAYED in again.headers) == (202, False)


def test_a_fault_of_ours_is_tried_again(stored: CheckedClient, redis_client: redis.Redis) -> None:
    hand = "{t02}:hand:default:club-2026-11-29-t3-h07"
    redis_client.set(hand, "no list")
    assert code_of(stored.post("/v1/hands", json=RESULT, headers=KEY), 500) == "internal-error"
    redis_client.delete(hand)
    assert stored.post("/v1/hands", json=RESULT, headers=KEY).status_code == 202


def test_while_the_first_is_running(stored: CheckedClient) -> None:
    """It waits for a sheet that no worker makes."""
    answers = []

    def first() -> None:
        client = checked_client(stored.application)
        answers.append(client.post("/v1/hands", json=NAMELESS, headers={**KEY, "Prefer": "wait=2"}))

    thread = threading.Thread(target=first)
    thread.start()
    time.sleep(0.5)
    meanwhile = stored.post("/v1/hands", json=NAMELESS, headers=KEY)
    assert code_of(meanwhile, 409) == "request-in-progress"
    assert int(meanwhile.headers["Retry-After"]) >= 1
    thread.join()
    after = stored.post("/v1/hands", json=NAMELESS, headers=KEY)
    assert (after.status_code, after.get_json()) == (answers[0].status_code, answers[0].get_json())
    assert count(stored) == 1


def test_a_call_never_outlives_its_claim(stored: CheckedClient) -> None:
    assert stored.application.extensions["trull"].settings.max_wait_seconds + 3 < CLAIM_SECONDS


@pytest.mark.parametrize("key", ["", " ", "a b", "é", "x" * 256, "tab\tinside"])
def test_what_is_no_key(stored: CheckedClient, key: str) -> None:
    response = stored.post("/v1/hands", json=RESULT, headers={"Idempotency-Key": key})
    assert code_of(response, 400) == "bad-request"
    assert count(stored) == 0


@pytest.mark.parametrize("key", ["k", "x" * 255, '"', '""', "~!,;:"])
def test_what_is_a_key(stored: CheckedClient, key: str) -> None:
    headers = {"Idempotency-Key": key}
    first = stored.post("/v1/hands", json=NAMELESS, headers=headers)
    again = stored.post("/v1/hands", json=NAMELESS, headers=headers)
    assert (first.status_code, again.get_json()) == (202, first.get_json())


def test_quotes_around_a_key_may_be_left_out(stored: CheckedClient) -> None:
    first = stored.post("/v1/hands", json=NAMELESS, headers={"Idempotency-Key": '"k"'})
    again = stored.post("/v1/hands", json=NAMELESS, headers={"Idempotency-Key": "k"})
    assert again.get_json() == first.get_json()


def test_the_store_is_away(client: CheckedClient) -> None:
    assert code_of(client.post("/v1/hands", json=RESULT, headers=KEY), 503) == "store-unavailable"
