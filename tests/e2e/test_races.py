"""Clients racing on one hand over HTTP, and answers lost on the way back to them."""

from __future__ import annotations

import json
import socket
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any, NamedTuple

import httpx
import pytest

from tests.service.clients import checked_http_client
from tests.service.document import load_document
from tests.support.hand_records import played
from tests.support.processes import RunningService
from tests.support.proxy import Proxy

pytestmark = pytest.mark.xdist_group("running_service")

EXAMPLES: dict[str, Any] = load_document().raw["components"]["examples"]
RESULT: dict[str, Any] = EXAMPLES["ReportedResult"]["value"]
BEGUN: dict[str, Any] = EXAMPLES["JustBegun"]["value"]
CLIENTS = 8


class Try(NamedTuple):
    """One attempt to change a hand: the version it was made for, what was sent, and the answer."""

    expected: int
    event: dict[str, Any]
    status: int
    version: int


@pytest.fixture
def http(running_service: RunningService) -> Iterator[httpx.Client]:
    with checked_http_client(running_service.base_url, timeout=15) as client:
        yield client


def begin(http: httpx.Client, record: dict[str, Any]) -> str:
    response = http.post("/v1/hands", json={**record, "hand_id": f"race-{uuid.uuid4()}"})
    assert response.status_code == 202, response.text
    return response.headers["Location"]


def tag(version: int) -> dict[str, str]:
    return {"If-Match": f'"{version}"'}


def at_once(service: RunningService, race: Callable[[httpx.Client, int], list[Try]]) -> list[Try]:
    """What eight clients come to that start together, each over connections of its own."""
    start = Barrier(CLIENTS)

    def run(number: int) -> list[Try]:
        with checked_http_client(service.base_url, timeout=30) as http:
            http.get("/healthz")
            start.wait()
            return race(http, number)

    with ThreadPoolExecutor(CLIENTS) as clients:
        return [one for tries in clients.map(run, range(CLIENTS)) for one in tries]


def log_of(http: httpx.Client, path: str) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = http.get(f"{path}/events").json()["events"]
    return events


def check(tries: list[Try], log: list[dict[str, Any]], before: int) -> None:
    """Fail unless versions are contiguous, every 2xx is in the log once, and the rest is 412."""
    assert {one.status for one in tries} <= {200, 412}
    made = sorted((one for one in tries if one.status == 200), key=lambda one: one.version)
    assert [one.version for one in made] == list(range(before + 1, before + 1 + len(made)))
    assert all(one.version == one.expected + 1 for one in made)
    assert [logged["seq"] for logged in log] == list(range(1, before + 1 + len(made)))
    assert [logged["event"] for logged in log[before:]] == [one.event for one in made]
    assert all(one.version > one.expected for one in tries if one.status == 412), "beaten by a later version"


def test_eight_clients_on_one_hand(running_service: RunningService, http: httpx.Client) -> None:
    """Each goes for the version that the answer before has told; the fines are told apart by their notes."""
    path = begin(http, RESULT)

    def race(http: httpx.Client, number: int) -> list[Try]:
        tries: list[Try] = []
        version = 1
        for round_ in range(20):
            fine = {"type": "penalty_assessed", "player": "Anna", "points": 1, "note": f"{number}/{round_}"}
            while True:
                answer = http.post(f"{path}/events", json={"events": [fine]}, headers=tag(version))
                newest = int(answer.headers["ETag"].strip('"'))
                tries.append(Try(version, fine, answer.status_code, newest))
                version = newest
                if answer.status_code != 412:
                    break
        return tries

    tries = at_once(running_service, race)
    check(tries, log_of(http, path), before=1)
    assert Counter(one.status for one in tries)[200] == CLIENTS * 20
    sheet = http.get(f"{path}/score", params={"allow_stale": "true"})
    assert sheet.status_code in (200, 202)


def test_each_knows_the_next_event_of_a_hand_and_one_of_them_brings_it(
    running_service: RunningService, http: httpx.Client
) -> None:
    record = played("french-tarot-4", 3).as_dict()
    events = record["events"]
    path = begin(http, {**record, "events": events[:1]})

    def race(http: httpx.Client, number: int) -> list[Try]:
        tries: list[Try] = []
        version = 1
        while version < len(events):
            event = events[version]
            answer = http.post(f"{path}/events", json={"events": [event]}, headers=tag(version))
            newest = int(answer.headers["ETag"].strip('"'))
            tries.append(Try(version, event, answer.status_code, newest))
            version = newest
        return tries

    tries = at_once(running_service, race)
    log = log_of(http, path)
    check(tries, log, before=1)
    assert [logged["event"] for logged in log] == events
    assert http.get(path).json()["status"] == "scored"


