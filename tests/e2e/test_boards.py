"""Boards as they are followed: a stream that tells of each change, from a running service."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.service.evenings import FOUR, tarot
from tests.support.processes import RunningService, wait_until

pytestmark = pytest.mark.xdist_group("running_service")


@pytest.fixture
def http(running_service: RunningService) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=running_service.base_url, trust_env=False, timeout=30) as client:
        yield client


def events(response: httpx.Response) -> Iterator[tuple[str, dict[str, Any]]]:
    """The events of a stream as they come."""
    name = ""
    for line in response.iter_lines():
        field, _, value = line.partition(": ")
        if field == "event":
            name = value
        elif field == "data":
            yield name, json.loads(value)


def tournament(http: httpx.Client, tournament_id: str) -> tuple[str, dict[str, Any]]:
    """A tournament's path, and its board."""
    body = {
        "tournament_id": tournament_id,
        "name": "Followed",
        "variant": "french-tarot-4",
        "rounds": 1,
        "hands_per_round": 2,
        "tables": 1,
        "players": FOUR,
    }
    assert http.post("/v1/tournaments", json=body).status_code == 201
    path = f"/v1/tournaments/{tournament_id}"
    board: dict[str, Any] = http.post(f"{path}/boards").json()
    return path, board


def hand(tournament_id: str, points: int) -> dict[str, Any]:
    """South's Prise with 41 points needed: each point over is one more for each defender to pay (FT-6.2)."""
    place = {"session_id": tournament_id, "round": 1, "table": 1, "number": 1}
    return tarot("South", "prise", points, 2, hand_id=f"{tournament_id}-1", **place)


def test_a_board_is_followed_through_a_hand_a_correction_and_its_end(http: httpx.Client) -> None:
    path, board = tournament(http, "board-stream")
    accept = {"Accept": "text/event-stream"}
    with http.stream("GET", f"/v1/boards/{board['token']}?limit=1&player=North", headers=accept) as stream:
        assert stream.headers["Content-Type"].startswith("text/event-stream")
        told = events(stream)
        assert next(told)[1]["standings"][0]["points"] == 0
        assert http.post("/v1/hands", json=hand("board-stream", 51)).status_code == 202
        while not (shown := next(told)[1])["progress"][0]["hands"]:
            pass
        assert [(line["name"], line["points"]) for line in shown["standings"]] == [("South", 3 * 35)]
        assert shown["followed"]["points"] == -35
        correction = {"record": hand("board-stream", 41), "reason": "counted again"}
        answer = http.put("/v1/hands/board-stream-1", json=correction, headers={"If-Match": '"1"'})
        assert answer.status_code == 200, answer.text
        while (shown := next(told)[1])["followed"]["points"] != -25:
            pass
        assert http.delete(f"{path}/boards/{board['board_id']}").status_code == 204
        assert list(told) == [("gone", {})]


def test_many_may_look_while_few_may_follow(http: httpx.Client, running_service: RunningService) -> None:
    _, board = tournament(http, "board-many")
    path = f"/v1/boards/{board['token']}"
    streams = []
    try:
        status = 200
        while status == 200:
            stream = http.stream("GET", path, headers={"Accept": "text/event-stream"})
            status = stream.__enter__().status_code
            streams.append(stream)
            assert len(streams) < 100
        assert status == 429
        assert http.get(path).status_code == 200
    finally:
        for stream in streams:
            stream.__exit__(None, None, None)

    def follows() -> bool:
        with http.stream("GET", path, headers={"Accept": "text/event-stream"}) as again:
            return again.status_code == 200

    wait_until(follows, "a place that was left")
