"""A hand told anew: one more event, from which everything reads."""

from __future__ import annotations

from typing import Any

import pytest
import redis

from tests.service.clients import CheckedClient, code_of, faults_of
from tests.service.live_hands import (
    BEGUN,
    RESULT,
    WHOLE,
    accepted,
    add,
    begin,
    fault_of,
    part,
    path_of,
    restate,
    score_all,
    version_of,
)

DORA: dict[str, Any] = {
    "variant": "illustrated-beck",
    "players": ["Dora", "Anna", "Cyril"],
    "events": [
        {"type": "passed", "player": "Dora"},
        {"type": "bid_made", "player": "Anna", "contract": "dreiblatt"},
    ],
    "session_id": "other",
    "table": 7,
    "labels": ["mended"],
}


def undo(seq: int) -> dict[str, Any]:
    return {"type": "event_retracted", "seq": seq, "reason": "no"}


def test_it_reads_as_the_record_says_and_the_log_keeps_all(stored: CheckedClient) -> None:
    path = begin(stored, {**BEGUN, "session_id": "first", "table": 3})
    accepted(restate(stored, path, 2, DORA, "the wrong table"), 3, "incomplete")
    state = stored.get(path).get_json()
    assert {
        name: state[name] for name in ("variant", "players", "session_id", "table", "labels", "version")
    } == {
        "variant": "illustrated-beck",
        "players": ["Dora", "Anna", "Cyril"],
        "session_id": "other",
        "table": 7,
        "labels": ["mended"],
        "version": 3,
    }
    assert list(state["may_act"]) == ["Cyril"]
    log = stored.get(f"{path}/events").get_json()["events"]
    assert [logged["event"] for logged in log[:2]] == BEGUN["events"]
    assert log[2]["event"] == {
        "type": "hand_restated",
        "record": {**DORA, "hand_id": BEGUN["hand_id"]},
        "reason": "the wrong table",
    }
    assert (log[2]["seq"], log[2]["actor"]) == (3, "anonymous")


def test_the_score_is_that_of_the_record(stored: CheckedClient, redis_client: redis.Redis) -> None:
    path = begin(stored, RESULT)
    score_all(redis_client)
    before = stored.get(f"{path}/score").get_json()
    event = {**RESULT["events"][0], "declarer": "Dora", "bonuses": [], "card_points": 36}
    record = {**RESULT, "players": ["Anna", "Dora", "Cyril"], "events": [event]}
    accepted(restate(stored, path, 1, record), 2, "scored")
    assert stored.get(f"{path}/score").status_code == 202
    assert stored.get(f"{path}/score?allow_stale=true").get_json() == before
    score_all(redis_client)
    assert stored.get(f"{path}/score").get_json() == {
        **stored.post("/v1/score", json=record).get_json(),
        "version": 2,
    }
    other = stored.get(f"{path}/score?variant=illustrated-beck").get_json()
    assert other == {
        **stored.post("/v1/score?variant=illustrated-beck", json=record).get_json(),
        "version": 2,
    }


def test_it_goes_on_from_there_and_numbers_go_on_too(stored: CheckedClient) -> None:
    path = begin(stored, BEGUN)
    accepted(restate(stored, path, 2, DORA), 3, "incomplete")
    response = add(stored, path, 3, {"type": "passed", "player": "Béla"})
    assert faults_of(response) == [("/events/0/player", "invalid-record")]
    bid = {"type": "bid_made", "player": "Cyril", "contract": "solo"}
    accepted(add(stored, path, 3, bid, undo(4), {"type": "passed", "player": "Cyril"}), 6, "incomplete")
    state = stored.get(path).get_json()
    assert (state["phase"], list(state["may_act"])) == ("talon", ["Dora", "Anna", "Cyril"])
    response = add(stored, path, 6, {"type": "talon_taken", "player": "Dora", "cards": ["HK", "S9", "D1"]})
    assert code_of(response, 422) == "wrong-turn"
    assert fault_of(response)["pointer"] == "/events/0/player"


def test_retracted_the_hand_reads_as_before(stored: CheckedClient, redis_client: redis.Redis) -> None:
    path = begin(stored, {**WHOLE, "session_id": "s"})
    before = stored.get(path).get_json()
    accepted(restate(stored, path, 23, DORA), 24, "incomplete")
    accepted(add(stored, path, 24, undo(24)), 25, "scored")
    assert stored.get(path).get_json() == {**before, "version": 25}
    score_all(redis_client)
    sheet = stored.get(f"{path}/score").get_json()
    assert sheet == {**stored.post("/v1/score", json=WHOLE).get_json(), "version": 25}


