"""The same events sent again: known by their event_id, whatever has happened since."""

from __future__ import annotations

from typing import Any

import pytest

from service.app import create_app
from service.config import Settings
from tests.service.clients import CheckedClient, code_of, faults_of
from tests.service.conftest import checked_client
from tests.service.live_hands import BEGUN, accepted, add, begin, restate, version_of
from tests.support.processes import RedisServer
from tests.support.proxy import Proxy

ANNA = {"type": "passed", "player": "Anna", "event_id": "1"}
BELA = {"type": "bid_made", "player": "Béla", "contract": "dreiblatt", "event_id": "2"}
CYRIL = {"type": "bid_made", "player": "Cyril", "contract": "zweiblatt", "event_id": "3"}
LAST = {"type": "bid_accepted", "player": "Béla", "event_id": "4"}
HAND = {**BEGUN, "events": [ANNA]}


@pytest.fixture
def path(stored: CheckedClient) -> str:
    """A hand at version 4, the last two events of which came in one append."""
    path = begin(stored, HAND)
    accepted(add(stored, path, 1, BELA), 2, "incomplete")
    accepted(add(stored, path, 2, CYRIL, LAST), 4, "incomplete")
    return path


def test_the_first_answer_is_given_again(stored: CheckedClient, path: str) -> None:
    for given in (1, 2, 4, None, "*", "nonsense"):
        accepted(add(stored, path, given, BELA), 2, "incomplete")
        accepted(add(stored, path, given, CYRIL, LAST), 4, "incomplete")
        accepted(add(stored, path, given, BELA, CYRIL, LAST), 4, "incomplete")
    assert version_of(stored, path) == 4


def test_as_part_of_what_was_sent_it_has_the_answer_of_the_whole(stored: CheckedClient, path: str) -> None:
    accepted(add(stored, path, 1, CYRIL), 4, "incomplete")
    accepted(add(stored, path, 1, ANNA), 1, "incomplete")


def test_null_and_absent_are_the_same(stored: CheckedClient, path: str) -> None:
    accepted(add(stored, path, 1, {**BELA, "note": None}), 2, "incomplete")


def test_the_status_is_that_of_then(stored: CheckedClient, path: str) -> None:
    off = {"type": "hand_annulled", "reason": "misdeal", "event_id": "5"}
    accepted(add(stored, path, 4, off), 5, "annulled")
    undo = {"type": "event_retracted", "seq": 5, "reason": "no", "event_id": "6"}
    accepted(add(stored, path, 5, undo), 6, "incomplete")
    accepted(add(stored, path, 4, off), 5, "annulled")
    accepted(add(stored, path, 4, CYRIL, LAST), 4, "incomplete")


def test_what_was_retracted_is_not_added_again(stored: CheckedClient, path: str) -> None:
    undo = {"type": "event_retracted", "seq": 4, "reason": "no"}
    accepted(add(stored, path, 4, undo), 5, "incomplete")
    accepted(add(stored, path, 5, CYRIL, LAST), 4, "incomplete")
    assert version_of(stored, path) == 5


@pytest.mark.parametrize(
    "other",
    [
        {**BELA, "contract": "solo"},
        {**BELA, "player": "Cyril"},
        {**BELA, "note": "aloud"},
        {"type": "passed", "player": "Dora", "event_id": "2"},
    ],
    ids=["contract", "player", "note", "another hand's"],
)
def test_other_content_is_a_conflict(stored: CheckedClient, path: str, other: dict[str, Any]) -> None:
    for given in (4, 1, None):
        response = add(stored, path, given, other)
        assert code_of(response, 409) == "event-conflict"
        assert faults_of(response) == [("/events/0/event_id", "event-conflict")]
    assert version_of(stored, path) == 4


def test_every_conflict_is_named(stored: CheckedClient, path: str) -> None:
    response = add(
        stored, path, 4, {**CYRIL, "note": "x"}, {"type": "passed", "player": "Anna"}, {**LAST, "note": "y"}
    )
    assert code_of(response, 409) == "event-conflict"
    assert [where for where, _ in faults_of(response)] == ["/events/0/event_id", "/events/2/event_id"]


