"""What was corrected in a session's hands, and what it changed."""

from __future__ import annotations

from typing import Any

import pytest
import redis

from tests.service.clients import CheckedClient, code_of
from tests.service.document import load_document
from tests.service.evenings import MAYR, THREE, Evening, solo

EXAMPLE: dict[str, Any] = load_document().raw["components"]["examples"]["CorrectionPage"]["value"]
NOTHING = {"Anna": 0, "Béla": 0, "Cyril": 0}


@pytest.fixture
def evening(stored: CheckedClient, redis_client: redis.Redis) -> Evening:
    evening = Evening(stored, redis_client)
    evening.open(THREE, MAYR)
    return evening


def corrections(evening: Evening, query: str = "") -> list[dict[str, Any]]:
    response = evening.client.get(f"{evening.path}/corrections{query}")
    assert response.status_code == 200, response.get_data(as_text=True)
    found: list[dict[str, Any]] = response.get_json()["corrections"]
    return found


def restate(evening: Evening, hand_id: str, version: int, **record: Any) -> None:
    told = {"session_id": "s1", "number": 1, **record}
    response = evening.client.put(
        f"/v1/hands/{hand_id}",
        json={"record": told, "reason": "misread"},
        headers={"If-Match": f'"{version}"'},
    )
    assert response.status_code == 200, response.get_data(as_text=True)


def test_each_correction_says_what_it_changed(evening: Evening) -> None:
    """Restated, retracted, told again, penalised, annulled; the totals have all of it at the end."""
    result = solo("Anna", 49)["events"][0]
    evening.play(solo("Anna", 49), solo("Béla", 36))
    assert corrections(evening) == []
    restate(evening, "h1", 1, **solo("Béla", 40))
    evening.add("h2", {"type": "event_retracted", "seq": 1, "reason": "a slip"})
    evening.add("h2", result)
    evening.add("h2", {"type": "penalty_assessed", "player": "Cyril", "points": -5})
    found = corrections(evening)
    assert [
        (one["hand_id"], one["version"], one["events"], one["reason"], one["difference"]) for one in found
    ] == [
        ("h1", 2, ["hand_restated"], "misread", {"Anna": -96, "Béla": 60, "Cyril": 0}),
        ("h2", 2, ["event_retracted"], "a slip", {"Anna": 0, "Béla": -44, "Cyril": 0}),
        ("h2", 3, ["result_reported"], None, {"Anna": 96, "Béla": 0, "Cyril": 0}),
        ("h2", 4, ["penalty_assessed"], None, NOTHING),
    ]
    assert [one["before"]["status"] for one in found] == ["scored", "scored", "incomplete", "scored"]
    assert found[-1]["after"]["penalties"] == {"Cyril": -5}
    assert {one["actor"] for one in found} == {"anonymous"}
    before = {"Anna": 96, "Béla": 44, "Cyril": 0}
    after = {player: before[player] + sum(one["difference"][player] for one in found) for player in before}
    assert evening.read()["totals"] == after


def test_a_hand_that_is_moved_takes_its_points_along(evening: Evening) -> None:
    evening.play(solo("Anna", 49))
    restate(evening, "h1", 1, **{**solo("Anna", 49), "session_id": "s2"})
    (gone,) = corrections(evening)
    assert gone["difference"] == {"Anna": -96, "Béla": 0, "Cyril": 0}
    assert (gone["before"]["session_id"], gone["after"]["session_id"]) == ("s1", "s2")
    other = Evening(evening.client, evening.store, "s2")
    other.open(THREE, MAYR)
    (came,) = corrections(other)
    assert came["difference"] == {"Anna": 96, "Béla": 0, "Cyril": 0}


def test_a_hand_that_is_played_on_is_not_corrected(evening: Evening) -> None:
    """Nor is a slip in the midst of play, which changes no score."""
    evening.play({**solo("Anna", 36), "events": [{"type": "passed", "player": "Anna"}]})
    evening.add("h1", {"type": "passed", "player": "Béla"})
    evening.add("h1", {"type": "event_retracted", "seq": 2, "reason": "he bids"})
    evening.add("h1", {"type": "bid_made", "player": "Béla", "contract": "solo"})
    assert corrections(evening) == []


def test_pages(evening: Evening) -> None:
    evening.play(solo("Anna", 49))
    for version in range(1, 5):
        restate(evening, "h1", version, **solo("Anna", 36 + version))
    whole = corrections(evening)
    assert [one["version"] for one in whole] == [2, 3, 4, 5]
    response = evening.client.get(f"{evening.path}/corrections?after=1&limit=2")
    assert response.get_json() == {"corrections": whole[1:3], "next": "3"}
    assert corrections(evening, "?after=3") == whole[3:]
    assert corrections(evening, "?after=9") == []


def test_the_example_is_true(evening: Evening) -> None:
    example = load_document().raw["components"]["examples"]["ReportedResult"]["value"]
    at = {"session_id": "club-2026-11-29", "table": 3, "round": 1, "number": 7}
    event = example["events"][0]
    evening.client.post("/v1/hands", json={**example, **at})
    body = {**example, **at, "events": [{**event, "card_points": 47}]}
    evening.client.put(
        f"/v1/hands/{example['hand_id']}",
        json={"record": body, "reason": "The 1 was a 7."},
        headers={"If-Match": '"1"'},
    )
    club = Evening(evening.client, evening.store, "club-2026-11-29")
    club.open(THREE, MAYR)
    (found,) = corrections(club)
    (expected,) = EXAMPLE["corrections"]
    for name in ("recorded_at", "actor"):
        found.pop(name)
    assert found == {name: value for name, value in expected.items() if name not in ("recorded_at", "actor")}


def test_no_such_session(evening: Evening) -> None:
    assert code_of(evening.client.get("/v1/sessions/s9/corrections"), 404) == "unknown-session"
