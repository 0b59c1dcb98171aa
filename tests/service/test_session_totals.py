"""What a session's hands come to: totals, series, standings, settlements, and what does not count."""

from __future__ import annotations

import itertools
import time
from typing import Any

import pytest
import redis

from tests.service.clients import CheckedClient
from tests.service.evenings import (
    FFT_SHEET,
    FFT_TOTALS,
    FOUR,
    MAYR,
    THREE,
    Evening,
    solo,
    tarot,
    why,
)

ANNULLED = {"type": "hand_annulled", "reason": "director"}


def penalty(player: str, points: int) -> dict[str, Any]:
    return {"type": "penalty_assessed", "player": player, "points": points, "reason": "late"}


@pytest.fixture
def evening(stored: CheckedClient, redis_client: redis.Redis) -> Evening:
    return Evening(stored, redis_client)


def test_the_printed_score_sheet_of_the_fft(evening: Evening) -> None:
    """It balances, and is settled in three transfers; the pairs, netted by player, come to the same."""
    evening.play(*(tarot(*line) for line in FFT_SHEET))
    evening.open(FOUR, "french-tarot-4", rate={"minor_units_per_point": 5, "currency": "EUR"})
    session = evening.read()
    assert session["totals"] == FFT_TOTALS
    assert session["series"] == []
    assert [(row["place"], row["player"], row["points"]) for row in session["standings"]] == [
        (1, "South", 1346),
        (2, "East", -390),
        (3, "North", -446),
        (4, "West", -510),
    ]
    settled = evening.settlement()
    assert settled["points"] == FFT_TOTALS
    assert settled["money"] == {"North": -2230, "South": 6730, "East": -1950, "West": -2550}
    assert settled["transfers"] == [
        {"from": "North", "to": "South", "points": 446, "amount": 2230},
        {"from": "East", "to": "South", "points": 390, "amount": 1950},
        {"from": "West", "to": "South", "points": 510, "amount": 2550},
    ]
    for what, nets in (("points", "points"), ("amount", "money")):
        assert balances(settled["pairwise"], what) == settled[nets]
        assert sum(settled[nets].values()) == 0
    # North paid South 35 + 252 + 50, and got 56 + 55 fewer of it: 337 + 111.
    assert settled["pairwise"][0] == {"from": "North", "to": "South", "points": 448, "amount": 2240}


def balances(transfers: list[dict[str, Any]], what: str) -> dict[str, int]:
    found = dict.fromkeys(FOUR, 0)
    for transfer in transfers:
        found[transfer["from"]] -= transfer[what]
        found[transfer["to"]] += transfer[what]
    return found


def test_a_series_that_passes_100_in_mid_table(evening: Evening) -> None:
    """The second hand brings Béla and Cyril to 100 and 140: both get the bonus, Anna does not."""
    evening.open(THREE, MAYR, rate={"minor_units_per_point": 2, "currency": "EUR"})
    evening.play(
        solo("Cyril", 35 + 0),  # lost: (10 + 0) * 4 = 40 for Anna and Béla
        solo("Cyril", 36),  # won: (10 + 1) * 4 = 44
        solo("Anna", 30),  # lost: (10 + 5) * 4 = 60 for Béla and Cyril: 100 and 104
        solo("Anna", 40),  # won: (10 + 5) * 4 = 60, in the next series
    )
    session = evening.read()
    assert [hand["totals"] for hand in session["hands"]] == [
        {"Anna": 40, "Béla": 40, "Cyril": 0},
        {"Anna": 40, "Béla": 40, "Cyril": 44},
        {"Anna": 40, "Béla": 110, "Cyril": 114},
        {"Anna": 100, "Béla": 110, "Cyril": 114},
    ]
    assert session["series"] == [
        {
            "from": "h1",
            "to": "h3",
            "totals": {"Anna": 40, "Béla": 110, "Cyril": 114},
            "bonus": {"Anna": 0, "Béla": 10, "Cyril": 10},
            "winners": ["Cyril"],
        },
        {
            "from": "h4",
            "to": None,
            "totals": {"Anna": 60, "Béla": 0, "Cyril": 0},
            "bonus": {"Anna": 0, "Béla": 0, "Cyril": 0},
            "winners": [],
        },
    ]
    assert session["totals"] == {"Anna": 100, "Béla": 110, "Cyril": 114}
    settled = evening.settlement()
    # IT-11.4: three times the own total less 324, the sum of all.
    assert settled["points"] == {"Anna": -24, "Béla": 6, "Cyril": 18}
    assert settled["money"] == {"Anna": -48, "Béla": 12, "Cyril": 36}
    assert settled["transfers"] == [
        {"from": "Anna", "to": "Béla", "points": 6, "amount": 12},
        {"from": "Anna", "to": "Cyril", "points": 18, "amount": 36},
    ]
    assert [(pair["from"], pair["to"], pair["points"]) for pair in settled["pairwise"]] == [
        ("Anna", "Béla", 10),
        ("Anna", "Cyril", 14),
        ("Béla", "Cyril", 4),
    ]


