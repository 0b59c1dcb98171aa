"""The whole way of a hand: over HTTP into the log, by a worker to its sheet, and back."""

from __future__ import annotations

import json
import socket
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from records.limits import MAX_BODY
from tests.service.clients import checked_http_client
from tests.service.document import load_document
from tests.service.golden import Case, check_sheet, load_cases
from tests.support.processes import RunningService

pytestmark = pytest.mark.xdist_group("running_service")

EXAMPLES: dict[str, Any] = load_document().raw["components"]["examples"]
RESULT: dict[str, Any] = EXAMPLES["ReportedResult"]["value"]
WHOLE: dict[str, Any] = EXAMPLES["WholeHand"]["value"]
BEGUN: dict[str, Any] = EXAMPLES["JustBegun"]["value"]


@pytest.fixture
def http(running_service: RunningService) -> Iterator[httpx.Client]:
    with checked_http_client(running_service.base_url, timeout=15) as client:
        yield client


def anew(record: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """The record as a hand that no other test has."""
    return {**record, "hand_id": f"e2e-{uuid.uuid4()}", **fields}


def sheet_of(http: httpx.Client, location: str, seconds: float = 15) -> dict[str, Any]:
    """The sheet of a hand, asked for until a worker has made it."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        response = http.get(f"{location}/score")
        if response.status_code == 200:
            sheet: dict[str, Any] = response.json()
            return sheet
        assert response.status_code == 202
        time.sleep(0.02)
    raise AssertionError(f"{location} has no sheet after {seconds} s")


def code_of(response: httpx.Response, status: int) -> str:
    assert response.status_code == status, response.text
    code: str = response.json()["type"].removeprefix("urn:trull:problem:")
    return code


class TestTheWayOfAHand:
    @pytest.mark.parametrize("record", [RESULT, WHOLE], ids=["result", "whole"])
    def test_posted_stored_scored_and_read_back(self, http: httpx.Client, record: dict[str, Any]) -> None:
        hand = anew(record)
        accepted = http.post("/v1/hands", json=hand)
        assert accepted.status_code == 202
        sheet = sheet_of(http, accepted.headers["Location"])
        assert sheet == http.post("/v1/score", json=hand).json()
        assert sheet["scores"] == {"Anna": 42, "Béla": 0, "Cyril": 0}

    def test_waiting_brings_the_sheet_at_once(self, http: httpx.Client) -> None:
        hand = anew(WHOLE)
        started = time.monotonic()
        response = http.post("/v1/hands", json=hand, headers={"Prefer": "wait=10"})
        assert time.monotonic() - started < 5
        assert response.status_code == 201
        assert response.headers["Preference-Applied"] == "wait=10"
        assert response.headers["Location"] == f"/v1/hands/{hand['hand_id']}"
        assert response.json() == http.post("/v1/score", json=hand).json()

    def test_more_than_ten_seconds_are_ten(self, http: httpx.Client) -> None:
        response = http.post("/v1/hands", json=anew(RESULT), headers={"Prefer": "respond-async, wait=3600"})
        assert (response.status_code, response.headers["Preference-Applied"]) == (201, "wait=10")

    def test_a_lost_answer_is_had_by_sending_the_hand_again(self, http: httpx.Client) -> None:
        hand = anew(RESULT)
        first = http.post("/v1/hands", json=hand, headers={"Prefer": "wait=10"})
        again = http.post("/v1/hands", json=hand, headers={"Prefer": "wait=10"})
        assert (again.status_code, again.json()) == (200, first.json())

    def test_a_hand_just_begun_has_no_sheet_to_come(self, http: httpx.Client) -> None:
        started = time.monotonic()
        response = http.post("/v1/hands", json=anew(BEGUN), headers={"Prefer": "wait=10"})
        assert (response.status_code, response.json()["status"]) == (202, "incomplete")
        assert time.monotonic() - started < 5

    def test_the_sheet_under_another_variant(self, http: httpx.Client) -> None:
        hand = anew(WHOLE)
        location = http.post("/v1/hands", json=hand).headers["Location"]
        for variant in ("illustrated-loew-1954", "illustrated-beck", "french-tarot-5"):
            sheet = http.get(f"{location}/score", params={"variant": variant}).json()
            assert sheet == http.post("/v1/score", params={"variant": variant}, json=hand).json()

    def test_one_of_two_racing_submissions_makes_the_hand(self, http: httpx.Client) -> None:
        hand = anew(RESULT)
        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(lambda _: http.post("/v1/hands", json=hand), range(16)))
        assert sorted(answer.status_code for answer in answers) == [200] * 15 + [202]

    def test_of_two_racing_hands_of_one_id_the_other_is_refused(self, http: httpx.Client) -> None:
        hand_id = f"e2e-{uuid.uuid4()}"
        hands = [anew(record, hand_id=hand_id) for record in (RESULT, WHOLE) for _ in range(4)]
        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(lambda hand: http.post("/v1/hands", json=hand), hands))
        assert sorted(answer.status_code for answer in answers) == [200] * 3 + [202] + [409] * 4

    def test_a_session_lists_its_hands_in_order(self, http: httpx.Client) -> None:
        session = f"e2e-{uuid.uuid4()}"
        hands = [anew(RESULT, session_id=session, number=number) for number in range(1, 6)]
        for hand in hands:
            http.post("/v1/hands", json=hand)
        page = http.get("/v1/hands", params={"session_id": session}).json()
        assert [item["hand_id"] for item in page["hands"]] == [hand["hand_id"] for hand in hands]
        assert [item["number"] for item in page["hands"]] == [1, 2, 3, 4, 5]

    def test_the_service_is_ready(self, http: httpx.Client) -> None:
        assert http.get("/readyz").json() == {"status": "ready", "warnings": []}


SAMPLE = [*load_cases("published"), *load_cases("full")[::9], *load_cases("result")[::12]]


def test_golden_records_through_log_and_worker(http: httpx.Client) -> None:
    locations = []
    for case in SAMPLE:
        response = http.post("/v1/hands", json=anew(case.record))
        assert response.status_code == 202, (case, response.text)
        locations.append(response.headers["Location"])
    for case, location in zip(SAMPLE, locations, strict=True):
        check_sheet(sheet_of(http, location), case)


@pytest.mark.parametrize("case", load_cases("rescored")[::20], ids=str)
def test_golden_records_under_another_variant(http: httpx.Client, case: Case) -> None:
    location = http.post("/v1/hands", json=anew(case.record)).headers["Location"]
    check_sheet(http.get(f"{location}/score", params={"variant": case.variant}).json(), case)


class TestBodiesOnTheWire:
    def test_chunked_bodies_are_read(self, http: httpx.Client) -> None:
        hand = anew(RESULT)
        body = json.dumps(hand).encode()
        pieces = [body[at : at + 7] for at in range(0, len(body), 7)]
        response = http.post("/v1/score", content=iter(pieces), headers={"Content-Type": "application/json"})
        assert response.json()["scores"] == {"Anna": 42, "Béla": 0, "Cyril": 0}

    def test_a_chunked_body_of_the_limit_is_read(self, http: httpx.Client) -> None:
        body = json.dumps(RESULT).encode()
        padding = (b" " * 100_000 for _ in range((MAX_BODY - len(body)) // 100_000))
        response = http.post(
            "/v1/score", content=iter([body, *padding]), headers={"Content-Type": "application/json"}
        )
        assert response.status_code == 200

    def test_an_endless_chunked_body_is_refused_at_the_limit(self, running_service: RunningService) -> None:
        with Wire(running_service) as wire:
            wire.send(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
            chunk = b"%x\r\n%s\r\n" % (500_000, b" " * 500_000)
            for _ in range(MAX_BODY // 500_000 + 1):
                wire.send(chunk)
            assert wire.answer().startswith("HTTP/1.1 413 ")

    def test_a_body_that_says_it_is_too_large_is_not_waited_for(
        self, running_service: RunningService
    ) -> None:
        with Wire(running_service) as wire:
            wire.send(HEAD + b"Content-Length: %d\r\n\r\n{" % (MAX_BODY + 1))
            assert wire.answer().startswith("HTTP/1.1 413 ")

    @pytest.mark.parametrize(
        "rest", [b"zz\r\n{}\r\n0\r\n\r\n", b"2\r\n{}xx0\r\n\r\n", b"-1\r\n{}\r\n0\r\n\r\n"]
    )
    def test_broken_chunks_are_no_fault_of_ours(self, running_service: RunningService, rest: bytes) -> None:
        with Wire(running_service) as wire:
            wire.send(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + rest)
            assert wire.answer().startswith("HTTP/1.1 400 ")

    def test_a_client_that_leaves_in_mid_body_harms_nobody(self, running_service: RunningService) -> None:
        for _ in range(20):
            with Wire(running_service) as wire:
                wire.send(HEAD + b"Content-Length: 1000\r\n\r\n{")
        with checked_http_client(running_service.base_url) as http:
            assert http.get("/healthz").status_code == 200


HEAD = b"POST /v1/score HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


class Wire:
    """A bare connection, for what no HTTP client would send."""

    def __init__(self, service: RunningService) -> None:
        url = httpx.URL(service.base_url)
        assert url.port is not None
        self.connection = socket.create_connection((url.host, url.port), timeout=10)

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def send(self, data: bytes) -> None:
        self.connection.sendall(data)

    def answer(self) -> str:
        """The beginning of the answer."""
        return self.connection.recv(65536).decode()
