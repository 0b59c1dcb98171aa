"""What a hand of French Tarot pays (FT-1.3, FT-6)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.played import play_on
from tests.rules.scenes import (
    FIVE,
    FOUR,
    TAROTS,
    THREE,
    Sent,
    announce,
    bid,
    deal,
    handful,
    lines,
    passed,
    petit,
    play,
    points,
    say,
    sheet_of,
    slam,
    tarot_result,
)
from trull import Variant

tarot = pytest.mark.parametrize("variant", TAROTS, ids=lambda variant: variant.id)
MULTIPLIERS = {"prise": 1, "garde": 2, "garde_sans": 4, "garde_contre": 6}


def share(variant: Variant, unit: int) -> list[int]:
    """A unit of A's deal as everybody's points, with B as the partner where there are five (FT-6.6)."""
    if variant is FIVE:
        return [2 * unit, unit, -unit, -unit, -unit]
    return [(variant.players - 1) * unit, *[-unit] * (variant.players - 1)]


def scored(
    variant: Variant, card_points: float, oudlers: int, *bonuses: Sent, contract: str = "garde"
) -> Sent:
    """The sheet of A's result."""
    partner = {"partner": "B"} if variant is FIVE else {}
    return sheet_of(variant, tarot_result(card_points, oudlers, *bonuses, contract=contract, **partner))


# --- The contract --------------------------------------------------------------------------------


@pytest.mark.parametrize(("oudlers", "needed"), [(3, 36), (2, 41), (1, 51), (0, 56)])
@tarot
def test_ft_1_3_points_needed_by_oudlers(variant: Variant, oudlers: int, needed: int) -> None:
    made = scored(variant, needed, oudlers)
    assert (made["outcome"], points(made)) == ("won", share(variant, 25 * 2)), "made exactly is made"
    lost = scored(variant, needed - 1, oudlers)
    assert (lost["outcome"], points(lost)) == ("lost", share(variant, -26 * 2))


@pytest.mark.parametrize("contract", MULTIPLIERS)
@tarot
def test_ft_6_1_25_and_the_difference_times_the_multiplier(variant: Variant, contract: str) -> None:
    sheet = scored(variant, 61, 1, contract=contract)
    assert points(sheet) == share(variant, (25 + 10) * MULTIPLIERS[contract])
    [item] = sheet["items"]
    assert (item["item"], item["base"], item["multiplier"], item["contra"], item["clause"]) == (
        *("contract", 35, MULTIPLIERS[contract], 1, "FT-6.1"),
    )
    assert points(scored(variant, 41, 1, contract=contract)) == share(variant, -35 * MULTIPLIERS[contract])
    assert (sheet["stake"], sheet["contract"], sheet["declarer"]) == (None, contract, "A")


@tarot
def test_the_points_of_both_sides(variant: Variant) -> None:
    sheet = scored(variant, 45, 2)
    assert sheet["card_points"] == {"declarer": 45, "defenders": 46}
    assert sheet["card_points_exact"] == {"declarer": "45", "defenders": "46"}
    assert "card_points_by_player" not in sheet


@pytest.mark.parametrize("variant", [THREE, FIVE], ids=lambda variant: variant.id)
def test_ft_6_7_a_half_is_rounded_away_from_zero(variant: Variant) -> None:
    made = scored(variant, 41.5, 2)
    assert (made["outcome"], points(made)) == ("won", share(variant, (25 + 1) * 2))
    lost = scored(variant, 40.5, 2)
    assert (lost["outcome"], points(lost)) == ("lost", share(variant, -(25 + 1) * 2))
    assert lost["card_points"] == {"declarer": 40.5, "defenders": 50.5}
    assert lost["card_points_exact"] == {"declarer": "40 1/2", "defenders": "50 1/2"}
    assert scored(variant, 0.5, 0)["card_points_exact"]["declarer"] == "1/2"
    assert points(scored(variant, 39.5, 2)) == share(variant, -(25 + 2) * 2)


# --- Bonuses -------------------------------------------------------------------------------------


