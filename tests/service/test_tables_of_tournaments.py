"""A table of a tournament: its players, its round, its numbers."""

from __future__ import annotations

from typing import Any

import pytest
import redis

from tests.service.clients import CheckedClient, code_of, faults_of
from tests.service.evenings import FOUR, Evening, tarot
from tests.service.table_talk import Phones, link_to, said
from tests.service.test_tables import GARDE, MISDEAL

OTHERS = ["Anna", "Béla", "Cyril", "Dora"]
PATH = "/v1/tournaments/t1"
TOURNAMENT: dict[str, Any] = {
    "tournament_id": "t1",
    "name": "Friday",
    "variant": "french-tarot-4",
    "rounds": 2,
    "hands_per_round": 2,
    "tables": 2,
    "players": [*FOUR, *OTHERS],
    "seats": [
        {"round": 1, "tables": [{"table": 1, "players": FOUR}, {"table": 2, "players": OTHERS}]},
        {
            "round": 2,
            "tables": [
                {"table": 1, "players": [*FOUR[:2], *OTHERS[:2]]},
                {"table": 2, "players": [*FOUR[2:], *OTHERS[2:]]},
            ],
        },
    ],
}


@pytest.fixture
def cup(stored: CheckedClient, redis_client: redis.Redis) -> Evening:
    """The tournament, whose hands name it as their session."""
    assert stored.post("/v1/tournaments", json=TOURNAMENT).status_code == 201
    return Evening(stored, redis_client, "t1")


def play(phones: Phones, cup: Evening, event: dict[str, Any] | None = None) -> dict[str, Any]:
    """A whole hand of the next players, the forehand's; the table after it."""
    players = phones.look()["next"]["players"]
    said(phones.propose(players[0], event or {**GARDE, "declarer": players[0]}))
    found = said(phones.confirm(players[1]))
    cup.score()
    return found


def direct(cup: Evening, *events: dict[str, Any]) -> None:
    response = cup.client.post(f"{PATH}/events", json={"events": list(events)})
    assert response.status_code == 200, response.get_data(as_text=True)


def test_it_goes_from_round_to_round(cup: Evening) -> None:
    phones = Phones(cup.client, link_to(cup.client, PATH, table=1)["token"])
    table = phones.look()
    assert (table["name"], table["table"], table["round"], table["players"]) == ("Friday", 1, 1, FOUR)
    assert table["next"] == {"players": FOUR, "number": 1, "asks_number": False, "most": 2}
    play(phones, cup)
    table = play(phones, cup)
    assert (table["round"], table["players"]) == (2, [*FOUR[:2], *OTHERS[:2]])
    assert (table["next"]["number"], table["hands"]) == (1, [])
    play(phones, cup)
    table = phones.look()
    assert [(hand["number"], hand["outcome"], hand["counted"]) for hand in table["hands"]] == [
        (1, "won", True)
    ]
    assert table["totals"]["North"] == 210
    play(phones, cup)
    table = phones.look()
    assert (table["status"], table["next"]["number"]) == ("complete", None)
    assert faults_of(phones.propose("North", GARDE, players=table["players"])) == [
        ("/event/declarer", "invalid-record")
    ] or faults_of(phones.propose(table["players"][0], MISDEAL, players=table["players"])) == [
        ("/number", "invalid-record")
    ]
    standings = cup.client.get(f"{PATH}/standings").get_json()
    assert sum(line["hands"] for line in standings["standings"]) == 4 * 4


def test_hands_that_came_in_any_order_are_shown_in_the_order_of_play(
    stored: CheckedClient, redis_client: redis.Redis
) -> None:
    assert stored.post("/v1/tournaments", json={**TOURNAMENT, "hands_per_round": 3}).status_code == 201
    cup = Evening(stored, redis_client, "t1")
    for number, seat in ((2, 1), (1, 0)):  # the deal goes round
        hand = tarot("North", "garde", 51, 2, hand_id=f"h{number}", round=1, table=1, number=number)
        cup.play({**hand, "players": FOUR[seat:] + FOUR[:seat]})
    cup.score()
    table = Phones(stored, link_to(stored, PATH, table=1)["token"]).look()
    assert [hand["number"] for hand in table["hands"]] == [1, 2]
    assert table["next"]["number"] == 3
    assert table["next"]["players"] == FOUR[2:] + FOUR[:2]


