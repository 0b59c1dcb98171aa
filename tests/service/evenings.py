"""What tests of sessions share: results that are quickly told, and a table at which they are played."""

from __future__ import annotations

from typing import Any

import redis
from werkzeug.test import TestResponse

from tests.service.clients import CheckedClient
from workers.scoring import Scorer

MAYR = "illustrated-mayr-sedlaczek-2016"
THREE = ["Anna", "Béla", "Cyril"]
FOUR = ["North", "South", "East", "West"]


def solo(declarer: str, points: int, **fields: Any) -> dict[str, Any]:
    """A Solo (M&S, G = 10, M = 4): won, the declarer gets (10 + points - 35) * 4; lost, each defender
    gets (10 + 35 - points) * 4 (IT-7.2 to IT-7.5)."""
    event = {"type": "result_reported", "declarer": declarer, "contract": "solo", "card_points": points}
    return {"variant": MAYR, "players": THREE, "events": [event], **fields}


def tarot(declarer: str, contract: str, points: float, oudlers: int, **fields: Any) -> dict[str, Any]:
    """A result of French Tarot for four: the declarer gets three times what each defender pays (FT-6.2)."""
    event = {
        "type": "result_reported",
        "declarer": declarer,
        "contract": contract,
        "card_points": points,
        "oudlers": oudlers,
        "bonuses": [],
    }
    return {"variant": "french-tarot-4", "players": FOUR, "events": [event], **fields}


FFT_SHEET = [
    # Taker, contract, points, oudlers: each line a hand, with what each defender pays (negative: gets).
    ("North", "prise", 25, 0),  # 56 needed: -(25 + 31) = -56
    ("North", "prise", 26, 0),  # -55
    ("South", "prise", 51, 2),  # 41 needed: 25 + 10 = 35
    ("South", "garde_contre", 58, 2),  # (25 + 17) * 6 = 252
    ("South", "garde", 41, 2),  # 25 * 2 = 50
    ("East", "prise", 33, 0),  # -48
    ("East", "prise", 32, 0),  # -49
    ("West", "prise", 18, 0),  # -63
    ("West", "prise", 17, 0),  # -64
]
"""Hands that come to the totals of the score sheet which the FFT prints as its example: North -446, South
+1346, East -390, West -510. The sums by taker are -111, 337, -97 and -127, 2 in all; a player has four times
his own less that, since he gets three times his own and pays the others' once: 4 * -111 - 2 = -446."""
FFT_TOTALS = {"North": -446, "South": 1346, "East": -390, "West": -510}


class Evening:
    """A session on a real store, its sheets made when they are asked for."""

    def __init__(self, client: CheckedClient, store: redis.Redis, session_id: str = "s1") -> None:
        self.client = client
        self.store = store
        self.session_id = session_id
        self.path = f"/v1/sessions/{session_id}"

    def open(self, players: list[str], variant: str, **fields: Any) -> TestResponse:
        body = {"session_id": self.session_id, "players": players, "variant": variant, **fields}
        response = self.client.post("/v1/sessions", json=body)
        assert response.status_code in (200, 201), response.get_data(as_text=True)
        return response

    def play(self, *records: dict[str, Any]) -> list[str]:
        """Submit hands, numbered from 1 where they have no place and no name; their ids."""
        found = []
        for number, record in enumerate(records, 1):
            named = {"hand_id": f"h{number}", "number": number, "session_id": self.session_id, **record}
            response = self.client.post("/v1/hands", json=named)
            assert response.status_code == 202, response.get_data(as_text=True)
            found.append(named["hand_id"])
        return found

    def add(self, hand_id: str, *events: dict[str, Any]) -> None:
        """Add events to a hand of the newest version."""
        version = self.client.get(f"/v1/hands/{hand_id}").headers["ETag"]
        response = self.client.post(
            f"/v1/hands/{hand_id}/events", json={"events": list(events)}, headers={"If-Match": version}
        )
        assert response.status_code == 200, response.get_data(as_text=True)

    def score(self) -> None:
        """What workers do."""
        sum(Scorer(self.store).score_some())

    def read(self) -> dict[str, Any]:
        """The session with every sheet made."""
        self.score()
        return self.look()

    def look(self) -> dict[str, Any]:
        """The session as it is."""
        response = self.client.get(self.path)
        assert response.status_code == 200, response.get_data(as_text=True)
        found: dict[str, Any] = response.get_json()
        return found

    def settlement(self) -> dict[str, Any]:
        response = self.client.get(f"{self.path}/settlement")
        assert response.status_code == 200, response.get_data(as_text=True)
        found: dict[str, Any] = response.get_json()
        return found

    def decide(self, what: str, body: dict[str, Any] | None = None, **options: Any) -> TestResponse:
        """Close, reopen or choose."""
        return self.client.post(f"{self.path}:{what}", json=body, **options)


def why(session: dict[str, Any]) -> dict[str, str | None]:
    """By hand, why it does not count."""
    return {hand["hand_id"]: hand["why"] for hand in session["hands"]}
