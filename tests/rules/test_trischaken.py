"""What a Trischaken pays (IT-8.4 to IT-8.6)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.scenes import (
    BECK,
    TAROCKS,
    lines,
    points,
    sheet_of,
)
from tests.rules.scenes import trischaken_result as trischaken
from tests.rules.tarock_facts import mask
from trull.cards import TAROCK_54

tarock = pytest.mark.parametrize("variant", TAROCKS, ids=lambda variant: variant.id)


def test_it_8_4_who_has_most_loses() -> None:
    sheet = sheet_of(BECK, trischaken([20, 15, 25], [5, 5, 6]))
    assert points(sheet) == [5, 5, -10]
    assert lines(sheet) == {"trischaken": [5, 5, -10]}
    assert (sheet["declarer"], sheet["outcome"], sheet["stake"]) == (None, None, None)
    assert (sheet["card_points"], sheet["card_points_exact"]) == (None, None)
    assert (sheet["contract"], sheet["card_points_by_player"]) == ("trischaken", {"A": 20, "B": 15, "C": 25})
    assert sheet["payments"] == [
        {"from": "C", "to": "A", "points": 15},
        {"from": "C", "to": "B", "points": 15},
    ]


def test_it_8_4_a_winner_without_a_trick_scores_5_more() -> None:
    sheet = sheet_of(BECK, trischaken([60, 2, 0], [14, 2, 0]))
    assert points(sheet) == [-10, 5, 10]
    assert lines(sheet) == {"trischaken": [-10, 5, 5], "trischaken_no_trick": [0, 0, 5]}
    assert {item["clause"] for item in sheet["items"]} == {"IT-8.4"}
    assert points(sheet_of(BECK, trischaken([0, 50, 0], [0, 16, 0]))) == [10, -10, 10]


def test_it_8_4_no_points_are_not_no_trick() -> None:
    """Three plain tarocks or pips are worth one point: a trick is never worth nothing."""
    assert TAROCK_54.worth(mask("T2 T3 T4")) == 3
    sheet = sheet_of(BECK, trischaken([58, 1, 1], [14, 1, 1]))
    assert points(sheet) == [-10, 5, 5]


def test_it_8_5_ties() -> None:
    sheet = sheet_of(BECK, trischaken([25, 25, 10], [6, 6, 4]))
    assert points(sheet) == [-10, -10, 5]
    assert sheet["notes"] == []
    bare = sheet_of(BECK, trischaken([30, 30, 0], [8, 8, 0]))
    assert points(bare) == [-10, -10, 10]
    nobody = replace(BECK, rulings={**BECK.rulings, "trischaken_tie": "no_score"})
    for variant in (BECK, nobody):
        tied = sheet_of(variant, trischaken([20, 20, 20], [5, 5, 6]))
        assert (tied["status"], points(tied), tied["items"]) == ("scored", [0, 0, 0], [])
        assert [note["code"] for note in tied["notes"]] == ["trischaken-tie"]
    tied = sheet_of(nobody, trischaken([25, 25, 10], [6, 6, 4]))
    assert (points(tied), tied["payments"]) == ([0, 0, 0], [])
    # A tie for the least is none.
    assert points(sheet_of(nobody, trischaken([15, 15, 30], [5, 5, 6]))) == [5, 5, -10]
