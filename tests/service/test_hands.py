"""Hands through the service and a real store, without workers: what is due stays due."""

from __future__ import annotations

import re
import time
from contextlib import ExitStack
from typing import Any

import pytest
import redis

from records.log import Stream
from records.sheets import MadeSheet, Sheets
from service.app import create_app
from service.config import Settings
from service.configured_keys import ApiKey
from service.wiring import LONG_WAITS, Wiring
from tests.service.clients import CheckedClient, code_of, faults_of
from tests.service.conftest import checked_client
from tests.service.document import load_document

EXAMPLES: dict[str, Any] = load_document().raw["components"]["examples"]
RESULT: dict[str, Any] = EXAMPLES["ReportedResult"]["value"]
WHOLE: dict[str, Any] = EXAMPLES["WholeHand"]["value"]
BEGUN: dict[str, Any] = EXAMPLES["JustBegun"]["value"]


def changed(record: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {**record, **fields}


class TestSubmit:
    def test_a_new_hand_is_accepted_and_found_at_its_location(self, stored: CheckedClient) -> None:
        response = stored.post("/v1/hands", json=WHOLE)
        assert response.status_code == 202
        assert response.get_json() == {"hand_id": WHOLE["hand_id"], "version": 23, "status": "scored"}
        assert response.headers["Location"] == f"/v1/hands/{WHOLE['hand_id']}"
        assert stored.get(response.headers["Location"]).get_json()["version"] == 23

    def test_a_hand_without_an_id_gets_a_new_one_each_time(self, stored: CheckedClient) -> None:
        record = {name: value for name, value in RESULT.items() if name != "hand_id"}
        ids = {stored.post("/v1/hands", json=record).get_json()["hand_id"] for _ in range(3)}
        assert len(ids) == 3
        for hand_id in ids:
            assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}", hand_id)
            assert stored.get(f"/v1/hands/{hand_id}").get_json()["hand_id"] == hand_id

    def test_the_same_hand_again_adds_nothing(self, stored: CheckedClient) -> None:
        first = stored.post("/v1/hands", json=WHOLE)
        again = stored.post("/v1/hands", json=changed(WHOLE, format=1, labels=["club"]))
        assert again.status_code == 200
        assert again.get_json() == first.get_json()
        assert again.headers["Location"] == first.headers["Location"]

    def test_its_beginning_adds_nothing_and_tells_the_version_there_is(self, stored: CheckedClient) -> None:
        stored.post("/v1/hands", json=WHOLE)
        again = stored.post("/v1/hands", json=changed(WHOLE, events=WHOLE["events"][:5]))
        assert again.status_code == 200
        assert again.get_json() == {"hand_id": WHOLE["hand_id"], "version": 23, "status": "scored"}

    @pytest.mark.parametrize(
        "other",
        [
            changed(BEGUN, events=[*BEGUN["events"], {"type": "passed", "player": "Cyril"}]),
            changed(BEGUN, events=[{"type": "passed", "player": "Anna", "note": "aloud"}]),
            changed(BEGUN, players=["Anna", "Béla", "Dora"]),
            changed(BEGUN, variant="illustrated-beck"),
            changed(BEGUN, table="4"),
            changed(BEGUN, session_id="other"),
            changed(BEGUN, played_at="2026-11-29T19:30:00Z"),
        ],
        ids=["longer", "noted", "players", "variant", "table", "session", "time"],
    )
    def test_another_hand_of_the_same_id_is_refused(self, stored: CheckedClient, other: Any) -> None:
        stored.post("/v1/hands", json=BEGUN)
        assert code_of(stored.post("/v1/hands", json=other), 409) == "hand-exists"
        assert stored.get(f"/v1/hands/{BEGUN['hand_id']}").get_json()["version"] == 2

    def test_what_breaks_a_rule_is_not_stored(self, stored: CheckedClient) -> None:
        record = changed(BEGUN, events=[{"type": "passed", "player": "Béla"}])
        response = stored.post("/v1/hands", json=record)
        assert code_of(response, 422) == "wrong-turn"
        assert faults_of(response)[0][0].startswith("/events/0")
        assert code_of(stored.get(f"/v1/hands/{BEGUN['hand_id']}"), 404) == "unknown-hand"

    def test_waiting_ends_when_the_time_is_over(self, stored: CheckedClient) -> None:
        started = time.monotonic()
        response = stored.post("/v1/hands", json=RESULT, headers={"Prefer": "wait=1"})
        assert 1 <= time.monotonic() - started < 3
        assert response.status_code == 202
        assert "Preference-Applied" not in response.headers

    @pytest.mark.parametrize(
        ("record", "prefer"),
        [
            (BEGUN, "wait=9"),
            (RESULT, "wait=x"),
            (RESULT, "wait"),
            (RESULT, "wait=-1"),
            (RESULT, "wait=1.5"),
            (RESULT, "wait=0"),
            (RESULT, "wait=0, wait=9"),
            (RESULT, "await=9"),
            (RESULT, "respond-async"),
            (RESULT, "return=minimal"),
            (RESULT, ',;="'),
        ],
    )
    def test_nothing_to_wait_for(self, stored: CheckedClient, record: Any, prefer: str) -> None:
        """A hand that is not whole has no sheet to come, and a preference that is none is ignored."""
        started = time.monotonic()
        assert stored.post("/v1/hands", json=record, headers={"Prefer": prefer}).status_code == 202
        assert time.monotonic() - started < 1

    def test_while_many_wait_the_next_one_waits_a_second(self, stored: CheckedClient) -> None:
        service: Wiring = stored.application.extensions["trull"]
        with ExitStack() as waiting:
            for _ in range(LONG_WAITS):
                waiting.enter_context(service.long_waits)
            started = time.monotonic()
            response = stored.post("/v1/hands", json=RESULT, headers={"Prefer": "wait=10"})
            assert response.status_code == 202
            assert 1 <= time.monotonic() - started < 3
        assert service.long_waits.acquire(blocking=False), "the short wait has given back what it never took"

    def test_the_key_is_the_actor(self, redis_url: str) -> None:
        key = "club-key-0123456789"
        settings = Settings(redis_url=redis_url, api_keys=(ApiKey.of("club", key),))
        client = checked_client(create_app(settings))
        bearer = {"Authorization": f"Bearer {key}"}
        assert client.post("/v1/hands", json=BEGUN, headers=bearer).status_code == 202
        events = client.get(f"/v1/hands/{BEGUN['hand_id']}/events", headers=bearer).get_json()["events"]
        assert {event["actor"] for event in events} == {"club"}