def test_tables_do_not_meet(cup: Evening) -> None:
    first, second = (Phones(cup.client, link_to(cup.client, PATH, table=table)["token"]) for table in (1, 2))
    said(first.propose("North", GARDE))
    assert second.look()["proposal"] is None
    response = second.propose("North", GARDE, players=FOUR)
    assert {code for _, code in faults_of(response)} == {"invalid-record"}
    said(second.propose("Anna", {**GARDE, "declarer": "Anna"}))
    assert first.look()["proposal"]["by"] == "North"
    links = cup.client.get(f"{PATH}/table-links").get_json()["table_links"]
    assert [(link["tournament_id"], link["session_id"], link["table"]) for link in links] == [
        ("t1", None, 1),
        ("t1", None, 2),
    ]
    assert cup.client.delete(f"{PATH}/table-links/{links[0]['link_id']}").status_code == 204
    assert cup.client.get(first.path).status_code == 404
    said(second.confirm("Dora"))


def test_an_annulled_and_a_struck_hand(cup: Evening) -> None:
    phones = Phones(cup.client, link_to(cup.client, PATH, table=1)["token"])
    table = play(phones, cup, MISDEAL)
    assert (table["round"], table["next"]["number"]) == (1, 1)
    direct(cup, {"type": "hand_struck", "round": 1, "number": 2, "table": 1})
    assert faults_of(phones.propose("North", GARDE, number=2)) == [("/number", "invalid-record")]
    assert faults_of(phones.propose("North", GARDE, number=3)) == [("/number", "invalid-record")]
    said(phones.propose("North", GARDE))
    assert said(phones.confirm("East"))["round"] == 2


def test_a_round_that_went_on_meanwhile(cup: Evening) -> None:
    phones = Phones(cup.client, link_to(cup.client, PATH, table=1)["token"])
    said(phones.propose("North", GARDE))
    record = {
        "variant": "french-tarot-4",
        "players": [*FOUR[:2], *OTHERS[:2]],
        "events": [GARDE],
        "session_id": "t1",
        "table": 1,
        "round": 2,
        "number": 1,
    }
    assert cup.client.post("/v1/hands", json=record).status_code == 202
    assert code_of(phones.confirm("East"), 409) == "proposal-outdated"


def test_a_closed_tournament(cup: Evening) -> None:
    phones = Phones(cup.client, link_to(cup.client, PATH, table=1)["token"])
    said(phones.propose("North", GARDE))
    direct(cup, {"type": "tournament_closed"})
    assert code_of(phones.confirm("East"), 409) == "tournament-closed"
    assert code_of(phones.propose("North", GARDE), 409) == "tournament-closed"


@pytest.mark.parametrize("body", [{"table": 3}, {"table": 0}, {"table": "1"}, {}, {"table": 1, "round": 1}])
def test_what_is_no_table(cup: Evening, body: object) -> None:
    assert code_of(cup.client.post(f"{PATH}/table-links", json=body), 422) == "invalid-record"


def test_without_seats_all_may_sit_down(stored: CheckedClient, redis_client: redis.Redis) -> None:
    """And a deal of a duplicate tournament is played as it was laid down."""
    deals = [{"deal": 3, "contract": "garde", "seat": 2}]
    body = {**TOURNAMENT, "ranking": "percentage", "deals": deals}
    del body["seats"]
    assert stored.post("/v1/tournaments", json=body).status_code == 201
    phones = Phones(stored, link_to(stored, PATH, table=2)["token"])
    table = phones.look()
    assert set(table["players"]) == {*FOUR, *OTHERS}
    assert table["next"] == {"players": [], "number": None, "asks_number": True, "most": 4}
    assert table["totals"] == dict.fromkeys([*FOUR, *OTHERS], 0)
    assert faults_of(phones.propose("North", GARDE, players=FOUR)) == [("/number", "invalid-record")]
    assert faults_of(phones.propose("North", GARDE, players=FOUR, number=3)) == [
        ("/event/declarer", "invalid-record")
    ]
    south = {**GARDE, "declarer": "South"}
    prise = {**south, "contract": "prise"}
    assert faults_of(phones.propose("North", prise, players=FOUR, number=3)) == [
        ("/event/contract", "invalid-record")
    ]
    said(phones.propose("North", MISDEAL, players=FOUR, number=3))
    said(phones.propose("North", south, players=FOUR, number=3))
    assert said(phones.confirm("South"))["next"]["players"] == ["South", "East", "West", "North"]
    response = stored.post(
        f"{PATH}/events", json={"events": [{"type": "player_withdrawn", "player": "Dora"}]}
    )
    assert response.status_code == 200
    assert "Dora" not in phones.look()["players"]
