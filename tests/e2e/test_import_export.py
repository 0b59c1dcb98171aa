"""What one service exports, another one takes in: the same hands, versions, sheets, and times and actors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.service.live_hands import BEGUN, RESULT, WHOLE, part
from tests.support.hand_records import played
from tests.support.processes import RunningService, wait_until
from trull.variants import VARIANTS

NDJSON = {"Content-Type": "application/x-ndjson"}
KEYS = {"TRULL_API_KEYS": "club:club-0123456789abcdef,table-3:table-3-0123456789abcdef:submit+read+cards"}

HOUSE: dict[str, Any] = {
    "id": "house-club",
    "name": "Our club",
    "base": "illustrated-beck",
    "contracts": {"zweiblatt": {"stakes": {"called": 7}}},
}


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service that has hands of every kind, with all their sheets."""
    with RunningService(tmp_path_factory.mktemp("one"), KEYS) as service:
        with as_key(service, "table-3") as table, as_key(service, "club") as club:
            fill(table, club)
        wait_for_sheets(service)
        yield service


@pytest.fixture(scope="module")
def _other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with RunningService(tmp_path_factory.mktemp("other"), KEYS) as service:
        yield service


@pytest.fixture
def other(_other: RunningService) -> RunningService:
    """A service without any hand."""
    with _other.redis.client() as client:
        for key in client.keys("{t*"):
            client.delete(key)
    return _other


def as_key(service: RunningService, name: str) -> httpx.Client:
    key = {"Authorization": f"Bearer {name}-0123456789abcdef"}
    return httpx.Client(base_url=service.base_url, headers=key, timeout=30)


def fill(table: httpx.Client, club: httpx.Client) -> None:
    """Hands of all rule sets and of house rules, whole, reported, begun, corrected, restated and broken."""
    assert club.post("/v1/variants", json=HOUSE).status_code == 201
    post(table, {**RESULT, "hand_id": "at-home", "variant": HOUSE["id"]})
    for variant in VARIANTS:
        for seed in range(3):
            place: dict[str, Any] = {
                "session_id": "evening",
                "table": "3",
                "round": 1,
                "number": seed + 1,
                "labels": ["a b"],
            }
            post(table, played(variant, seed, hand_id=f"{variant}.{seed}", **place).as_dict())
    post(table, {**RESULT, "hand_id": "reported", "played_at": "2026-01-01T20:00:00.5+01:00"})
    post(table, {**BEGUN, "hand_id": "begun"})
    add(table, "begun", {"type": "passed", "player": "Cyril", "event_id": "3", "note": "très vite"})
    post(table, {**part(WHOLE, 6), "hand_id": "live"})
    for event in WHOLE["events"][6:10]:
        add(table, "live", {**event, "at": "2026-11-29T21:00:00+01:00"})
    post(table, {**WHOLE, "hand_id": "corrected"})
    add(club, "corrected", {"type": "penalty_assessed", "player": "Anna", "points": -5, "reason": "late"})
    add(club, "corrected", {"type": "event_retracted", "seq": len(WHOLE["events"]) + 1, "reason": "not late"})
    post(table, {**RESULT, "hand_id": "restated"})
    for players, session in ((["Anna", "Béla", "Dora"], None), (["Anna", "Béla", "Émile"], "evening")):
        told = {**RESULT, "hand_id": "restated", "players": players, "session_id": session}
        put(club, "restated", told)
    add(club, "restated", {"type": "event_retracted", "seq": 3, "reason": "it was Dora"})
    post(table, {**BEGUN, "hand_id": "annulled"})
    add(club, "annulled", {"type": "hand_annulled", "reason": "director"})
    for name in ("broken", "healed"):
        wrong = {**BEGUN, "hand_id": name, "events": [*BEGUN["events"], {"type": "passed", "player": "Anna"}]}
        assert table.post("/v1/hands?on_illegal=flag", json=wrong).status_code == 202
    add(club, "healed", {"type": "event_retracted", "seq": 3, "reason": "it was not her turn"})


def post(http: httpx.Client, record: dict[str, Any]) -> None:
    response = http.post("/v1/hands", json=record)
    assert response.status_code == 202, response.text


def add(http: httpx.Client, hand_id: str, event: dict[str, Any]) -> None:
    path = f"/v1/hands/{hand_id}"
    headers = {"If-Match": http.get(path).headers["ETag"]}
    response = http.post(f"{path}/events", json={"events": [event]}, headers=headers)
    assert response.status_code == 200, response.text