class TestRead:
    def test_a_hand_under_way(self, stored: CheckedClient) -> None:
        place = {"session_id": "s", "table": 3, "round": 1, "number": 2}
        stored.post("/v1/hands", json=changed(BEGUN, **place, labels=["a"]))
        response = stored.get(f"/v1/hands/{BEGUN['hand_id']}")
        hand = response.get_json()
        assert hand == {
            "hand_id": BEGUN["hand_id"],
            "version": 2,
            "status": "incomplete",
            "variant": BEGUN["variant"],
            "players": ["Anna", "Béla", "Cyril"],
            **place,
            "played_at": None,
            "labels": ["a"],
            "phase": "auction",
            "may_act": {"Cyril": hand["may_act"]["Cyril"]},
            "missing": {"tricks": 16},
            "options": {"Cyril": {"bids": ["zweiblatt", "einblatt", "solo"]}},
        }
        assert {"passed", "bid_accepted", "bid_made"} <= set(hand["may_act"]["Cyril"])
        assert response.headers["ETag"] == '"2"'

    def test_a_hand_that_is_whole(self, stored: CheckedClient) -> None:
        stored.post("/v1/hands", json=WHOLE)
        hand = stored.get(f"/v1/hands/{WHOLE['hand_id']}").get_json()
        assert (hand["phase"], hand["status"], hand["missing"]) == ("finished", "scored", {"tricks": 0})

    def test_nothing_new_needs_no_body(self, stored: CheckedClient) -> None:
        stored.post("/v1/hands", json=BEGUN)
        path = f"/v1/hands/{BEGUN['hand_id']}"
        for known, status in (('"2"', 304), ('"1", "2"', 304), ("*", 304), ('"1"', 200), ('"22"', 200)):
            assert stored.get(path, headers={"If-None-Match": known}).status_code == status, known

    def test_the_log_has_the_events_as_sent(self, stored: CheckedClient) -> None:
        events = [dict(event) for event in WHOLE["events"]]
        events[1] |= {"at": "2026-11-29T19:31:00.25+01:00", "event_id": "e/1", "note": "leise"}
        stored.post("/v1/hands", json=changed(WHOLE, events=events))
        page = stored.get(f"/v1/hands/{WHOLE['hand_id']}/events").get_json()
        assert [logged["event"] for logged in page["events"]] == events
        assert [logged["seq"] for logged in page["events"]] == list(range(1, 24))
        assert {logged["actor"] for logged in page["events"]} == {"anonymous"}
        assert page["next"] is None

    @pytest.mark.parametrize(
        ("query", "numbers", "following"),
        [
            ("after=21", [22, 23], None),
            ("after=23", [], None),
            ("after=999999999", [], None),
            ("limit=2", [1, 2], "2"),
            ("after=2&limit=1", [3], "3"),
            ("after=22&limit=1", [23], None),
            ("limit=23", list(range(1, 24)), None),
        ],
    )
    def test_parts_of_the_log(
        self, stored: CheckedClient, query: str, numbers: list[int], following: str | None
    ) -> None:
        stored.post("/v1/hands", json=WHOLE)
        response = stored.get(f"/v1/hands/{WHOLE['hand_id']}/events?{query}")
        page = response.get_json()
        assert ([logged["seq"] for logged in page["events"]], page["next"]) == (numbers, following)
        assert ("Link" in response.headers) == (following is not None)

    @pytest.mark.parametrize("hand_id", ["nothing", "%00", "%F0%9F%83%8F", "a b", "x" * 3000, "a:b", "{t00}"])
    @pytest.mark.parametrize("below", ["", "/events", "/score", "/score?variant=illustrated-beck"])
    def test_a_hand_that_is_not_there(self, stored: CheckedClient, hand_id: str, below: str) -> None:
        assert code_of(stored.get(f"/v1/hands/{hand_id}{below}"), 404) == "unknown-hand"


