"""An evening against the running service: several tables' phones at once, real workers, closed at the end."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.service.clients import checked_http_client
from tests.service.evenings import FFT_SHEET, FFT_TOTALS, FOUR, tarot
from tests.support.processes import RunningService

pytestmark = pytest.mark.xdist_group("running_service")


def test_an_evening_is_settled_as_soon_as_its_last_hand_is_sent(running_service: RunningService) -> None:
    """Nine hands from nine clients, each sent twice; closing waits for the workers by itself."""
    session_id = f"fft-{uuid.uuid4()}"
    path = f"/v1/sessions/{session_id}"
    opened: dict[str, Any] = {
        "session_id": session_id,
        "players": FOUR,
        "variant": "french-tarot-4",
        "rate": {"minor_units_per_point": 5, "currency": "EUR"},
    }

    def send(number: int) -> list[int]:
        record = tarot(*FFT_SHEET[number], hand_id=f"{session_id}-{number}", session_id=session_id)
        with checked_http_client(running_service.base_url, timeout=15) as http:
            return [
                http.post("/v1/hands", json={**record, "number": number + 1}).status_code for _ in range(2)
            ]

    with checked_http_client(running_service.base_url, timeout=15) as http:
        assert http.post("/v1/sessions", json=opened).status_code == 201
        with ThreadPoolExecutor(9) as threads:
            assert set(map(tuple, threads.map(send, range(9)))) == {(202, 200)}
        response = http.post(f"{path}:close")
        assert response.status_code == 200, response.text
        assert response.json()["totals"] == FFT_TOTALS
        settled = http.get(f"{path}/settlement").json()
        assert settled["points"] == FFT_TOTALS
        assert [(one["from"], one["amount"]) for one in settled["transfers"]] == [
            ("North", 2230),
            ("East", 1950),
            ("West", 2550),
        ]


def test_two_who_close_at_once_close_once(running_service: RunningService) -> None:
    session_id = f"race-{uuid.uuid4()}"
    body = {"session_id": session_id, "players": FOUR, "variant": "french-tarot-4"}

    def close(_: int) -> httpx.Response:
        with checked_http_client(running_service.base_url, timeout=15) as http:
            return http.post(f"/v1/sessions/{session_id}:close")

    with checked_http_client(running_service.base_url, timeout=15) as http:
        assert http.post("/v1/sessions", json=body).status_code == 201
        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(close, range(8)))
        assert {answer.status_code for answer in answers} == {200}
        assert {answer.json()["version"] for answer in answers} == {2}
        events = http.get(f"/v1/sessions/{session_id}/events").json()["events"]
        assert [entry["event"]["type"] for entry in events] == ["session_opened", "session_closed"]
