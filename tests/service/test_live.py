"""A hand grows: events are added for a version, all or none, and judged like a whole record."""

from __future__ import annotations

from typing import Any

import pytest
import redis

from tests.service.clients import CheckedClient, code_of
from tests.service.live_hands import (
    BEGUN,
    RESULT,
    WHOLE,
    accepted,
    add,
    begin,
    fault_of,
    part,
    score_all,
    version_of,
)
from tests.support.hand_records import played
from trull.variants import VARIANTS

PASS: dict[str, Any] = {"type": "passed", "player": "Cyril"}
RAISE: dict[str, Any] = {"type": "bid_made", "player": "Cyril", "contract": "solo"}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("size", [1, 4])
def test_a_hand_told_bit_by_bit_is_the_hand_told_at_once(
    stored: CheckedClient, redis_client: redis.Redis, variant: str, size: int
) -> None:
    record = played(variant, 7, hand_id="live").as_dict()
    events = record["events"]
    path = begin(stored, part(record, 1))
    for at in range(1, len(events), size):
        version = min(at + size, len(events))
        prefix = stored.post("/v1/score", json=part(record, version)).get_json()
        accepted(add(stored, path, at, *events[at : at + size]), version, prefix["status"])
    begin(stored, {**record, "hand_id": "whole"})
    score_all(redis_client)
    sheets = [stored.get(f"/v1/hands/{name}/score").get_json() for name in ("live", "whole")]
    assert sheets[0] == {**sheets[1], "hand_id": "live"}
    states = [stored.get(f"/v1/hands/{name}").get_json() for name in ("live", "whole")]
    assert states[0] == {**states[1], "hand_id": "live"}
    logs = [stored.get(f"/v1/hands/{name}/events").get_json()["events"] for name in ("live", "whole")]
    assert [logged["event"] for logged in logs[0]] == [logged["event"] for logged in logs[1]] == events


class TestVersion:
    @pytest.mark.parametrize("given", [None, "", "*", " * "])
    def test_it_has_to_be_said(self, stored: CheckedClient, given: str | None) -> None:
        path = begin(stored, BEGUN)
        refused = add(stored, path, given, PASS)
        assert code_of(refused, 428) == "version-required"
        assert ("and not `*`" in refused.get_json(force=True)["detail"]) == ("*" in (given or ""))
        assert version_of(stored, path) == 2

    @pytest.mark.parametrize("given", ['"1"', '"3"', 'W/"2"', '"02"', '"x"', '""', '"1", "3"'])
    def test_another_one_adds_nothing_and_tells_the_newest(self, stored: CheckedClient, given: str) -> None:
        path = begin(stored, BEGUN)
        response = add(stored, path, given, PASS)
        assert code_of(response, 412) == "version-mismatch"
        assert response.headers["ETag"] == '"2"'
        assert "version 2" in response.get_json(force=True)["detail"]
        assert version_of(stored, path) == 2

    @pytest.mark.parametrize("given", ["2", '"2', '"2 "', "'2'", '"2" "3"', '"2",', "version 2"])
    def test_what_is_no_entity_tag(self, stored: CheckedClient, given: str) -> None:
        path = begin(stored, BEGUN)
        assert code_of(add(stored, path, given, PASS), 400) == "bad-request"
        assert version_of(stored, path) == 2

    @pytest.mark.parametrize("given", ['"2"', ' "2" ', '"1", "2"', '"2","9"', 'W/"1" , "2"'])
    def test_the_right_one_among_any(self, stored: CheckedClient, given: str) -> None:
        path = begin(stored, BEGUN)
        accepted(add(stored, path, given, PASS), 3, "incomplete")

    def test_of_two_for_the_same_version_one_is_added(self, stored: CheckedClient) -> None:
        path = begin(stored, BEGUN)
        accepted(add(stored, path, 2, PASS), 3, "incomplete")
        assert code_of(add(stored, path, 2, RAISE), 412) == "version-mismatch"
        assert code_of(add(stored, path, 2, PASS), 412) == "version-mismatch"
        assert version_of(stored, path) == 3

    def test_there_is_no_such_hand(self, stored: CheckedClient) -> None:
        assert code_of(add(stored, "/v1/hands/none", 1, PASS), 404) == "unknown-hand"


