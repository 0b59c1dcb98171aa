"""The sheet on the wire: names for seats, numbers whole where they are whole, notes (contract, section 2)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.scenes import (
    BECK,
    FIVE,
    FOUR,
    LOEW,
    MAYR,
    THREE,
    bid,
    bonus,
    fine,
    gut,
    hand_of,
    lay,
    passed,
    petit,
    play,
    result,
    sheet_of,
    take,
    tarock_result,
    tarot_result,
    trischaken_result,
)
from trull import Hand, ScoreSheet, Variant, score
from trull.price_tarot import exact_halves
from trull.settlement import Payment
from trull.sheet import Draft, Line, Note

FIELDS = [
    *("hand_id", "variant", "variant_revision", "version", "status", "declarer", "partner", "contract"),
    *("stake", "outcome", "card_points", "card_points_exact", "items", "scores", "payments", "notes"),
]


def test_the_example_of_the_interface() -> None:
    """M&S, a Zweiblatt with forty announced before the pick-up, won with 41."""
    hand = hand_of(MAYR, tarock_result(41, bonus("forty", stage="before_pickup")))
    sheet = score(hand).as_dict(["Anna", "Béla", "Cyril"], "h07", 10)
    assert list(sheet) == FIELDS
    items = sheet.pop("items")
    assert sheet == {
        "hand_id": "h07",
        "variant": "illustrated-mayr-sedlaczek-2016",
        "variant_revision": MAYR.revision,
        "version": 10,
        "status": "scored",
        "declarer": "Anna",
        "partner": None,
        "contract": "zweiblatt",
        "stake": "called",
        "outcome": "won",
        "card_points": {"declarer": 41, "defenders": 29},
        "card_points_exact": {"declarer": "41", "defenders": "29"},
        "scores": {"Anna": 42, "Béla": 0, "Cyril": 0},
        "payments": [
            {"from": "Béla", "to": "Anna", "points": 42},
            {"from": "Cyril", "to": "Anna", "points": 42},
        ],
        "notes": [],
    }
    plain = {"base": 5, "multiplier": 2, "contra": 1}
    assert items == [
        {"item": "game", **plain, "points": {"Anna": 10, "Béla": 0, "Cyril": 0}, "clause": "IT-7.2"},
        {
            "item": "overshoot",
            **plain,
            "base": 6,
            "points": {"Anna": 12, "Béla": 0, "Cyril": 0},
            "clause": "IT-7.4",
        },
        {
            "item": "forty",
            **plain,
            "base": 10,
            "player": "Anna",
            "stage": "before_pickup",
            "made": True,
            "points": {"Anna": 20, "Béla": 0, "Cyril": 0},
            "clause": "IT-7.12",
        },
    ]


def test_numbers_are_whole_wherever_they_are_whole() -> None:
    sheet = sheet_of(THREE, tarot_result(45.5, 2))
    assert sheet["card_points"] == {"declarer": 45.5, "defenders": 45.5}
    assert all(type(points) is int for points in sheet["scores"].values())
    kept = replace(THREE, rulings={**THREE.rulings, "half_points": "keep"})
    sheet = sheet_of(THREE, tarot_result(45.5, 2, contract="prise"), under=kept)
    assert sheet["items"][0]["base"] == 29.5
    assert sheet["scores"] == {"A": 59, "B": -29.5, "C": -29.5}
    assert type(sheet["scores"]["A"]) is int
    assert [entry["points"] for entry in sheet["payments"]] == [29.5, 29.5]
    fined = sheet_of(THREE, tarot_result(45.5, 2, contract="prise"), fine("B", 3), under=kept)
    assert fined["scores"]["B"] == -26.5


def test_exact_halves() -> None:
    assert [exact_halves(halves) for halves in (0, 1, 2, 81, 182)] == ["0", "1/2", "1", "40 1/2", "91"]


def test_what_an_unfinished_hand_says() -> None:
    for events, declarer, contract in (
        ([bid("A", "zweiblatt")], None, None),
        ([bid("A", "zweiblatt"), *gut("B", "C")], "A", "zweiblatt"),
        ([bid("A", "zweiblatt"), *gut("B", "C"), take("A", "HQ S9"), lay("A", "SQ SC")], "A", "zweiblatt"),
        ([passed("A"), bid("B", "solo")], "B", "solo"),
    ):
        sheet = sheet_of(MAYR, *events)
        assert (sheet["status"], sheet["declarer"], sheet["contract"]) == ("incomplete", declarer, contract)
        assert (sheet["outcome"], sheet["stake"], sheet["card_points"]) == (None, None, None)
        assert (sheet["items"], sheet["payments"], sheet["notes"]) == ([], [], [])
        assert not any(sheet["scores"].values())
    assert score(Hand(MAYR)).draft.status == "incomplete"


def test_an_unfinished_trischaken() -> None:
    passes = [passed("A"), passed("B"), passed("C")]
    sheet = sheet_of(BECK, *passes, play("A", "SK"))
    assert (sheet["status"], sheet["contract"], sheet["declarer"]) == ("incomplete", "trischaken", None)
    assert "card_points_by_player" not in sheet
    assert sheet_of(BECK, *passes)["contract"] is None
    whole = sheet_of(BECK, trischaken_result([20, 15, 25], [5, 5, 6]))
    assert list(whole) == [*FIELDS, "card_points_by_player"]
    assert whole["items"][0]["player"] == "A"


def test_partner_and_players_of_items() -> None:
    sheet = sheet_of(FIVE, tarot_result(60, 1, petit("D"), partner="C"))
    assert (sheet["declarer"], sheet["partner"]) == ("A", "C")
    assert [item.get("player") for item in sheet["items"]] == [None, "D"]
    names = ["Zoë", "Béla", "小林", "Юлия", "O'Neill"]
    hand = hand_of(FIVE, tarot_result(60, 1, petit("D"), partner="C"))
    renamed = score(hand).as_dict(names, None, 1)
    assert renamed["hand_id"] is None
    assert renamed["partner"] == "小林"
    assert list(renamed["scores"]) == names  # type: ignore[call-overload]


def test_notes_name_an_event_where_there_is_one() -> None:
    draft = Draft("scored", 3, notes=[Note("one", "without"), Note("two", "with", 7)])
    sheet = ScoreSheet("v", "r", draft, (0, 0, 0), []).as_dict("ABC", None, 1)
    assert sheet["notes"] == [
        {"code": "one", "detail": "without"},
        {"code": "two", "detail": "with", "seq": 7},
    ]


def test_halves_are_told_in_points() -> None:
    draft = Draft("scored", 3, lines=[Line("contract", 59, 1, 1, (118, -59, -59), "FT-6.1", {})], halves=True)
    sheet = ScoreSheet("v", "r", draft, (118, -59, -59), [Payment(1, 0, 59)]).as_dict("ABC", None, 1)
    assert sheet["scores"] == {"A": 59, "B": -29.5, "C": -29.5}
    assert sheet["payments"] == [{"from": "B", "to": "A", "points": 29.5}]
    assert sheet["items"] == [
        {
            "item": "contract",
            "base": 29.5,
            "multiplier": 1,
            "contra": 1,
            "points": {"A": 59, "B": -29.5, "C": -29.5},
            "clause": "FT-6.1",
        }
    ]


@pytest.mark.parametrize("variant", [LOEW, BECK, MAYR, THREE, FOUR], ids=lambda variant: variant.id)
def test_the_outcome_is_won_lost_or_nothing(variant: Variant) -> None:
    more = {} if variant.family == "illustrated-tarock" else {"oudlers": 1}
    contract = "solo" if variant.family == "illustrated-tarock" else "garde"
    for count, outcome in ((60, "won"), (30, "lost")):
        assert sheet_of(variant, result(contract=contract, card_points=count, **more))["outcome"] == outcome
    assert sheet_of(variant, passed("A"))["outcome"] is None
