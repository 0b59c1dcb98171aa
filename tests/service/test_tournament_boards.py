"""Boards of tournaments: a page of the standings, what is missing, the last hands, the running totals."""

from __future__ import annotations

from typing import Any

import pytest
import redis
from hypothesis import given
from hypothesis import strategies as st

from records.boards import MAX_BOARDS
from records.tournament_board import CHARTED, MAX_STEPS, told_apart
from service.app import create_app
from service.config import Settings
from tests.service.clients import CheckedClient, code_of, faults_of
from tests.service.conftest import checked_client
from tests.service.document import load_document
from tests.service.live_hands import as_key, keyed_client
from tests.service.test_tournaments import FOUR, FRIDAY, PATH, Desk, played

EXAMPLES: dict[str, Any] = load_document().raw["components"]["examples"]
MORE = ["Eva", "Filip", "Gesa", "Hanno"]
PAIRS = {
    "tables": 2,
    "players": [],
    "seats": [],
    "teams": [
        {"team": "Red", "players": ["Anna", "Béla"]},
        {"team": "Blue", "players": ["Cyril", "Dora"]},
    ],
}


class Wall:
    """A board of the tournament at a desk."""

    def __init__(self, desk: Desk, **body: Any) -> None:
        response = desk.client.post(f"{PATH}/boards", json=body)
        assert response.status_code == 201, response.get_data(as_text=True)
        self.client = desk.client
        self.made: dict[str, Any] = response.get_json()
        self.path = f"/v1/boards/{self.made['token']}"
        assert response.headers["Location"] == self.path

    def look(self, **query: Any) -> dict[str, Any]:
        response = self.client.get(self.path, query_string=query)
        assert response.status_code == 200, response.get_data(as_text=True)
        board: dict[str, Any] = response.get_json()
        return board


@pytest.fixture
def desk(stored: CheckedClient, redis_client: redis.Redis) -> Desk:
    """Anna's garde of 66 from each, then Béla's."""
    desk = Desk(stored, redis_client)
    desk.submit(played(), played("Béla", number=2))
    return desk


def places(board: dict[str, Any]) -> list[tuple[int, str, float | None]]:
    return [(line["place"], line["name"], line["points"]) for line in board["standings"]]


