"""A hand that was broken at the table is kept where that is asked for, until a correction heals it."""

from __future__ import annotations

from typing import Any

import pytest
import redis

from tests.service.clients import CheckedClient, code_of, faults_of
from tests.service.live_hands import (
    BEGUN,
    HIDDEN,
    RESULT,
    WHOLE,
    accepted,
    add,
    as_key,
    begin,
    events,
    fault_of,
    keyed_client,
    path_of,
    restate,
    score_all,
    version_of,
)

FLAG = "/v1/hands?on_illegal=flag"
PASS: dict[str, Any] = {"type": "passed", "player": "Cyril"}
WRONG: dict[str, Any] = {"type": "passed", "player": "Anna"}
BROKEN: dict[str, Any] = {**BEGUN, "events": [*BEGUN["events"], WRONG, PASS]}
"""Anna speaks out of turn (event 3)."""


def revoke(record: dict[str, Any]) -> dict[str, Any]:
    """The whole hand in which Cyril did not follow suit in the first trick (event 8)."""
    changed = [dict(event) for event in record["events"]]
    changed[7] = {"type": "trick_played", "cards": ["T21", "T10", "CQ"]}
    changed[-1] = {"type": "trick_played", "cards": ["HC", "HK", "T17"]}
    return {**record, "events": changed}


def keep(client: CheckedClient, record: dict[str, Any], **options: Any) -> str:
    response = client.post(FLAG, json=record, **options)
    assert response.status_code == 202, response.get_data(as_text=True)
    version = len(record["events"])
    assert response.get_json() == {"hand_id": record["hand_id"], "version": version, "status": "irregular"}
    return path_of(record)


def undo(seq: int) -> dict[str, Any]:
    return {"type": "event_retracted", "seq": seq, "reason": "no"}


def test_without_the_flag_it_is_refused(stored: CheckedClient) -> None:
    assert code_of(stored.post("/v1/hands", json=BROKEN), 422) == "wrong-turn"
    assert code_of(stored.post("/v1/hands?on_illegal=keep", json=BROKEN), 422) == "invalid-record"
    assert stored.get("/v1/hands").get_json()["hands"] == []


def test_a_legal_hand_is_none_the_worse_for_the_flag(stored: CheckedClient) -> None:
    response = stored.post(FLAG, json=WHOLE)
    assert (response.status_code, response.get_json()["status"]) == (202, "scored")
    response = stored.post(FLAG, json={**BEGUN, "players": ["Anna", "Anna", "Cyril"]})
    assert code_of(response, 422) == "invalid-record"


def test_its_sheet_says_what_was_broken_and_scores_nothing(
    stored: CheckedClient, redis_client: redis.Redis
) -> None:
    path = keep(stored, revoke(WHOLE))
    assert stored.get(f"{path}/score").status_code == 202
    score_all(redis_client)
    sheet = stored.get(f"{path}/score").get_json()
    assert {name: sheet[name] for name in ("status", "version", "items", "payments", "scores")} == {
        "status": "irregular",
        "version": 23,
        "items": [],
        "payments": [],
        "scores": {"Anna": 0, "Béla": 0, "Cyril": 0},
    }
    [note] = sheet["notes"]
    assert (note["code"], note["seq"]) == ("illegal-play", 8)
    assert note["detail"].startswith("CQ may not be played here; legal: ")
    other = stored.get(f"{path}/score?variant=illustrated-beck").get_json()
    assert (other["status"], other["notes"]) == ("irregular", [note])
    four = stored.get(f"{path}/score?variant=french-tarot-4").get_json()
    assert four["status"] == "void"
    assert [told["code"] for told in four["notes"]] == ["void", "illegal-play"]
    [summary] = stored.get("/v1/hands?status=irregular").get_json()["hands"]
    assert summary["hand_id"] == WHOLE["hand_id"]
    state = stored.get(path).get_json()
    assert (state["status"], state["may_act"], state["options"]) == ("irregular", {}, {})


def test_a_fault_that_shows_at_the_end_is_noted_where_it_is(
    stored: CheckedClient, redis_client: redis.Redis
) -> None:
    record = revoke(WHOLE)
    path = keep(stored, {**record, "events": record["events"][1:]})
    score_all(redis_client)
    [note] = stored.get(f"{path}/score").get_json()["notes"]
    assert (note["code"], note["seq"]) == ("illegal-play", 7)