def test_hands_are_in_the_order_of_their_place_and_then_of_their_arrival(evening: Evening) -> None:
    evening.open(THREE, MAYR)
    for hand_id, place in (
        ("late", {"round": 2, "number": 1}),
        ("loose-1", {}),
        ("second", {"round": 1, "number": 2}),
        ("loose-2", {}),
        ("first", {"round": 1, "number": 1}),
        ("round", {"round": 1}),
    ):
        time.sleep(0.002)  # the order of arrival is that of milliseconds
        evening.play({**solo("Anna", 36), "hand_id": hand_id, "round": None, "number": None, **place})
    hands = [hand["hand_id"] for hand in evening.read()["hands"]]
    assert hands == ["first", "second", "round", "late", "loose-1", "loose-2"]


def test_the_order_of_submission_changes_nothing(stored: CheckedClient, redis_client: redis.Redis) -> None:
    records = [solo("Anna", 60), solo("Béla", 20), solo("Cyril", 50), solo("Anna", 36)]
    seen = []
    for name, order in enumerate(itertools.permutations(range(4))):
        if name % 5:
            continue  # five of them show it
        evening = Evening(stored, redis_client, f"s{name}")
        evening.open(THREE, MAYR)
        for at in order:
            evening.play({**records[at], "hand_id": f"s{name}-h{at}", "number": at + 1})
        session = evening.read()
        names = [hand["hand_id"].partition("-")[2] for hand in session["hands"]]
        seen.append(
            (names, session["totals"], session["standings"], [hand["totals"] for hand in session["hands"]])
        )
    assert len(seen) == 5
    assert all(other == seen[0] for other in seen)


def test_a_session_made_later_adopts_hands(evening: Evening) -> None:
    evening.play(solo("Anna", 36), solo("Béla", 36))
    assert evening.client.get(evening.path).status_code == 404
    evening.open(THREE, MAYR)
    assert evening.read()["totals"] == {"Anna": 44, "Béla": 44, "Cyril": 0}


def test_at_a_table_of_five_one_rests(evening: Evening) -> None:
    evening.open([*FOUR, "Fifth"], "french-tarot-4")
    evening.play(
        tarot("North", "prise", 41, 2),
        tarot("Fifth", "prise", 41, 2, players=["Fifth", "South", "East", "West"]),
    )
    session = evening.read()
    assert session["totals"] == {"North": 75, "South": -50, "East": -50, "West": -50, "Fifth": 75}
    assert {row["player"]: row["hands"] for row in session["standings"]} == {
        "North": 1, "Fifth": 1, "South": 2, "East": 2, "West": 2,
    }  # fmt: skip
    assert sum(evening.settlement()["points"].values()) == 0


def test_what_does_not_count_is_there_and_says_why(evening: Evening) -> None:
    evening.open(THREE, MAYR)
    evening.play(
        solo("Anna", 36),
        {**solo("Anna", 50), "events": [{"type": "passed", "player": "Anna"}]},
        {**solo("Anna", 50), "events": [{"type": "hand_annulled", "reason": "misdeal"}]},
        tarot("North", "prise", 41, 2),
        solo("Anna", 36, players=["Anna", "Béla", "Dora"]),
    )
    flagged = {**solo("Anna", 36), "hand_id": "odd", "session_id": "s1", "number": 6}
    flagged["events"] = [{"type": "bid_accepted", "player": "Anna"}]
    assert evening.client.post("/v1/hands?on_illegal=flag", json=flagged).status_code == 202
    evening.score()
    evening.play({**solo("Béla", 36), "hand_id": "new", "number": 7})
    session = evening.look()
    assert why(session) == {
        "h1": None,
        "h2": "incomplete",
        "h3": "annulled",
        "h4": "other_game",
        "h5": "other_players",
        "odd": "irregular",
        "new": "due",
    }
    assert [hand["counted"] for hand in session["hands"]] == [True] + [False] * 6
    assert session["totals"] == {"Anna": 44, "Béla": 0, "Cyril": 0}
    assert session["hands"][-1]["scores"] is None
    settled = evening.settlement()
    assert [hand["hand_id"] for hand in settled["hands"]] == ["h1"]
    assert {hand["hand_id"]: hand["why"] for hand in settled["uncounted"]} == {
        hand_id: reason for hand_id, reason in why(session).items() if reason
    }
    assert evening.read()["totals"] == {"Anna": 44, "Béla": 44, "Cyril": 0}


def test_a_void_hand(evening: Evening) -> None:
    """Löw deals again where somebody has no tarock (IT-3.3)."""
    loew = "illustrated-loew-1954"
    evening.open(THREE, loew)
    tarocks = ["F", *(f"T{number}" for number in range(1, 22))]
    others = [f"{suit}{rank}" for suit in "SC" for rank in ("K", "Q", "C", "J", "10", "9", "8", "7")]
    others += [f"{suit}{rank}" for suit in "HD" for rank in ("K", "Q", "C", "J", "1", "2", "3", "4")]
    hands = {"Anna": others[:16], "Béla": tarocks[:16], "Cyril": [*tarocks[16:], *others[16:26]]}
    deal = {"type": "cards_dealt", "hands": hands, "talon": others[26:]}
    evening.play({**solo("Anna", 36), "variant": loew, "events": [deal]})
    assert why(evening.read()) == {"h1": "void"}