class TestStandings:
    def test_they_are_those_of_the_tournament(self, desk: Desk) -> None:
        board = Wall(desk).look()
        assert (board["kind"], board["name"], board["status"]) == ("tournament", "Friday night", "open")
        assert places(board) == desk.places()
        figures = ("shared", "points", "penalties", "rounds", "hands", "tie_breaks")
        for line, row in zip(board["standings"], desk.standings()["standings"], strict=True):
            assert {name: line[name] for name in figures} == {name: row[name] for name in figures}
        assert board["tie_breaks"] == ["best_hand"]

    def test_a_part_of_them(self, desk: Desk) -> None:
        wall = Wall(desk)
        whole = wall.look()
        part = wall.look(after=1, limit=2)
        assert part["standings"] == whole["standings"][1:3]
        assert (part["after"], part["lines"], part["of"]) == (1, 4, "players")
        assert wall.look(after=4)["standings"] == []

    def test_after_a_round(self, desk: Desk) -> None:
        desk.submit(played("Cyril", round_=2))
        board = Wall(desk).look(round=1)
        assert places(board) == desk.places("?round=1")
        assert board["round"] == 1
        assert {step["round"] for step in board["steps"]} == {1}
        assert [one["hands"] for one in board["progress"]] == [2, 1], "of the whole tournament"

    def test_of_teams(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        desk = Desk(stored, redis_client, **PAIRS)
        desk.submit(played(), played("Béla", number=2))
        wall = Wall(desk)
        board = wall.look(of="teams")
        teams = desk.standings()["teams"]
        assert [(line["name"], line["points"]) for line in board["standings"]] == [
            (team["team"], team["points"]) for team in teams
        ]
        assert board["standings"][0]["players"] == ["Anna", "Béla"]
        assert [one["running"][-1] for one in board["chart"]] == [team["points"] for team in teams]
        assert board["has_teams"]
        assert {line["name"]: line["team"] for line in wall.look()["standings"]}["Dora"] == "Blue"

    def test_duplicate_is_told_in_per_cent(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        duplicate = {"ranking": "percentage", "players": [*FOUR, *MORE], "seats": [], "tables": 2}
        desk = Desk(stored, redis_client, **duplicate)
        desk.submit(played(), played("Eva", 45, hand_id="t2", players=MORE, table=2))
        board = Wall(desk).look()
        assert board["ranking"] == "percentage"
        assert places(board) == desk.places()
        assert board["steps"] == [{"round": 1, "number": None}]
        assert [one["running"] for one in board["chart"]] == [[line["points"]] for line in board["standings"]]

    def test_a_closed_one_that_a_correction_has_moved_says_so(self, desk: Desk) -> None:
        wall = Wall(desk)
        desk.direct({"type": "tournament_closed"})
        closed = wall.look()
        assert (closed["status"], closed["changed_since_closing"]) == ("closed", False)
        desk.direct({"type": "tournament_reopened"})
        desk.direct({"type": "tournament_closed"})
        corrected = {"record": played("Anna", 60), "reason": "written down wrongly"}
        response = desk.client.put("/v1/hands/friday-r1-t1-h1", json=corrected, headers={"If-Match": '"1"'})
        assert response.status_code == 200
        desk.score()
        assert wall.look()["changed_since_closing"]


class TestRunningTotals:
    def test_they_end_where_the_standings_are(self, desk: Desk) -> None:
        desk.submit(played("Cyril", 30, round_=2), played("Dora", round_=2, number=2))
        desk.direct({"type": "penalty_assessed", "player": "Anna", "points": -10, "round": 1})
        desk.direct({"type": "penalty_assessed", "player": "Béla", "points": -7})
        board = Wall(desk).look()
        assert board["steps"] == [
            {"round": round_, "number": number} for round_ in (1, 2) for number in (1, 2, None)
        ]
        lines = {line["name"]: line for line in board["standings"]}
        running = {one["name"]: one["running"] for one in board["chart"]}
        assert {name: totals[-1] for name, totals in running.items()} == {
            name: line["points"] for name, line in lines.items()
        }
        # A garde with 8 points over gives (25 + 8) * 2 = 66 from each; Anna has 3 * 66 and loses 66.
        assert running["Anna"][:3] == [198, 198 - 66, 198 - 66 - 10], (
            "no hand has cost what the director took"
        )
        assert running["Béla"][:3] == [-66, -66 + 198, -66 + 198]
        assert running["Béla"][-1] == running["Béla"][-2] - 7, "of no round: at the end"

    def test_a_penalty_of_a_hand_comes_with_it(self, desk: Desk) -> None:
        hand = played("Cyril", round_=2)
        hand["events"].append({"type": "penalty_assessed", "player": "Dora", "points": -4})
        desk.submit(hand, played("Cyril", round_=2, number=2))
        board = Wall(desk).look()
        assert [step["number"] for step in board["steps"]] == [1, 2, 1, 2]
        running = {one["name"]: one["running"] for one in board["chart"]}
        assert running["Dora"] == [-66, -132, -132 - 66 - 4, -132 - 66 - 4 - 66]

    def test_a_penalty_of_a_round_to_come_stands_behind_what_was_played(self, desk: Desk) -> None:
        desk.direct({"type": "penalty_assessed", "player": "Anna", "points": -10, "round": 2})
        board = Wall(desk).look()
        assert board["steps"][-1] == {"round": 2, "number": None}
        assert {one["name"]: one["running"] for one in board["chart"]}["Anna"] == [198, 132, 122]
        assert Wall(desk).look(round=1)["steps"] == board["steps"][:-1]

    def test_only_the_first_are_charted_and_whoever_is_asked_for(
        self, stored: CheckedClient, redis_client: redis.Redis
    ) -> None:
        players = [*FOUR, *MORE, "Ida"]
        desk = Desk(stored, redis_client, players=players, seats=[], tables=2)
        desk.submit(played(), played("Eva", 60, hand_id="t2", players=MORE, table=2))
        wall = Wall(desk)
        board = wall.look(limit=1)
        assert [one["name"] for one in board["chart"]] == [name for _, name, _ in desk.places()][:CHARTED]
        assert board["followed"] is None
        last = desk.places()[-1]
        followed = wall.look(limit=1, player=last[1])["followed"]
        assert (followed["place"], followed["name"], followed["running"]) == (last[0], last[1], [last[2]])

    def test_very_many_hands_are_told_round_by_round(
        self, stored: CheckedClient, redis_client: redis.Redis
    ) -> None:
        desk = Desk(stored, redis_client, hands_per_round=MAX_STEPS, seats=[])
        desk.submit(*(played(number=number) for number in range(1, MAX_STEPS + 1)))
        wall = Wall(desk)
        assert len(wall.look()["steps"]) == MAX_STEPS
        desk.submit(played(round_=2))
        desk.direct({"type": "penalty_assessed", "player": "Anna", "points": -10, "round": 1})
        board = wall.look()
        assert board["steps"] == [{"round": 1, "number": None}, {"round": 2, "number": None}]
        assert board["chart"][0]["running"] == [198 * MAX_STEPS - 10, 198 * (MAX_STEPS + 1) - 10]

    @pytest.mark.parametrize(
        ("asked", "found"),
        [("béla", "Béla"), ("Cy", "Cyril"), ("or", "Dora"), ("A", "Anna"), (" anna ", "Anna"), ("x", None)],
    )
    def test_who_is_asked_for(self, desk: Desk, asked: str, found: str | None) -> None:
        followed = Wall(desk).look(player=asked)["followed"]
        assert (followed and followed["name"]) == found


class TestProgress:
    def test_what_is_missing(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        desk = Desk(stored, redis_client, players=[*FOUR, *MORE], seats=[], tables=2)
        wall = Wall(desk)
        desk.submit(played(), played("Béla", number=2), played("Eva", hand_id="t2", players=MORE, table=2))
        first, second = wall.look()["progress"]
        assert first == {"round": 1, "tables": 2, "done": 1, "hands": 3, "missing": [2]}
        assert second == {"round": 2, "tables": 2, "done": 0, "hands": 0, "missing": [1, 2]}
        desk.direct({"type": "hand_struck", "round": 1, "table": 2, "number": 2})
        assert wall.look()["progress"][0]["done"] == 2
        desk.direct({"type": "hand_struck", "round": 2, "number": 1})
        assert wall.look()["progress"][1]["hands"] == 2

    def test_a_dispute_is_a_place_and_no_more(self, desk: Desk) -> None:
        second = played("Cyril", hand_id="again")
        second["events"][0]["note"] = "Anna counted wrongly"
        desk.submit(second)
        desk.direct({"type": "penalty_assessed", "player": "Dora", "points": -5, "reason": "was rude"})
        board = Wall(desk).look()
        assert board["disputes"] == [{"round": 1, "table": 1, "number": 1}]
        assert board["hand_counts"]["disputed"] == 1
        text = str(board)
        for private in ("counted wrongly", "again", "rude", "friday-r1-t1-h1"):
            assert private not in text

    def test_the_last_hands_say_what_each_point_is_for(self, desk: Desk) -> None:
        desk.submit(*(played("Cyril", round_=2, number=number) for number in (1, 2)))
        latest = Wall(desk).look()["latest"]
        assert [(one["round"], one["table"], one["number"]) for one in latest] == [
            (1, 1, 1),
            (1, 1, 2),
            (2, 1, 1),
            (2, 1, 2),
        ]
        for sheet in latest:
            assert sheet["players"] == FOUR
            assert [sum(item["points"][seat] for item in sheet["items"]) for seat in range(4)] == sheet[
                "scores"
            ]
        assert (latest[0]["declarer"], latest[0]["contract"], latest[0]["outcome"]) == (0, "garde", "won")

    def test_the_last_hands_of_a_table_are_in_the_order_of_play(
        self, stored: CheckedClient, redis_client: redis.Redis
    ) -> None:
        desk = Desk(stored, redis_client, players=[*FOUR, *MORE], seats=[], tables=2)
        other = played("Eva", hand_id="t2", players=MORE, table=2)
        desk.submit(played(number=2), other, played())
        latest = Wall(desk).look()["latest"]
        assert [(one["table"], one["number"]) for one in latest] == [(1, 1), (2, 1), (1, 2)]


class TestNames:
    def test_display_names_at_once_and_gone_at_once(self, desk: Desk) -> None:
        wall = Wall(desk)
        assert wall.look()["standings"][0]["name"] == "Anna"
        desk.client.put("/v1/players/Anna", json={"name": "Anna Berg"})
        board = wall.look()
        assert [board["standings"][0]["name"], board["chart"][0]["name"]] == ["Anna Berg"] * 2
        assert "Anna Berg" in board["latest"][0]["players"]
        desk.client.delete("/v1/players/Anna")
        assert "Berg" not in str(wall.look())

    def test_initials_everywhere(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        desk = Desk(stored, redis_client, **PAIRS)
        desk.submit(played())
        desk.client.put("/v1/players/Anna", json={"name": "Anna Berg"})
        wall = Wall(desk, names="initials")
        for query in ({}, {"of": "teams"}, {"player": "AB"}):
            text = str(wall.look(**query))
            for name in (*FOUR, "Anna Berg", "Red", "Blue"):
                assert repr(name) not in text
        assert wall.look(player="AB")["followed"]["name"] == "AB"
        assert wall.look(player="Anna")["followed"] is None, "a guess tells nothing"

    @given(st.lists(st.sampled_from(["Anna", "Anna 2", "Béla", "Anna 3", "x"]), max_size=8))
    def test_nobody_is_called_like_another(self, names: list[str]) -> None:
        shown = told_apart(names)
        assert len(set(shown)) == len(names)
        assert all(one.startswith(name) for one, name in zip(shown, names, strict=True))


class TestLinks:
    def test_they_are_listed_and_revoked(self, desk: Desk) -> None:
        gone, kept = Wall(desk), Wall(desk, names="initials")
        response = desk.client.get(f"{PATH}/boards")
        assert [
            (one["board_id"], one["tournament_id"], one["names"]) for one in response.get_json()["boards"]
        ] == [
            (gone.made["board_id"], FRIDAY["tournament_id"], "full"),
            (kept.made["board_id"], FRIDAY["tournament_id"], "initials"),
        ]
        assert gone.made["token"] not in response.get_data(as_text=True)
        path = f"{PATH}/boards/{gone.made['board_id']}"
        assert desk.client.delete(path).status_code == 204
        assert code_of(desk.client.get(gone.path), 404) == "unknown-board"
        assert code_of(desk.client.delete(path), 404) == "unknown-board"
        kept.look()

    def test_a_tournament_has_only_so_many(self, desk: Desk) -> None:
        for _ in range(MAX_BOARDS):
            Wall(desk)
        assert code_of(desk.client.post(f"{PATH}/boards"), 409) == "too-many-boards"

    def test_a_session_of_the_same_id_has_boards_of_its_own(self, desk: Desk) -> None:
        session_id = FRIDAY["tournament_id"]
        session = {"session_id": session_id, "players": FOUR, "variant": "french-tarot-4"}
        assert desk.client.post("/v1/sessions", json=session).status_code == 201
        board = desk.client.post(f"/v1/sessions/{session_id}/boards").get_json()
        assert desk.client.get(f"{PATH}/boards").get_json()["boards"] == []
        assert code_of(desk.client.delete(f"{PATH}/boards/{board['board_id']}"), 404) == "unknown-board"
        assert desk.client.get(f"/v1/boards/{board['token']}").get_json()["kind"] == "session"
        token = Wall(desk).made["token"]
        assert desk.client.get(f"/v1/boards/{token}").get_json()["kind"] == "tournament"

    def test_no_tournament_no_board(self, stored: CheckedClient) -> None:
        for response in (
            stored.get("/v1/tournaments/none/boards"),
            stored.post("/v1/tournaments/none/boards"),
            stored.delete("/v1/tournaments/none/boards/x"),
        ):
            assert code_of(response, 404) == "unknown-tournament"

    def test_they_need_a_director(self, redis_url: str) -> None:
        client = keyed_client(redis_url)
        assert client.post("/v1/tournaments/none/boards").status_code == 401
        for call in (client.get, client.post):
            response = call("/v1/tournaments/none/boards", headers=as_key("reader"))
            assert code_of(response, 403) == "forbidden"

    @pytest.mark.parametrize(
        "query",
        ["after=-1", "limit=0", "limit=251", "of=tables", "round=3", "round=0", "player=", "x=1"],
    )
    def test_what_is_no_part_of_it(self, desk: Desk, query: str) -> None:
        response = desk.client.get(f"{Wall(desk).path}?{query}")
        assert faults_of(response) == [(query.partition("=")[0], "invalid-record")]

    def test_a_sessions_board_has_no_parts(self, desk: Desk) -> None:
        desk.client.post(
            "/v1/sessions", json={"session_id": "s", "players": FOUR, "variant": "french-tarot-4"}
        )
        token = desk.client.post("/v1/sessions/s/boards").get_json()["token"]
        response = desk.client.get(f"/v1/boards/{token}?limit=5&round=1")
        assert sorted(faults_of(response)) == [("limit", "invalid-record"), ("round", "invalid-record")]


def test_the_example_is_true(redis_url: str, redis_client: redis.Redis) -> None:
    client = checked_client(create_app(Settings(redis_url=redis_url)))
    desk = Desk(client, redis_client)
    desk.submit(played(), played("Béla", number=2))
    desk.direct({"type": "penalty_assessed", "player": "Dora", "points": -20, "round": 1})
    assert Wall(desk).look(player="Cyril", limit=2) == EXAMPLES["TournamentBoardView"]["value"]
