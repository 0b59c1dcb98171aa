"""Sessions: opening, listing and changing them, their log, and who may do what."""

from __future__ import annotations

import time
from typing import Any

import pytest
import redis

from tests.service.clients import CheckedClient, code_of, faults_of
from tests.service.evenings import FOUR, MAYR, THREE, Evening, solo
from tests.service.live_hands import as_key, keyed_client

NEW: dict[str, Any] = {
    "session_id": "s1",
    "name": "Thursday",
    "players": THREE,
    "variant": MAYR,
    "rate": {"minor_units_per_point": 2, "currency": "EUR"},
    "time_zone": "Europe/Vienna",
}


@pytest.fixture
def evening(stored: CheckedClient, redis_client: redis.Redis) -> Evening:
    return Evening(stored, redis_client)


def test_opening_a_session(stored: CheckedClient) -> None:
    response = stored.post("/v1/sessions", json=NEW)
    assert response.status_code == 201
    assert response.headers["Location"] == "/v1/sessions/s1"
    body = response.get_json()
    assert {name: body[name] for name in NEW} == NEW
    assert (body["version"], body["status"], body["hands"], body["series"]) == (1, "open", [], [])
    assert stored.get("/v1/sessions/s1").get_json() == body


def test_the_same_session_again(stored: CheckedClient) -> None:
    stored.post("/v1/sessions", json=NEW)
    again = stored.post("/v1/sessions", json=NEW)
    assert (again.status_code, again.get_json()["version"]) == (200, 1)
    # As it was opened, and as it is now, is the same session; anything else is another one.
    stored.patch("/v1/sessions/s1", json={"name": "Friday"}, headers={"If-Match": '"1"'})
    assert stored.post("/v1/sessions", json=NEW).status_code == 200
    assert stored.post("/v1/sessions", json={**NEW, "name": "Friday"}).status_code == 200
    for change in ({"name": "x"}, {"rate": None}, {"players": [*THREE, "Dora"]}, {"time_zone": None}):
        assert code_of(stored.post("/v1/sessions", json={**NEW, **change}), 409) == "session-exists"
    assert stored.get("/v1/sessions/s1").get_json()["version"] == 2


def test_what_is_not_said_is_null(stored: CheckedClient) -> None:
    response = stored.post("/v1/sessions", json={"players": FOUR, "variant": "french-tarot-4", "rate": None})
    assert response.status_code == 201
    body = response.get_json()
    assert (body["name"], body["rate"], body["time_zone"]) == (None, None, None)
    assert len(body["session_id"]) == 36
    assert response.headers["Location"] == f"/v1/sessions/{body['session_id']}"


@pytest.mark.parametrize(
    ("change", "pointers"),
    [
        ({"players": ["Anna", "Béla"]}, ["/players"]),
        ({"players": ["Anna", "Béla", "Anna"]}, ["/players/2"]),
        ({"players": ["Anna", " Béla", 3]}, ["/players/1", "/players/2"]),
        ({"players": [f"P{number}" for number in range(51)]}, ["/players"]),
        ({"players": None}, ["/players"]),
        ({"variant": "french-tarot-4"}, ["/players"]),
        ({"variant": "whist"}, ["/variant"]),
        ({"session_id": "a b"}, ["/session_id"]),
        ({"name": " x"}, ["/name"]),
        ({"name": "x" * 129}, ["/name"]),
        ({"time_zone": "Vienna"}, ["/time_zone"]),
        ({"time_zone": "../Europe/Vienna"}, ["/time_zone"]),
        ({"time_zone": 1}, ["/time_zone"]),
        ({"rate": 2}, ["/rate"]),
        ({"rate": {"minor_units_per_point": 1.5, "currency": "EUR"}}, ["/rate/minor_units_per_point"]),
        ({"rate": {"minor_units_per_point": -1, "currency": "EUR"}}, ["/rate/minor_units_per_point"]),
        ({"rate": {"minor_units_per_point": 1, "currency": "eur"}}, ["/rate/currency"]),
        ({"rate": {"currency": "EUR", "per": 1}}, ["/rate/minor_units_per_point", "/rate/per"]),
        ({"status": "closed"}, ["/status"]),
        ({"name": 1, "time_zone": 2, "rate": []}, ["/name", "/rate", "/time_zone"]),
    ],
)
def test_what_is_no_session(stored: CheckedClient, change: dict[str, Any], pointers: list[str]) -> None:
    response = stored.post("/v1/sessions", json={**NEW, **change})
    assert code_of(response, 422) == "invalid-record"
    assert [pointer for pointer, _ in faults_of(response)] == pointers
    assert stored.get("/v1/sessions").get_json() == {"sessions": [], "next": None}