@pytest.mark.parametrize("contract", MULTIPLIERS)
@tarot
def test_ft_6_2_petit_au_bout_has_a_sign_of_its_own(variant: Variant, contract: str) -> None:
    """Whoever won the deal, and multiplied."""
    worth = 10 * MULTIPLIERS[contract]
    for count, sign in ((51, 1), (50, -1)):
        own = scored(variant, count, 1, petit("A"), contract=contract)
        assert lines(own)["petit_au_bout"] == share(variant, worth)
        theirs = scored(variant, count, 1, petit("C"), contract=contract)
        assert lines(theirs)["petit_au_bout"] == share(variant, -worth)
        assert theirs["outcome"] == ("won" if sign > 0 else "lost")
    item = scored(variant, 51, 1, petit("C"))["items"][1]
    assert (item["player"], item["made"], item["base"], item["multiplier"], item["clause"]) == (
        *("C", True, 10, 2, "FT-6.2"),
    )


@pytest.mark.parametrize(("size", "worth"), [("single", 20), ("double", 30), ("triple", 40)])
@tarot
def test_ft_6_3_a_handful_goes_to_the_winner_of_the_deal(variant: Variant, size: str, worth: int) -> None:
    """Whoever showed it, and not multiplied."""
    for player in "AC":
        won = scored(variant, 51, 1, handful(player, size), contract="garde_contre")
        assert lines(won)["handful"] == share(variant, worth)
        lost = scored(variant, 50, 1, handful(player, size), contract="garde_contre")
        assert lines(lost)["handful"] == share(variant, -worth)
    item = won["items"][1]
    assert (item["player"], item["size"], item["base"], item["multiplier"]) == ("C", size, worth, 1)
    assert (item["made"], item["clause"]) == (True, "FT-6.3")


def test_ft_6_3_two_handfuls_both_count() -> None:
    sheet = scored(FIVE, 51, 1, handful("A", "single"), handful("C", "double"))
    assert lines(sheet)["handful"] == share(FIVE, 50)


SLAMS = [
    # announced, made, unit
    (True, True, 400),
    (False, True, 200),
    (True, False, -200),
    (False, False, None),
]


@pytest.mark.parametrize(("announced", "made", "unit"), SLAMS)
@tarot
def test_ft_6_4_slam(variant: Variant, announced: bool, made: bool, unit: int | None) -> None:
    sheet = scored(variant, 91, 3, slam(announced, made), contract="garde_sans")
    assert lines(sheet).get("slam") == (None if unit is None else share(variant, unit))
    assert lines(sheet)["contract"] == share(variant, (25 + 55) * 4)
    if unit is not None:
        item = sheet["items"][1]
        assert (item["base"], item["multiplier"], item["clause"]) == (abs(unit), 1, "FT-6.4")
        assert (item["announced"], item["made"]) == (announced, made)


@tarot
def test_ft_6_4_a_failed_slam_costs_200_on_a_lost_deal_too(variant: Variant) -> None:
    for count in (51, 50):
        sheet = scored(variant, count, 1, slam(True, False))
        assert lines(sheet)["slam"] == share(variant, -200)


@tarot
def test_ft_6_4_a_slam_with_87_points(variant: Variant) -> None:
    """The defence keeps the Excuse: 87 with two oudlers."""
    sheet = scored(variant, 87, 2, slam(False, True))
    assert points(sheet) == share(variant, (25 + 46) * 2 + 200)


@tarot
def test_ft_6_5_a_slam_of_the_defence(variant: Variant) -> None:
    sheet = scored(variant, 5, 0, slam(False, True, "C"))
    assert lines(sheet)["slam"] == share(variant, -200)
    assert sheet["items"][1]["clause"] == "FT-6.5"
    assert (sheet["items"][1]["announced"], sheet["items"][1]["made"]) == (False, True)
    # Beside the failed announcement.
    both = scored(variant, 5, 0, slam(True, True, "C"))
    assert lines(both)["slam"] == share(variant, -400)
    assert [item["clause"] for item in both["items"]] == ["FT-6.1", "FT-6.4", "FT-6.5"]


def test_ft_6_6_alone_against_four_pays_four_times() -> None:
    alone = sheet_of(FIVE, tarot_result(61, 1, partner="A"))
    assert points(alone) == [4 * 70, -70, -70, -70, -70]
    assert alone["partner"] == "A"
    lost = sheet_of(FIVE, tarot_result(41, 1, handful("B"), partner="A"))
    assert points(lost) == [4 * -90, 90, 90, 90, 90]
    together = sheet_of(FIVE, tarot_result(61, 1, partner="D"))
    assert points(together) == [140, -70, -70, 70, -70]
    assert scored(FOUR, 61, 1)["partner"] is None


