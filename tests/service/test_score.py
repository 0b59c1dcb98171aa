"""POST /v1/score and /v1/score:compare: what the golden records do not ask."""

from __future__ import annotations

from typing import Any

import pytest

from tests.service.clients import CheckedClient, code_of, faults_of
from tests.service.document import load_document

EXAMPLES: dict[str, Any] = load_document().raw["components"]["examples"]
RESULT: dict[str, Any] = EXAMPLES["ReportedResult"]["value"]
WHOLE: dict[str, Any] = EXAMPLES["WholeHand"]["value"]


def changed(record: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {**record, **fields}


def test_a_record_without_an_id_has_none(client: CheckedClient) -> None:
    sheet = client.post("/v1/score", json=changed(RESULT, hand_id=None)).get_json()
    assert sheet["hand_id"] is None
    assert sheet["scores"] == {"Anna": 42, "Béla": 0, "Cyril": 0}


def test_nulls_are_as_good_as_nothing(client: CheckedClient) -> None:
    nothing = dict.fromkeys(("session_id", "table", "round", "number", "played_at", "labels", "format"))
    with_nulls = {**RESULT, **nothing, "events": [{**RESULT["events"][0], "note": None, "contra": None}]}
    assert client.post("/v1/score", json=with_nulls).data == client.post("/v1/score", json=RESULT).data


def test_every_beginning_of_a_hand_is_incomplete_and_scores_nothing(client: CheckedClient) -> None:
    for length in range(1, len(WHOLE["events"])):
        sheet = client.post("/v1/score", json=changed(WHOLE, events=WHOLE["events"][:length])).get_json()
        assert (sheet["status"], sheet["items"], sheet["version"]) == ("incomplete", [], length)


def test_all_faults_of_shape_are_told_at_once(client: CheckedClient) -> None:
    record = {
        "variant": "illustrated-nobody",
        "players": ["Anna", " Béla", "Cyril"],
        "colour": "red",
        "events": [
            {"type": "passed", "player": "Dora"},
            {"type": "cards_discarded", "player": "Anna", "cards": ["T1", "T22"]},
            {"type": "shuffled"},
        ],
    }
    response = client.post("/v1/score", json=record)
    assert code_of(response, 422) == "invalid-record"
    assert {pointer for pointer, _ in faults_of(response)} == {
        "/variant",
        "/players/1",
        "/colour",
        "/events/0/player",
        "/events/1/cards/1",
        "/events/2/type",
    }


def test_a_broken_rule_names_its_event_and_clause(client: CheckedClient) -> None:
    events = [*WHOLE["events"][:7], {"type": "trick_played", "cards": ["T21", "T10", "D3"]}]
    problem = client.post("/v1/score", json=changed(WHOLE, events=events)).get_json(force=True)
    [fault] = problem["errors"]
    assert problem["type"] == "urn:trull:problem:illegal-play"
    assert fault["pointer"] == "/events/7/cards/2"
    assert fault["clause"] == "IT-6.2"
    assert problem["detail"] == fault["detail"]


def test_a_dealt_card_is_pointed_at_by_the_players_name(client: CheckedClient) -> None:
    deal = WHOLE["events"][0]
    twice = {**deal, "hands": {**deal["hands"], "Béla": ["F", *deal["hands"]["Béla"][1:]]}}
    response = client.post(
        "/v1/score", json=changed(WHOLE, players=["Anna", "Béla", "Cyril"], events=[twice])
    )
    assert code_of(response, 422) == "duplicate-card"
    assert faults_of(response) == [("/events/0/hands/Béla/0", "duplicate-card")]


def test_an_unknown_target_is_not_found_whatever_the_body(client: CheckedClient) -> None:
    for body in (RESULT, {}):
        assert code_of(client.post("/v1/score?variant=nothing", json=body), 404) == "unknown-variant"


class TestRulings:
    """`rulings` beside the record."""

    QUESTION: dict[str, Any] = EXAMPLES["OtherRulings"]["value"]

    def scores(self, client: CheckedClient, record: dict[str, Any], path: str = "/v1/score") -> list[int]:
        response = client.post(path, json=record)
        assert response.status_code == 200, response.get_data(as_text=True)
        return [*response.get_json()["scores"].values()]

    def test_they_decide_for_this_once(self, client: CheckedClient) -> None:
        """The lost Pagat of IT-7.7 pays 10 times 2, or 10."""
        usual = {**self.QUESTION, "rulings": None}
        assert self.scores(client, usual) == [14, 20, 20]
        assert self.scores(client, self.QUESTION) == [14, 10, 10]
        assert self.scores(client, usual) == [14, 20, 20]

    def test_the_sheet_tells_of_them(self, client: CheckedClient) -> None:
        usual = client.post("/v1/score", json={**self.QUESTION, "rulings": {}}).get_json()
        sheet = client.post("/v1/score", json=self.QUESTION).get_json()
        assert sheet["variant"] == usual["variant"]
        assert sheet["variant_revision"] != usual["variant_revision"]
        assert [note["code"] for note in sheet["notes"]] == ["other-rulings"]
        assert "failed_bonus_multiplied false" in sheet["notes"][0]["detail"]
        assert usual["notes"] == []

    def test_they_are_those_of_the_target(self, client: CheckedClient) -> None:
        path = "/v1/score?variant=illustrated-beck"
        assert self.scores(client, self.QUESTION, path) == [10, 10, 10]
        assert self.scores(client, {**self.QUESTION, "rulings": {"failed_bonus_multiplied": True}}, path) == [
            10,
            20,
            20,
        ]

    def test_a_hand_that_only_they_allow(self, client: CheckedClient) -> None:
        """Beck has no recontra (IT-10.15)."""
        [event] = RESULT["events"]
        told = {**event, "bonuses": [], "contra": {"level": "recontra", "stage": "after_pickup"}}
        record = {**RESULT, "variant": "illustrated-beck", "events": [told]}
        assert code_of(client.post("/v1/score", json=record), 422) == "inconsistent-result"
        # (3 + 6) times 2 for the contract and 4 for the recontra
        assert self.scores(client, {**record, "rulings": {"recontra": True}}) == [72, 0, 0]

    def test_what_they_forbid_is_scored_as_it_was_played(self, client: CheckedClient) -> None:
        [event] = RESULT["events"]
        told = {**event, "bonuses": [], "contra": {"level": "recontra", "stage": "after_pickup"}}
        record = {**RESULT, "events": [told], "rulings": {"recontra": False}}
        response = client.post("/v1/score", json=record).get_json()
        # (5 + 6) times 2, and 2 for the recontra that counts as a contra
        assert [*response["scores"].values()] == [44, 0, 0]
        assert [note["code"] for note in response["notes"]] == ["recontra-as-contra", "other-rulings"]

    @pytest.mark.parametrize(
        ("fields", "pointers"),
        [
            ({"rulings": 5}, ["/rulings"]),
            ({"rulings": {"recontra": 1}}, ["/rulings/recontra"]),
            ({"rulings": {"a/b": 1, "recontra": None}}, ["/rulings/a~1b", "/rulings/recontra"]),
            ({"rulings": {"petit_sec_redeal": True}}, ["/rulings/petit_sec_redeal"]),
            ({"rulings": {"recontra": 1}, "players": 3}, ["/players", "/rulings/recontra"]),
            ({"rulings": {"recontra": 1}, "variant": "x"}, ["/variant"]),
            ({"rulings": {"recontra": True}, "table": []}, ["/table"]),
        ],
    )
    def test_faults_of_both(self, client: CheckedClient, fields: dict[str, Any], pointers: list[str]) -> None:
        response = client.post("/v1/score", json={**self.QUESTION, **fields})
        assert code_of(response, 422) == "invalid-record"
        assert [where for where, _ in faults_of(response)] == pointers

    def test_a_rule_that_neither_allows(self, client: CheckedClient) -> None:
        record = {**WHOLE, "events": WHOLE["events"][1:5], "rulings": {"recontra": False}}
        record["events"] = [{"type": "passed", "player": "Béla"}]
        assert code_of(client.post("/v1/score", json=record), 422) == "wrong-turn"

    @pytest.mark.parametrize("path", ["/v1/hands", "/v1/score:compare"])
    def test_nowhere_else(self, client: CheckedClient, path: str) -> None:
        response = client.post(path, json=self.QUESTION)
        assert code_of(response, 422) == "invalid-record"
        assert ("/rulings", "invalid-record") in faults_of(response)


class TestCompare:
    PATH = "/v1/score:compare"

    def test_sheets_come_in_the_order_asked_for(self, client: CheckedClient) -> None:
        names = ["illustrated-beck", "illustrated-mayr-sedlaczek-2016", "illustrated-beck"]
        sheets = client.post(self.PATH, json={"record": WHOLE, "variants": names}).get_json()["sheets"]
        alone = [client.post(f"/v1/score?variant={name}", json=WHOLE).get_json() for name in names]
        assert sheets == alone
        assert sheets[0]["scores"] != sheets[1]["scores"]

    def test_another_game_is_void(self, client: CheckedClient) -> None:
        body = {"record": RESULT, "variants": ["french-tarot-4"]}
        [sheet] = client.post(self.PATH, json=body).get_json()["sheets"]
        assert (sheet["status"], sheet["items"]) == ("void", [])
        assert sheet["notes"]

    @pytest.mark.parametrize(
        ("body", "pointers"),
        [
            ({}, ["/record", "/variants"]),
            ({"record": None, "variants": None}, ["/record", "/variants"]),
            ({"record": RESULT, "variants": []}, ["/variants"]),
            ({"record": RESULT, "variants": "illustrated-beck"}, ["/variants"]),
            ({"record": RESULT, "variants": ["illustrated-beck"] * 101}, ["/variants"]),
            ({"record": RESULT, "variants": ["illustrated-beck", "x", 3]}, ["/variants/2"]),
            ({"record": RESULT, "variants": ["illustrated-beck", "x", "y"]}, ["/variants/1", "/variants/2"]),
            ({"record": RESULT, "variants": ["illustrated-beck"], "a/b": 1}, ["/a~1b"]),
            ({"record": {**RESULT, "players": 3}, "variants": ["x"], "u": 1}, ["/record/players", "/u"]),
            ({"record": 5, "variants": ["illustrated-beck"]}, ["/record"]),
        ],
    )
    def test_faults_of_both_parts(self, client: CheckedClient, body: Any, pointers: list[str]) -> None:
        response = client.post(self.PATH, json=body)
        assert code_of(response, 422) == "invalid-record"
        assert sorted(pointer for pointer, _ in faults_of(response)) == pointers

    def test_a_broken_rule_is_within_the_record(self, client: CheckedClient) -> None:
        record = changed(WHOLE, events=[{"type": "passed", "player": "Béla"}])
        response = client.post(self.PATH, json={"record": record, "variants": ["illustrated-beck"]})
        assert code_of(response, 422) == "wrong-turn"
        assert faults_of(response)[0][0].startswith("/record/events/0")