def test_no_such_session(stored: CheckedClient) -> None:
    headers = {"If-Match": '"1"'}
    for path in ("", "/settlement", "/events"):
        assert code_of(stored.get(f"/v1/sessions/s9{path}"), 404) == "unknown-session"
    assert code_of(stored.patch("/v1/sessions/s9", json={}, headers=headers), 404) == "unknown-session"
    for what in ("close", "reopen"):
        assert code_of(stored.post(f"/v1/sessions/s9:{what}"), 404) == "unknown-session"
    choice = stored.post("/v1/sessions/s9:choose", json={"hand_id": "h1"})
    assert code_of(choice, 404) == "unknown-session"
    assert code_of(stored.get("/v1/sessions/s9:close"), 405) == "method-not-allowed"


def test_lists(stored: CheckedClient) -> None:
    for number in range(5):
        players = [*THREE, f"P{number % 2}"]
        stored.post("/v1/sessions", json={**NEW, "session_id": f"s{number}", "players": players})
        time.sleep(0.002)  # the order of arrival is that of milliseconds
    stored.post("/v1/sessions/s1:close")
    stored.patch("/v1/sessions/s2", json={"players": [*THREE, "P1"]}, headers={"If-Match": '"1"'})
    for query, expected in (
        ("", "01234"),
        ("player=Anna", "01234"),
        ("player=P0", "04"),
        ("player=P1", "123"),
        ("player=Dora", ""),
        ("status=closed", "1"),
        ("status=open&player=P1", "23"),
    ):
        whole = stored.get(f"/v1/sessions?{query}").get_json()
        assert [one["session_id"] for one in whole["sessions"]] == [f"s{number}" for number in expected], (
            query
        )
        found: list[Any] = []
        path = f"/v1/sessions?{query}&limit=2"
        while path:
            page = stored.get(path)
            found += page.get_json()["sessions"]
            path = page.headers.get("Link", "").removeprefix("<").removesuffix('>; rel="next"')
        assert found == whole["sessions"]
    first = stored.get("/v1/sessions").get_json()["sessions"][0]
    assert first.pop("opened_at").endswith("Z")
    assert first == {**NEW, "session_id": "s0", "players": [*THREE, "P0"], "version": 1, "status": "open"}
    response = stored.get("/v1/sessions?cursor=nonsense")
    assert faults_of(response) == [("cursor", "invalid-record")]


def test_the_entity_tag_changes_with_every_figure(evening: Evening) -> None:
    evening.open(THREE, MAYR)

    def tag() -> str:
        found: str = evening.client.get(evening.path).headers["ETag"]
        return found

    tags = [tag()]
    assert evening.client.get(evening.path, headers={"If-None-Match": tags[0]}).status_code == 304
    evening.play(solo("Anna", 36))
    tags.append(tag())
    evening.score()
    tags.append(tag())
    evening.add("h1", {"type": "event_retracted", "seq": 1, "reason": "a slip"})
    tags.append(tag())
    assert evening.client.get(evening.path, headers={"If-None-Match": tags[0]}).status_code == 200
    assert len(set(tags)) == 4
    assert tag() == tags[-1]


