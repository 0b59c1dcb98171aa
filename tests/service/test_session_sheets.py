"""Score sheets of a table and of a player, as JSON and as CSV."""

from __future__ import annotations

import csv
from typing import Any

import pytest
import redis

from tests.service.clients import CheckedClient, faults_of
from tests.service.evenings import FFT_SHEET, FFT_TOTALS, FOUR, MAYR, THREE, Evening, solo, tarot


@pytest.fixture
def evening(stored: CheckedClient, redis_client: redis.Redis) -> Evening:
    return Evening(stored, redis_client)


def sheet(evening: Evening, query: str = "") -> dict[str, Any]:
    response = evening.client.get(f"{evening.path}/sheet{query}")
    assert response.status_code == 200, response.get_data(as_text=True)
    found: dict[str, Any] = response.get_json()
    return found


def cells(evening: Evening, query: str, delimiter: str) -> list[list[str]]:
    response = evening.client.get(f"{evening.path}/sheet?{query}")
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8; header=present"
    assert response.headers["Content-Disposition"] == 'attachment; filename="s1.csv"'
    text = response.get_data().decode("utf-8-sig")
    return list(csv.reader(text.splitlines(), delimiter=delimiter))


def test_the_printed_sheet_of_the_fft(evening: Evening) -> None:
    """Each line balances, and so do the totals."""
    evening.open(FOUR, "french-tarot-4")
    evening.play(*(tarot(*line) for line in FFT_SHEET))
    evening.score()
    told = sheet(evening)
    assert told["totals"] == told["points"] == FFT_TOTALS
    assert told["balance"] == 0
    assert [row["balance"] for row in told["rows"]] == [0] * 9
    assert told["rows"][-1]["totals"] == FFT_TOTALS
    assert [row["series"] for row in told["rows"]] == [None] * 9
    third = told["rows"][2]
    assert {name: third[name] for name in ("number", "dealer", "declarer", "contract", "outcome")} == {
        "number": 3,
        "dealer": "West",
        "declarer": "South",
        "contract": "prise",
        "outcome": "won",
    }
    assert (third["card_points"], third["points"]) == (
        51,
        {"North": -35, "South": 105, "East": -35, "West": -35},
    )


def test_a_bonus_has_a_line_of_its_own(evening: Evening) -> None:
    evening.open([*THREE, "Dora"], MAYR)
    evening.play(
        solo("Anna", 20),  # lost: (10 + 15) * 4 = 100 for both others
        {**solo("Dora", 36), "players": ["Anna", "Béla", "Dora"]},
        {**solo("Anna", 36), "events": [{"type": "hand_annulled", "reason": "misdeal"}]},
    )
    penalty = {"type": "penalty_assessed", "player": "Anna", "points": -5, "reason": "late"}
    evening.add("h2", penalty)
    evening.score()
    told = sheet(evening)
    assert [(row["kind"], row["hand_id"], row["why"], row["series"]) for row in told["rows"]] == [
        ("hand", "h1", None, 1),
        ("bonus", None, None, 1),
        ("hand", "h2", None, 2),
        ("hand", "h3", "annulled", 2),
    ]
    assert [row["points"] for row in told["rows"]] == [
        {"Anna": 0, "Béla": 100, "Cyril": 100, "Dora": None},
        {"Anna": 0, "Béla": 10, "Cyril": 10, "Dora": 0},
        {"Anna": 0, "Béla": 0, "Cyril": None, "Dora": 44},
        None,
    ]
    assert told["rows"][0]["totals"] == {"Anna": 0, "Béla": 100, "Cyril": 100, "Dora": 0}
    assert told["rows"][1]["totals"] == {"Anna": 0, "Béla": 110, "Cyril": 110, "Dora": 0}
    assert told["rows"][2]["series_totals"] == {"Anna": 0, "Béla": 0, "Cyril": 0, "Dora": 44}
    assert told["rows"][3]["totals"] == told["totals"]
    assert (told["penalties"]["Anna"], told["points"]["Anna"]) == (-5, -5)
    own = sheet(evening, "?player=Dora")
    assert [(row["kind"], row["role"], row["points"], row["total"]) for row in own["rows"]] == [
        ("bonus", None, 0, 0),
        ("hand", "declarer", 44, 44),
    ]
    own = sheet(evening, "?player=B%C3%A9la")
    assert [(row["role"], row["points"], row["total"], row["series_total"]) for row in own["rows"]] == [
        ("defender", 100, 100, 100),
        (None, 10, 110, 110),
        ("defender", 0, 110, 0),
        ("player", None, 110, 0),
    ]
    assert (own["total"], own["place"]) == (110, 1)


def test_a_closed_session_has_the_sheets_that_it_was_closed_with(evening: Evening) -> None:
    evening.open(THREE, MAYR)
    evening.play(solo("Anna", 49))
    evening.score()
    evening.decide("close")
    before = sheet(evening)
    evening.add("h1", {"type": "event_retracted", "seq": 1, "reason": "a slip"})
    evening.score()
    assert sheet(evening) == before
    assert before["status"] == "closed"


def test_as_csv(evening: Evening) -> None:
    evening.open(["=1+1", "-Béla", "Cyril; the 2nd"], MAYR, name="=x")
    seats = ["=1+1", "-Béla", "Cyril; the 2nd"]
    evening.play(solo("=1+1", 20, players=seats), solo("=1+1", 30, players=seats))
    evening.score()
    for query, delimiter in (("format=csv", ","), ("format=csv-semicolon", ";")):
        head, *rows = cells(evening, query, delimiter)
        assert head[:5] == ["series", "table", "round", "number", "hand_id"]
        assert head[-6:] == [
            "'=1+1",
            "'=1+1 (total)",
            "'-Béla",
            "'-Béla (total)",
            "Cyril; the 2nd",
            "Cyril; the 2nd (total)",
        ]
        assert {len(row) for row in rows} == {len(head)}
        assert [row[4] for row in rows[:3]] == ["h1", "bonus", "h2"]
        assert [row[-4:] for row in rows] == [
            ["100", "100", "100", "100"],
            ["10", "110", "10", "110"],
            ["60", "170", "60", "170"],
            ["", "170", "", "170"],
            ["", "0", "", "0"],
            ["", "170", "", "170"],
        ]
        assert not any(cell.startswith(("=", "+", "@")) for row in rows for cell in row)
        _, *own = cells(evening, f"player=-B%C3%A9la&{query}", delimiter)
        assert [row[-3:] for row in own] == [
            ["defender", "100", "100"],
            ["", "10", "110"],
            ["defender", "60", "170"],
            ["", "", "170"],
            ["", "", "0"],
            ["", "", "170"],
        ]


@pytest.mark.parametrize(
    ("query", "parameter"),
    [("player=Dora", "player"), ("player=", "player"), ("format=doc", "format"), ("lang=it", "lang")],
)
def test_what_is_no_sheet(evening: Evening, query: str, parameter: str) -> None:
    evening.open(THREE, MAYR)
    response = evening.client.get(f"{evening.path}/sheet?{query}")
    assert response.status_code == 422
    assert faults_of(response) == [(parameter, "invalid-record")]
