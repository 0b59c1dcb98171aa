"""Closing sessions, what is kept of them, and places that several hands claim."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
import redis

from records.log import Stream
from records.redis_keys import stream_key
from records.redis_log import RedisLog
from records.sheet_codec import read_sheet
from records.sheets import MadeSheet, Sheets
from tests.service.clients import CheckedClient, code_of, faults_of
from tests.service.evenings import MAYR, THREE, Evening, solo, why

RATE = {"minor_units_per_point": 2, "currency": "EUR"}
RETRACTED = {"type": "event_retracted", "seq": 1, "reason": "a slip"}


@pytest.fixture
def evening(stored: CheckedClient, redis_client: redis.Redis) -> Evening:
    evening = Evening(stored, redis_client)
    evening.open(THREE, MAYR, rate=RATE)
    return evening


def figures(session: dict[str, Any]) -> dict[str, Any]:
    return {name: session[name] for name in ("hands", "totals", "series", "standings", "disputes")}


class TestClosing:
    def test_a_closed_session_is_as_it_was(self, evening: Evening) -> None:
        evening.play(solo("Anna", 49), solo("Béla", 60), solo("Cyril", 20))
        before = evening.read()
        settled = evening.settlement()
        response = evening.decide("close", {"reason": "the last tram"})
        assert response.status_code == 200
        closed = response.get_json()
        assert (closed["status"], closed["version"]) == ("closed", 2)
        assert closed["closed_at"].endswith("Z")
        assert figures(closed) == figures(before)
        kept = evening.settlement()
        assert {**kept, "version": 1, "status": "open", "position": settled["position"]} == settled

    def test_closing_and_reopening_once_more_change_nothing(self, evening: Evening) -> None:
        first = evening.decide("close").get_json()
        assert evening.decide("close", {"reason": "again"}).get_json() == first
        open_again = evening.decide("reopen").get_json()
        assert (open_again["status"], open_again["version"], open_again["closed_at"]) == ("open", 3, None)
        assert evening.decide("reopen").get_json() == open_again

    def test_a_correction_after_closing_is_shown_and_pays_only_when_it_is_reopened(
        self, evening: Evening
    ) -> None:
        evening.play(solo("Anna", 49), solo("Béla", 60))
        evening.score()
        closed = evening.decide("close").get_json()
        settled = evening.settlement()
        assert closed["changed_since_closing"] == settled["changed_since_closing"] == []
        evening.add("h2", RETRACTED)
        evening.play({**solo("Cyril", 36), "hand_id": "h3", "number": 3})
        after = evening.read()
        assert figures(after) == figures(closed)
        changes = after["changed_since_closing"]
        assert changes == [
            {
                "hand_id": "h2",
                "then": told(1, "scored", None, {"Anna": 0, "Béla": 140, "Cyril": 0}),
                "now": told(2, "incomplete", "incomplete", {"Anna": 0, "Béla": 0, "Cyril": 0}),
            },
            {
                "hand_id": "h3",
                "then": None,
                "now": told(1, "scored", None, {"Anna": 0, "Béla": 0, "Cyril": 44}),
            },
        ]
        assert evening.settlement() == {**settled, "changed_since_closing": changes}
        evening.decide("reopen", {"reason": "hand 2"})
        reopened = evening.look()
        assert reopened["changed_since_closing"] == []
        assert reopened["totals"] == {"Anna": 96, "Béla": 0, "Cyril": 44}
        assert evening.settlement()["points"] == {"Anna": 148, "Béla": -140, "Cyril": -8}

    def test_a_hand_that_was_moved_and_one_that_was_archived(
        self, evening: Evening, redis_client: redis.Redis
    ) -> None:
        evening.play(solo("Anna", 49), solo("Béla", 60))
        evening.score()
        evening.decide("close")
        record = {**solo("Anna", 49), "session_id": "s2"}
        evening.client.put(
            "/v1/hands/h1", json={"record": record, "reason": "wrong table"}, headers={"If-Match": '"1"'}
        )
        redis_client.delete(stream_key(Stream("hand", "default", "h2")))
        session = evening.read()
        assert [(one["hand_id"], one["now"]) for one in session["changed_since_closing"]] == [("h1", None)]
        assert session["totals"] == {"Anna": 96, "Béla": 150, "Cyril": 0}
        # Opened again it would come to less, without anybody having decided it.
        response = evening.decide("reopen")
        assert code_of(response, 409) == "session-closed"
        assert "in an archive: h2." in response.get_json(force=True)["detail"]

    def test_other_sheets_do_not_change_what_is_paid(
        self, evening: Evening, redis_client: redis.Redis
    ) -> None:
        """As when a later version of the rules has made the sheets anew."""
        evening.play(solo("Anna", 49))
        evening.score()
        evening.decide("close")
        before = (evening.look(), evening.settlement())
        sheets = evening.client.get(f"{evening.path}/settlement?with=sheets").get_json()["sheets"]
        assert [sheet["scores"]["Anna"] for sheet in sheets] == [96]
        stream = Stream("hand", "default", "h1")
        found = RedisLog(redis_client).read(stream)
        assert found is not None
        assert found.view is not None
        other = read_sheet(found.view.body, "h1", 1)
        other["scores"] = {"Anna": 1, "Béla": 0, "Cyril": 0}
        other["variant_revision"] = "sha256:" + "1" * 64
        Sheets(redis_client).store([MadeSheet(stream, 1, other)])
        after = (evening.look(), evening.settlement())
        for then, now in zip(before, after, strict=True):
            changes = now.pop("changed_since_closing")
            assert [change["now"]["scores"]["Anna"] for change in changes] == [1]
            assert now == {name: value for name, value in then.items() if name != "changed_since_closing"}
        kept = evening.client.get(f"{evening.path}/settlement?with=sheets").get_json()["sheets"]
        assert kept == sheets
        evening.decide("reopen")
        assert evening.look()["totals"]["Anna"] == 1

    def test_sheets_that_are_due_are_waited_for(self, evening: Evening) -> None:
        evening.play(solo("Anna", 49))
        response = evening.decide("close")
        assert code_of(response, 409) == "session-unsettled"
        assert "h1" in response.get_json(force=True)["detail"]
        assert response.headers["Retry-After"] == "1"
        worker = threading.Timer(0.2, evening.score)
        worker.start()
        try:
            assert evening.decide("close").get_json()["totals"]["Anna"] == 96
        finally:
            worker.join()

    def test_nothing_but_what_was_seen_is_closed(self, evening: Evening) -> None:
        evening.play(solo("Anna", 49))
        evening.score()
        tag = evening.client.get(evening.path).headers["ETag"]
        evening.play({**solo("Béla", 36), "hand_id": "h2", "number": 2})
        evening.score()
        assert code_of(evening.decide("close", headers={"If-Match": tag}), 412) == "version-mismatch"
        assert code_of(evening.decide("close", headers={"If-Match": '"2"'}), 412) == "version-mismatch"
        for tag_that_is_none in ("", "1", '"1'):
            refused = evening.decide("close", headers={"If-Match": tag_that_is_none})
            assert code_of(refused, 400) == "bad-request"
        tag = evening.client.get(evening.path).headers["ETag"]
        closed = evening.decide("close", headers={"If-Match": tag})
        assert closed.get_json()["totals"]["Béla"] == 44
        # Sent again after a lost answer, it is done already.
        assert evening.decide("close", headers={"If-Match": tag}).get_json() == closed.get_json()

    def test_a_closed_session_is_not_changed(self, evening: Evening) -> None:
        evening.play(solo("Anna", 49), {**solo("Anna", 36), "hand_id": "other", "number": 1})
        evening.score()
        assert evening.decide("choose", {"hand_id": "h1"}).status_code == 200
        assert evening.decide("close").status_code == 200
        for version, code in (("2", "version-mismatch"), ("3", "session-closed")):
            response = evening.client.patch(
                evening.path, json={"name": "x"}, headers={"If-Match": f'"{version}"'}
            )
            assert code_of(response, 412 if version == "2" else 409) == code
        assert code_of(evening.decide("choose", {"hand_id": "other"}), 409) == "session-closed"

    @pytest.mark.parametrize("body", [{"reason": 3}, {"why": "x"}, [], {"reason": "x" * 501}, "x"])
    def test_what_is_no_reason(self, evening: Evening, body: Any) -> None:
        for what in ("close", "reopen"):
            assert code_of(evening.decide(what, body), 422) == "invalid-record"
        assert evening.look()["version"] == 1

    def test_a_reason_may_be_null(self, evening: Evening) -> None:
        assert evening.decide("close", {"reason": None}).get_json()["version"] == 2


def told(version: int, status: str, reason: str | None, scores: dict[str, int]) -> dict[str, Any]:
    return {"version": version, "status": status, "why": reason, "scores": scores, "penalties": {}}


class TestDisputes:
    @pytest.fixture
    def evening(self, evening: Evening) -> Evening:
        """Two hands that claim the same place, and one beside them."""
        evening.play({**solo("Anna", 49), "hand_id": "a", "round": 1, "table": "3"})
        self.rival(evening, "b", solo("Béla", 60))
        evening.play({**solo("Cyril", 36), "hand_id": "c", "number": 2, "round": 1, "table": "3"})
        return evening

    def rival(self, evening: Evening, hand_id: str, hand: dict[str, Any], **place: Any) -> None:
        time.sleep(0.002)  # the order of arrival is that of milliseconds
        evening.play({**hand, "hand_id": hand_id, "round": 1, "table": "3", "number": 1, **place})

    def test_the_second_hand_at_a_place_is_disputed(self, evening: Evening) -> None:
        session = evening.read()
        assert why(session) == {"a": None, "b": "disputed", "c": None}
        assert [hand["disputed"] for hand in session["hands"]] == [False, True, False]
        assert session["totals"] == {"Anna": 96, "Béla": 0, "Cyril": 44}
        assert session["disputes"] == [
            {"table": "3", "round": 1, "number": 1, "hand_ids": ["a", "b"], "counted": "a", "disputed": ["b"]}
        ]
        response = evening.decide("close")
        assert code_of(response, 409) == "session-unsettled"
        assert "Retry-After" not in response.headers

    def test_a_director_chooses_and_changes_his_mind(self, evening: Evening) -> None:
        evening.score()
        chosen = evening.decide("choose", {"hand_id": "b"}).get_json()
        assert why(chosen) == {"a": "not_chosen", "b": None, "c": None}
        assert chosen["totals"] == {"Anna": 0, "Béla": 150, "Cyril": 44}
        assert chosen["disputes"] == []
        # The same once more is no event.
        assert evening.decide("choose", {"hand_id": "b"}).get_json() == chosen
        assert why(evening.decide("choose", {"hand_id": "a"}).get_json()) == {
            "a": None,
            "b": "not_chosen",
            "c": None,
        }
        events = evening.client.get(f"{evening.path}/events").get_json()["events"]
        assert [entry["event"] for entry in events[1:]] == [
            {"type": "hand_chosen", "hand_id": "b", "over": ["a"]},
            {"type": "hand_chosen", "hand_id": "a", "over": ["b"]},
        ]
        assert evening.decide("close").status_code == 200

    def test_one_that_comes_later_is_disputed_again(self, evening: Evening) -> None:
        evening.decide("choose", {"hand_id": "b"})
        self.rival(evening, "late", solo("Cyril", 40))
        assert why(evening.read()) == {"a": "not_chosen", "b": None, "late": "disputed", "c": None}
        assert why(evening.decide("choose", {"hand_id": "b"}).get_json())["late"] == "not_chosen"

    def test_what_is_annulled_or_moved_claims_no_place(self, evening: Evening) -> None:
        evening.decide("choose", {"hand_id": "b"})
        evening.add("b", RETRACTED, {"type": "hand_annulled", "reason": "director"})
        assert why(evening.read()) == {"a": None, "b": "annulled", "c": None}
        self.rival(evening, "new", solo("Béla", 36))
        record = {**solo("Béla", 36), "session_id": "s1", "table": "3", "round": 1, "number": 7}
        evening.client.put(
            "/v1/hands/new", json={"record": record, "reason": "number 7"}, headers={"If-Match": '"1"'}
        )
        session = evening.read()
        assert why(session) == {"a": None, "b": "annulled", "c": None, "new": None}
        assert session["disputes"] == []

    @pytest.mark.parametrize("hand_id", ["c", "nothing"])
    def test_what_cannot_be_chosen(self, evening: Evening, hand_id: str) -> None:
        response = evening.decide("choose", {"hand_id": hand_id})
        assert code_of(response, 422) == "invalid-record"
        assert faults_of(response) == [("/hand_id", "invalid-record")]

    def test_a_table_by_name_or_number_is_the_same(self, evening: Evening) -> None:
        self.rival(evening, "number", solo("Anna", 36), table=3)
        assert why(evening.read())["number"] == "disputed"

    def test_what_can_never_count_claims_no_place(self, evening: Evening) -> None:
        evening.play({**solo("Anna", 36, players=["Anna", "Béla", "Dora"]), "hand_id": "x", "number": 9})
        time.sleep(0.002)
        evening.play({**solo("Anna", 36), "hand_id": "y", "number": 9})
        found = why(evening.read())
        assert (found["x"], found["y"]) == ("other_players", None)

    def test_other_tables_rounds_and_hands_without_a_number_are_no_rivals(self, evening: Evening) -> None:
        for hand_id, place in (
            ("table", {"table": "4"}),
            ("round", {"round": 2}),
            ("loose", {"number": None}),
            ("loose-2", {"number": None}),
        ):
            self.rival(evening, hand_id, solo("Anna", 36), **place)
        assert {hand_id for hand_id, reason in why(evening.read()).items() if reason} == {"b"}
