"""Tournaments over HTTP: made, played, directed, ranked, closed."""

from __future__ import annotations

import csv
import io
import threading
from typing import Any

import openpyxl
import pytest
import redis

from tests.service.clients import CheckedClient, code_of, faults_of
from tests.service.document import load_document
from tests.service.live_hands import as_key, keyed_client
from workers.scoring import Scorer

EXAMPLES: dict[str, Any] = load_document().raw["components"]["examples"]
FRIDAY: dict[str, Any] = EXAMPLES["NewTournament"]["value"]
ANNA_AGAIN = {"table": 1, "players": ["Anna", "Béla", "Cyril", "Dora"]}
FOUR = ["Anna", "Béla", "Cyril", "Dora"]
PATH = f"/v1/tournaments/{FRIDAY['tournament_id']}"


def played(
    declarer: str = "Anna", card_points: int = 49, round_: int = 1, number: int = 1, **fields: Any
) -> dict[str, Any]:
    """A garde with two oudlers: 49 points are (25 + 8) x 2 = 66 for each defender to pay."""
    made = {
        "hand_id": f"friday-r{round_}-t1-h{number}",
        "variant": "french-tarot-4",
        "players": FOUR,
        "session_id": FRIDAY["tournament_id"],
        "table": 1,
        "round": round_,
        "number": number,
        "events": [
            {
                "type": "result_reported",
                "declarer": declarer,
                "contract": "garde",
                "card_points": card_points,
                "oudlers": 2,
            }
        ],
    }
    return {**made, **fields}


class Desk:
    """A director with a tournament: submits hands as a table does, and has them scored."""

    def __init__(self, client: CheckedClient, store: redis.Redis, **settings: Any) -> None:
        self.client = client
        self.store = store
        response = client.post("/v1/tournaments", json={**FRIDAY, **settings})
        assert response.status_code == 201, response.get_data(as_text=True)

    def submit(self, *hands: dict[str, Any]) -> None:
        for hand in hands:
            assert self.client.post("/v1/hands", json=hand).status_code == 202
        self.score()

    def score(self) -> None:
        while sum(Scorer(self.store).score_some()):
            pass

    def direct(self, *events: dict[str, Any], status: int = 200, **headers: str) -> dict[str, Any]:
        response = self.client.post(f"{PATH}/events", json={"events": list(events)}, headers=headers)
        assert response.status_code == status, response.get_data(as_text=True)
        body: dict[str, Any] = response.get_json(force=True)
        return body

    def refused(self, *events: dict[str, Any]) -> list[tuple[str, str]]:
        response = self.client.post(f"{PATH}/events", json={"events": list(events)})
        assert response.status_code in (409, 422), response.get_data(as_text=True)
        return faults_of(response)

    def standings(self, query: str = "") -> dict[str, Any]:
        body: dict[str, Any] = self.client.get(f"{PATH}/standings{query}").get_json()
        return body

    def places(self, query: str = "") -> list[tuple[int, str, float | None]]:
        return [(row["place"], row["player"], row["points"]) for row in self.standings(query)["standings"]]

    def reasons(self) -> dict[str, str]:
        return {one["hand_id"]: one["reason"] for one in self.standings()["left_out"]}

    def sheet(self, query: str = "?round=1") -> dict[str, Any]:
        body: dict[str, Any] = self.client.get(f"{PATH}/tables/1/sheet{query}").get_json()["sheets"][0]
        return body


@pytest.fixture
def desk(stored: CheckedClient, redis_client: redis.Redis) -> Desk:
    return Desk(stored, redis_client)