def test_it_is_stored_once(stored: CheckedClient) -> None:
    path = keep(stored, BROKEN)
    again = stored.post(FLAG, json=BROKEN)
    assert (again.status_code, again.get_json()["status"]) == (200, "irregular")
    assert version_of(stored, path) == 4


class TestHealing:
    def test_by_a_retraction(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        path = keep(stored, BROKEN)
        score_all(redis_client)
        accepted(add(stored, path, 4, undo(3)), 5, "incomplete")
        assert stored.get(path).get_json()["phase"] == "talon"
        score_all(redis_client)
        assert stored.get(f"{path}/score").get_json()["status"] == "incomplete"
        response = add(stored, path, 5, WRONG)
        assert code_of(response, 422) == "event-out-of-place"
        assert "kept" not in fault_of(response)["detail"]

    def test_by_a_retraction_with_what_was_meant(self, stored: CheckedClient) -> None:
        path = keep(stored, {**BROKEN, "events": BROKEN["events"][:3]})
        accepted(add(stored, path, 3, undo(3), PASS), 5, "incomplete")

    def test_by_a_restatement(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        path = keep(stored, revoke(WHOLE))
        accepted(restate(stored, path, 23, WHOLE), 24, "scored")
        score_all(redis_client)
        assert stored.get(f"{path}/score").get_json()["scores"]["Anna"] == 42
        accepted(add(stored, path, 24, undo(24)), 25, "irregular")
        accepted(restate(stored, path, 25, WHOLE), 26, "scored")

    def test_not_by_a_retraction_that_leaves_it_broken(self, stored: CheckedClient) -> None:
        path = keep(stored, BROKEN)
        for seq in (4, 2, 99):
            response = add(stored, path, 4, undo(seq))
            assert code_of(response, 422) == "event-out-of-place"
            assert (fault_of(response)["pointer"], fault_of(response)["seq"]) == ("/events/0/seq", 3)
        assert version_of(stored, path) == 4

    def test_within_the_record_itself(self, stored: CheckedClient) -> None:
        record = {**BROKEN, "events": [*BROKEN["events"][:3], undo(3), PASS]}
        assert code_of(stored.post("/v1/hands", json=record), 422) == "wrong-turn"
        response = stored.post(FLAG, json=record)
        assert response.get_json() == {"hand_id": BEGUN["hand_id"], "version": 5, "status": "incomplete"}
        assert stored.get(path_of(BEGUN)).get_json()["phase"] == "talon"

    def test_a_healed_hand_is_judged_like_any_other(self, stored: CheckedClient) -> None:
        path = keep(stored, BROKEN)
        accepted(add(stored, path, 4, undo(3)), 5, "incomplete")
        response = add(stored, path, 5, undo(1))
        assert code_of(response, 422) == "wrong-turn"
        assert (fault_of(response)["pointer"], fault_of(response)["seq"]) == ("/events/0/seq", 2)
        for seq in (3, 5, 6, 77):
            response = add(stored, path, 5, undo(seq))
            assert code_of(response, 422) == "event-out-of-place"
            assert fault_of(response)["pointer"] == "/events/0/seq"
        take = {"type": "talon_taken", "player": "Béla", "cards": ["HK", "S9", "D1"]}
        response = add(stored, path, 5, take, {**take, "player": "Anna"})
        assert faults_of(response) == [("/events/1", "event-out-of-place")]
        accepted(add(stored, path, 5, take), 6, "incomplete")

    def test_a_retraction_that_was_wrong_itself(self, stored: CheckedClient) -> None:
        path = keep(stored, {**BEGUN, "events": [*BEGUN["events"], undo(7)]})
        assert code_of(add(stored, path, 3, PASS), 422) == "event-out-of-place"
        accepted(restate(stored, path, 3, BEGUN), 4, "incomplete")

    def test_two_faults_by_two_retractions_at_once(self, stored: CheckedClient) -> None:
        path = keep(stored, {**BROKEN, "events": [*BROKEN["events"], WRONG]})
        assert add(stored, path, 5, undo(3)).status_code == 422
        accepted(add(stored, path, 5, undo(3), undo(5)), 7, "incomplete")


class TestWhatItTakes:
    def test_penalties_and_an_annulment(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        path = keep(stored, revoke(WHOLE))
        fine = {"type": "penalty_assessed", "player": "Cyril", "points": -20, "reason": "revoked"}
        off = {"type": "hand_annulled", "reason": "director"}
        accepted(add(stored, path, 23, fine), 24, "irregular")
        score_all(redis_client)
        sheet = stored.get(f"{path}/score").get_json()
        assert (sheet["status"], sheet["scores"]["Cyril"]) == ("irregular", -20)
        accepted(add(stored, path, 24, off), 25, "annulled")
        score_all(redis_client)
        sheet = stored.get(f"{path}/score").get_json()
        assert (sheet["status"], sheet["scores"]["Cyril"]) == ("annulled", -20)
        assert [note["code"] for note in sheet["notes"]] == ["illegal-play", "annulled"]
        french = stored.get(f"{path}/score?variant=french-tarot-3").get_json()
        assert [note["code"] for note in french["notes"]] == ["void", "illegal-play", "annulled"]
        assert add(stored, path, 25, off).status_code == 422
        accepted(add(stored, path, 25, undo(25), undo(24)), 27, "irregular")
        score_all(redis_client)
        assert stored.get(f"{path}/score").get_json()["scores"]["Cyril"] == 0
        accepted(add(stored, path, 27, off), 28, "annulled")

    def test_one_from_before_the_fault_can_be_taken_back(
        self, stored: CheckedClient, redis_client: redis.Redis
    ) -> None:
        fine = {"type": "penalty_assessed", "player": "Cyril", "points": -20}
        path = keep(stored, {**BROKEN, "events": [fine, *BROKEN["events"]]})
        accepted(add(stored, path, 5, undo(1)), 6, "irregular")
        score_all(redis_client)
        assert stored.get(f"{path}/score").get_json()["scores"]["Cyril"] == 0

    @pytest.mark.parametrize(
        "event",
        [
            PASS,
            {"type": "hand_annulled", "reason": "all_passed"},
            {"type": "hand_annulled", "reason": "petit_sec"},
            RESULT["events"][0],
        ],
        ids=["a call", "all passed", "petit sec", "a result"],
    )
    def test_nothing_that_goes_on_with_the_play(self, stored: CheckedClient, event: dict[str, Any]) -> None:
        path = keep(stored, BROKEN)
        fine = {"type": "penalty_assessed", "player": "Cyril", "points": -20}
        response = add(stored, path, 4, fine, event)
        assert code_of(response, 422) == "event-out-of-place"
        assert faults_of(response) == [("/events/1", "event-out-of-place")]
        assert fault_of(response)["seq"] == 3
        assert version_of(stored, path) == 4


def test_its_cards_are_secret_until_all_are_out(redis_url: str) -> None:
    keyed = keyed_client(redis_url)
    begun = {**WHOLE, "hand_id": "begun", "events": [*WHOLE["events"][:8], PASS]}
    path = keep(keyed, begun, headers=as_key("table"))
    assert events(keyed, path, "reader")[0]["hands"]["Anna"] == HIDDEN
    assert events(keyed, path, "anna")[0]["hands"]["Anna"] == WHOLE["events"][0]["hands"]["Anna"]
    path = keep(keyed, revoke(WHOLE), headers=as_key("table"))
    assert events(keyed, path, "reader")[0] == WHOLE["events"][0]


def test_its_note_names_no_cards_while_they_are_secret(redis_url: str, redis_client: redis.Redis) -> None:
    keyed = keyed_client(redis_url)
    path = keep(keyed, {**revoke(WHOLE), "events": revoke(WHOLE)["events"][:9]}, headers=as_key("table"))
    score_all(redis_client)
    [note] = keyed.get(f"{path}/score", headers=as_key("reader")).get_json()["notes"]
    assert note["detail"] == "CQ may not be played here."


def test_a_hand_of_the_log_is_begun_as_usual(stored: CheckedClient) -> None:
    path = begin(stored, BEGUN)
    assert add(stored, path, 2, WRONG).status_code == 422