class TestAllOrNone:
    def test_the_rule_that_an_event_breaks(self, stored: CheckedClient) -> None:
        path = begin(stored, BEGUN)
        response = add(stored, path, 2, RAISE, {"type": "passed", "player": "Cyril"})
        assert code_of(response, 422) == "event-out-of-place"
        assert fault_of(response)["pointer"] == "/events/1"
        assert "seq" not in fault_of(response)
        response = add(stored, path, 2, {"type": "passed", "player": "Anna"})
        assert code_of(response, 422) == "wrong-turn"
        assert fault_of(response)["pointer"] == "/events/0/player"
        assert "Cyril" in fault_of(response)["detail"]
        assert version_of(stored, path) == 2

    @pytest.mark.parametrize(
        ("body", "pointer"),
        [
            ({"events": []}, "/events"),
            ({"events": [{"type": "passed"}]}, "/events/0/player"),
            ({"events": [PASS, {"type": "passed", "player": "Dora"}]}, "/events/1/player"),
            ({"events": [{"type": "hand_restated", "record": BEGUN, "reason": "x"}]}, "/events/0/type"),
            ({"events": [PASS], "note": "x"}, "/note"),
            ({}, "/events"),
            ({"events": None}, "/events"),
            ([], ""),
            ("x", ""),
        ],
    )
    def test_the_shape(self, stored: CheckedClient, body: Any, pointer: str) -> None:
        path = begin(stored, BEGUN)
        response = stored.post(f"{path}/events", json=body, headers={"If-Match": '"2"'})
        assert code_of(response, 422) == "invalid-record"
        assert fault_of(response)["pointer"] == pointer
        assert version_of(stored, path) == 2

    def test_a_fault_of_the_play_that_only_the_last_trick_shows(self, stored: CheckedClient) -> None:
        """The hands are not known before: Cyril kept T17 back in the first trick, event 7."""
        events = [dict(event) for event in WHOLE["events"][1:]]
        events[6] = {"type": "trick_played", "cards": ["T21", "T10", "CQ"]}
        last = {"type": "trick_played", "cards": ["HC", "HK", "T17"]}
        path = begin(stored, {**WHOLE, "events": events[:-2]})
        version = len(events) - 2
        for added in ([events[-2], last], [events[-2], last, {"type": "hand_annulled", "reason": "misdeal"}]):
            response = add(stored, path, version, *added)
            assert code_of(response, 422) == "illegal-play"
            fault = fault_of(response)
            assert (fault["pointer"], fault["seq"], fault["clause"]) == ("/events/1", 7, "IT-6.2")
        assert version_of(stored, path) == version

    def test_and_one_within_what_is_added_is_found_where_it_is(self, stored: CheckedClient) -> None:
        events = [dict(event) for event in WHOLE["events"][1:]]
        events[6] = {"type": "trick_played", "cards": ["T21", "T10", "CQ"]}
        events[-1] = {"type": "trick_played", "cards": ["HC", "HK", "T17"]}
        path = begin(stored, {**WHOLE, "events": events[:5]})
        response = add(stored, path, 5, *events[5:])
        assert code_of(response, 422) == "illegal-play"
        assert fault_of(response)["pointer"].startswith("/events/1/cards")

    def test_five_hundred_events_are_the_most(self, stored: CheckedClient) -> None:
        fine = {"type": "penalty_assessed", "player": "Anna", "points": 1}
        path = begin(stored, {**RESULT, "events": [*RESULT["events"], *[fine] * 498]})
        response = add(stored, path, 499, fine, fine)
        assert code_of(response, 422) == "invalid-record"
        assert fault_of(response)["pointer"] == "/events"
        assert "at most 500 events: 499 are there, 2 would be added" in fault_of(response)["detail"]
        accepted(add(stored, path, 499, fine), 500, "scored")
        assert code_of(add(stored, path, 500, fine), 422) == "invalid-record"