class TestChanging:
    def change(self, evening: Evening, body: dict[str, Any], tag: str = '"1"') -> Any:
        return evening.client.patch(evening.path, json=body, headers={"If-Match": tag})

    def test_what_is_not_named_stays_and_null_takes_away(self, evening: Evening) -> None:
        evening.client.post("/v1/sessions", json=NEW)
        response = self.change(evening, {"name": None, "players": ["Dora", *THREE]})
        assert response.status_code == 200
        body = response.get_json()
        assert (body["version"], body["name"], body["rate"]) == (2, None, NEW["rate"])
        assert body["players"] == ["Dora", *THREE]
        assert list(body["totals"]) == ["Dora", *THREE]
        rate = {"minor_units_per_point": 5, "currency": "CHF"}
        body = self.change(evening, {"rate": rate, "time_zone": None}, '"2"').get_json()
        assert (body["rate"], body["time_zone"]) == (rate, None)
        events = [
            entry["event"] for entry in evening.client.get(f"{evening.path}/events").get_json()["events"]
        ]
        assert events[1:] == [
            {"type": "session_changed", "name": None, "players": ["Dora", *THREE]},
            {"type": "session_changed", "rate": rate, "time_zone": None},
        ]

    def test_a_change_that_changes_nothing_is_no_event(self, evening: Evening) -> None:
        evening.client.post("/v1/sessions", json=NEW)
        for body in ({}, {"name": "Thursday"}, {"players": THREE, "rate": NEW["rate"]}):
            assert self.change(evening, body).get_json()["version"] == 1

    def test_versions(self, evening: Evening) -> None:
        evening.client.post("/v1/sessions", json=NEW)
        tag = evening.client.get(evening.path).headers["ETag"]
        evening.play(solo("Anna", 36))  # a hand does not hinder who only changes the name
        assert self.change(evening, {"name": "Friday"}, tag).status_code == 200
        for old in (tag, '"1"', '"12"', '"1-0123456789ab"', '"2", "3"'[5:]):
            response = self.change(evening, {"name": "x"}, old)
            assert code_of(response, 412) == "version-mismatch"
            assert response.headers["ETag"] == '"2"'
        assert self.change(evening, {"name": "Saturday"}, '"9", "2"').status_code == 200
        missing = evening.client.patch(evening.path, json={"name": "x"})
        assert code_of(missing, 428) == "version-required"
        assert code_of(self.change(evening, {"name": "x"}, "2"), 400) == "bad-request"

    @pytest.mark.parametrize(
        ("body", "pointers"),
        [
            ({"variant": MAYR}, ["/variant"]),
            ({"session_id": "s1", "status": "closed"}, ["/session_id", "/status"]),
            ({"players": None}, ["/players"]),
            ({"players": ["Anna", "Béla"]}, ["/players"]),
            ({"name": "", "rate": {}}, ["/name", "/rate/minor_units_per_point", "/rate/currency"]),
        ],
    )
    def test_what_cannot_be_changed(
        self, evening: Evening, body: dict[str, Any], pointers: list[str]
    ) -> None:
        evening.client.post("/v1/sessions", json=NEW)
        response = self.change(evening, body)
        assert code_of(response, 422) == "invalid-record"
        assert [pointer for pointer, _ in faults_of(response)] == pointers

    def test_who_plays_in_a_hand_stays(self, evening: Evening) -> None:
        evening.client.post("/v1/sessions", json={**NEW, "players": [*THREE, "Dora", "Eva"]})
        evening.play(solo("Anna", 36))
        response = self.change(evening, {"players": ["Anna", "Béla", "Dora"]})
        assert faults_of(response) == [("/players", "invalid-record")]
        assert "'Cyril' plays in the hand h1" in response.get_json(force=True)["detail"]
        assert self.change(evening, {"players": [*THREE, "Fritz"]}).status_code == 200

    def test_a_player_who_was_missing_makes_hands_count(self, evening: Evening) -> None:
        evening.client.post("/v1/sessions", json=NEW)
        evening.play(solo("Anna", 36, players=["Anna", "Béla", "Dora"]))
        assert evening.read()["hands"][0]["why"] == "other_players"
        body = self.change(evening, {"players": [*THREE, "Dora"]}).get_json()
        assert body["totals"] == {"Anna": 44, "Béla": 0, "Cyril": 0, "Dora": 0}


def test_the_log_in_pages(evening: Evening) -> None:
    evening.client.post("/v1/sessions", json=NEW)
    evening.decide("close", {"reason": "late"})
    evening.decide("reopen")
    evening.decide("close")
    whole = evening.client.get(f"{evening.path}/events").get_json()
    assert [(entry["seq"], entry["event"]["type"], entry["actor"]) for entry in whole["events"]] == [
        (1, "session_opened", "anonymous"),
        (2, "session_closed", "anonymous"),
        (3, "session_reopened", "anonymous"),
        (4, "session_closed", "anonymous"),
    ]
    assert [entry["event"].get("reason") for entry in whole["events"]] == [None, "late", None, None]
    page = evening.client.get(f"{evening.path}/events?after=1&limit=2")
    assert page.get_json() == {"events": whole["events"][1:3], "next": "3"}
    assert page.headers["Link"] == f'<{evening.path}/events?limit=2&after=3>; rel="next"'
    rest = evening.client.get(f"{evening.path}/events?after=3").get_json()
    assert rest == {"events": whole["events"][3:], "next": None}


