"""Attacks that once found something: names, times, and what a player's key could try out."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from tests.service.clients import CheckedClient, code_of, faults_of
from tests.service.live_hands import (
    BEGUN,
    WHOLE,
    accepted,
    add,
    as_key,
    begin,
    keyed_client,
    part,
    restate,
)


@pytest.fixture
def keyed(redis_url: str) -> CheckedClient:
    return keyed_client(redis_url)


class TestAPlayerWithTheNameOfASeat:
    PLAYERS = ("seat 9 (counted from 0)", "seat 0 (counted from 0)", "Cyril")

    def record(self, *passes: int) -> dict[str, Any]:
        events = [{"type": "passed", "player": self.PLAYERS[seat]} for seat in passes]
        return {"hand_id": "h", "variant": BEGUN["variant"], "players": [*self.PLAYERS], "events": events}

    @pytest.mark.parametrize("seat", range(3))
    def test_is_told_by_that_name(self, stored: CheckedClient, seat: int) -> None:
        said = f"it is the turn of {self.PLAYERS[seat]} to speak"
        early = self.record(*range(seat))["events"]
        wrong = self.record((seat + 1) % 3)["events"]
        record = {**self.record(0), "events": early + wrong}
        for path in ("/v1/score", "/v1/hands"):
            response = stored.post(path, json=record)
            assert code_of(response, 422) == "wrong-turn"
            assert response.get_json(force=True)["detail"] == said
        if early:
            path = begin(stored, {**record, "events": early})
            response = add(stored, path, len(early), *wrong)
            assert response.get_json(force=True)["errors"][0]["detail"] == said

    def test_stays_in_the_note_of_an_irregular_hand(self, stored: CheckedClient) -> None:
        stored.post("/v1/hands?on_illegal=flag", json=self.record(0, 0))
        response = add(stored, "/v1/hands/h", 2, {"type": "passed", "player": "Cyril"})
        assert code_of(response, 422) == "event-out-of-place"
        assert f"the turn of {self.PLAYERS[1]} to speak" in response.get_json(force=True)["detail"]


class TestWhatAPlayersKeyCannotTryOut:
    """The discards of a live hand lie face down, and a refusal that depends on them would turn them up."""

    def hand(self, *, deal: bool) -> dict[str, Any]:
        """Played against Anna, up to Dora's discard; every event has an id."""
        against = json.dumps(part(WHOLE, 7)).replace("Anna", "Dora").replace("Cyril", "Anna")
        record: dict[str, Any] = json.loads(against)
        told = record["events"][0 if deal else 1 :]
        events = [{**event, "event_id": str(number)} for number, event in enumerate(told)]
        return {**record, "events": events}

    def guesses(self, record: dict[str, Any]) -> list[dict[str, Any]]:
        """The discard as it was, and another one."""
        discard = record["events"][-1]
        assert discard["type"] == "cards_discarded"
        return [discard, {**discard, "cards": ["C9", "D1"]}]

    def test_by_an_event_id(self, keyed: CheckedClient) -> None:
        record = self.hand(deal=True)
        path = begin(keyed, record, headers=as_key("table"))
        for guess in self.guesses(record):
            for version in (None, 7):
                response = add(keyed, path, version, guess, key="anna")
                assert code_of(response, 403) == "forbidden"
                assert faults_of(response) == [("/events/0", "forbidden")]
        # The table knows them, and has the answers of any repetition.
        accepted(add(keyed, path, None, record["events"][-1], key="table"), 7, "incomplete")

    def test_by_the_beginning_of_the_hand(self, keyed: CheckedClient) -> None:
        record = self.hand(deal=False)
        begin(keyed, record, headers=as_key("table"))
        for guess in self.guesses(record):
            told = {**record, "events": [*record["events"][:-1], guess]}
            response = keyed.post("/v1/hands", json=told, headers=as_key("anna"))
            assert code_of(response, 403) == "forbidden"
        assert keyed.post("/v1/hands", json=record, headers=as_key("blind")).status_code == 200

    def test_by_an_import(self, keyed: CheckedClient) -> None:
        for path in ("/v1/hands:import", "/v1/imports"):
            headers = {**as_key("anna"), "Content-Type": "application/x-ndjson"}
            assert code_of(keyed.post(path, data=b"{}\n", headers=headers), 403) == "forbidden"

    def test_its_own_hand_may_be_sent_again(self, keyed: CheckedClient) -> None:
        begin(keyed, BEGUN, headers=as_key("anna"))
        assert keyed.post("/v1/hands", json=BEGUN, headers=as_key("anna")).status_code == 200

    def test_so_may_its_own_events_when_others_went_on(self, keyed: CheckedClient) -> None:
        first = part(BEGUN, 1)
        path = begin(keyed, first, headers=as_key("anna"))
        accepted(add(keyed, path, 1, BEGUN["events"][1], key="table"), 2, "incomplete")
        assert keyed.post("/v1/hands", json=first, headers=as_key("anna")).status_code == 200

    def test_a_hand_that_is_over_is_open(self, keyed: CheckedClient) -> None:
        begin(keyed, WHOLE, headers=as_key("table"))
        assert keyed.post("/v1/hands", json=WHOLE, headers=as_key("anna")).status_code == 200
        other = {**WHOLE, "table": "7"}
        assert code_of(keyed.post("/v1/hands", json=other, headers=as_key("anna")), 409) == "hand-exists"

    @pytest.mark.parametrize("event", [None, 7, {}, {"player": 7}, {"type": ["passed"], "player": "Anna"}])
    def test_what_is_no_event_is_told_as_that(self, keyed: CheckedClient, event: Any) -> None:
        path = begin(keyed, BEGUN, headers=as_key("table"))
        response = add(keyed, path, 2, event, key="anna")
        assert response.status_code in (403, 422)