class TestSheets:
    def test_due_when_the_hand_is_complete_and_with_every_change_since(
        self, stored: CheckedClient, redis_client: redis.Redis
    ) -> None:
        path = begin(stored, part(WHOLE, 22))
        response = stored.get(f"{path}/score")
        assert (response.status_code, response.get_json()["status"]) == (200, "incomplete")
        accepted(add(stored, path, 22, WHOLE["events"][22]), 23, "scored")
        assert stored.get(f"{path}/score").status_code == 202
        score_all(redis_client)
        first = stored.get(f"{path}/score").get_json()
        assert (first["version"], first["scores"]["Anna"]) == (23, 42)
        fine = {"type": "penalty_assessed", "player": "Anna", "points": -10, "reason": "late"}
        accepted(add(stored, path, 23, fine), 24, "scored")
        assert stored.get(f"{path}/score").status_code == 202
        assert stored.get(f"{path}/score?allow_stale=true").get_json() == first
        score_all(redis_client)
        second = stored.get(f"{path}/score").get_json()
        assert (second["version"], second["scores"]["Anna"]) == (24, 32)
        assert second["payments"] == first["payments"]

    def test_a_hand_that_is_no_longer_whole_has_no_score(
        self, stored: CheckedClient, redis_client: redis.Redis
    ) -> None:
        path = begin(stored, WHOLE)
        score_all(redis_client)
        undo = {"type": "event_retracted", "seq": 23, "reason": "not played"}
        accepted(add(stored, path, 23, undo), 24, "incomplete")
        score_all(redis_client)
        sheet = stored.get(f"{path}/score").get_json()
        assert (sheet["version"], sheet["status"], sheet["items"]) == (24, "incomplete", [])
        fine = {"type": "penalty_assessed", "player": "Anna", "points": -10}
        accepted(add(stored, path, 24, fine), 25, "incomplete")
        score_all(redis_client)
        assert stored.get(f"{path}/score").get_json()["version"] == 25
        accepted(add(stored, path, 25, WHOLE["events"][22]), 26, "scored")
        score_all(redis_client)
        assert stored.get(f"{path}/score").get_json()["scores"]["Anna"] == 32

    def test_three_passes_may_be_played_on(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        """Beck: a hand that stops there is annulled, one that goes on is Trischaken (IT-10.12)."""
        record = played("illustrated-beck", 1, hand_id="t").as_dict()
        record["events"] = [
            record["events"][0],
            *({"type": "passed", "player": name} for name in record["players"]),
        ]
        path = begin(stored, record)
        score_all(redis_client)
        assert stored.get(f"{path}/score").get_json()["status"] == "annulled"
        card = stored.get(path).get_json()["options"]["Anna"]["cards"][0]
        accepted(
            add(stored, path, 4, {"type": "card_played", "player": "Anna", "card": card}), 5, "incomplete"
        )
        score_all(redis_client)
        assert stored.get(f"{path}/score").get_json()["status"] == "incomplete"


class TestCorrections:
    def test_a_retraction_is_judged_on_what_is_left(self, stored: CheckedClient) -> None:
        path = begin(stored, BEGUN)
        slip = {"type": "event_retracted", "seq": 2, "reason": "a slip"}
        accepted(add(stored, path, 2, slip), 3, "incomplete")
        state = stored.get(path).get_json()
        assert list(state["may_act"]) == ["Béla"]
        log = stored.get(f"{path}/events").get_json()["events"]
        assert [logged["event"]["type"] for logged in log] == ["passed", "bid_made", "event_retracted"]

    def test_a_retraction_that_breaks_a_rule_names_the_event_that_breaks_it(
        self, stored: CheckedClient
    ) -> None:
        path = begin(stored, BEGUN)
        slip = {"type": "event_retracted", "seq": 1, "reason": "a slip"}
        response = add(stored, path, 2, slip)
        assert code_of(response, 422) == "wrong-turn"
        assert (fault_of(response)["pointer"], fault_of(response)["seq"]) == ("/events/0/seq", 2)
        assert version_of(stored, path) == 2

    @pytest.mark.parametrize(
        "more",
        [
            [{"type": "event_retracted", "seq": 9}],
            [{"type": "event_retracted", "seq": 3}],
            [{"type": "event_retracted", "seq": 2}, {"type": "event_retracted", "seq": 2}],
            [{"type": "event_retracted", "seq": 2}, {"type": "event_retracted", "seq": 3}],
        ],
        ids=["not there", "itself", "twice", "a retraction"],
    )
    def test_what_cannot_be_retracted(self, stored: CheckedClient, more: list[dict[str, Any]]) -> None:
        path = begin(stored, BEGUN)
        response = add(stored, path, 2, *more)
        assert code_of(response, 422) == "event-out-of-place"
        assert fault_of(response)["pointer"] == f"/events/{len(more) - 1}/seq"
        assert version_of(stored, path) == 2

    def test_an_annulled_hand_keeps_its_penalties(
        self, stored: CheckedClient, redis_client: redis.Redis
    ) -> None:
        path = begin(stored, BEGUN)
        fine = {"type": "penalty_assessed", "player": "Béla", "points": -5, "reason": "loud"}
        off = {"type": "hand_annulled", "reason": "director"}
        accepted(add(stored, path, 2, fine, off), 4, "annulled")
        score_all(redis_client)
        sheet = stored.get(f"{path}/score").get_json()
        assert (sheet["status"], sheet["scores"]) == ("annulled", {"Anna": 0, "Béla": -5, "Cyril": 0})
        accepted(add(stored, path, 4, {"type": "event_retracted", "seq": 4, "reason": "no"}), 5, "incomplete")


def test_the_first_submission_sent_again_is_still_known(stored: CheckedClient) -> None:
    path = begin(stored, BEGUN)
    accepted(add(stored, path, 2, PASS), 3, "incomplete")
    again = stored.post("/v1/hands", json=BEGUN)
    assert (again.status_code, again.get_json()["version"]) == (200, 3)
    longer = stored.post("/v1/hands", json={**BEGUN, "events": [*BEGUN["events"], PASS]})
    assert (longer.status_code, longer.get_json()["version"]) == (200, 3)
    other = stored.post("/v1/hands", json={**BEGUN, "events": [*BEGUN["events"], RAISE]})
    assert code_of(other, 409) == "hand-exists"