def test_the_feed_has_sessions_and_hands_in_one_order(evening: Evening) -> None:
    evening.client.post("/v1/sessions", json=NEW)
    time.sleep(0.002)
    evening.play(solo("Anna", 36))
    evening.score()
    time.sleep(0.002)
    evening.decide("close")
    items = evening.client.get("/v1/events").get_json()["events"]
    assert [item["type"] for item in items] == ["session.event", "hand.event", "hand.scored", "session.event"]
    assert items[0]["session_id"] == items[3]["session_id"] == "s1"
    assert items[0]["event"]["type"] == "session_opened"
    assert (items[3]["seq"], items[3]["event"]["settlement"]["points"]["Anna"]) == (2, 88)
    # A settlement says where the feed was: what it does not know is behind that.
    position = items[3]["event"]["settlement"]["position"]
    later = evening.client.get("/v1/events", query_string={"cursor": position}).get_json()["events"]
    assert later == items[3:]


def test_sent_again_with_the_same_key(stored: CheckedClient) -> None:
    headers = {"Idempotency-Key": "k1"}
    body = {"players": THREE, "variant": MAYR}
    first = stored.post("/v1/sessions", json=body, headers=headers)
    again = stored.post("/v1/sessions", json=body, headers=headers)
    assert (again.status_code, again.get_json()) == (201, first.get_json())
    assert again.headers["Idempotent-Replayed"] == "true"
    assert len(stored.get("/v1/sessions").get_json()["sessions"]) == 1


class TestKeys:
    @pytest.fixture
    def keyed(self, redis_url: str) -> CheckedClient:
        client = keyed_client(redis_url)
        assert client.post("/v1/sessions", json=NEW, headers=as_key("table")).status_code == 201
        return client

    @pytest.mark.parametrize(
        ("method", "path", "allowed"),
        [
            ("POST", "/v1/sessions", {"table", "blind", "sender", "director", "anna"}),
            ("GET", "/v1/sessions", {"table", "blind", "reader", "director", "anna", "bela"}),
            ("GET", "/v1/sessions/s1", {"table", "blind", "reader", "director", "anna", "bela"}),
            ("GET", "/v1/sessions/s1/events", {"table", "blind", "reader", "director", "anna", "bela"}),
            ("GET", "/v1/sessions/s1/settlement", {"table", "blind", "reader", "director", "anna", "bela"}),
            ("GET", "/v1/sessions/s1/sheet", {"table", "blind", "reader", "director", "anna", "bela"}),
            ("GET", "/v1/sessions/s1/corrections", {"table", "blind", "reader", "director", "anna", "bela"}),
            # Who opened it, and directors.
            ("PATCH", "/v1/sessions/s1", {"table", "director"}),
            ("POST", "/v1/sessions/s1:close", {"director"}),
            ("POST", "/v1/sessions/s1:reopen", {"director"}),
            ("POST", "/v1/sessions/s1:choose", {"director"}),
        ],
    )
    def test_who_may_do_what(self, keyed: CheckedClient, method: str, path: str, allowed: set[str]) -> None:
        body: dict[str, Any] = {"hand_id": "h1"} if path.endswith("choose") else {}
        for name in ("table", "blind", "reader", "sender", "director", "anna", "bela", "nobody"):
            sent = {**NEW, "session_id": f"of-{name}"} if path == "/v1/sessions" else body
            response = keyed.open(path, method=method, json=sent, headers={**as_key(name), "If-Match": '"1"'})
            assert (response.status_code == 403) == (name not in allowed), (name, response.status_code)
            assert response.status_code != 401

    def test_the_log_says_who(self, keyed: CheckedClient) -> None:
        keyed.post("/v1/sessions/s1:close", headers=as_key("director"))
        events = keyed.get("/v1/sessions/s1/events", headers=as_key("reader")).get_json()["events"]
        assert [entry["actor"] for entry in events] == ["table", "director"]
