"""Boards: links to what a session comes to, for whoever holds one, until they are revoked."""

from __future__ import annotations

from typing import Any

import pytest
import redis
from hypothesis import given
from hypothesis import strategies as st

from records.board_view import LATEST_SHEETS, initials
from records.boards import MAX_BOARDS
from service.app import create_app
from service.config import Settings
from tests.service.clients import CheckedClient, code_of
from tests.service.conftest import checked_client
from tests.service.document import load_document
from tests.service.evenings import FFT_SHEET, FFT_TOTALS, FOUR, MAYR, THREE, Evening, solo, tarot
from tests.service.live_hands import as_key, keyed_client

EXAMPLES: dict[str, Any] = load_document().raw["components"]["examples"]


@pytest.fixture
def evening(stored: CheckedClient, redis_client: redis.Redis) -> Evening:
    """Three hands of three players, Anna's 200 points behind the first one."""
    evening = Evening(stored, redis_client)
    evening.open(THREE, MAYR, name="Thursday")
    evening.play(solo("Anna", 70), solo("Béla", 34), solo("Cyril", 36))
    evening.score()
    return evening


def make(evening: Evening, **body: Any) -> dict[str, Any]:
    response = evening.client.post(f"{evening.path}/boards", json=body)
    assert response.status_code == 201, response.get_data(as_text=True)
    found: dict[str, Any] = response.get_json()
    assert response.headers["Location"] == f"/v1/boards/{found['token']}"
    return found


def shown(evening: Evening, token: str) -> dict[str, Any]:
    response = evening.client.get(f"/v1/boards/{token}")
    assert response.status_code == 200
    found: dict[str, Any] = response.get_json()
    return found


class TestWhatIsShown:
    def test_it_is_what_the_session_comes_to(self, evening: Evening) -> None:
        session = evening.read()
        board = shown(evening, make(evening)["token"])
        assert (board["name"], board["players"], board["status"]) == ("Thursday", THREE, "open")
        assert board["totals"] == [session["totals"][player] for player in THREE]
        assert [hand["scores"] for hand in board["hands"]] == [
            [hand["scores"][player] for player in THREE] for hand in session["hands"]
        ]
        assert [(row["place"], THREE[row["player"]], row["points"]) for row in board["standings"]] == [
            (row["place"], row["player"], row["points"]) for row in session["standings"]
        ]
        assert [(series["ended"], series["winners"], series["bonus"]) for series in board["series"]] == [
            (True, [0], [10, 0, 0]),
            (False, [], [0, 0, 0]),
        ]

    def test_the_last_hands_say_what_each_point_is_for(self, evening: Evening) -> None:
        board = shown(evening, make(evening)["token"])
        sheet = board["latest"][0]
        assert (sheet["declarer"], sheet["contract"], sheet["outcome"]) == (0, "solo", "won")
        for sheet in board["latest"]:
            sums = [sum(item["points"][seat] for item in sheet["items"]) for seat in range(3)]
            assert sums == sheet["scores"]

    def test_many_hands_and_a_player_who_rests(
        self, stored: CheckedClient, redis_client: redis.Redis
    ) -> None:
        evening = Evening(stored, redis_client)
        evening.open([*FOUR, "Zoë"], "french-tarot-4")
        evening.play(*(tarot(*result) for result in FFT_SHEET))
        evening.score()
        board = shown(evening, make(evening)["token"])
        assert board["totals"] == [*FFT_TOTALS.values(), 0]
        assert [len(board["latest"]), len(board["hands"])] == [LATEST_SHEETS, len(FFT_SHEET)]
        assert {hand["scores"][4] for hand in board["hands"]} == {None}

    def test_initials_in_place_of_names_everywhere(self, evening: Evening) -> None:
        token = make(evening, names="initials")["token"]
        text = evening.client.get(f"/v1/boards/{token}").get_data(as_text=True)
        assert shown(evening, token)["players"] == ["A", "B", "C"]
        assert not [player for player in THREE if player in text]

    def test_a_hand_that_does_not_count_says_why(self, evening: Evening) -> None:
        evening.add("h2", {"type": "event_retracted", "seq": 1, "reason": "a slip"})
        board = shown(evening, make(evening)["token"])
        evening.score()
        board = shown(evening, make(evening)["token"])
        assert [(hand["counted"], hand["why"]) for hand in board["hands"]] == [
            (True, None),
            (False, "incomplete"),
            (True, None),
        ]
        assert board["totals"] == [190, 0, 44], "the bonus of the series included"

    def test_a_closed_session_keeps_its_figures(self, evening: Evening) -> None:
        token = make(evening)["token"]
        open_ = shown(evening, token)
        assert evening.decide("close").status_code == 200
        evening.add("h2", {"type": "event_retracted", "seq": 1, "reason": "a slip"})
        evening.score()
        closed = shown(evening, token)
        assert closed["status"] == "closed"
        assert {**closed, "status": "open"} == open_

    def test_it_is_not_sent_again_while_nothing_changes(self, evening: Evening) -> None:
        path = f"/v1/boards/{make(evening)['token']}"
        tag = evening.client.get(path).headers["ETag"]
        assert evening.client.get(path, headers={"If-None-Match": tag}).status_code == 304
        evening.add("h3", {"type": "penalty_assessed", "player": "Cyril", "points": -3})
        evening.score()
        assert evening.client.get(path, headers={"If-None-Match": tag}).status_code == 200


