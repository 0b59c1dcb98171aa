"""Evenings that the pages are looked at with: real hands, scored by the worker."""

from __future__ import annotations

from typing import Any

import httpx

from tests.service.evenings import FFT_SHEET, FFT_TOTALS, FOUR, tarot
from tests.support.processes import RunningService, wait_until


def caller(service: RunningService) -> httpx.Client:
    """A client of the service."""
    return httpx.Client(base_url=service.base_url, trust_env=False, timeout=30)


def fft_evening(client: httpx.Client, session_id: str, name: str = "Thursday") -> None:
    """The hands of the FFT's printed score sheet."""
    body = {"session_id": session_id, "name": name, "players": FOUR, "variant": "french-tarot-4"}
    assert client.post("/v1/sessions", json=body).status_code == 201
    for number, result in enumerate(FFT_SHEET, 1):
        add_hand(client, tarot(*result, session_id=session_id, number=number))
    wait_until(lambda: totals(client, session_id) == FFT_TOTALS, "the sheets of the evening")


def add_hand(client: httpx.Client, record: dict[str, Any]) -> str:
    """Submit a hand; its id."""
    response = client.post("/v1/hands", json=record)
    assert response.status_code == 202, response.text
    hand_id: str = response.json()["hand_id"]
    return hand_id


def totals(client: httpx.Client, session_id: str) -> dict[str, int]:
    """The totals of a session by player."""
    found: dict[str, int] = client.get(f"/v1/sessions/{session_id}").json()["totals"]
    return found


def board_of(client: httpx.Client, path: str, **body: Any) -> dict[str, Any]:
    """A new board of what is at the path."""
    response = client.post(f"{path}/boards", json=body)
    assert response.status_code == 201, response.text
    board: dict[str, Any] = response.json()
    return board