class TestPartlyKnown:
    NEW = {"type": "hand_annulled", "reason": "misdeal", "event_id": "5"}  # noqa: RUF012

    def test_what_is_new_behind_it_is_added_for_the_version_there_is(
        self, stored: CheckedClient, path: str
    ) -> None:
        assert code_of(add(stored, path, 2, CYRIL, LAST, self.NEW), 412) == "version-mismatch"
        assert code_of(add(stored, path, None, CYRIL, LAST, self.NEW), 428) == "version-required"
        assert version_of(stored, path) == 4
        accepted(add(stored, path, 4, CYRIL, LAST, self.NEW), 5, "annulled")
        accepted(add(stored, path, 4, CYRIL, LAST, self.NEW), 5, "annulled")
        assert version_of(stored, path) == 5

    def test_faults_are_placed_in_the_body_as_it_was_sent(self, stored: CheckedClient, path: str) -> None:
        response = add(stored, path, 4, CYRIL, LAST, {"type": "passed", "player": "Anna"})
        assert code_of(response, 422) == "event-out-of-place"
        assert faults_of(response) == [("/events/2", "event-out-of-place")]

    def test_what_is_known_cannot_follow_what_is_new(self, stored: CheckedClient, path: str) -> None:
        response = add(stored, path, 4, CYRIL, self.NEW, LAST)
        assert code_of(response, 409) == "event-conflict"
        assert faults_of(response) == [("/events/2/event_id", "event-conflict")]
        assert version_of(stored, path) == 4


def test_without_an_event_id_a_repeated_call_is_told_the_version(stored: CheckedClient, path: str) -> None:
    off = {"type": "hand_annulled", "reason": "misdeal"}
    accepted(add(stored, path, 4, off), 5, "annulled")
    response = add(stored, path, 4, off)
    assert code_of(response, 412) == "version-mismatch"
    assert response.headers["ETag"] == '"5"'
    [logged] = stored.get(f"{path}/events?after=4").get_json()["events"]
    assert logged["event"] == off


def test_events_are_known_after_a_restatement_as_well(stored: CheckedClient, path: str) -> None:
    """Those of the log, and those of the record that the hand now reads from."""
    new = {**CYRIL, "player": "Dora", "event_id": "3b"}
    record = {**BEGUN, "players": ["Anna", "Béla", "Dora"], "events": [ANNA, BELA, new]}
    accepted(restate(stored, path, 4, record), 5, "incomplete")
    accepted(add(stored, path, 2, CYRIL, LAST), 4, "incomplete")
    accepted(add(stored, path, 2, new), 5, "incomplete")
    assert code_of(add(stored, path, 5, {**new, "note": "x"}), 409) == "event-conflict"
    assert code_of(add(stored, path, 5, {**CYRIL, "note": "x"}), 409) == "event-conflict"
    assert version_of(stored, path) == 5


class TwiceDeaf(Proxy):
    """Swallows two answers in a row."""

    _marker: bytes | None = None
    _left = 0

    @property
    def drop_when(self) -> bytes | None:
        return self._marker if self._left else None

    @drop_when.setter
    def drop_when(self, marker: bytes | None) -> None:
        if marker is None:
            self._left = max(0, self._left - 1)
        else:
            self._marker, self._left = marker, 2


class TestLostOnTheWayToTheStore:
    """The store did what it was asked to, and its answer was lost."""

    OFF = {"type": "hand_annulled", "reason": "misdeal"}  # noqa: RUF012
    APPEND = b"EVALSHA"

    def client_behind(self, proxy: Proxy, server: RedisServer) -> CheckedClient:
        url = server.url.replace(str(server.access.port), str(proxy.port))
        return checked_client(create_app(Settings(redis_url=url)))

    @pytest.mark.parametrize("ids", [True, False], ids=["named", "unnamed"])
    def test_once_it_is_found_out(self, path: str, redis_server: RedisServer, ids: bool) -> None:
        event = {**self.OFF, "event_id": "5"} if ids else self.OFF
        with Proxy(redis_server.access.port) as proxy:
            far = self.client_behind(proxy, redis_server)
            proxy.drop_when = self.APPEND
            accepted(add(far, path, 4, event), 5, "annulled")
            assert proxy.dropped == 1
            assert version_of(far, path) == 5

    def test_a_restatement_too(self, path: str, redis_server: RedisServer) -> None:
        with Proxy(redis_server.access.port) as proxy:
            far = self.client_behind(proxy, redis_server)
            proxy.drop_when = self.APPEND
            accepted(restate(far, path, 4, {**HAND, "events": [self.OFF]}), 5, "annulled")
            assert proxy.dropped == 1
            assert version_of(far, path) == 5

    def test_twice_it_is_a_matter_of_asking_again(self, path: str, redis_server: RedisServer) -> None:
        event = {**self.OFF, "event_id": "5"}
        with TwiceDeaf(redis_server.access.port) as proxy:
            far = self.client_behind(proxy, redis_server)
            proxy.drop_when = self.APPEND
            assert code_of(add(far, path, 4, event), 503) == "store-unavailable"
            assert proxy.dropped == 2
            accepted(add(far, path, 4, event), 5, "annulled")
            assert version_of(far, path) == 5


def test_an_event_id_is_for_one_event_of_a_body(stored: CheckedClient, path: str) -> None:
    twice = {"type": "penalty_assessed", "player": "Anna", "points": 1, "event_id": "9"}
    assert code_of(add(stored, path, 4, twice, twice), 422) == "invalid-record"
    assert version_of(stored, path) == 4