@given(
    st.lists(st.sampled_from(["Anna", "Alma", "Béla", "B B", "bea b", "Ω", "4 x"]), max_size=7, unique=True)
)
def test_initials_tell_players_apart(players: list[str]) -> None:
    short = initials(players)
    assert len(set(short)) == len(players)
    assert all(one[0] == player[0].upper() for one, player in zip(short, players, strict=True))


class TestLinks:
    def test_they_are_listed_without_their_tokens(self, evening: Evening) -> None:
        first, second = make(evening), make(evening, names="initials")
        response = evening.client.get(f"{evening.path}/boards")
        assert [board["board_id"] for board in response.get_json()["boards"]] == [
            first["board_id"],
            second["board_id"],
        ]
        for secret in (first["token"], second["token"]):
            assert secret not in response.get_data(as_text=True)

    def test_no_secret_is_stored(self, evening: Evening) -> None:
        board = make(evening)
        secret = board["token"].removeprefix(board["board_id"]).encode()
        stored = [evening.store.dump(key) or b"" for key in evening.store.keys("*")]
        assert stored
        assert not [value for value in stored if secret in value]

    def test_one_that_is_revoked_leads_nowhere(self, evening: Evening) -> None:
        gone, kept = make(evening), make(evening)
        path = f"{evening.path}/boards/{gone['board_id']}"
        assert evening.client.delete(path).status_code == 204
        assert code_of(evening.client.get(f"/v1/boards/{gone['token']}"), 404) == "unknown-board"
        assert code_of(evening.client.delete(path), 404) == "unknown-board"
        shown(evening, kept["token"])

    def test_a_guess_leads_nowhere(self, evening: Evening) -> None:
        token = make(evening)["token"]
        for guess in (token[:-1], token[:12], token[:-1] + ("A" if token[-1] != "A" else "B"), "x", "%00"):
            assert code_of(evening.client.get(f"/v1/boards/{guess}"), 404) == "unknown-board"

    def test_a_session_has_only_so_many(self, evening: Evening) -> None:
        boards = [make(evening) for _ in range(MAX_BOARDS)]
        assert code_of(evening.client.post(f"{evening.path}/boards"), 409) == "too-many-boards"
        evening.client.delete(f"{evening.path}/boards/{boards[0]['board_id']}")
        make(evening)

    def test_no_session_no_board(self, stored: CheckedClient) -> None:
        for response in (
            stored.get("/v1/sessions/none/boards"),
            stored.post("/v1/sessions/none/boards"),
            stored.delete("/v1/sessions/none/boards/x"),
        ):
            assert code_of(response, 404) == "unknown-session"

    @pytest.mark.parametrize("body", [{"names": "short"}, {"name": "full"}, []])
    def test_what_is_no_board(self, evening: Evening, body: object) -> None:
        assert code_of(evening.client.post(f"{evening.path}/boards", json=body), 422) == "invalid-record"


def test_only_the_page_and_what_it_shows_need_no_key(redis_url: str) -> None:
    client = keyed_client(redis_url)
    for path, status in (("/v1/boards/x", 404), ("/boards/x", 200), ("/boards/assets/board.js", 200)):
        assert client.get(path).status_code == status
    assert client.post("/v1/sessions/none/boards").status_code == 401
    assert code_of(client.get("/v1/sessions/none/boards", headers=as_key("reader")), 403) == "forbidden"


def test_the_page_and_its_files(client: CheckedClient) -> None:
    page = client.get("/boards/whatever").get_data(as_text=True)
    for name in ("uplot.js", "words.js", "board.js", "uplot.css", "board.css"):
        assert f'"/boards/assets/{name}"' in page
        assert client.get(f"/boards/assets/{name}").status_code == 200
    assert client.get("/boards/assets/board.html").status_code == 404


def test_the_example_is_true(redis_url: str, redis_client: redis.Redis) -> None:
    client = checked_client(create_app(Settings(redis_url=redis_url)))
    evening = Evening(client, redis_client, EXAMPLES["NewSession"]["value"]["session_id"])
    client.post("/v1/sessions", json=EXAMPLES["NewSession"]["value"])
    client.post("/v1/hands", json=EXAMPLES["WholeHand"]["value"])
    evening.score()
    token = make(evening, **EXAMPLES["NewBoard"]["value"])["token"]
    assert shown(evening, token) == EXAMPLES["BoardView"]["value"]