class TestMaking:
    def test_the_same_again_changes_nothing(self, desk: Desk) -> None:
        again = desk.client.post("/v1/tournaments", json=FRIDAY)
        assert (again.status_code, again.headers["ETag"]) == (200, '"1"')
        assert again.headers["Location"] == PATH
        other = desk.client.post("/v1/tournaments", json={**FRIDAY, "rounds": 3})
        assert code_of(other, 409) == "tournament-exists"

    def test_one_without_an_id_gets_one(self, stored: CheckedClient) -> None:
        body = {name: value for name, value in FRIDAY.items() if name != "tournament_id"}
        made = [stored.post("/v1/tournaments", json=body) for _ in range(2)]
        assert [response.status_code for response in made] == [201, 201]
        ids = {response.get_json()["tournament_id"] for response in made}
        assert len(ids) == 2
        assert {response.headers["Location"] for response in made} == {
            f"/v1/tournaments/{id_}" for id_ in ids
        }

    def test_they_are_listed_in_order(self, desk: Desk) -> None:
        desk.client.post("/v1/tournaments", json={**FRIDAY, "tournament_id": "second"})
        first = desk.client.get("/v1/tournaments?limit=1").get_json()
        rest = desk.client.get("/v1/tournaments", query_string={"cursor": first["next"]}).get_json()
        pages = [*first["tournaments"], *rest["tournaments"]]
        assert [one["tournament_id"] for one in pages] == [FRIDAY["tournament_id"], "second"]
        assert rest["next"] is None
        assert faults_of(desk.client.get("/v1/tournaments?cursor=x")) == [("cursor", "invalid-record")]

    @pytest.mark.parametrize(
        ("fields", "pointers"),
        [
            ({"name": None}, ["/name"]),
            ({"variant": "whist", "rounds": 0}, ["/rounds", "/variant"]),
            ({"variant": 4}, ["/variant"]),
            ({"nonsense": 1}, ["/nonsense"]),
            ({"players": ["Anna", "Anna"]}, ["/players/1"]),
            ({"players": "Anna"}, ["/players"]),
            ({"players": [" x"]}, ["/players/0"]),
            ({"tie_breaks": ["best_hand", "luck"]}, ["/tie_breaks/1"]),
            ({"rate": {"minor_units_per_point": 2}}, ["/rate/currency"]),
            ({"prizes": {"amounts": [1], "currency": "euro"}}, ["/prizes/currency"]),
            ({"seats": [1]}, ["/seats/0"]),
            ({"teams": [1]}, ["/teams/0"]),
            ({"ranking": "table_points"}, ["/table_points"]),
            ({"table_points": [3, 1]}, ["/table_points"]),
            ({"attack_weight": 2}, ["/attack_weight"]),
            ({"ranking": "percentage", "attack_weight": 0, "defence_weight": 0}, ["/attack_weight"]),
            (
                {"ranking": "percentage", "deals": [{"deal": 5, "contract": "solo", "seat": 5}]},
                ["/deals/0/deal", "/deals/0/contract", "/deals/0/seat"],
            ),
            ({"teams": [{"team": "A", "players": ["Emil", "Emil"]}]}, ["/teams/0/players/1"]),
            (
                {"seats": [{"round": 3, "tables": [{"table": 2, "players": ["Anna", "Emil"]}, ANNA_AGAIN]}]},
                [
                    "/seats/0/round",
                    "/seats/0/tables/0/table",
                    "/seats/0/tables/0/players",
                    "/seats/0/tables/0/players/1",
                    "/seats/0/tables/1/players/0",
                ],
            ),
            (
                {"seats": [{"round": 1, "tables": [{"table": 1, "players": FOUR}] * 2}]},
                ["/seats/0/tables/1/table"],
            ),
        ],
    )
    def test_faults_have_their_place(
        self, stored: CheckedClient, fields: dict[str, Any], pointers: list[str]
    ) -> None:
        response = stored.post("/v1/tournaments", json={**FRIDAY, **fields})
        assert code_of(response, 422) == "invalid-record"
        assert [pointer for pointer, _ in faults_of(response)] == pointers

    def test_a_body_is_an_object(self, stored: CheckedClient) -> None:
        assert faults_of(stored.post("/v1/tournaments", json=[])) == [("", "invalid-record")]


