"""What a key may do: its scopes, and a player's key."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.service.clients import CheckedClient, code_of, faults_of
from tests.service.document import Operation, load_document
from tests.service.live_hands import (
    BEGUN,
    RESULT,
    WHOLE,
    accepted,
    add,
    as_key,
    begin,
    keyed_client,
    part,
    restate,
)

FINE: dict[str, Any] = {"type": "penalty_assessed", "player": "Anna", "points": -5}
OFF: dict[str, Any] = {"type": "hand_annulled", "reason": "director"}
FREE = {"scoreRecord", "compareVariants", "listVariants", "getVariant", "readBoard"}
FREE |= {"readTable", "readTableForm", "scoreAtTable", "proposeHand", "confirmHand", "objectToHand"}
"""What any key may do: it touches no stored hand, or the token in its path is the key."""

GUARDED = [
    operation
    for operation in load_document().operations()
    if operation.path.startswith("/v1/") and operation.details["operationId"] not in FREE
]


@pytest.fixture
def keyed(redis_url: str) -> CheckedClient:
    return keyed_client(redis_url)


@pytest.mark.parametrize("operation", GUARDED, ids=lambda operation: operation.name)
def test_a_key_without_any_scope_is_told_so_before_all_else(
    keyed: CheckedClient, operation: Operation
) -> None:
    path = re.sub(r"\{\w+\}", "none", operation.path)
    response = keyed.open(path, method=operation.method.upper(), headers=as_key("nobody"))
    assert code_of(response, 403) == "forbidden"


def test_sending_is_not_reading(keyed: CheckedClient) -> None:
    path = begin(keyed, BEGUN, headers=as_key("sender"))
    accepted(add(keyed, path, 2, {"type": "passed", "player": "Cyril"}, key="sender"), 3, "incomplete")
    for view in ("", "/events", "/score"):
        assert code_of(keyed.get(path + view, headers=as_key("sender")), 403) == "forbidden"
        assert keyed.get(path + view, headers=as_key("reader")).status_code == 200
    assert code_of(keyed.get("/v1/hands", headers=as_key("sender")), 403) == "forbidden"
    assert code_of(keyed.post("/v1/hands", json=RESULT, headers=as_key("reader")), 403) == "forbidden"
    assert code_of(add(keyed, path, 3, OFF, key="reader"), 403) == "forbidden"


class TestDirecting:
    @pytest.mark.parametrize("event", [FINE, OFF], ids=["penalty", "annulment"])
    def test_what_is_the_directors(self, keyed: CheckedClient, event: dict[str, Any]) -> None:
        path = begin(keyed, BEGUN, headers=as_key("table"))
        response = add(keyed, path, 2, {"type": "passed", "player": "Cyril"}, event, key="table")
        assert code_of(response, 403) == "forbidden"
        assert faults_of(response) == [("/events/1", "forbidden")]
        assert add(keyed, path, 2, event, key="director").status_code == 200
        record = {**RESULT, "events": [*RESULT["events"], FINE]}
        response = keyed.post("/v1/hands", json=record, headers=as_key("table"))
        assert faults_of(response) == [("/events/1", "forbidden")]
        assert code_of(keyed.get(f"/v1/hands/{RESULT['hand_id']}", headers=as_key("reader")), 404)
        begin(keyed, record, headers=as_key("director"))

    def test_what_the_table_may_annul(self, keyed: CheckedClient) -> None:
        path = begin(keyed, BEGUN, headers=as_key("table"))
        off = {"type": "hand_annulled", "reason": "misdeal"}
        accepted(add(keyed, path, 2, off, key="blind"), 3, "annulled")

    def test_a_slip_is_undone_by_who_made_it_or_by_the_director(self, keyed: CheckedClient) -> None:
        path = begin(keyed, BEGUN, headers=as_key("table"))
        undo = {"type": "event_retracted", "seq": 2}
        response = add(keyed, path, 2, undo, key="blind")
        assert code_of(response, 403) == "forbidden"
        assert faults_of(response) == [("/events/0", "forbidden")]
        accepted(add(keyed, path, 2, undo, key="table"), 3, "incomplete")
        accepted(add(keyed, path, 3, {**undo, "seq": 1}, key="director"), 4, "incomplete")

    def test_who_directed_once_and_may_no_more_cannot_undo_it(
        self, keyed: CheckedClient, redis_url: str
    ) -> None:
        path = begin(keyed, RESULT, headers=as_key("director"))
        accepted(add(keyed, path, 1, FINE, key="director"), 2, "scored")
        accepted(restate(keyed, path, 2, RESULT, key="director"), 3, "scored")
        for event in (OFF, {"type": "event_retracted", "seq": 3}):
            assert code_of(add(keyed, path, 3, event, key="table"), 403) == "forbidden"
        assert code_of(restate(keyed, path, 3, RESULT, key="table"), 403) == "forbidden"

    def test_a_retraction_of_what_is_not_there_is_no_matter_of_scopes(self, keyed: CheckedClient) -> None:
        path = begin(keyed, BEGUN, headers=as_key("table"))
        undo = {"type": "event_retracted", "seq": 9}
        assert code_of(add(keyed, path, 2, undo, key="table"), 422) == "event-out-of-place"


class TestAPlayersKey:
    def test_it_speaks_for_the_player_alone(self, keyed: CheckedClient) -> None:
        path = begin(keyed, part(WHOLE, 7), headers=as_key("table"))
        for event in (
            {"type": "card_played", "player": "Béla", "card": "T10"},
            WHOLE["events"][7],
        ):
            response = add(keyed, path, 7, event, key="anna")
            assert code_of(response, 403) == "forbidden"
            assert faults_of(response) == [("/events/0", "forbidden")]
        lead = {"type": "card_played", "player": "Anna", "card": "T21"}
        accepted(add(keyed, path, 7, lead, key="anna"), 8, "incomplete")
        accepted(add(keyed, path, 8, {"type": "event_retracted", "seq": 8}, key="anna"), 9, "incomplete")

    def test_it_is_told_its_own_legal_cards(self, keyed: CheckedClient) -> None:
        record = part(WHOLE, 7)
        record["events"] = [*record["events"], {"type": "trick_played", "cards": ["T21", "T10", "T17"]}]
        path = begin(keyed, record, headers=as_key("table"))
        lead = {"type": "card_played", "player": "Anna", "card": "HJ"}
        follow = [
            {"type": "card_played", "player": "Béla", "card": "HK"},
            {"type": "card_played", "player": "Cyril", "card": "H1"},
            {"type": "card_played", "player": "Béla", "card": "SJ"},
        ]
        accepted(add(keyed, path, 8, lead, *follow, key="table"), 12, "incomplete")
        response = add(keyed, path, 12, {"type": "card_played", "player": "Anna", "card": "T2"}, key="anna")
        # Cyril is before Anna in this trick.
        assert code_of(response, 422) == "wrong-turn"
        spade = {"type": "card_played", "player": "Cyril", "card": "S9"}
        accepted(add(keyed, path, 12, spade, key="table"), 13, "incomplete")
        response = add(keyed, path, 13, {"type": "card_played", "player": "Anna", "card": "T2"}, key="anna")
        assert code_of(response, 422) == "illegal-play"
        assert response.get_json(force=True)["detail"] == "T2 may not be played here; legal: SK."
