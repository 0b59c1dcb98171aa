"""The rule sets as the service shows them."""

from __future__ import annotations

from typing import Any

import pytest
import redis

from service.app import create_app
from service.config import Settings
from tests.service.clients import CheckedClient, code_of, faults_of
from tests.service.conftest import checked_client
from trull.variants import VARIANTS

CLUB: dict[str, Any] = {
    "id": "house-club",
    "name": "Our club",
    "base": "illustrated-mayr-sedlaczek-2016",
    "rulings": {"failed_bonus_multiplied": False},
    "contracts": {"zweiblatt": {"multiplier": 3}},
}
LOST: dict[str, Any] = {
    "hand_id": "h1",
    "variant": "illustrated-mayr-sedlaczek-2016",
    "players": ["A", "B", "C"],
    "events": [
        {
            "type": "result_reported",
            "declarer": "A",
            "contract": "zweiblatt",
            "card_points": 37,
            "bonuses": [{"bonus": "pagat", "player": "A", "stage": "after_pickup", "made": False}],
        }
    ],
}
"""(5 + 2) times the multiplier for A; 10 each for the lost Pagat (IT-7.7), multiplied or not."""


def test_all_variants_are_listed_by_id(stored: CheckedClient) -> None:
    page = stored.get("/v1/variants").get_json()
    assert [variant["id"] for variant in page["variants"]] == sorted(VARIANTS)
    assert page["next"] is None


def test_pages_are_linked_and_hold_each_variant_once(stored: CheckedClient) -> None:
    for name in ("house-a", "house-z"):
        assert stored.post("/v1/variants", json={**CLUB, "id": name}).status_code == 201
    found = []
    path = "/v1/variants?limit=2"
    while True:
        response = stored.get(path)
        page = response.get_json()
        found += [variant["id"] for variant in page["variants"]]
        assert len(page["variants"]) <= 2
        if page["next"] is None:
            assert "Link" not in response.headers
            break
        path = response.headers["Link"].removeprefix("<").removesuffix('>; rel="next"')
        assert path == f"/v1/variants?limit=2&cursor={page['next']}"
    assert found == sorted([*VARIANTS, "house-a", "house-z"])


@pytest.mark.parametrize("name", VARIANTS)
def test_each_is_told_in_full(client: CheckedClient, name: str) -> None:
    told = client.get(f"/v1/variants/{name}").get_json()
    variant = VARIANTS[name]
    assert (told["id"], told["revision"]) == (name, variant.revision)
    assert [row["contract"] for row in told["contracts"]] == list(variant.contracts)
    assert [row["bonus"] for row in told["bonuses"]] == list(variant.bonuses)
    assert {row["ruling"]: row["value"] for row in told["rulings"]} == dict(variant.rulings)
    assert all(row["why"] for row in told["rulings"])
    assert (told["base"], told["overrides"]) == (None, None)


@pytest.mark.parametrize("name", ["nothing", "%00", "ILLUSTRATED-BECK", "%F0%9F%83%8F", "a" * 5000])
def test_an_unknown_one(client: CheckedClient, name: str) -> None:
    assert code_of(client.get(f"/v1/variants/{name}"), 404) == "unknown-variant"


def test_a_cursor_of_no_page_begins_where_it_would_stand(stored: CheckedClient) -> None:
    assert stored.get("/v1/variants?cursor=zzz").get_json() == {"variants": [], "next": None}
    assert faults_of(stored.get("/v1/variants?cursor=")) == [("cursor", "invalid-record")]