class TestStandings:
    def test_the_examples_are_true(self, desk: Desk) -> None:
        desk.direct(*EXAMPLES["Directions"]["value"]["events"])
        desk.submit(played())
        assert desk.standings() == EXAMPLES["Standings"]["value"]
        sheets = desk.client.get(f"{PATH}/tables/1/sheet?round=1").get_json()
        assert sheets == EXAMPLES["TableSheets"]["value"]

    def test_a_hand_that_waits_for_its_sheet_is_pending(self, desk: Desk) -> None:
        desk.client.post("/v1/hands", json=played())
        before = desk.standings()
        assert before["hand_counts"] == {"counted": 0, "pending": 1, "disputed": 0, "left_out": 1}
        assert desk.reasons() == {"friday-r1-t1-h1": "pending"}
        desk.score()
        assert desk.standings()["hand_counts"] == {"counted": 1, "pending": 0, "disputed": 0, "left_out": 0}

    def test_after_a_round(self, desk: Desk) -> None:
        desk.submit(played(), played("Béla", 33, 2, 1))
        # Béla lost by 8: 66 to each of the others.
        assert desk.places() == [(1, "Anna", 264), (2, "Cyril", 0), (2, "Dora", 0), (4, "Béla", -264)]
        assert desk.places("?round=1")[0] == (1, "Anna", 198)
        assert desk.standings("?round=1")["standings"][0]["rounds"] == [198]
        refused = desk.client.get(f"{PATH}/standings?round=3")
        assert faults_of(refused) == [("round", "invalid-record")]

    def test_who_asks_again_is_told_when_nothing_has_changed(self, desk: Desk) -> None:
        tag = desk.client.get(f"{PATH}/standings").headers["ETag"]
        headers = {"If-None-Match": tag}
        assert desk.client.get(f"{PATH}/standings", headers=headers).status_code == 304
        desk.submit(played())
        assert desk.client.get(f"{PATH}/standings", headers=headers).status_code == 200

    def test_a_correction_changes_them(self, desk: Desk) -> None:
        desk.submit(played())
        told = {"record": played(card_points=57), "reason": "miscounted"}
        desk.client.put("/v1/hands/friday-r1-t1-h1", json=told, headers={"If-Match": '"1"'})
        assert desk.reasons() == {"friday-r1-t1-h1": "pending"}
        desk.score()
        assert desk.places()[0] == (1, "Anna", 246)

    def test_a_hand_that_moves_away_is_gone(self, desk: Desk) -> None:
        desk.submit(played())
        told = {"record": played(session_id="another"), "reason": "wrong room"}
        desk.client.put("/v1/hands/friday-r1-t1-h1", json=told, headers={"If-Match": '"1"'})
        desk.score()
        assert desk.standings()["hand_counts"] == {"counted": 0, "pending": 0, "disputed": 0, "left_out": 0}

    def test_names_are_shown_and_erased(self, desk: Desk) -> None:
        desk.client.put("/v1/players/Anna", json={"name": "Anna M."})
        assert desk.standings()["standings"][0]["name"] == "Anna M."
        assert desk.client.get(PATH).get_json()["players"][0]["name"] == "Anna M."
        desk.client.delete("/v1/players/Anna")
        assert desk.standings()["standings"][0]["name"] is None

    def test_hands_may_be_there_first(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        stored.post("/v1/hands", json=played())
        desk = Desk(stored, redis_client)
        desk.score()
        assert desk.places()[0] == (1, "Anna", 198)

    def test_penalties_count_and_balance_nothing(self, desk: Desk) -> None:
        penalty = {"type": "penalty_assessed", "player": "Anna", "points": -50, "reason": "phone"}
        desk.submit(played(events=[*played()["events"], penalty]))
        desk.direct({"type": "penalty_assessed", "player": "Béla", "points": -6})
        assert desk.places() == [(1, "Anna", 148), (2, "Cyril", -66), (2, "Dora", -66), (4, "Béla", -72)]
        assert [(one["player"], one["hand_id"], one["seq"]) for one in desk.standings()["penalties"]] == [
            ("Anna", "friday-r1-t1-h1", None),
            ("Béla", None, 2),
        ]
        sheet = desk.sheet()
        assert (sheet["balances"], sheet["totals"]["Anna"]) == (True, 198)
        assert [one["player"] for one in sheet["penalties"]] == ["Anna"]

    def test_an_annulled_hand_keeps_its_penalties_and_leaves_its_place(self, desk: Desk) -> None:
        penalty = {"type": "penalty_assessed", "player": "Anna", "points": -50}
        annulled = {"type": "hand_annulled", "reason": "misdeal"}
        desk.submit(played(hand_id="first", events=[annulled, penalty]), played())
        assert desk.places()[0] == (1, "Anna", 148)
        assert desk.reasons() == {"first": "annulled"}


class TestDirecting:
    def test_every_change_has_its_actor_and_time(self, desk: Desk) -> None:
        desk.direct({"type": "penalty_assessed", "player": "Anna", "points": -5, "event_id": "p1"})
        log = desk.client.get(f"{PATH}/events?after=1").get_json()["events"]
        assert [(one["seq"], one["actor"], one["event"]["type"]) for one in log] == [
            (2, "anonymous", "penalty_assessed")
        ]
        first = desk.client.get(f"{PATH}/events?limit=1").get_json()
        assert (len(first["events"]), first["next"]) == (1, "1")

    def test_they_are_in_the_feed(self, desk: Desk) -> None:
        desk.direct({"type": "player_registered", "player": "Emil"})
        told = desk.client.get("/v1/events").get_json()["events"]
        assert [(one["type"], one["tournament_id"], one["seq"]) for one in told] == [
            ("tournament.event", FRIDAY["tournament_id"], 1),
            ("tournament.event", FRIDAY["tournament_id"], 2),
        ]

    def test_all_or_nothing(self, desk: Desk) -> None:
        late = {"type": "penalty_assessed", "player": "Anna", "points": -5}
        unknown = {"type": "penalty_assessed", "player": "Zoe", "points": -5}
        assert desk.refused(late, unknown) == [("/events/1/player", "invalid-record")]
        assert desk.standings()["version"] == 1

    def test_an_event_id_is_added_once(self, desk: Desk) -> None:
        event = {"type": "penalty_assessed", "player": "Anna", "points": -5, "event_id": "p1"}
        more = {"type": "player_registered", "player": "Emil", "event_id": "p2"}
        assert desk.direct(event)["version"] == 2
        assert desk.direct(event)["version"] == 2
        assert desk.direct(event, more)["version"] == 3
        assert desk.refused({**event, "points": -6}) == [("/events/0/event_id", "event-conflict")]
        new = {"type": "player_registered", "player": "Fritz"}
        assert desk.refused(new, event) == [("/events/1/event_id", "event-conflict")]
        assert desk.refused(event, more, {**new, "player": "F", "round": 1}) == [
            ("/events/2/round", "invalid-record")
        ]

    def test_for_the_version_that_it_was_made_for(self, desk: Desk) -> None:
        event = {"type": "penalty_assessed", "player": "Anna", "points": -5}
        headers = {"If-Match": '"1"'}
        first = desk.client.post(f"{PATH}/events", json={"events": [event]}, headers=headers)
        assert first.headers["ETag"] == '"2"'
        again = desk.client.post(f"{PATH}/events", json={"events": [event]}, headers=headers)
        assert (code_of(again, 412), again.headers["ETag"]) == ("version-mismatch", '"2"')
        for tag in ("", "2", '"2'):
            odd = desk.client.post(f"{PATH}/events", json={"events": [event]}, headers={"If-Match": tag})
            assert code_of(odd, 400) == "bad-request"
        several = desk.client.post(
            f"{PATH}/events", json={"events": [event]}, headers={"If-Match": '"9", "2"'}
        )
        assert several.get_json()["version"] == 3
        whichever = desk.client.post(f"{PATH}/events", json={"events": [event]}, headers={"If-Match": "*"})
        assert whichever.get_json()["version"] == 4

    def test_a_disputed_place_is_settled_and_disputed_again(self, desk: Desk) -> None:
        desk.submit(played(), played("Béla", hand_id="second"))
        told = desk.standings()
        assert told["disputes"] == [
            {
                "round": 1,
                "table": 1,
                "number": 1,
                "hand_ids": ["friday-r1-t1-h1", "second"],
                "counted": "friday-r1-t1-h1",
            }
        ]
        assert desk.reasons() == {"second": "disputed"}
        assert desk.sheet()["left_out"][0]["hand_id"] == "second"
        desk.direct({"type": "hand_chosen", "hand_id": "second"})
        assert (desk.places()[0], desk.standings()["disputes"]) == ((1, "Béla", 198), [])
        assert desk.reasons() == {"friday-r1-t1-h1": "not_chosen"}
        desk.submit(played("Dora", hand_id="third"))
        assert desk.reasons() == {"friday-r1-t1-h1": "not_chosen", "third": "disputed"}
        desk.direct({"type": "event_retracted", "seq": 2})
        assert desk.places()[0] == (1, "Anna", 198)

    def test_only_a_hand_of_a_contested_place_is_chosen(self, desk: Desk) -> None:
        desk.submit(played())
        for hand_id in ("friday-r1-t1-h1", "nowhere"):
            chosen = {"type": "hand_chosen", "hand_id": hand_id}
            assert desk.refused(chosen) == [("/events/0/hand_id", "invalid-record")]

    def test_a_struck_hand_counts_for_nobody_until_that_is_retracted(self, desk: Desk) -> None:
        penalty = {"type": "penalty_assessed", "player": "Anna", "points": -50}
        desk.submit(played(events=[*played()["events"], penalty]), played("Béla", number=2))
        desk.direct({"type": "hand_struck", "round": 1, "number": 1, "reason": "exposed cards"})
        assert desk.places() == [(1, "Béla", 198), (2, "Cyril", -66), (2, "Dora", -66), (4, "Anna", -116)]
        desk.direct({"type": "hand_struck", "round": 1, "number": 2, "table": 1})
        assert desk.reasons() == {"friday-r1-t1-h1": "struck", "friday-r1-t1-h2": "struck"}
        desk.direct({"type": "event_retracted", "seq": 2}, {"type": "event_retracted", "seq": 3})
        assert desk.places() == [(1, "Béla", 132), (2, "Anna", 82), (3, "Cyril", -132), (3, "Dora", -132)]

    def test_seats_are_kept_to(self, desk: Desk) -> None:
        seats = {
            "type": "seats_assigned",
            "round": 1,
            "tables": [{"table": 1, "players": [*FOUR[1:], "Emil"]}],
        }
        assert desk.refused(seats) == [("/events/0/tables/0/players/3", "invalid-record")]
        desk.direct({"type": "player_registered", "player": "Emil"}, seats)
        desk.submit(played())
        assert desk.reasons() == {"friday-r1-t1-h1": "other_players"}
        desk.direct({"type": "event_retracted", "seq": 3})
        assert desk.places()[0] == (1, "Anna", 198)

    def test_who_leaves_stays_if_he_has_played(self, desk: Desk) -> None:
        desk.direct({"type": "player_registered", "player": "Emil", "team": "North"})
        desk.submit(played())
        gone = [{"type": "player_withdrawn", "player": player} for player in ("Anna", "Emil")]
        desk.direct(*gone)
        assert [place[1] for place in desk.places()] == ["Anna", "Béla", "Cyril", "Dora"]
        state = desk.client.get(PATH).get_json()
        assert [one["player"] for one in state["players"] if one["withdrawn"]] == ["Anna", "Emil"]
        desk.direct({"type": "player_registered", "player": "Emil"})
        assert desk.client.get(PATH).get_json()["players"][4] == {
            "player": "Emil",
            "name": None,
            "team": "North",
            "withdrawn": False,
        }

    def test_settings_may_grow(self, desk: Desk) -> None:
        changed = {"type": "tournament_changed", "rounds": 3, "name": "Long night", "tie_breaks": []}
        assert desk.refused({"type": "tournament_changed", "tables": 1, "rounds": 1}) == [
            ("/events/0/rounds", "invalid-record")
        ]
        desk.direct(changed)
        state = desk.client.get(PATH).get_json()
        assert (state["rounds"], state["name"], state["tie_breaks"]) == (3, "Long night", [])
        assert desk.client.get("/v1/tournaments").get_json()["tournaments"][0]["name"] == "Long night"

    def test_closed_and_opened_again(self, desk: Desk) -> None:
        desk.submit(played(), played("Béla", hand_id="second"))
        closed = {"type": "tournament_closed"}
        assert desk.refused(closed) == [("/events/0", "tournament-unsettled")]
        chosen = {"type": "hand_chosen", "hand_id": "second"}
        assert desk.direct(chosen, closed) == {"version": 3, "status": "closed"}
        assert desk.refused(chosen) == [("/events/0", "tournament-closed")]
        assert desk.standings()["changed_since_closing"] is False
        desk.client.put(
            "/v1/hands/second",
            json={"record": played("Béla", 57), "reason": "miscounted"}
            | {"record": played("Béla", 57, hand_id="second")},
            headers={"If-Match": '"1"'},
        )
        desk.score()
        told = desk.standings()
        assert (told["status"], told["changed_since_closing"]) == ("closed", True)
        assert desk.direct({"type": "tournament_reopened"}) == {"version": 4, "status": "open"}
        assert desk.standings()["changed_since_closing"] is False
        assert desk.refused({"type": "tournament_reopened"}) == [("/events/0", "event-out-of-place")]

    def test_it_is_not_closed_while_sheets_are_to_be_made(self, desk: Desk) -> None:
        desk.client.post("/v1/hands", json=played())
        assert desk.refused({"type": "tournament_closed"}) == [("/events/0", "tournament-unsettled")]

    def test_closing_waits_a_moment_for_the_sheets(self, desk: Desk) -> None:
        desk.client.post("/v1/hands", json=played())
        worker = threading.Timer(0.3, desk.score)
        worker.start()
        assert desk.direct({"type": "tournament_closed"})["status"] == "closed"
        worker.join()

    @pytest.mark.parametrize(
        ("event", "pointer"),
        [
            ({"type": "nonsense"}, "/events/0/type"),
            ("nonsense", "/events/0"),
            ({"type": "player_withdrawn"}, "/events/0/player"),
            ({"type": "player_withdrawn", "player": "Zoe"}, "/events/0/player"),
            ({"type": "penalty_assessed", "player": "Anna", "points": 0.5}, "/events/0/points"),
            ({"type": "penalty_assessed", "player": "Anna", "points": 5, "round": 3}, "/events/0/round"),
            ({"type": "hand_struck", "round": 3, "number": 1}, "/events/0/round"),
            ({"type": "hand_struck", "round": 1, "number": 3}, "/events/0/number"),
            ({"type": "hand_struck", "round": 1, "number": 1, "table": 2}, "/events/0/table"),
            ({"type": "tournament_changed", "note": "nothing"}, "/events/0"),
            ({"type": "event_retracted", "seq": 2}, "/events/0/seq"),
            ({"type": "event_retracted", "seq": 1}, "/events/0/seq"),
            ({"type": "player_registered", "player": "Emil", "at": "yesterday"}, "/events/0/at"),
        ],
    )
    def test_faults_have_their_place(self, desk: Desk, event: Any, pointer: str) -> None:
        assert [where for where, _ in desk.refused(event)] == [pointer]

    def test_what_is_retracted_is_retracted_once(self, desk: Desk) -> None:
        desk.direct({"type": "penalty_assessed", "player": "Anna", "points": -5})
        undo = {"type": "event_retracted", "seq": 2}
        assert desk.refused(undo, undo) == [("/events/1/seq", "invalid-record")]
        twice = {"type": "player_registered", "player": "Emil", "event_id": "a"}
        assert desk.refused(twice, twice) == [("/events/1/event_id", "invalid-record")]


class TestOtherRankings:
    def test_a_tarock_cup(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        """Contras are paid and not written; places at the table give the points; three have prizes."""
        three = ["Anna", "Béla", "Cyril"]
        desk = Desk(
            stored,
            redis_client,
            variant="illustrated-mayr-sedlaczek-2016",
            players=three,
            seats=None,
            tie_breaks=["contracts_won"],
            ranking="table_points",
            table_points=[3, 1, 0],
            contra="money_only",
            rate={"minor_units_per_point": 10, "currency": "EUR"},
            prizes={"amounts": [1000, 500, 1], "currency": "EUR"},
        )
        result = {"type": "result_reported", "declarer": "Anna", "contract": "zweiblatt", "card_points": 36}
        contra = {**result, "contra": {"level": "contra", "stage": "before_pickup"}}
        for number, event in enumerate((result, contra), 1):
            hand = played(number=number, players=three, events=[event])
            desk.submit({**hand, "variant": "illustrated-mayr-sedlaczek-2016"})
        sheets = [
            stored.get(f"/v1/hands/friday-r1-t1-h{number}/score").get_json()["scores"]["Anna"]
            for number in (1, 2)
        ]
        assert sheets[1] > sheets[0] > 0
        told = desk.standings()
        first = told["standings"][0]
        assert (first["player"], first["points"], first["prize"]) == ("Anna", 3, 1000)
        assert first["tie_breaks"] == {"contracts_won": 2}
        # Two pay the difference of both hands, with the contra.
        assert first["money"] == 2 * 10 * sum(sheets)
        assert [row["money"] for row in told["standings"][1:]] == [-10 * sum(sheets)] * 2
        # The others share the second and third place: half of 1 + 0 points, half of 501 cents.
        assert [(row["points"], row["prize"]) for row in told["standings"][1:]] == [(0.5, 250), (0.5, 250)]
        assert told["prizes"]["left"] == 1
        sheet = desk.sheet()
        assert sheet["totals"]["Anna"] == 2 * sheets[0]
        assert (sheet["balance"], sheet["balances"]) == (None, None)

    def test_duplicate(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        """Deal 1 at three tables with the contract imposed: the seats are compared."""
        others = [f"{table}{seat}" for table in "XYZ" for seat in range(4)]
        desk = Desk(
            stored,
            redis_client,
            tables=4,
            players=[*FOUR, *others],
            seats=None,
            tie_breaks=None,
            ranking="percentage",
            attack_weight=3,
            deals=[{"deal": 1, "contract": "garde", "seat": 1}],
            teams=[{"team": "XY", "players": ["X0", "Y0"]}],
        )
        desk.submit(played())
        for table, (name, points) in enumerate((("X", 49), ("Y", 60), ("Z", 60)), 2):
            seats = [f"{name}{seat}" for seat in range(4)]
            hand = played(seats[0], points, players=seats, table=table, hand_id=name)
            desk.submit(
                hand if name != "Z" else {**hand, "events": [{**hand["events"][0], "contract": "prise"}]}
            )
        assert desk.reasons() == {"Z": "other_contract"}
        told = {row["player"]: row for row in desk.standings()["standings"]}
        # Of three equal twos: the best beats two, the others equal one and are beaten once.
        assert (told["Y0"]["points"], told["Anna"]["points"], told["X0"]["points"]) == (100, 25, 25)
        assert (told["Y1"]["points"], told["Béla"]["points"]) == (0, 75)
        assert (told["Z0"]["points"], told["Z0"]["place"]) == (None, 13)
        assert desk.standings()["teams"][0]["points"] == 62.5
        desk.direct({"type": "penalty_assessed", "player": "Anna", "points": -10})
        anna = next(row for row in desk.standings()["standings"] if row["player"] == "Anna")
        # 75 of a weight of 3, less 10.
        assert (anna["points"], anna["points_exact"]) == (21.67, "65/3")

    def test_teams(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        teams = [{"team": "N", "players": FOUR[:2]}, {"team": "S", "players": FOUR[2:]}]
        desk = Desk(stored, redis_client, teams=teams, players=None)
        desk.submit(played())
        assert [(team["place"], team["team"], team["points"]) for team in desk.standings()["teams"]] == [
            (1, "N", 132),
            (2, "S", -132),
        ]
        assert [row["team"] for row in desk.standings()["standings"]] == ["N", "N", "S", "S"]


class TestFiles:
    @pytest.fixture
    def desk(self, stored: CheckedClient, redis_client: redis.Redis) -> Desk:
        """Names that a spreadsheet would calculate, a team, money, prizes, halves and a penalty."""
        desk = Desk(
            stored,
            redis_client,
            ranking="table_points",
            table_points=[3, 2],
            players=None,
            teams=[{"team": '=1+1, "x"', "players": FOUR[:2]}, {"team": "@S;T", "players": FOUR[2:]}],
            rate={"minor_units_per_point": 5, "currency": "EUR"},
            prizes={"amounts": [100, 51], "currency": "EUR"},
        )
        stored.put("/v1/players/Anna", json={"name": "+49 Anna"})
        stored.put("/v1/players/Dora", json={"name": "-Dora, née 'Ö'"})
        desk.submit(played())
        desk.direct(
            {"type": "penalty_assessed", "player": "Dora", "points": -1, "reason": "=cmd|' /C calc'!A0"}
        )
        return desk

    def rows(self, desk: Desk, query: str) -> list[list[str]]:
        response = desk.client.get(f"{PATH}/standings?{query}")
        assert response.headers["Content-Type"] == "text/csv; charset=utf-8; header=present"
        assert (
            response.headers["Content-Disposition"]
            == 'attachment; filename="friday-2026-12-04-standings.csv"'
        )
        text = response.get_data().decode()
        delimiter = ";" if "semicolon" in query else ","
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))

    def test_the_example_is_true(self, stored: CheckedClient, redis_client: redis.Redis) -> None:
        desk = Desk(stored, redis_client, tournament_id="example")
        path = "/v1/tournaments/example"
        stored.post(f"{path}/events", json=EXAMPLES["Directions"]["value"])
        desk.submit(played(session_id="example"))
        answer = stored.get(f"{path}/standings?format=csv")
        assert answer.get_data().decode() == EXAMPLES["StandingsCsv"]["value"]

    def test_csv(self, desk: Desk) -> None:
        header = "place player name team points penalties hands round_1 round_2 best_hand money prize"
        assert self.rows(desk, "format=csv") == [
            header.split(),
            ["1", "Anna", "'+49 Anna", '\'=1+1, "x"', "3", "0", "1", "3", "", "198", "990", "100"],
            # Three share the points of the second to fourth place at the table, two the second prize.
            ["2", "Béla", "", '\'=1+1, "x"', "0.67", "0", "1", "0.67", "", "-66", "-330", "25"],
            ["2", "Cyril", "", "'@S;T", "0.67", "0", "1", "0.67", "", "-66", "-330", "25"],
            ["4", "Dora", "'-Dora, née 'Ö'", "'@S;T", "-0.33", "-1", "1", "0.67", "", "-66", "-330", "0"],
        ]

    def test_csv_for_excel(self, desk: Desk) -> None:
        body = desk.client.get(f"{PATH}/standings?format=csv-semicolon").get_data()
        assert body.startswith("\ufeffplace;player;".encode())
        rows = self.rows(desk, "format=csv-semicolon")
        plain = self.rows(desk, "format=csv")
        assert rows[2][4] == "0,67"
        assert [[cell.replace(",", ".") for cell in row] for row in rows[1:]] == [
            [cell.replace(",", ".") for cell in row] for row in plain[1:]
        ]

    def test_csv_of_teams(self, desk: Desk) -> None:
        rows = self.rows(desk, "format=csv&of=teams&round=1")
        assert rows[0] == [
            "place",
            "team",
            "points",
            "penalties",
            "hands",
            "round_1",
            "best_hand",
        ]
        assert [row[:3] for row in rows[1:]] == [["1", '\'=1+1, "x"', "3.67"], ["2", "'@S;T", "0.33"]]

    def test_a_workbook_has_the_same_figures_and_no_formula(self, desk: Desk) -> None:
        response = desk.client.get(f"{PATH}/standings?format=xlsx")
        assert response.headers["Content-Disposition"].endswith('-standings.xlsx"')
        book = openpyxl.load_workbook(io.BytesIO(response.get_data()))
        assert book.sheetnames == ["Standings", "Teams", "Penalties"]
        told = desk.standings()
        rows = list(book["Standings"].iter_rows(min_row=2, values_only=True))
        for row, line in zip(rows, told["standings"], strict=True):
            assert row[:6] == tuple(
                line[name] for name in ("place", "player", "name", "team", "points", "points_exact")
            )
            assert row[6:8] == (line["penalties"], line["hands"])
            assert list(row[8:10]) == line["rounds"]
            assert row[10:] == (line["tie_breaks"]["best_hand"], line["money"], line["prize"])
        assert [row[:3] for row in book["Teams"].iter_rows(min_row=2, values_only=True)] == [
            (line["place"], line["team"], line["points"]) for line in told["teams"]
        ]
        assert [row[3] for row in book["Penalties"].iter_rows(min_row=2, values_only=True)] == [
            "=cmd|' /C calc'!A0"
        ]
        cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
        assert {cell.data_type for cell in cells} == {"s", "n"}
        assert not any(cell.hyperlink for cell in cells)

    def test_the_same_figures_are_the_same_bytes(self, desk: Desk) -> None:
        first = desk.client.get(f"{PATH}/standings?format=xlsx")
        tag = {"If-None-Match": first.headers["ETag"]}
        assert desk.client.get(f"{PATH}/standings?format=xlsx", headers=tag).status_code == 304
        wrong = desk.client.get(f"{PATH}/standings?format=doc")
        assert faults_of(wrong) == [("format", "invalid-record")]


class TestWhoMayDoWhat:
    def test_a_table_submits_and_a_director_directs(self, redis_url: str) -> None:
        client = keyed_client(redis_url)
        for key in ("table", "reader"):
            assert (
                code_of(client.post("/v1/tournaments", json=FRIDAY, headers=as_key(key)), 403) == "forbidden"
            )
        assert client.post("/v1/tournaments", json=FRIDAY, headers=as_key("director")).status_code == 201
        event = {"events": [{"type": "player_registered", "player": "Emil"}]}
        assert code_of(client.post(f"{PATH}/events", json=event, headers=as_key("table")), 403) == "forbidden"
        assert client.post(f"{PATH}/events", json=event, headers=as_key("director")).status_code == 200
        for path in ("", "/events", "/standings", "/tables/1/sheet"):
            assert client.get(PATH + path, headers=as_key("reader")).status_code == 200
            assert code_of(client.get(PATH + path, headers=as_key("sender")), 403) == "forbidden"
        log = client.get(f"{PATH}/events", headers=as_key("reader")).get_json()["events"]
        assert [one["actor"] for one in log] == ["director", "director"]

    def test_what_is_not_there(self, desk: Desk) -> None:
        for path in ("", "/events", "/standings", "/tables/1/sheet"):
            assert code_of(desk.client.get(f"/v1/tournaments/none{path}"), 404) == "unknown-tournament"
        for table in ("2", "0", "x", "-1", "١", "0000000012", "9" * 40):
            assert code_of(desk.client.get(f"{PATH}/tables/{table}/sheet"), 404) == "unknown-table"
        assert len(desk.client.get(f"{PATH}/tables/1/sheet").get_json()["sheets"]) == 2


class TestPlayers:
    def test_a_name_is_given_changed_and_erased(self, stored: CheckedClient) -> None:
        assert code_of(stored.get("/v1/players/Béla"), 404) == "unknown-player"
        for name in ("Béla B.", "B. Bartók"):
            assert stored.put("/v1/players/Béla", json={"name": name}).get_json()["name"] == name
        assert stored.get("/v1/players/Béla").get_json()["name"] == "B. Bartók"
        assert [stored.delete("/v1/players/Béla").status_code for _ in range(2)] == [204, 204]
        assert code_of(stored.get("/v1/players/Béla"), 404) == "unknown-player"

    def test_bad_names(self, stored: CheckedClient) -> None:
        assert faults_of(stored.put("/v1/players/Anna", json={"name": ""})) == [("/name", "invalid-record")]
        assert faults_of(stored.put("/v1/players/Anna", json={"x": 1})) == [
            ("/name", "invalid-record"),
            ("/x", "invalid-record"),
        ]
        assert faults_of(stored.put("/v1/players/ Anna", json={"name": "x"})) == [
            ("player", "invalid-record")
        ]

    def test_naming_takes_a_director(self, redis_url: str) -> None:
        client = keyed_client(redis_url)
        for key, status in (("table", 403), ("director", 200)):
            made = client.put("/v1/players/Anna", json={"name": "A"}, headers=as_key(key))
            assert made.status_code == status
        assert client.delete("/v1/players/Anna", headers=as_key("table")).status_code == 403