def test_ft_6_2_a_petit_of_the_partner_is_the_takers_sides() -> None:
    sheet = sheet_of(FIVE, tarot_result(61, 1, petit("D"), partner="D"))
    assert lines(sheet)["petit_au_bout"] == [40, -20, -20, 20, -20]
    theirs = sheet_of(FIVE, tarot_result(61, 1, petit("B"), partner="D"))
    assert lines(theirs)["petit_au_bout"] == [-40, 20, 20, -20, 20]


@tarot
def test_ft_8_2_payments(variant: Variant) -> None:
    sheet = scored(variant, 61, 1)
    names = list(sheet["scores"])
    if variant is FIVE:
        expected = [("C", "A", 70), ("D", "A", 70), ("E", "B", 70)]
    else:
        expected = [(name, "A", 70) for name in names[1:]]
    assert [(entry["from"], entry["to"], entry["points"]) for entry in sheet["payments"]] == expected


# --- A house without some of the bonuses ---------------------------------------------------------


def without(variant: Variant, *names: str) -> Variant:
    rows = {name: row for name, row in variant.bonuses.items() if name not in names}
    return replace(variant, bonuses=rows)


def test_bonuses_that_a_house_does_not_have_are_left_out_with_a_note() -> None:
    event = tarot_result(91, 3, petit("A"), handful("A"), slam(True, True))
    whole = sheet_of(FOUR, event, under=FOUR)
    assert set(lines(whole)) == {"contract", "petit_au_bout", "handful", "slam"}
    for name, noted in (("petit_au_bout", []), ("handful", ["bonus-left-out"]), ("slam", ["bonus-left-out"])):
        sheet = sheet_of(FOUR, event, under=without(FOUR, name))
        assert set(lines(sheet)) == set(lines(whole)) - {name}
        assert [note["code"] for note in sheet["notes"]] == noted
    silent = sheet_of(FOUR, tarot_result(91, 3, slam(False, True)), under=without(FOUR, "slam"))
    assert (set(lines(silent)), silent["notes"]) == ({"contract"}, [])
    bare = sheet_of(FOUR, tarot_result(61, 1), under=without(FOUR, "handful"))
    assert bare["notes"] == []


def test_a_petit_that_is_not_multiplied() -> None:
    rows = {**FOUR.bonuses, "petit_au_bout": replace(FOUR.bonuses["petit_au_bout"], multiplied=False)}
    sheet = sheet_of(FOUR, tarot_result(61, 1, petit("A")), under=replace(FOUR, bonuses=rows))
    assert lines(sheet)["petit_au_bout"] == [30, -10, -10, -10]


def test_a_handful_of_another_size_is_left_out_with_a_note() -> None:
    """Ten trumps were shown, and the house asks for twelve."""
    trumps = " ".join(f"T{number}" for number in range(21, 11, -1))
    words = [bid("A", "garde_sans"), passed("B"), passed("C"), passed("D"), announce("A", "handful", trumps)]
    events, _ = play_on(FOUR, deal(FOUR, trumps), *words)
    row = FOUR.bonuses["handful"]
    shown = {"single": 12, "double": 13, "triple": 15}
    house = replace(FOUR, bonuses={**FOUR.bonuses, "handful": replace(row, shown=shown)})
    assert "handful" in lines(sheet_of(FOUR, *events))
    sheet = sheet_of(FOUR, *events, under=house)
    assert "handful" not in lines(sheet)
    assert [note["code"] for note in sheet["notes"]] == ["bonus-left-out"]
    assert "10 trumps" in sheet["notes"][0]["detail"]


def test_play_after_a_call_needs_no_partner_yet() -> None:
    words = [bid("A", "garde_sans"), *(passed(name) for name in "BCDE"), say("king_called", "A", card="HK")]
    sheet = sheet_of(FIVE, deal(FIVE, "SK"), *words, play("A", "SK"))
    assert (sheet["status"], sheet["declarer"], sheet["partner"]) == ("incomplete", "A", None)