class TestHouseRules:
    def test_made_once_and_read_back(self, stored: CheckedClient) -> None:
        made = stored.post("/v1/variants", json=CLUB)
        assert made.status_code == 201
        assert made.headers["Location"] == "/v1/variants/house-club"
        told = made.get_json()
        assert stored.get("/v1/variants/house-club").get_json() == told
        assert told["overrides"] == {name: CLUB.get(name, {}) for name in ("rulings", "contracts", "bonuses")}
        assert (told["base"], told["name"]) == (CLUB["base"], "Our club")
        assert [row["multiplier"] for row in told["contracts"]] == [1, 3, 3, 4]
        assert told["revision"] != VARIANTS[CLUB["base"]].revision

    def test_the_same_again_and_another_one(self, stored: CheckedClient) -> None:
        first = stored.post("/v1/variants", json=CLUB)
        same = {**CLUB, "bonuses": None, "contracts": {"zweiblatt": {"multiplier": 3.0}, "solo": {}}}
        again = stored.post("/v1/variants", json=same)
        assert (again.status_code, again.get_json()) == (200, first.get_json())
        for other in (
            {**CLUB, "name": "Another"},
            {**CLUB, "rulings": {}},
            {**CLUB, "base": "illustrated-beck"},
        ):
            assert code_of(stored.post("/v1/variants", json=other), 409) == "variant-exists"
        assert stored.get("/v1/variants/house-club").get_json() == first.get_json()

    def test_other_processes_know_it_at_once(self, stored: CheckedClient, redis_url: str) -> None:
        other = checked_client(create_app(Settings(redis_url=redis_url)))
        assert code_of(other.get("/v1/variants/house-club"), 404) == "unknown-variant"
        stored.post("/v1/variants", json=CLUB)
        assert other.get("/v1/variants/house-club").status_code == 200

    def test_all_faults_at_once(self, stored: CheckedClient) -> None:
        body = {
            "id": "club",
            "name": "",
            "base": "illustrated-beck",
            "rulings": {"recontra": 3, "nonsense": 1},
            "bonuses": {"pagat": {"values": {"before": -1}}},
            "colour": "red",
        }
        response = stored.post("/v1/variants", json=body)
        assert code_of(response, 422) == "invalid-record"
        assert {where for where, _ in faults_of(response)} == {
            "/id",
            "/name",
            "/rulings/recontra",
            "/rulings/nonsense",
            "/bonuses/pagat/values/before",
            "/colour",
        }
        assert stored.get("/v1/variants/club").status_code == 404

    @pytest.mark.parametrize("base", ["illustrated-nobody", "house-nobody"])
    def test_a_base_that_is_not_there(self, stored: CheckedClient, base: str) -> None:
        response = stored.post("/v1/variants", json={**CLUB, "base": base})
        assert code_of(response, 422) == "invalid-record"
        assert faults_of(response)[0] == ("/base", "invalid-record")

    def test_they_build_on_each_other_up_to_a_depth(self, stored: CheckedClient, redis_url: str) -> None:
        base = "illustrated-beck"
        body: dict[str, Any]
        for depth in range(1, 9):
            rulings = {"contra_after": depth}
            body = {"id": f"house-{depth}", "name": "x", "base": base, "rulings": rulings}
            assert stored.post("/v1/variants", json=body).status_code == 201
            base = body["id"]
        response = stored.post("/v1/variants", json={"id": "house-9", "name": "x", "base": base})
        assert faults_of(response) == [("/base", "invalid-record")]
        fresh = checked_client(create_app(Settings(redis_url=redis_url)))
        told = fresh.get("/v1/variants/house-8").get_json()
        assert {row["ruling"]: row["value"] for row in told["rulings"]}["contra_after"] == 8

    def test_it_serves_wherever_a_variant_does(self, stored: CheckedClient) -> None:
        revision = stored.post("/v1/variants", json=CLUB).get_json()["revision"]
        scores = {"A": 21, "B": 10, "C": 10}
        own = stored.post("/v1/score", json={**LOST, "variant": "house-club"}).get_json()
        under = stored.post("/v1/score?variant=house-club", json=LOST).get_json()
        names = ["house-club", "illustrated-mayr-sedlaczek-2016"]
        compared = stored.post("/v1/score:compare", json={"record": LOST, "variants": names}).get_json()
        for sheet in (own, under, compared["sheets"][0]):
            assert (sheet["variant"], sheet["variant_revision"]) == ("house-club", revision)
            assert sheet["scores"] == scores
        assert compared["sheets"][1]["scores"] == {"A": 14, "B": 20, "C": 20}

    def test_hands_are_kept_under_it(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        stored.post("/v1/variants", json=CLUB)
        assert stored.post("/v1/hands", json={**LOST, "variant": "house-club"}).status_code == 202
        assert stored.post("/v1/hands", json={**LOST, "hand_id": "h2"}).status_code == 202
        assert stored.get("/v1/hands/h1").get_json()["variant"] == "house-club"
        listed = stored.get("/v1/hands?variant=house-club").get_json()["hands"]
        assert [hand["hand_id"] for hand in listed] == ["h1"]
        assert code_of(stored.get("/v1/hands?variant=house-x"), 404) == "unknown-variant"
        sheet = stored.get("/v1/hands/h2/score?variant=house-club").get_json()
        assert sheet["scores"] == {"A": 21, "B": 10, "C": 10}

    def test_an_unknown_one_in_a_record(self, client: CheckedClient, stored: CheckedClient) -> None:
        response = stored.post("/v1/score", json={**LOST, "variant": "house-x"})
        assert faults_of(response) == [("/variant", "invalid-record")]
        # What cannot be a house's id is not asked for.
        for name in ("house-X", "house-", "nobody", "house-\u0000"):
            response = client.post("/v1/score", json={**LOST, "variant": name})
            assert faults_of(response) == [("/variant", "invalid-record")]
