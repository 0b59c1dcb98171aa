"""Lists of hands: filters, pages, and what cannot be asked for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.service.clients import CheckedClient, code_of, faults_of
from tests.service.document import load_document

EXAMPLES: dict[str, Any] = load_document().raw["components"]["examples"]
RESULT: dict[str, Any] = EXAMPLES["ReportedResult"]["value"]
BEGUN: dict[str, Any] = EXAMPLES["JustBegun"]["value"]


def changed(record: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {**record, **fields}


@pytest.fixture
def listed(stored: CheckedClient) -> CheckedClient:
    """Seven hands that differ in what a list can be narrowed to."""
    stored.post("/v1/hands", json=changed(BEGUN, hand_id="h1", session_id="s1"))
    stored.post("/v1/hands", json=changed(RESULT, hand_id="h2", session_id="s1", labels=["final", "x"]))
    stored.post("/v1/hands", json=changed(RESULT, hand_id="h3", played_at="2026-11-29T23:30:00-01:00"))
    stored.post("/v1/hands", json=changed(RESULT, hand_id="h4", played_at="2026-11-30T00:00:00Z"))
    stored.post("/v1/hands", json=changed(BEGUN, hand_id="h5", variant="illustrated-beck"))
    dora = [{"type": "passed", "player": "Dora"}, {"type": "hand_annulled", "reason": "misdeal"}]
    stored.post("/v1/hands", json=changed(BEGUN, hand_id="h6", players=["Dora", "Eva", "Fritz"], events=dora))
    stored.post("/v1/hands", json=changed(RESULT, hand_id="h7", session_id="s1", labels=["final"]))
    return stored


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", "1234567"),
        ("session_id=s1", "127"),
        ("session_id=none", ""),
        ("player=Anna", "123457"),
        ("player=Eva", "6"),
        ("player=anna", ""),
        ("variant=illustrated-beck", "5"),
        ("status=scored", "2347"),
        ("status=incomplete", "15"),
        ("status=annulled", "6"),
        ("label=final", "27"),
        ("label=x", "2"),
        ("played_from=2026-11-30T00:15:00Z", "3"),
        ("played_to=2026-11-30T01:15:00%2B01:00", "4"),
        ("played_from=2026-11-30T00:00:00Z&played_to=2026-11-30T00:30:00Z", "4"),
        ("session_id=s1&status=scored&label=final&player=B%C3%A9la", "27"),
    ],
)
def test_filters(listed: CheckedClient, query: str, found: str) -> None:
    page = listed.get(f"/v1/hands?{query}").get_json()
    assert [hand["hand_id"] for hand in page["hands"]] == [f"h{number}" for number in found]
    assert page["next"] is None


@pytest.mark.parametrize("query", ["", "session_id=s1", "status=scored", "player=Anna&label=final"])
def test_pages_together_are_the_whole(listed: CheckedClient, query: str) -> None:
    whole = listed.get(f"/v1/hands?{query}").get_json()["hands"]
    for limit in (1, 2, 3):
        found: list[Any] = []
        path = f"/v1/hands?{query}{'&' if query else ''}limit={limit}"
        while path:
            response = listed.get(path)
            page = response.get_json()
            assert len(page["hands"]) <= limit
            found += page["hands"]
            link = response.headers.get("Link", "")
            assert bool(link) == (page["next"] is not None)
            path = link.removeprefix("<").removesuffix('>; rel="next"')
        assert found == whole


def test_what_a_list_tells_of_a_hand(listed: CheckedClient) -> None:
    [hand] = listed.get("/v1/hands?label=x").get_json()["hands"]
    assert hand.pop("recorded_at").endswith("Z")
    assert hand == {
        "hand_id": "h2",
        "variant": RESULT["variant"],
        "players": ["Anna", "Béla", "Cyril"],
        "status": "scored",
        "version": 1,
        "session_id": "s1",
        "table": None,
        "round": None,
        "number": None,
        "played_at": None,
        "labels": ["final", "x"],
    }


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ("cursor=nonsense", "cursor"),
        ("cursor=%F0%9F%83%8F", "cursor"),
        ("played_from=2026-11-29", "played_from"),
        ("played_to=yesterday", "played_to"),
        ("played_to=2026-11-30T01:15:00+01:00", "played_to"),
        ("status=won", "status"),
        ("session_id=a%20b", "session_id"),
        ("session_id=", "session_id"),
        ("player=", "player"),
        ("label=" + "x" * 65, "label"),
        ("limit=1001", "limit"),
    ],
)
def test_what_no_list_can_be_narrowed_to(stored: CheckedClient, query: str, parameter: str) -> None:
    response = stored.get(f"/v1/hands?{query}")
    assert code_of(response, 422) == "invalid-record"
    assert faults_of(response) == [(parameter, "invalid-record")]


def test_an_unknown_variant(stored: CheckedClient) -> None:
    assert code_of(stored.get("/v1/hands?variant=none"), 404) == "unknown-variant"
