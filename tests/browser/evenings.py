"""Evenings that the pages are looked at with: real hands, scored by the worker."""

from __future__ import annotations

import random
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


def evening(client: httpx.Client, session_id: str) -> None:
    """Twelve hands of four friends, with bonuses."""
    players = ["Anna", "Béla", "Cyril", "Dora"]
    body = {
        "session_id": session_id,
        "name": "Thursday at Dora’s",
        "players": players,
        "variant": "french-tarot-4",
    }
    assert client.post("/v1/sessions", json=body).status_code == 201
    chance = random.Random("Thursday")
    for number in range(1, 13):
        won = chance.choice(("petit_au_bout", "handful", None))
        declarer, contract = chance.choice(players), chance.choice(("prise", "garde", "garde", "garde_sans"))
        record = tarot(declarer, contract, chance.randint(38, 60), 2, session_id=session_id, number=number)
        bonus = {"bonus": won, "player": declarer, **({"size": "single"} if won == "handful" else {})}
        record["events"][0]["bonuses"] = [bonus] if won else []
        add_hand(client, {**record, "players": players})
    path = f"/v1/sessions/{session_id}"
    wait_until(
        lambda: all(hand["counted"] for hand in client.get(path).json()["hands"]), "the sheets of the evening"
    )


def six_with_long_names(client: httpx.Client, session_id: str, hands: int) -> None:
    """An evening at a table of six, of whom one rests."""
    players = ["Maximiliane von Hohenstein", "Béla", "Cyril", "Dora", "Emil", "Friederike"]
    body = {"session_id": session_id, "name": "Thursday", "players": players, "variant": "french-tarot-5"}
    assert client.post("/v1/sessions", json=body).status_code == 201
    for number in range(1, hands + 1):
        sit = [players[(number + seat) % 6] for seat in range(5)]
        record = tarot(sit[0], "garde", 51, 2, session_id=session_id, number=number)
        bonuses = [
            {"bonus": "petit_au_bout", "player": sit[0]},
            {"bonus": "handful", "player": sit[0], "size": "single"},
        ]
        record["events"][0] |= {"partner": sit[1], "bonuses": bonuses}
        add_hand(client, {**record, "players": sit, "variant": "french-tarot-5"})
    path = f"/v1/sessions/{session_id}"
    wait_until(
        lambda: all(hand["counted"] for hand in client.get(path).json()["hands"]), "the sheets of the evening"
    )


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
