"""What a game of Illustrated Tarock pays, with its contra (IT-7.2 to IT-7.5, IT-7.30 to IT-7.34)."""

from __future__ import annotations

import pytest

from tests.rules.scenes import (
    BECK,
    LOEW,
    MAYR,
    TAROCKS,
    bonus,
    lines,
    points,
    sheet_of,
    silent,
    tarock_result,
)
from tests.rules.tarock_facts import bonuses, claim, facts, gave
from trull import Variant
from trull.price_tarock import EXACT, price

tarock = pytest.mark.parametrize("variant", TAROCKS, ids=lambda variant: variant.id)


# --- The game ------------------------------------------------------------------------------------

VALUES = {
    LOEW.id: {"dreiblatt": (3, 1), "zweiblatt": (3, 2), "einblatt": (3, 3), "solo": (8, 4)},
    BECK.id: {"dreiblatt": (3, 1), "zweiblatt": (3, 2), "einblatt": (3, 3), "solo": (3, 4)},
    MAYR.id: {"dreiblatt": (3, 1), "zweiblatt": (5, 2), "einblatt": (7, 3), "solo": (10, 4)},
}


@pytest.mark.parametrize("contract", ["dreiblatt", "zweiblatt", "einblatt", "solo"])
@tarock
def test_it_7_2_it_7_3_game_and_points_times_the_multiplier(variant: Variant, contract: str) -> None:
    value, multiplier = VALUES[variant.id][contract]
    over = 0 if variant is LOEW and contract == "solo" else 6  # IT-7.5
    won = sheet_of(variant, tarock_result(41, contract=contract))
    assert points(won) == [(value + over) * multiplier, 0, 0]
    lost = sheet_of(variant, tarock_result(29, contract=contract))
    assert points(lost) == [0, (value + 6) * multiplier, (value + 6) * multiplier]
    assert (won["outcome"], lost["outcome"]) == ("won", "lost")


@tarock
def test_it_2_4_36_wins_and_35_loses_by_nothing(variant: Variant) -> None:
    won = sheet_of(variant, tarock_result(36, contract="dreiblatt"))
    assert lines(won) == {"game": [3, 0, 0], "overshoot": [1, 0, 0]}
    lost = sheet_of(variant, tarock_result(35, contract="dreiblatt"))
    assert lines(lost) == {"game": [0, 3, 3]}
    assert lines(sheet_of(variant, tarock_result(34, contract="dreiblatt")))["undershoot"] == [0, 1, 1]


@tarock
def test_the_lines_of_the_game(variant: Variant) -> None:
    sheet = sheet_of(variant, tarock_result(40, contra={"level": "contra", "stage": "after_pickup"}))
    game, over = sheet["items"]
    value, multiplier = VALUES[variant.id]["zweiblatt"]
    assert (game["item"], game["base"], game["multiplier"], game["contra"]) == ("game", value, multiplier, 2)
    assert (over["item"], over["base"], over["multiplier"], over["contra"]) == ("overshoot", 5, 2, 2)
    assert (game["clause"], over["clause"]) == ("IT-7.2", "IT-7.4")
    lost, under = sheet_of(variant, tarock_result(30))["items"]
    assert (lost["clause"], under["clause"], under["item"]) == ("IT-7.3", "IT-7.4", "undershoot")


def test_it_7_5_loews_solo_counts_what_is_missing_alone() -> None:
    assert lines(sheet_of(LOEW, tarock_result(51, contract="solo"))) == {"game": [32, 0, 0]}
    lost = lines(sheet_of(LOEW, tarock_result(30, contract="solo")))
    assert lost == {"game": [0, 32, 32], "undershoot": [0, 20, 20]}


@pytest.mark.parametrize(
    ("variant", "contract", "stake", "value"),
    [
        (LOEW, "zweiblatt", "taken_over", 4),
        (LOEW, "zweiblatt", "held", 4),
        (LOEW, "einblatt", "retaken", 5),
        (BECK, "dreiblatt", "taken_over", 4),
        (BECK, "dreiblatt", "held", 5),
    ],
)
def test_it_4_12_the_stake_sets_the_value(variant: Variant, contract: str, stake: str, value: int) -> None:
    sheet = sheet_of(variant, tarock_result(36, contract=contract, stake=stake))
    assert sheet["stake"] == stake
    assert sheet["items"][0]["base"] == value


@tarock
def test_it_2_5_exact_points(variant: Variant) -> None:
    sheet = sheet_of(variant, tarock_result(0, contract="solo"))
    assert sheet["card_points"] == {"declarer": 0, "defenders": 70}
    assert sheet["card_points_exact"] == {"declarer": "0", "defenders": "70"}
    assert (EXACT[0], EXACT[1], EXACT[2], EXACT[3], EXACT[107], EXACT[106]) == (
        *("0", "1/3", "2/3", "1", "35 2/3", "35 1/3"),
    )
    assert len(EXACT) == 211
    assert EXACT[210] == "70"