class TestScore:
    def path(self, record: dict[str, Any], query: str = "") -> str:
        return f"/v1/hands/{record['hand_id']}/score{query}"

    @pytest.mark.parametrize(
        "query", ["", "?allow_stale=true", "?allow_stale=false", f"?variant={WHOLE['variant']}"]
    )
    def test_while_it_is_due(self, stored: CheckedClient, query: str) -> None:
        stored.post("/v1/hands", json=WHOLE)
        response = stored.get(self.path(WHOLE, query))
        assert response.status_code == 202
        assert response.headers["Retry-After"] == "1"
        assert response.get_json() == {"hand_id": WHOLE["hand_id"], "version": 23, "status": "scored"}

    def test_of_a_hand_that_is_not_whole(self, stored: CheckedClient) -> None:
        stored.post("/v1/hands", json=BEGUN)
        response = stored.get(self.path(BEGUN))
        assert response.status_code == 200
        assert response.get_json() == stored.post("/v1/score", json=BEGUN).get_json()

    def test_under_another_variant_it_is_worked_out_at_once(self, stored: CheckedClient) -> None:
        stored.post("/v1/hands", json=WHOLE)
        for variant in ("illustrated-beck", "french-tarot-4"):
            response = stored.get(self.path(WHOLE, f"?variant={variant}"))
            assert response.get_json() == stored.post(f"/v1/score?variant={variant}", json=WHOLE).get_json()

    def test_an_unknown_variant(self, stored: CheckedClient) -> None:
        stored.post("/v1/hands", json=WHOLE)
        assert code_of(stored.get(self.path(WHOLE, "?variant=none")), 404) == "unknown-variant"

    @pytest.mark.parametrize("value", ["", "1", "yes", "True", "TRUE"])
    def test_a_flag_is_true_or_false(self, stored: CheckedClient, value: str) -> None:
        response = stored.get(self.path(WHOLE, f"?allow_stale={value}"))
        assert faults_of(response) == [("allow_stale", "invalid-record")]


class TestMadeSheets:
    """Sheets put into the store as a worker does it."""

    def store(self, redis_client: redis.Redis, version: int, sheet: dict[str, Any]) -> None:
        stream = Stream("hand", "default", sheet["hand_id"])
        Sheets(redis_client).store([MadeSheet(stream, version, sheet)])

    def test_an_earlier_one_is_told_only_to_who_will_have_it(
        self, stored: CheckedClient, redis_client: redis.Redis
    ) -> None:
        stored.post("/v1/hands", json=WHOLE)
        path = f"/v1/hands/{WHOLE['hand_id']}/score"
        beginning = stored.post("/v1/score", json=changed(WHOLE, events=WHOLE["events"][:22])).get_json()
        self.store(redis_client, 22, beginning)
        assert stored.get(path).status_code == 202
        assert stored.get(f"{path}?allow_stale=false").status_code == 202
        stale = stored.get(f"{path}?allow_stale=true")
        assert (stale.status_code, stale.get_json()) == (200, beginning)
        newest = stored.post("/v1/score", json=WHOLE).get_json()
        self.store(redis_client, 23, newest)
        for query in ("", "?allow_stale=true", f"?variant={WHOLE['variant']}"):
            response = stored.get(path + query)
            assert (response.status_code, response.get_json()) == (200, newest)

    def test_one_that_could_not_be_made_says_so(
        self, stored: CheckedClient, redis_client: redis.Redis
    ) -> None:
        stored.post("/v1/hands", json=RESULT)
        problem = EXAMPLES["problem-internal-error"]["value"]
        sheet = stored.post("/v1/score", json=RESULT).get_json()
        failed = {**sheet, "status": "failed", "items": [], "payments": [], "problem": problem}
        self.store(redis_client, 1, failed)
        path = f"/v1/hands/{RESULT['hand_id']}"
        assert stored.get(f"{path}/score").get_json() == failed
        assert stored.get(path).get_json()["status"] == "failed"
        assert len(stored.get("/v1/hands?status=failed").get_json()["hands"]) == 1
        assert stored.get("/v1/hands?status=scored").get_json()["hands"] == []