class TestRetractions:
    def test_what_came_before_it_cannot_be_retracted(self, stored: CheckedClient) -> None:
        path = begin(stored, BEGUN)
        accepted(restate(stored, path, 2, DORA), 3, "incomplete")
        response = add(stored, path, 3, undo(2))
        assert code_of(response, 422) == "event-out-of-place"
        assert (fault_of(response)["pointer"], fault_of(response)["clause"]) == ("/events/0/seq", "IT-12.2")
        assert "event 3" in fault_of(response)["detail"]
        assert version_of(stored, path) == 3

    def test_the_later_restatement_goes_first(self, stored: CheckedClient) -> None:
        path = begin(stored, BEGUN)
        second = {**DORA, "players": ["Eva", "Dora", "Anna"], "events": [{"type": "passed", "player": "Eva"}]}
        accepted(restate(stored, path, 2, DORA), 3, "incomplete")
        accepted(restate(stored, path, 3, second), 4, "incomplete")
        assert code_of(add(stored, path, 4, undo(3)), 422) == "event-out-of-place"
        accepted(add(stored, path, 4, undo(4)), 5, "incomplete")
        assert stored.get(path).get_json()["players"] == DORA["players"]
        assert code_of(add(stored, path, 5, undo(4)), 422) == "event-out-of-place"
        assert code_of(add(stored, path, 5, undo(5)), 422) == "event-out-of-place"
        accepted(add(stored, path, 5, undo(3)), 6, "incomplete")
        assert stored.get(path).get_json()["players"] == BEGUN["players"]
        accepted(add(stored, path, 6, undo(2)), 7, "incomplete")
        assert list(stored.get(path).get_json()["may_act"]) == ["Béla"]

    def test_what_came_after_it_has_to_fit_the_reading_before(self, stored: CheckedClient) -> None:
        path = begin(stored, BEGUN)
        accepted(restate(stored, path, 2, DORA), 3, "incomplete")
        accepted(add(stored, path, 3, {"type": "passed", "player": "Cyril"}), 4, "incomplete")
        fine = {"type": "penalty_assessed", "player": "Dora", "points": -5}
        accepted(add(stored, path, 4, fine), 5, "incomplete")
        response = add(stored, path, 5, undo(3))
        assert code_of(response, 422) == "event-out-of-place"
        fault = fault_of(response)
        assert (fault["pointer"], fault["seq"]) == ("/events/0/seq", 5)
        assert '"Dora" is no player' in fault["detail"]
        accepted(add(stored, path, 5, undo(5), undo(3)), 7, "incomplete")
        state = stored.get(path).get_json()
        assert (state["players"], state["phase"]) == (BEGUN["players"], "talon")

    def test_seats_follow_the_names(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        """Cyril sits elsewhere in the record; his penalty stays his."""
        path = begin(stored, RESULT)
        record = {**RESULT, "players": ["Cyril", "Béla", "Anna"]}
        accepted(restate(stored, path, 1, record), 2, "scored")
        fine = {"type": "penalty_assessed", "player": "Cyril", "points": -5}
        accepted(add(stored, path, 2, fine), 3, "scored")
        accepted(add(stored, path, 3, undo(2)), 4, "scored")
        score_all(redis_client)
        assert stored.get(f"{path}/score").get_json()["scores"] == {"Anna": 42, "Béla": 0, "Cyril": -5}

    def test_a_fault_of_the_play_that_the_record_holds(self, stored: CheckedClient) -> None:
        """The record was not whole: its first trick could not be judged. `seq` is the restatement's."""
        events = [dict(event) for event in WHOLE["events"][1:]]
        events[6] = {"type": "trick_played", "cards": ["T21", "T10", "CQ"]}
        last = {"type": "trick_played", "cards": ["HC", "HK", "T17"]}
        path = begin(stored, BEGUN | {"hand_id": WHOLE["hand_id"]})
        accepted(restate(stored, path, 2, {**WHOLE, "events": events[:-1]}), 3, "incomplete")
        response = add(stored, path, 3, last)
        assert code_of(response, 422) == "illegal-play"
        assert (fault_of(response)["pointer"], fault_of(response)["seq"]) == ("/events/0", 3)


class TestLists:
    def listed(self, client: CheckedClient, query: str) -> list[str]:
        return [hand["hand_id"] for hand in client.get(f"/v1/hands?{query}").get_json()["hands"]]

    def test_it_is_found_where_it_is_now(self, stored: CheckedClient) -> None:
        path = begin(stored, {**BEGUN, "session_id": "first"})
        for name in ("a", "b"):
            begin(stored, {**BEGUN, "hand_id": name, "session_id": "other"})
        where = ("session_id=first", "player=B%C3%A9la", "label=mended", "session_id=other", "player=Dora")
        hand = BEGUN["hand_id"]

        def found() -> list[bool]:
            return [hand in self.listed(stored, query) for query in where]

        assert found() == [True, True, False, False, False]
        accepted(restate(stored, path, 2, DORA), 3, "incomplete")
        assert found() == [False, False, True, True, True]
        assert sorted(self.listed(stored, "session_id=other")) == ["a", "b", hand]
        assert hand in self.listed(stored, "variant=illustrated-beck")
        accepted(add(stored, path, 3, undo(3)), 4, "incomplete")
        assert found() == [True, True, False, False, False]
        accepted(restate(stored, path, 4, DORA), 5, "incomplete")
        assert found() == [False, False, True, True, True]
        assert self.listed(stored, "player=Anna").count(hand) == 1
        assert self.listed(stored, "session_id=other").count(hand) == 1

    def test_many_hands_join_one_session(self, stored: CheckedClient) -> None:
        """More than the short form of a list holds."""
        names = [f"h{number}" for number in range(60)]
        for name in names:
            begin(stored, {**BEGUN, "hand_id": name})
            accepted(
                restate(stored, f"/v1/hands/{name}", 2, {**BEGUN, "hand_id": name, "session_id": "s"}),
                3,
                "incomplete",
            )
        assert sorted(self.listed(stored, "session_id=s&limit=1000")) == sorted(names)


class TestRefusals:
    def test_its_version_has_to_be_said_and_right(self, stored: CheckedClient) -> None:
        path = begin(stored, BEGUN)
        assert code_of(restate(stored, path, None, DORA), 428) == "version-required"
        assert code_of(restate(stored, path, "*", DORA), 428) == "version-required"
        assert code_of(restate(stored, path, 1, DORA), 412) == "version-mismatch"
        assert code_of(restate(stored, "/v1/hands/none", 1, DORA), 404) == "unknown-hand"
        assert version_of(stored, path) == 2

    def test_a_record_that_breaks_a_rule(self, stored: CheckedClient) -> None:
        path = begin(stored, BEGUN)
        record = {**DORA, "events": [{"type": "passed", "player": "Cyril"}]}
        response = restate(stored, path, 2, record)
        assert code_of(response, 422) == "wrong-turn"
        assert fault_of(response)["pointer"] == "/record/events/0/player"
        assert version_of(stored, path) == 2

    @pytest.mark.parametrize(
        ("body", "pointers"),
        [
            ({"record": DORA}, ["/reason"]),
            ({"reason": "x"}, ["/record"]),
            ({"record": DORA, "reason": " "}, ["/reason"]),
            ({"record": DORA, "reason": "x" * 501}, ["/reason"]),
            ({"record": DORA, "reason": 3}, ["/reason"]),
            ({"record": DORA, "reason": None}, ["/reason"]),
            ({"record": DORA, "reason": "x", "why": "y"}, ["/why"]),
            ({"record": {**DORA, "hand_id": "another"}, "reason": "x"}, ["/record/hand_id"]),
            (
                {"record": {**DORA, "variant": "none", "table": 0}, "reason": ""},
                ["/reason", "/record/variant", "/record/table"],
            ),
            ({"record": {**DORA, "events": []}, "reason": "x"}, ["/record/events"]),
            ({}, ["/record", "/reason"]),
            ([], [""]),
        ],
    )
    def test_the_shape(self, stored: CheckedClient, body: Any, pointers: list[str]) -> None:
        path = begin(stored, BEGUN)
        response = stored.put(path, json=body, headers={"If-Match": '"2"'})
        assert code_of(response, 422) == "invalid-record"
        assert sorted(where for where, _ in faults_of(response)) == sorted(pointers)
        assert version_of(stored, path) == 2


def test_the_same_restatement_again_has_the_same_answer(stored: CheckedClient) -> None:
    path = begin(stored, BEGUN)
    accepted(restate(stored, path, 2, DORA), 3, "incomplete")
    accepted(add(stored, path, 3, {"type": "hand_annulled", "reason": "misdeal"}), 4, "annulled")
    accepted(restate(stored, path, 2, {**DORA, "hand_id": BEGUN["hand_id"], "round": None}), 3, "incomplete")
    assert code_of(restate(stored, path, 2, DORA, "another reason"), 412) == "version-mismatch"
    assert code_of(restate(stored, path, 2, {**DORA, "table": 8}), 412) == "version-mismatch"
    assert version_of(stored, path) == 4


def test_submitting_what_it_was_or_is_changes_nothing(stored: CheckedClient) -> None:
    path = begin(stored, BEGUN)
    accepted(restate(stored, path, 2, DORA), 3, "incomplete")
    now = {**DORA, "hand_id": BEGUN["hand_id"]}
    for record in (BEGUN, part(BEGUN, 1), now, part(now, 1)):
        again = stored.post("/v1/hands", json=record)
        assert (again.status_code, again.get_json()["version"]) == (200, 3)
    other = {**now, "players": ["Dora", "Anna", "Eva"]}
    assert code_of(stored.post("/v1/hands", json=other), 409) == "hand-exists"
    assert path == path_of(BEGUN)