# --- Contra --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variant", "before", "after"), [(LOEW, 2, 2), (BECK, 4, 2), (MAYR, 4, 2)], ids=["loew", "beck", "mayr"]
)
def test_it_7_31_the_factor_is_that_of_the_stage(variant: Variant, before: int, after: int) -> None:
    for stage, factor in (("before_pickup", before), ("after_pickup", after)):
        draft = price(facts(41, game_contra=(stage, 1)), variant)
        assert [line.contra for line in draft.lines] == [factor, factor]
        plain = price(facts(41), variant)
        assert gave(draft)["game"][0] == gave(plain)["game"][0] * factor
        assert gave(draft)["overshoot"][0] == gave(plain)["overshoot"][0] * factor
    # In a Solo it is after pick-up whatever the sheet says.
    solo = price(facts(41, contract="solo", game_contra=("before_pickup", 1)), variant)
    assert solo.lines[0].contra == after


def test_it_7_32_a_recontra_squares_it() -> None:
    assert price(facts(41, game_contra=("before_pickup", 2)), MAYR).lines[0].contra == 16
    assert price(facts(41, game_contra=("after_pickup", 2)), MAYR).lines[0].contra == 4
    said = claim(0, "forty", "before_pickup", level=2)
    assert bonuses(price(facts(41, said), MAYR)) == {"forty": [10 * 2 * 16, 0, 0]}


@tarock
def test_it_7_30_contra_of_the_game_and_of_a_bonus_are_apart(variant: Variant) -> None:
    said = claim(0, "pagat", level=1)
    draft = price(facts(41, said, pagat_by=0, pagat_to=0, contract="dreiblatt"), variant)
    assert {line.item: line.contra for line in draft.lines} == {"game": 1, "overshoot": 1, "pagat": 2}
    other = price(facts(41, claim(0, "pagat"), game_contra=("after_pickup", 1)), variant)
    assert {line.item: line.contra for line in other.lines} == {"game": 2, "overshoot": 2, "pagat": 1}


def test_it_7_30_silent_bonuses_know_no_contra() -> None:
    draft = price(facts(41, pagat_by=0, pagat_to=0, game_contra=("after_pickup", 1)), BECK)
    assert draft.lines[-1].contra == 1


def test_it_7_22_in_a_solo_the_after_value_or_the_only_one() -> None:
    said = [claim(0, name) for name in ("forty", "fifty")]
    loew = price(facts(52, *said, contract="solo"), LOEW)
    assert bonuses(loew) == {"forty": [5 * 4, 0, 0], "fifty": [15 * 4, 0, 0]}
    assert not loew.notes
    beck = price(facts(52, *said, contract="solo"), BECK)
    assert bonuses(beck) == {"forty": [5 * 4, 0, 0], "fifty": [20 * 4, 0, 0]}
    assert {line.facts["stage"] for line in loew.lines[1:]} == {"after_pickup"}


# --- Results: what the sheet says is taken on its word -------------------------------------------


def test_a_reported_bonus_is_made_or_not_as_the_sheet_says() -> None:
    made = sheet_of(BECK, tarock_result(36, silent("uhu", "B"), silent("tarock_trull", "C")))
    assert lines(made) == {
        "game": [6, 0, 0],
        "overshoot": [2, 0, 0],
        "uhu": [0, 10, 0],
        "tarock_trull": [0, 0, 8],
    }
    # A silent bonus that was not made is none, a captured Pagat apart.
    failed = sheet_of(BECK, tarock_result(36, silent("uhu", "A", False), silent("pagat", "A", False)))
    assert lines(failed) == {"game": [6, 0, 0], "overshoot": [2, 0, 0], "pagat": [0, 10, 10]}
    # Nothing is inferred from a sheet.
    assert set(lines(sheet_of(BECK, tarock_result(70)))) == {"game", "overshoot"}


def test_the_factor_of_a_reported_contra_is_that_of_its_stage() -> None:
    for late in (
        tarock_result(41, contra={"level": "contra", "stage": "after_pickup"}),
        tarock_result(41, contract="solo", contra={"level": "contra"}),
    ):
        assert {item["contra"] for item in sheet_of(BECK, late)["items"]} == {2}
    early = sheet_of(BECK, tarock_result(41, contra={"level": "contra", "stage": "before_pickup"}))
    assert {item["contra"] for item in early["items"]} == {4}
    said = sheet_of(MAYR, tarock_result(41, bonus("forty", "A", "before_pickup", contra="recontra")))
    assert lines(said)["forty"] == [10 * 2 * 16, 0, 0]
