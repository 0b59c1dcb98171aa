"""Hands under house rules, from one service to another."""

from __future__ import annotations

import json
from typing import Any

import pytest
import redis
from werkzeug.test import TestResponse

from tests.service.clients import CheckedClient, code_of, faults_of
from tests.service.live_hands import RESULT, accepted, as_key, begin, keyed_client, restate, score_all
from workers.jobs import import_with

CLUB: dict[str, Any] = {
    "id": "house-club",
    "name": "Our club",
    "base": "house-a-town",
    "contracts": {"zweiblatt": {"multiplier": 3}},
}
TOWN: dict[str, Any] = {
    "id": "house-a-town",
    "name": "Our town",
    "base": "illustrated-mayr-sedlaczek-2016",
    "rulings": {"failed_bonus_multiplied": False},
}
HAND: dict[str, Any] = {**RESULT, "hand_id": "h1"}


@pytest.fixture
def house(stored: CheckedClient) -> CheckedClient:
    """A service with both rule sets, and a hand that was told anew under the club's."""
    for rules in (TOWN, CLUB):
        assert stored.post("/v1/variants", json=rules).status_code == 201
    path = begin(stored, HAND)
    accepted(restate(stored, path, 1, {**HAND, "variant": "house-club"}), 2, "scored")
    return stored


def lines_of(response: TestResponse) -> list[dict[str, Any]]:
    assert response.status_code == 200
    return [json.loads(line) for line in response.get_data().splitlines()]


def as_lines(*values: dict[str, Any]) -> dict[str, Any]:
    """A body of lines, for the test client."""
    data = b"".join(json.dumps(value).encode() + b"\n" for value in values)
    return {"data": data, "content_type": "application/x-ndjson"}


def test_a_hand_is_told_anew_and_scored_under_them(house: CheckedClient, redis_client: redis.Redis) -> None:
    score_all(redis_client)
    sheet = house.get("/v1/hands/h1/score").get_json()
    revision = house.get("/v1/variants/house-club").get_json()["revision"]
    assert (sheet["variant"], sheet["variant_revision"]) == ("house-club", revision)
    assert sheet == {**house.post("/v1/score?variant=house-club", json=HAND).get_json(), "version": 2}


def test_the_feed_tells_when_they_were_made(house: CheckedClient) -> None:
    items = house.get("/v1/events").get_json()["events"]
    assert sorted(item.get("variant_id", item["type"]) for item in items) == [
        "hand.event",
        "hand.event",
        "house-a-town",
        "house-club",
    ]
    assert {item["type"] for item in items} == {"hand.event", "variant.made"}


class TestElsewhere:
    @pytest.fixture
    def exported(self, house: CheckedClient, redis_client: redis.Redis) -> TestResponse:
        """The export, and nothing left where it came from."""
        response = house.get("/v1/hands:export")
        redis_client.flushall()
        return response

    @pytest.fixture
    def elsewhere(self, redis_url: str) -> CheckedClient:
        """A service of other processes, which have not heard of any of this."""
        return keyed_client(redis_url)

    def test_an_export_begins_with_them_and_what_they_build_on(self, exported: TestResponse) -> None:
        town, club, hand = lines_of(exported)
        assert [(rules["id"], rules["base"]) for rules in (town, club)] == [
            ("house-a-town", TOWN["base"]),
            ("house-club", "house-a-town"),
        ]
        assert (hand["hand_id"], hand["variant"]) == ("h1", HAND["variant"])

    def test_at_once(self, exported: TestResponse, elsewhere: CheckedClient) -> None:
        body = {"data": exported.get_data(), "content_type": "application/x-ndjson"}
        told = lines_of(elsewhere.post("/v1/hands:import", headers=as_key("director"), **body))
        assert told == [
            {"line": 1, "hand_id": None, "variant": "house-a-town", "status": 201},
            {"line": 2, "hand_id": None, "variant": "house-club", "status": 201},
            {"line": 3, "hand_id": "h1", "status": 202},
        ]
        again = lines_of(elsewhere.post("/v1/hands:import", headers=as_key("director"), **body))
        assert [line["status"] for line in again] == [200, 200, 200]
        hand = elsewhere.get("/v1/hands/h1", headers=as_key("director")).get_json()
        assert hand["variant"] == "house-club"

    def test_as_an_upload(
        self, exported: TestResponse, elsewhere: CheckedClient, redis_client: redis.Redis
    ) -> None:
        """They are there before the first chunk is done: workers may do the chunks in any order."""
        body = {"data": exported.get_data(), "content_type": "application/x-ndjson"}
        accepted = elsewhere.post("/v1/imports", headers=as_key("director"), **body)
        assert accepted.status_code == 202
        assert elsewhere.get("/v1/variants/house-club", headers=as_key("reader")).status_code == 200
        import_with(redis_client)
        state = elsewhere.get(accepted.headers["Location"], headers=as_key("director")).get_json()
        assert (state["status"], state["created"], state["existing"], state["failed"]) == ("done", 3, 0, 0)


def test_lines_of_house_rules_are_refused_each_by_itself(stored: CheckedClient) -> None:
    wrong = {**TOWN, "rulings": {"nothing": 1}, "name": 7}
    other = {**TOWN, "name": "Another town"}
    unread = {**TOWN, "id": 7, "base": "house-nobody"}
    lines = as_lines(wrong, CLUB, TOWN, other, unread, {**HAND, "variant": "house-a-town"})
    told = lines_of(stored.post("/v1/hands:import", **lines))
    assert [line["status"] for line in told] == [422, 422, 201, 409, 422, 202]
    assert [line.get("variant") for line in told] == [
        "house-a-town",
        "house-club",
        "house-a-town",
        "house-a-town",
        None,
        None,
    ]
    pointers = [[fault["pointer"] for fault in line["problem"]["errors"]] for line in told[:2]]
    assert pointers == [["/name", "/rulings/nothing"], ["/base"]]
    assert told[3]["problem"]["type"] == "urn:trull:problem:variant-exists"


def test_a_line_that_only_looks_like_them(stored: CheckedClient) -> None:
    lines = {"data": b'{"base": \n["base"]\n', "content_type": "application/x-ndjson"}
    told = lines_of(stored.post("/v1/hands:import", **lines))
    assert [line["status"] for line in told] == [400, 422]


def test_to_make_them_needs_a_key_that_submits(stored: CheckedClient, redis_url: str) -> None:
    keyed = keyed_client(redis_url)
    assert code_of(keyed.post("/v1/variants", json=TOWN, headers=as_key("reader")), 403) == "forbidden"
    assert keyed.post("/v1/variants", json=TOWN, headers=as_key("sender")).status_code == 201


def test_a_restatement_names_rules_that_are_there(stored: CheckedClient) -> None:
    path = begin(stored, HAND)
    refused = restate(stored, path, 1, {**HAND, "variant": "house-nobody"})
    assert faults_of(refused) == [("/record/variant", "invalid-record")]