def test_the_same_events_from_all_of_them(running_service: RunningService, http: httpx.Client) -> None:
    """With event_ids all have the same answer, and the log has each event once."""
    path = begin(http, BEGUN)
    more = [
        {"type": "bid_made", "player": "Cyril", "contract": "zweiblatt", "event_id": "a"},
        {"type": "bid_accepted", "player": "Béla", "event_id": "b"},
    ]

    def race(http: httpx.Client, number: int) -> list[Try]:
        answers = [http.post(f"{path}/events", json={"events": more}, headers=tag(2)) for _ in range(3)]
        return [Try(2, more[1], answer.status_code, answer.json()["version"]) for answer in answers]

    tries = at_once(running_service, race)
    assert {(one.status, one.version) for one in tries} == {(200, 4)}
    assert [logged["event"] for logged in log_of(http, path)] == [*BEGUN["events"], *more]


def test_corrections_and_restatements_race_as_well(
    running_service: RunningService, http: httpx.Client
) -> None:
    path = begin(http, RESULT)

    def race(http: httpx.Client, number: int) -> list[Try]:
        tries: list[Try] = []
        version = 1
        for round_ in range(8):
            name = f"{number}/{round_}"
            fine = {"type": "penalty_assessed", "player": "Anna", "points": 1, "note": name}
            record = {**RESULT, "hand_id": path.rpartition("/")[2], "labels": [name]}
            told = {"type": "hand_restated", "record": record, "reason": name}
            while True:
                if number % 2:
                    body = {"record": record, "reason": name}
                    answer = http.put(path, json=body, headers=tag(version))
                else:
                    answer = http.post(f"{path}/events", json={"events": [fine]}, headers=tag(version))
                newest = int(answer.headers["ETag"].strip('"'))
                tries.append(Try(version, told if number % 2 else fine, answer.status_code, newest))
                version = newest
                if answer.status_code != 412:
                    break
        return tries

    tries = at_once(running_service, race)
    log = log_of(http, path)
    check(tries, log, before=1)
    last = [logged["event"] for logged in log if logged["event"]["type"] == "hand_restated"][-1]
    assert http.get(path).json()["labels"] == last["record"]["labels"]


class TestLostAnswers:
    """The service answered, and the client never heard it."""

    def send(self, proxy: Proxy, path: str, version: int, event: dict[str, Any]) -> None:
        """Add an event; the connection ends without an answer."""
        body = json.dumps({"events": [event]}).encode()
        head = f"POST {path}/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        head += f'If-Match: "{version}"\r\nContent-Length: {len(body)}\r\n\r\n'
        proxy.drop_when = b"lost on the way"
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=10) as connection:
            connection.sendall(head.encode() + body)
            assert connection.recv(1024) == b""

    @pytest.fixture
    def proxy(self, running_service: RunningService) -> Iterator[Proxy]:
        port = httpx.URL(running_service.base_url).port
        assert port is not None
        with Proxy(port) as proxy:
            yield proxy

    @pytest.mark.parametrize("later", [False, True], ids=["at once", "after others"])
    def test_an_event_with_its_id_is_there_once(self, http: httpx.Client, proxy: Proxy, later: bool) -> None:
        path = begin(http, BEGUN)
        event = {"type": "passed", "player": "Cyril", "note": "lost on the way", "event_id": "3"}
        self.send(proxy, path, 2, event)
        if later:
            off = {"type": "hand_annulled", "reason": "misdeal"}
            assert http.post(f"{path}/events", json={"events": [off]}, headers=tag(3)).status_code == 200
        again = http.post(f"{path}/events", json={"events": [event]}, headers=tag(2))
        assert (again.status_code, again.json()) == (200, {"version": 3, "status": "incomplete"})
        assert [logged["event"] for logged in log_of(http, path)][2:3] == [event]
        assert len(log_of(http, path)) == 3 + later

    def test_without_an_id_the_client_sees_what_happened(self, http: httpx.Client, proxy: Proxy) -> None:
        path = begin(http, BEGUN)
        event = {"type": "passed", "player": "Cyril", "note": "lost on the way"}
        self.send(proxy, path, 2, event)
        again = http.post(f"{path}/events", json={"events": [event]}, headers=tag(2))
        assert (again.status_code, again.headers["ETag"]) == (412, '"3"')
        [logged] = http.get(f"{path}/events", params={"after": 2}).json()["events"]
        assert logged["event"] == event