def test_a_correction_changes_everything_after_it(evening: Evening) -> None:
    evening.open(THREE, MAYR)
    evening.play(solo("Anna", 49), solo("Anna", 46), solo("Béla", 36))
    before = evening.read()
    # (10 + 14) * 4 = 96, then 84: Anna is over 100 after the second.
    assert [series["to"] for series in before["series"]] == ["h2", None]
    record = {**solo("Anna", 36), "session_id": "s1", "number": 1}
    response = evening.client.put(
        "/v1/hands/h1", json={"record": record, "reason": "misread"}, headers={"If-Match": '"1"'}
    )
    assert response.status_code == 200
    due = evening.look()
    assert why(due) == {"h1": "due", "h2": None, "h3": None}
    after = evening.read()
    assert [hand["version"] for hand in after["hands"]] == [2, 1, 1]
    assert [hand["totals"]["Anna"] for hand in before["hands"]] == [96, 190, 190]
    assert [hand["totals"]["Anna"] for hand in after["hands"]] == [44, 138, 138]
    assert after["series"][0]["to"] == "h2"
    # A hand that is told to be another session's leaves this one, and one that is retracted counts no more.
    away = {**record, "session_id": "s2"}
    evening.client.put(
        "/v1/hands/h1", json={"record": away, "reason": "wrong table"}, headers={"If-Match": '"2"'}
    )
    evening.add("h2", {"type": "event_retracted", "seq": 1, "reason": "another hand's"})
    last = evening.read()
    assert why(last) == {"h2": "incomplete", "h3": None}
    assert last["totals"] == {"Anna": 0, "Béla": 44, "Cyril": 0}


def test_annulling_a_hand_equals_never_having_played_it_penalties_aside(
    stored: CheckedClient, redis_client: redis.Redis
) -> None:
    hands = [solo("Anna", 49), solo("Béla", 60), solo("Cyril", 20)]
    without, annulled = Evening(stored, redis_client, "without"), Evening(stored, redis_client, "with")
    for evening in (without, annulled):
        evening.open(THREE, MAYR, rate={"minor_units_per_point": 3, "currency": "EUR"})
        for number, hand in enumerate(hands, 1):
            if evening is annulled or number != 2:
                evening.play({**hand, "hand_id": f"{evening.session_id}-{number}", "number": number})
    retracted = {"type": "event_retracted", "seq": 1, "reason": "the deal was wrong"}
    annulled.add("with-2", retracted, ANNULLED, penalty("Cyril", -25))
    expected, found = without.read(), annulled.read()
    assert found["totals"] == expected["totals"]
    for series, other in zip(found["series"], expected["series"], strict=True):
        assert (series["totals"], series["bonus"]) == (other["totals"], other["bonus"])
    for name in ("points", "money", "transfers", "pairwise"):
        assert annulled.settlement()[name] == without.settlement()[name]
    before = {row["player"]: row["points"] for row in expected["standings"]}
    now = {row["player"]: row["points"] for row in found["standings"]}
    assert now == {**before, "Cyril": before["Cyril"] - 25}


def test_penalties_are_in_the_standings_alone(evening: Evening) -> None:
    """They neither end a series nor move money (IT-11.5)."""
    evening.open(THREE, MAYR, rate={"minor_units_per_point": 1, "currency": "EUR"})
    evening.play(solo("Anna", 49))
    evening.add("h1", penalty("Anna", 20), penalty("Béla", -30), penalty("Béla", -1))
    session = evening.read()
    assert session["totals"] == {"Anna": 96, "Béla": 0, "Cyril": 0}
    assert session["series"][0]["to"] is None
    assert session["hands"][0]["scores"] == {"Anna": 96, "Béla": 0, "Cyril": 0}
    assert session["hands"][0]["penalties"] == {"Anna": 20, "Béla": -31}
    rows = [(row["place"], row["player"], row["points"], row["penalties"]) for row in session["standings"]]
    assert rows == [(1, "Anna", 116, 20), (2, "Cyril", 0, 0), (3, "Béla", -31, -31)]
    assert evening.settlement()["points"] == {"Anna": 192, "Béla": -96, "Cyril": -96}


def test_without_a_rate_there_are_points_and_no_money(evening: Evening) -> None:
    evening.open(THREE, MAYR)
    evening.play(solo("Anna", 36))
    evening.score()
    settled = evening.settlement()
    assert settled["money"] is None
    assert {transfer["amount"] for transfer in settled["transfers"] + settled["pairwise"]} == {None}
    assert settled["points"] == {"Anna": 88, "Béla": -44, "Cyril": -44}