def put(http: httpx.Client, hand_id: str, record: dict[str, Any]) -> None:
    path = f"/v1/hands/{hand_id}"
    headers = {"If-Match": http.get(path).headers["ETag"]}
    response = http.put(path, json={"record": record, "reason": "another player"}, headers=headers)
    assert response.status_code == 200, response.text


def wait_for_sheets(service: RunningService) -> None:
    with service.redis.client() as client:
        wait_until(lambda: not client.keys("*:due"), "all sheets are made")


def export(service: RunningService, query: str = "") -> bytes:
    with as_key(service, "club") as http:
        response = http.get(f"/v1/hands:export{query}")
        assert response.status_code == 200, response.text
        return response.content


def run_import(service: RunningService, lines: bytes) -> list[dict[str, Any]]:
    """Upload the lines and wait for what becomes of each."""
    with as_key(service, "club") as http:
        accepted = http.post("/v1/imports?on_illegal=flag", content=lines, headers=NDJSON)
        assert accepted.status_code == 202, accepted.text
        path = accepted.headers["Location"]
        wait_until(lambda: http.get(path).json()["status"] == "done", "the import is done")
        results = http.get(f"{path}/results").content.splitlines()
    wait_for_sheets(service)
    return [json.loads(line) for line in results]


def told(service: RunningService) -> dict[str, dict[str, Any]]:
    """All that the service says of each hand."""
    hands = {}
    with as_key(service, "club") as http:
        for summary in http.get("/v1/hands?limit=1000").json()["hands"]:
            path = f"/v1/hands/{summary['hand_id']}"
            views = {view: http.get(f"{path}{view}").json() for view in ("", "/events", "/score")}
            hands[summary["hand_id"]] = {"summary": summary, **views}
    return hands


def without_times(hands: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    for hand in hands.values():
        del hand["summary"]["recorded_at"]
        for entry in hand["/events"]["events"]:
            del entry["recorded_at"], entry["actor"]
    return hands


def test_with_the_log_all_is_the_same(one: RunningService, other: RunningService) -> None:
    lines = export(one, "?with=log")
    outcomes = run_import(other, lines)
    assert {outcome["status"] for outcome in outcomes} == {201, 202}, outcomes
    before, after = told(one), told(other)
    assert len(before) == len(outcomes) - 1 == 3 * len(VARIANTS) + 9
    assert after == before
    actors = {entry["actor"] for hand in after.values() for entry in hand["/events"]["events"]}
    assert actors == {"table-3", "club"}
    assert sorted(export(other, "?with=log").splitlines()) == sorted(lines.splitlines())


def test_without_it_all_but_times_and_actors(one: RunningService, other: RunningService) -> None:
    lines = export(one)
    outcomes = run_import(other, lines)
    assert {outcome["status"] for outcome in outcomes} == {201, 202}, outcomes
    assert without_times(told(other)) == without_times(told(one))
    assert sorted(export(other).splitlines()) == sorted(lines.splitlines())


def test_a_part_of_it(one: RunningService, other: RunningService) -> None:
    lines = export(one, "?session_id=evening&with=log")
    run_import(other, lines)
    before, after = told(one), told(other)
    assert after == {hand_id: before[hand_id] for hand_id in after}
    assert set(after) == {name for name, hand in before.items() if hand["summary"]["session_id"] == "evening"}


def test_at_once_it_is_the_same(one: RunningService, other: RunningService) -> None:
    with as_key(other, "club") as http:
        path = "/v1/hands:import?on_illegal=flag"
        answer = http.post(path, content=export(one, "?with=log"), headers=NDJSON)
        assert {json.loads(line)["status"] for line in answer.iter_lines()} == {201, 202}
    wait_for_sheets(other)
    assert told(other) == told(one)


def test_an_export_that_is_cut_off_does_not_end_like_a_whole_one(tmp_path: Path) -> None:
    with RunningService(tmp_path) as service:
        hand = played("french-tarot-4", 1).as_dict()
        lines = b"".join(
            json.dumps({**hand, "hand_id": f"h-{number}"}).encode() + b"\n" for number in range(3000)
        )
        with httpx.Client(base_url=service.base_url, timeout=30) as http:
            assert http.post("/v1/hands:import", content=lines, headers=NDJSON).status_code == 200
            with http.stream("GET", "/v1/hands:export") as response:
                read = response.iter_lines()
                next(read)
                service.redis.kill()
                with pytest.raises(httpx.RemoteProtocolError):
                    for _ in read:
                        pass
