"""Results of French Tarot that no hand can have (FT-9.4)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.rules.result_scenes import refused_at, refused_path, taken
from tests.rules.scenes import (
    FIVE,
    FOUR,
    MAYR,
    TAROTS,
    THREE,
    Sent,
    hand_of,
    handful,
    petit,
    result,
    slam,
    tarot_result,
)
from trull import Variant, replay
from trull.events import ReportedBonus, ResultReported

tarot = pytest.mark.parametrize("variant", TAROTS, ids=lambda variant: variant.id)


def tarot_of(variant: Variant, card_points: float, oudlers: int, *bonuses: Sent, **facts: Any) -> Sent:
    """A result with a partner where there is one."""
    partner = {"partner": "B"} if variant is FIVE else {}
    return tarot_result(card_points, oudlers, *bonuses, **{**partner, **facts})


@tarot
def test_what_french_tarot_does_not_have(variant: Variant) -> None:
    plain = ResultReported(0, "garde", "called", 100, "none", None, (), 1, None, None, None)
    if variant is FIVE:
        plain = plain._replace(partner=1)
    replay(variant, [plain])
    assert refused_path(variant, plain._replace(stake="held")) == ("stake",)
    assert refused_path(variant, plain._replace(contra_level="contra")) == ("contra", "level")
    assert refused_path(variant, plain._replace(oudlers=None)) == ("oudlers",)
    assert refused_path(variant, plain._replace(contract="solo")) == ("contract",)
    other = plain._replace(partner=None if variant is FIVE else 1)
    assert refused_path(variant, other) == ("partner",)


@tarot
def test_ft_1_2_card_points_from_0_to_91(variant: Variant) -> None:
    for right, oudlers in ((0, 0), (50, 1), (91, 3)):
        taken(variant, tarot_of(variant, right, oudlers))
    for wrong, oudlers in ((-1, 0), (92, 3), (91.5, 3), (-0.5, 0)):
        assert refused_at(variant, tarot_of(variant, wrong, oudlers)) == "card_points"


def test_ft_5_7_with_four_players_points_are_whole() -> None:
    assert refused_at(FOUR, tarot_result(45.5, 1)) == "card_points"
    for variant in (THREE, FIVE):
        taken(variant, tarot_of(variant, 45.5, 1))


LEAST = {0: 0, 1: 4, 2: 9, 3: 13.5}
MOST = {0: 78, 1: 82.5, 2: 87, 3: 91}


@pytest.mark.parametrize("oudlers", [1, 2, 3])
def test_ft_1_3_enough_points_for_the_oudlers(oudlers: int) -> None:
    """The Excuse as all that the side has was kept against half a point."""
    taken(THREE, tarot_result(LEAST[oudlers], oudlers))
    assert refused_at(THREE, tarot_result(LEAST[oudlers] - 0.5, oudlers)) == "oudlers"


@pytest.mark.parametrize("oudlers", [0, 1, 2])
def test_ft_1_3_points_left_for_the_oudlers_of_the_others(oudlers: int) -> None:
    """The Excuse may have been paid for with half a point: 87 with two."""
    taken(THREE, tarot_result(MOST[oudlers], oudlers))
    assert refused_at(THREE, tarot_result(MOST[oudlers] + 0.5, oudlers)) == "oudlers"


@tarot
def test_bonuses_of_french_tarot_only(variant: Variant) -> None:
    def with_bonus(**fields: Any) -> ResultReported:
        plain = ReportedBonus("petit_au_bout", 0, None, None, "none", None, None)
        partner = 1 if variant is FIVE else None
        bonuses = (plain._replace(**fields),)
        return ResultReported(0, "garde", "called", 100, "none", None, bonuses, 1, partner, None, None)

    replay(variant, [with_bonus()])
    replay(variant, [with_bonus(made=True, stage="after_pickup")])
    assert refused_path(variant, with_bonus(bonus="pagat")) == ("bonuses", 0, "bonus")
    assert refused_path(variant, with_bonus(stage="before_pickup")) == ("bonuses", 0, "stage")
    assert refused_path(variant, with_bonus(contra="contra")) == ("bonuses", 0, "contra")
    assert refused_path(variant, with_bonus(seat=None)) == ("bonuses", 0, "player")
    assert refused_path(variant, with_bonus(made=False)) == ("bonuses", 0, "made")
    single = {"bonus": "handful", "size": "single"}
    replay(variant, [with_bonus(**single)])
    assert refused_path(variant, with_bonus(bonus="handful")) == ("bonuses", 0, "size")
    assert refused_path(variant, with_bonus(**single, seat=None)) == ("bonuses", 0, "player")
    assert refused_path(variant, with_bonus(**single, made=False)) == ("bonuses", 0, "made")
    assert refused_path(variant, with_bonus(bonus="slam", made=None)) == ("bonuses", 0, "made")
    house = replace(variant, bonuses={})
    assert refused_path(house, with_bonus()) == ("bonuses", 0, "bonus")


@tarot
def test_nothing_twice(variant: Variant) -> None:
    assert refused_at(variant, tarot_of(variant, 50, 1, petit("A"), petit("C"))) == "bonuses/1"
    assert refused_at(variant, tarot_of(variant, 50, 1, slam(True, False), slam(False, False))) == "bonuses/1"
    twice = tarot_of(variant, 50, 1, handful("C"), handful("C"))
    assert refused_at(variant, twice) == "bonuses/1"


@pytest.mark.parametrize(
    ("variant", "right", "wrong"),
    [
        (THREE, [], ["single", "single"]),
        (FOUR, ["single", "single"], ["single", "double"]),
        (FIVE, ["double", "single"], ["double", "triple"]),
    ],
)
def test_ft_1_1_22_trumps_can_be_shown(variant: Variant, right: list[str], wrong: list[str]) -> None:
    taken(variant, tarot_of(variant, 50, 1, *map(handful, "AC", right)))
    assert refused_at(variant, tarot_of(variant, 50, 1, *map(handful, "AC", wrong))) == "bonuses/1/size"


@tarot
def test_ft_6_4_ft_6_5_a_slam_wins_the_deal_for_its_side(variant: Variant) -> None:
    taken(variant, tarot_of(variant, 91, 3, slam(True, True)))
    taken(variant, tarot_of(variant, 87, 2, slam(False, True, "A")))
    assert refused_at(variant, tarot_of(variant, 35, 3, slam(False, True))) == "bonuses/0/made"
    taken(variant, tarot_of(variant, 5, 0, slam(False, True, "C")))
    taken(variant, tarot_of(variant, 5, 0, slam(True, True, "C")))
    assert refused_at(variant, tarot_of(variant, 91, 3, slam(False, True, "C"))) == "bonuses/0/made"
    assert refused_at(variant, tarot_of(variant, 5, 0, slam(False, True))) == "bonuses/0/made"
    # One that failed goes with anything.
    for count, oudlers in ((5, 0), (91, 3), (50, 1)):
        taken(variant, tarot_of(variant, count, oudlers, slam(True, False)))


def test_ft_6_4_with_every_trick_there_are_91_points_or_87() -> None:
    for contract in ("prise", "garde", "garde_sans"):
        for count, oudlers in ((91, 3), (87, 2)):
            taken(FOUR, tarot_result(count, oudlers, slam(False, True), contract=contract))
        for count, oudlers in ((90, 3), (87, 3), (86, 2), (60, 3)):
            event = tarot_result(count, oudlers, slam(False, True), contract=contract)
            assert refused_at(FOUR, event) == "card_points"
    # In a garde contre the chien is the defence's.
    taken(FOUR, tarot_result(64, 3, slam(False, True), contract="garde_contre"))
    # The taker's Excuse is all that a slam of the defence leaves him.
    taken(FOUR, tarot_result(4, 1, slam(False, True, "C"), contract="garde_contre"))


def test_ft_6_4_with_five_players_the_partner_is_of_the_takers_side() -> None:
    taken(FIVE, tarot_of(FIVE, 91, 3, slam(False, True, "B")))
    assert refused_at(FIVE, tarot_of(FIVE, 5, 0, slam(False, True, "B"))) == "bonuses/0/made"


def test_the_result_of_a_hand_is_kept() -> None:
    hand = hand_of(MAYR, result(contract="solo", card_points=40))
    assert hand.result is not None
    assert hand.result.half_points == 80
