"""One key from several clients at once, against several processes of the service."""

from __future__ import annotations

import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.service.clients import checked_http_client
from tests.service.document import load_document
from tests.support.processes import RunningService

pytestmark = pytest.mark.xdist_group("running_service")

RESULT: dict[str, Any] = load_document().raw["components"]["examples"]["ReportedResult"]["value"]


def test_racing_clients_make_one_hand_and_get_one_answer(running_service: RunningService) -> None:
    key = str(uuid.uuid4())
    player = f"Anna {key[:8]}"
    event = {**RESULT["events"][0], "declarer": player, "bonuses": []}
    hand = {"variant": RESULT["variant"], "players": [player, "Béla", "Cyril"], "events": [event]}

    def submit(_: int) -> httpx.Response:
        with checked_http_client(running_service.base_url, timeout=15) as http:
            while True:
                response = http.post("/v1/hands", json=hand, headers={"Idempotency-Key": key})
                if response.status_code != 409:
                    return response
                assert response.json()["type"] == "urn:trull:problem:request-in-progress"
                time.sleep(0.02)

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(submit, range(16)))
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.content for answer in answers}) == 1
    assert sum("Idempotent-Replayed" not in answer.headers for answer in answers) == 1
    listed = httpx.get(f"{running_service.base_url}/v1/hands", params={"player": player}).json()["hands"]
    assert [item["hand_id"] for item in listed] == [answers[0].json()["hand_id"]]
