"""The rule sets as the service shows them."""

from __future__ import annotations

import pytest

from tests.service.clients import CheckedClient, code_of, faults_of
from trull.variants import VARIANTS


def test_all_variants_are_listed_by_id(client: CheckedClient) -> None:
    page = client.get("/v1/variants").get_json()
    assert [variant["id"] for variant in page["variants"]] == sorted(VARIANTS)
    assert page["next"] is None


def test_pages_are_linked_and_hold_each_variant_once(client: CheckedClient) -> None:
    found = []
    path = "/v1/variants?limit=2"
    while True:
        response = client.get(path)
        page = response.get_json()
        found += [variant["id"] for variant in page["variants"]]
        assert len(page["variants"]) <= 2
        if page["next"] is None:
            assert "Link" not in response.headers
            break
        path = response.headers["Link"].removeprefix("<").removesuffix('>; rel="next"')
        assert path == f"/v1/variants?limit=2&cursor={page['next']}"
    assert found == sorted(VARIANTS)


@pytest.mark.parametrize("name", VARIANTS)
def test_each_is_told_in_full(client: CheckedClient, name: str) -> None:
    told = client.get(f"/v1/variants/{name}").get_json()
    variant = VARIANTS[name]
    assert (told["id"], told["revision"]) == (name, variant.revision)
    assert [row["contract"] for row in told["contracts"]] == list(variant.contracts)
    assert [row["bonus"] for row in told["bonuses"]] == list(variant.bonuses)
    assert {row["ruling"]: row["value"] for row in told["rulings"]} == dict(variant.rulings)
    assert all(row["why"] for row in told["rulings"])


@pytest.mark.parametrize("name", ["nothing", "%00", "ILLUSTRATED-BECK", "%F0%9F%83%8F", "a" * 5000])
def test_an_unknown_one(client: CheckedClient, name: str) -> None:
    assert code_of(client.get(f"/v1/variants/{name}"), 404) == "unknown-variant"


def test_a_cursor_of_no_page_begins_where_it_would_stand(client: CheckedClient) -> None:
    assert client.get("/v1/variants?cursor=zzz").get_json() == {"variants": [], "next": None}
    assert faults_of(client.get("/v1/variants?cursor=")) == [("cursor", "invalid-record")]
