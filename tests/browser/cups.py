"""Tournaments that the pages are looked at with: drawn seats, real results, a worker's scores."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from tests.support.processes import wait_until

FIRST = [
    "Anna",
    "Béla",
    "Cyril",
    "Dora",
    "Eva",
    "Filip",
    "Greta",
    "Henri",
    "Ida",
    "Jakob",
    "Klara",
    "Lukas",
    "Marie",
    "Noah",
    "Olga",
    "Paul",
    "Rosa",
    "Simon",
    "Thea",
    "Ulrich",
    "Vera",
    "Wanda",
    "Zoë",
]
LAST = ["Auer", "Blanc", "Czerny", "Dupont", "Eder", "Fabre", "Gruber", "Huber", "Illés"]


def named(number: int) -> str:
    """A player's name; no two are alike."""
    return f"{FIRST[number % len(FIRST)]} {LAST[number // len(FIRST) % len(LAST)]}"


def seated(players: list[str], round_: int, table: int) -> list[str]:
    """Who sits there: each seat moves on at its own pace."""
    tables = len(players) // 4
    return [players[seat * tables + (table - 1 + seat * (round_ - 1)) % tables] for seat in range(4)]


def result(chance: random.Random, players: list[str]) -> dict[str, Any]:
    """A result that can be true."""
    return {
        "type": "result_reported",
        "declarer": chance.choice(players),
        "contract": chance.choice(("prise", "garde", "garde", "garde_sans")),
        "card_points": chance.randint(30, 62),
        "oudlers": chance.randint(1, 3),
        "bonuses": [{"bonus": "petit_au_bout", "player": players[0]}] if chance.random() < 0.2 else [],
    }


def cup(tournament_id: str, tables: int, rounds: int, hands: int, **settings: Any) -> dict[str, Any]:
    """A tournament of French Tarot for four, with the seats of all rounds."""
    players = [named(number) for number in range(4 * tables)]
    return {
        "tournament_id": tournament_id,
        "name": "Coupe d’hiver",
        "variant": "french-tarot-4",
        "rounds": rounds,
        "hands_per_round": hands,
        "tables": tables,
        "players": players,
        "seats": [
            {
                "round": round_,
                "tables": [
                    {"table": table, "players": seated(players, round_, table)}
                    for table in range(1, tables + 1)
                ],
            }
            for round_ in range(1, rounds + 1)
        ],
        "tie_breaks": ["contracts_won", "best_hand"],
        **settings,
    }


def hand(settings: dict[str, Any], round_: int, table: int, number: int, **fields: Any) -> dict[str, Any]:
    """The hand at a place of the tournament; the same one each time."""
    here = next(one for one in settings["seats"][round_ - 1]["tables"] if one["table"] == table)
    chance = random.Random(f"{settings['tournament_id']} {round_} {table} {number}")
    return {
        "hand_id": f"{settings['tournament_id']}-{round_}-{table}-{number}",
        "variant": settings["variant"],
        "players": here["players"],
        "session_id": settings["tournament_id"],
        "round": round_,
        "table": table,
        "number": number,
        "events": [result(chance, here["players"])],
        **fields,
    }


def play(client: httpx.Client, settings: dict[str, Any], *, last: int, done: int) -> None:
    """Make the tournament, play all rounds before the ``last``, and that one at the first ``done`` tables."""
    assert client.post("/v1/tournaments", json=settings).status_code == 201
    records = [
        hand(settings, round_, table, number)
        for round_ in range(1, last + 1)
        for table in range(1, (settings["tables"] if round_ < last else done) + 1)
        for number in range(1, settings["hands_per_round"] + 1)
    ]

    def submit(record: dict[str, Any]) -> None:
        answer = client.post("/v1/hands", json=record)
        assert answer.status_code == 202, answer.text

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(submit, records))
    path = f"/v1/tournaments/{settings['tournament_id']}/standings"
    wait_until(
        lambda: client.get(path).json()["hand_counts"]["counted"] == len(records), "the sheets of the cup", 60
    )
