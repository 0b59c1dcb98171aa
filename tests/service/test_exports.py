"""Hands exported over HTTP, and taken back; tests/e2e/test_import_export.py has a whole service's."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.service.clients import CheckedClient, code_of, faults_of
from tests.service.live_hands import BEGUN, RESULT, WHOLE, add, as_key, begin, keyed_client, part, restate

NDJSON = "application/x-ndjson"
EXPORT = "/v1/hands:export"


def exported(client: CheckedClient, query: str = "", **options: Any) -> list[dict[str, Any]]:
    response = client.get(f"{EXPORT}?{query}" if query else EXPORT, **options)
    assert response.status_code == 200, response.get_data(as_text=True)
    assert response.mimetype == NDJSON
    return [json.loads(line) for line in response.get_data().splitlines()]


def named(hand_id: str, **changes: Any) -> dict[str, Any]:
    return {**RESULT, "hand_id": hand_id, **changes}


def test_what_was_sent_comes_back(stored: CheckedClient) -> None:
    records = [named("a", labels=["final"], table="3", played_at="2026-01-01T20:00:00+01:00"), WHOLE, BEGUN]
    for record in records:
        begin(stored, record)
    found = {record["hand_id"]: record for record in exported(stored)}
    assert found == {record["hand_id"]: record for record in records}


def test_of_an_empty_store_there_is_nothing(stored: CheckedClient) -> None:
    assert exported(stored) == []


def test_many_hands_come_each_once(stored: CheckedClient) -> None:
    ids = [f"h-{number}" for number in range(130)]
    for hand_id in ids:
        begin(stored, named(hand_id))
    assert sorted(record["hand_id"] for record in exported(stored)) == sorted(ids)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("session_id=s", ["a"]),
        ("player=Dora", ["b"]),
        ("variant=illustrated-beck", ["c"]),
        ("status=annulled", ["d"]),
        ("label=final", ["a", "b"]),
        ("label=final&player=Dora", ["b"]),
        ("played_from=2026-01-01T00:00:00Z&played_to=2026-01-02T00:00:00Z", ["c"]),
        ("player=Nobody", []),
    ],
)
def test_filters_are_those_of_the_list(stored: CheckedClient, query: str, expected: list[str]) -> None:
    event = {**RESULT["events"][0], "declarer": "Dora", "bonuses": []}
    begin(stored, named("a", session_id="s", labels=["final"]))
    begin(stored, named("b", players=["Dora", "Béla", "Cyril"], events=[event], labels=["final"]))
    begin(stored, named("c", variant="illustrated-beck", played_at="2026-01-01T20:00:00Z"))
    begin(stored, named("d", events=[{"type": "hand_annulled", "reason": "misdeal"}]))
    assert sorted(record["hand_id"] for record in exported(stored, query)) == expected
    listed = stored.get(f"/v1/hands?{query}").get_json()["hands"]
    assert sorted(hand["hand_id"] for hand in listed) == expected


@pytest.mark.parametrize(
    ("query", "where"),
    [("with=all", "with"), ("limit=10", "limit"), ("cursor=x", "cursor"), ("status=lost", "status")],
)
def test_other_parameters(stored: CheckedClient, query: str, where: str) -> None:
    response = stored.get(f"{EXPORT}?{query}")
    assert code_of(response, 422) == "invalid-record"
    assert faults_of(response) == [(where, "invalid-record")]


def test_a_variant_that_nobody_knows(stored: CheckedClient) -> None:
    assert code_of(stored.get(f"{EXPORT}?variant=whist"), 404) == "unknown-variant"


def test_the_store_is_away(client: CheckedClient) -> None:
    assert code_of(client.get(EXPORT), 503) == "store-unavailable"


def test_the_whole_log_is_in_it(stored: CheckedClient) -> None:
    """What was retracted and restated, by whom and when: and it is taken back as it is."""
    path = begin(stored, BEGUN)
    restate(stored, path, 2, {**BEGUN, "players": ["Anna", "Béla", "Dora"]})
    add(stored, path, 3, {"type": "passed", "player": "Dora"})
    add(stored, path, 4, {"type": "event_retracted", "seq": 4, "reason": "a slip"})
    log = stored.get(f"{path}/events").get_json()["events"]
    (plain,), (full,) = exported(stored), exported(stored, "with=log")
    assert plain["events"] == [entry["event"] for entry in log]
    assert [event["type"] for event in plain["events"]][2:] == ["hand_restated", "passed", "event_retracted"]
    assert plain["players"] == BEGUN["players"]
    assert [run["events"] for run in full.pop("log")] == [2, 1, 1, 1]
    assert full == plain


def test_times_and_actors_need_admin(redis_url: str) -> None:
    client = keyed_client(redis_url)
    begin(client, RESULT, headers=as_key("sender"))
    assert len(exported(client, headers=as_key("reader"))) == 1
    refused = client.get(f"{EXPORT}?with=log", headers=as_key("director"))
    assert code_of(refused, 403) == "forbidden"
    (record,) = exported(client, "with=log", headers=as_key("operator"))
    assert [(run["events"], run["actor"]) for run in record["log"]] == [(1, "sender")]


def test_cards_of_live_hands_stay_hidden(redis_url: str) -> None:
    """Such a line is no record: nobody can take it for one."""
    client = keyed_client(redis_url)
    begin(client, part(WHOLE, 3), headers=as_key("table"))
    (open_,) = exported(client, headers=as_key("table"))
    assert open_ == part(WHOLE, 3)
    for name, seen in (("reader", ()), ("bela", ("Béla",)), ("table", ("Anna", "Béla", "Cyril"))):
        (record,) = exported(client, headers=as_key(name))
        deal = record["events"][0]
        assert {player for player, cards in deal["hands"].items() if isinstance(cards, list)} == set(seen)
        assert isinstance(deal["talon"], list) == (name == "table")
        line = json.dumps({**record, "hand_id": "again"}).encode()
        answer = client.post("/v1/hands:import", data=line, content_type=NDJSON, headers=as_key("sender"))
        assert json.loads(answer.get_data())["status"] == (202 if name == "table" else 422)


def test_what_was_exported_is_there_already(stored: CheckedClient) -> None:
    path = begin(stored, BEGUN)
    restate(stored, path, 2, {**BEGUN, "players": ["Anna", "Béla", "Dora"]})
    begin(stored, RESULT)
    for query in ("", "?with=log"):
        lines = stored.get(EXPORT + query).get_data()
        answer = stored.post("/v1/hands:import", data=lines, content_type=NDJSON)
        assert [json.loads(line)["status"] for line in answer.get_data().splitlines()] == [200, 200]
