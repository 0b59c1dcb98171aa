"""Results of Illustrated Tarock that no hand can have: the bonuses (IT-12.4)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.result_scenes import refused_at, refused_path, taken
from tests.rules.scenes import (
    BECK,
    LOEW,
    MAYR,
    TAROCKS,
    bonus,
    silent,
    tarock_result,
)
from trull import Variant, replay, score
from trull.events import ReportedBonus, ResultReported

tarock = pytest.mark.parametrize("variant", TAROCKS, ids=lambda variant: variant.id)


def reported() -> ResultReported:
    return ResultReported(0, "zweiblatt", "called", 80, "none", None, (), None, None, None, None)


def test_a_bonus_that_the_variant_lacks() -> None:
    assert refused_at(MAYR, tarock_result(40, silent("uhu"))) == "bonuses/0/bonus"
    assert refused_at(LOEW, tarock_result(40, silent("valat"))) == "bonuses/0/bonus"
    assert (
        refused_at(MAYR, tarock_result(40, silent("tarock_trull"), silent("two_honours")))
        == "bonuses/1/bonus"
    )
    taken(BECK, tarock_result(40, silent("uhu"), silent("two_honours")))


@tarock
def test_fields_of_the_other_game(variant: Variant) -> None:
    plain = ReportedBonus("pagat", 0, "silent", True, "none", None, None)
    for field, path, changed in (
        ("size", "size", plain._replace(size="single")),
        ("announced", "announced", plain._replace(announced=False)),
        ("stage", "stage", plain._replace(stage=None)),
        ("made", "made", plain._replace(made=None)),
    ):
        event = reported()._replace(bonuses=(changed,))
        assert refused_path(variant, event) == ("bonuses", 0, path), field


STAGED = [
    (LOEW, "pagat", "before_pickup"),
    (LOEW, "forty", "after_pickup"),
    (LOEW, "fifty", "before_pickup"),
    (LOEW, "without_trull", "after_pickup"),
    (LOEW, "tarock_trull", "after_pickup"),
    (BECK, "two_honours", "after_pickup"),
    (MAYR, "royal_trull", "before_pickup"),
]


@pytest.mark.parametrize(("variant", "name", "stage"), STAGED)
def test_it_7_25_a_stage_without_a_value(variant: Variant, name: str, stage: str) -> None:
    event = tarock_result(55, bonus(name, "A", stage))
    assert refused_at(variant, event) == "bonuses/0/stage"


def test_it_7_22_in_a_solo_every_announcement_has_its_value() -> None:
    for name in ("pagat", "forty", "fifty"):
        for stage in ("before_pickup", "after_pickup"):
            taken(LOEW, tarock_result(55, bonus(name, "A", stage), contract="solo"))
    assert refused_at(LOEW, tarock_result(55, bonus("tarock_trull"), contract="solo")) == "bonuses/0/stage"


@tarock
def test_forty_and_fifty_are_never_silent(variant: Variant) -> None:
    for name in ("forty", "fifty"):
        assert refused_at(variant, tarock_result(55, silent(name))) == "bonuses/0/stage"
    if variant is MAYR:
        assert refused_at(variant, tarock_result(55, silent("without_kings"))) == "bonuses/0/stage"


@tarock
def test_who_announces_and_who_earns_silently(variant: Variant) -> None:
    by_defender = tarock_result(40, bonus("pagat", "B", made=True))
    if variant is LOEW:
        assert taken(variant, by_defender)[1] == 10 * 2
    else:
        assert refused_at(variant, by_defender) == "bonuses/0/player"
    quietly = tarock_result(40, silent("pagat", "B"))
    if variant is MAYR:
        assert refused_at(variant, quietly) == "bonuses/0/player"
    else:
        assert taken(variant, quietly)[1] == 5 * 2
    assert refused_at(variant, tarock_result(45, bonus("forty", "B", "before_pickup"))) == "bonuses/0/player"
    taken(variant, tarock_result(40, silent("tarock_trull", "C")))
    # Without a player it is the declarer's: so the library reads it; the service wants the name.
    nameless = reported()._replace(
        half_points=90, bonuses=(ReportedBonus("forty", None, "before_pickup", True, "none", None, None),)
    )
    named = nameless._replace(bonuses=(nameless.bonuses[0]._replace(seat=0),))
    sheets = [score(replay(variant, [event])) for event in (nameless, named)]
    assert sheets[0].scores == sheets[1].scores
    assert sheets[0].scores[0] > 0


def test_it_7_20_a_captured_pagat_of_a_defender_is_possible_everywhere() -> None:
    for variant in TAROCKS:
        assert taken(variant, tarock_result(35, silent("pagat", "B", made=False)))[0] == 5 * 2
    assert refused_at(MAYR, tarock_result(40, silent("valat", "B", made=False))) == "bonuses/0/player"


@tarock
def test_contra_of_a_bonus(variant: Variant) -> None:
    taken(variant, tarock_result(40, bonus("pagat", contra="contra")))
    again = tarock_result(40, bonus("pagat", contra="recontra"))
    if variant is MAYR:
        taken(variant, again)
    else:
        assert refused_at(variant, again) == "bonuses/0/contra"
    for level in ("contra", "recontra"):
        event = tarock_result(40, bonus("pagat", "A", "silent", contra=level))
        assert refused_at(variant, event) == "bonuses/0/contra"


@tarock
def test_it_10_10_claimed_hand_bonuses(variant: Variant) -> None:
    claimed = replace(variant, rulings={**variant.rulings, "hand_bonuses": "claimed"})
    for player in "AB":
        for stage in ("before_pickup", "after_pickup"):
            taken(claimed, tarock_result(40, bonus("royal_trull", player, stage)))
    event = tarock_result(40, bonus("royal_trull", contra="contra"))
    assert refused_at(claimed, event) == "bonuses/0/contra"


@pytest.mark.parametrize(
    ("variant", "name", "stage"),
    [
        (LOEW, "forty", "before_pickup"),
        (BECK, "forty", "after_pickup"),
        (MAYR, "forty", "before_pickup"),
        (LOEW, "fifty", "after_pickup"),
        (BECK, "fifty", "before_pickup"),
    ],
)
def test_it_7_12_it_7_13_forty_and_fifty_go_with_the_points(variant: Variant, name: str, stage: str) -> None:
    least = {"forty": 40, "fifty": 50}[name]
    taken(variant, tarock_result(least, bonus(name, "A", stage, made=True)))
    taken(variant, tarock_result(least - 1, bonus(name, "A", stage, made=False)))
    for count, made in ((least, False), (least - 1, True), (least + 9, False), (0, True)):
        assert refused_at(variant, tarock_result(count, bonus(name, "A", stage, made))) == "bonuses/0/made"


@pytest.mark.parametrize("name", ["without_trull", "without_kings", "valat"])
def test_it_7_14_it_7_19_what_needs_a_won_game(name: str) -> None:
    count = 62 if name == "valat" else 36
    taken(BECK, tarock_result(count, bonus(name, made=True)))
    taken(BECK, tarock_result(count, bonus(name, made=False)))
    assert refused_at(BECK, tarock_result(35, bonus(name, made=True))) == "bonuses/0/made"
    taken(BECK, tarock_result(35, bonus(name, made=False)))


@tarock
def test_no_bonus_twice_for_one_player(variant: Variant) -> None:
    """Announced and silent, too (IT-7.23)."""
    twice = tarock_result(40, bonus("pagat"), silent("pagat"))
    assert refused_at(variant, twice) == "bonuses/1"
    nameless = ReportedBonus("pagat", None, "silent", True, "none", None, None)
    event = reported()._replace(bonuses=(nameless._replace(seat=0), nameless))
    assert refused_path(variant, event) == ("bonuses", 1)


def test_three_honours_and_four_kings_in_the_pack() -> None:
    taken(BECK, tarock_result(40, silent("tarock_trull", "A")))
    taken(BECK, tarock_result(40, silent("two_honours", "A"), silent("two_honours", "B", made=False)))
    for first, second in (("tarock_trull", "two_honours"), ("two_honours", "two_honours")):
        event = tarock_result(40, silent(first, "A"), silent(second, "B"))
        assert refused_at(BECK, event) == "bonuses/1"
    event = tarock_result(40, silent("royal_trull", "A"), silent("royal_trull", "B"))
    assert refused_at(BECK, event) == "bonuses"
    # The honours and the Kings are different cards.
    taken(BECK, tarock_result(40, silent("tarock_trull", "A"), silent("royal_trull", "B")))
    assert taken(BECK, tarock_result(40, silent("tarock_trull", "A"), silent("royal_trull", "A")))[0] > 0


@pytest.mark.parametrize(
    ("held", "without"),
    [
        ("tarock_trull", "without_trull"),
        ("two_honours", "without_trull"),
        ("royal_trull", "without_kings"),
    ],
)
def test_what_one_hand_cannot_have_and_lack(held: str, without: str) -> None:
    for event in (
        tarock_result(40, silent(held, "A"), silent(without), contract="solo"),
        tarock_result(40, silent(without), silent(held, "A"), contract="solo"),
    ):
        assert refused_at(BECK, event).startswith("bonuses/")
    taken(BECK, tarock_result(40, silent(held, "B"), silent(without)))
    taken(BECK, tarock_result(40, silent(held, "A", made=False), silent(without)))
    taken(BECK, tarock_result(40, silent(held, "A"), bonus(without, made=False)))
    other = "without_kings" if without == "without_trull" else "without_trull"
    taken(BECK, tarock_result(40, silent(held, "A"), silent(other)))


@pytest.mark.parametrize(
    ("held", "contract", "excluded"),
    [
        ("two_honours", "dreiblatt", False),
        ("two_honours", "zweiblatt", False),
        ("two_honours", "einblatt", True),
        ("tarock_trull", "dreiblatt", False),
        ("tarock_trull", "zweiblatt", True),
        ("royal_trull", "dreiblatt", False),
    ],
)
def test_honours_may_have_come_with_the_talon(held: str, contract: str, excluded: bool) -> None:
    # Beck reads "without" on the hand as dealt, and hand bonuses on the hand before play.
    event = tarock_result(37, silent("without_trull"), silent(held, "A"), contract=contract)
    if excluded:
        assert refused_at(BECK, event).startswith("bonuses/")
    else:
        taken(BECK, event)


def test_the_birds_fly_once() -> None:
    for bird in ("pagat", "uhu"):
        event = tarock_result(40, silent(bird, "A"), silent(bird, "B"))
        assert refused_at(BECK, event) == "bonuses"
        taken(BECK, tarock_result(40, silent("pagat", "A"), silent("uhu", "B")))
    # One made and one captured are two Pagats in the last trick; one announced in vain is none.
    event = tarock_result(40, silent("pagat", "A"), silent("pagat", "B", made=False))
    assert refused_at(BECK, event) == "bonuses"
    captured = tarock_result(40, silent("pagat", "A", made=False), silent("pagat", "B", made=False))
    assert refused_at(BECK, captured) == "bonuses"
    taken(BECK, tarock_result(40, bonus("pagat", "A", made=False), silent("pagat", "B", made=True)))
    taken(LOEW, tarock_result(40, bonus("pagat", "B", made=False), silent("pagat", "C", made=False)))


LEAST_OF_A_VALAT = {"dreiblatt": 57, "zweiblatt": 53, "einblatt": 48, "solo": 44}


@pytest.mark.parametrize("contract", LEAST_OF_A_VALAT)
def test_it_7_19_with_every_trick_there_are_many_points(contract: str) -> None:
    """The untaken talon is all that the defenders have: three cards 13 points, four 17, five 22, six 26."""
    least = LEAST_OF_A_VALAT[contract]
    taken(BECK, tarock_result(least, silent("valat"), contract=contract))
    assert refused_at(BECK, tarock_result(least - 1, silent("valat"), contract=contract)) == "card_points"
    taken(BECK, tarock_result(least - 1, silent("valat", made=False), contract=contract))


def test_it_7_19_with_every_trick_no_defender_has_a_bird() -> None:
    for bird in ("pagat", "uhu"):
        event = tarock_result(66, silent("valat"), silent(bird, "B"))
        assert refused_at(BECK, event) == "bonuses/1"
        taken(BECK, tarock_result(66, silent("valat"), silent(bird, "A")))
        taken(BECK, tarock_result(66, silent("valat", made=False), silent(bird, "B")))
    taken(BECK, tarock_result(66, silent("valat"), silent("pagat", "B", made=False)))