def test_true_is_not_one(stored: CheckedClient) -> None:
    fine = {"type": "penalty_assessed", "player": "Anna", "points": 1, "event_id": "fine"}
    path = begin(stored, BEGUN)
    accepted(add(stored, path, 2, fine), 3, "incomplete")
    accepted(add(stored, path, 2, {**fine, "points": 1.0}), 3, "incomplete")
    assert code_of(add(stored, path, 2, {**fine, "points": True}), 409) == "event-conflict"


class TestBodiesThatAreFullOfFaults:
    """Eight megabytes hold many faults; a few are told, and looking for them takes no longer than reading."""

    CROWD = {f"x{number}": number for number in range(200_000)}  # noqa: RUF012  # never written to
    RECORD: dict[str, Any] = part(WHOLE, 1)
    DEAL: dict[str, Any] = RECORD["events"][0]

    @pytest.mark.parametrize(
        ("path", "body"),
        [
            ("/v1/score", {**RECORD, **CROWD}),
            ("/v1/score", {**RECORD, "events": [{**DEAL, **CROWD}]}),
            ("/v1/score", {**RECORD, "events": [{**DEAL, "hands": CROWD}]}),
            ("/v1/score:compare", {"record": RECORD, "variants": [], **CROWD}),
            ("/v1/score:compare", {"record": RECORD, "variants": ["none"] * 100, **CROWD}),
        ],
        ids=["record", "event", "hands", "comparison", "variants"],
    )
    def test_are_answered_soon(self, client: CheckedClient, path: str, body: dict[str, Any]) -> None:
        sent = json.dumps(body)
        began = time.process_time()
        response = client.post(path, data=sent, content_type="application/json")
        took = time.process_time() - began
        assert code_of(response, 422) == "invalid-record"
        faults = response.get_json(force=True)["errors"]
        assert len(faults) == 1001
        assert "more faults" in faults[-1]["detail"]
        # Where each of them is noted, it takes five seconds and more.
        assert took < 2

    def test_so_is_a_restatement(self, stored: CheckedClient) -> None:
        path = begin(stored, BEGUN)
        began = time.process_time()
        response = stored.put(path, json={"record": BEGUN, "reason": "x", **self.CROWD})
        assert code_of(response, 422) == "invalid-record"
        assert len(response.get_json(force=True)["errors"]) == 1001
        assert time.process_time() - began < 2


def test_many_events_after_a_restatement_are_judged_at_once(stored: CheckedClient) -> None:
    path = begin(stored, BEGUN)
    accepted(restate(stored, path, 2, BEGUN), 3, "incomplete")
    fine = {"type": "penalty_assessed", "player": "Anna", "points": 1}
    many = [fine] * 200 + [{"type": "event_retracted", "seq": seq} for seq in range(4, 204)]
    began = time.process_time()
    early = {"type": "passed", "player": "Anna"}
    response = add(stored, path, 3, *many, early)
    assert faults_of(response) == [("/events/400/player", "wrong-turn")]
    accepted(add(stored, path, 3, *many), 403, "incomplete")
    # Where each beginning of them is judged by itself, it takes five seconds.
    assert time.process_time() - began < 2
