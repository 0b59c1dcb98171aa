"""Results of Illustrated Tarock that no hand can have: the game, Trischaken (IT-12.4)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.result_scenes import refused_at, refused_path, taken
from tests.rules.scenes import (
    BECK,
    LOEW,
    MAYR,
    TAROCKS,
    Sent,
    sheet_of,
    tarock_result,
    trischaken_result,
)
from trull import Variant, replay
from trull.events import ReportedBonus, ResultReported

tarock = pytest.mark.parametrize("variant", TAROCKS, ids=lambda variant: variant.id)


@tarock
def test_card_points_are_whole_numbers_from_0_to_70(variant: Variant) -> None:
    for right in (0, 35, 36, 70):
        taken(variant, tarock_result(right))
    for wrong in (-1, 71, 35.5, 70.5):
        assert refused_at(variant, tarock_result(wrong)) == "card_points"  # type: ignore[arg-type]


STAKES = {
    "illustrated-loew-1954": {
        "dreiblatt": {"called", "taken_over", "held", "retaken"},
        "einblatt": {"called", "taken_over", "held", "retaken"},
        "solo": {"called"},
    },
    "illustrated-beck": {
        "dreiblatt": {"called", "taken_over", "held"},
        "einblatt": {"called"},
        "solo": {"called"},
    },
    "illustrated-mayr-sedlaczek-2016": {"dreiblatt": {"called"}, "einblatt": {"called"}, "solo": {"called"}},
}


@tarock
def test_it_4_12_the_stakes_of_each_contract(variant: Variant) -> None:
    for contract, stakes in STAKES[variant.id].items():
        for stake in ("called", "taken_over", "held", "retaken"):
            event = tarock_result(40, contract=contract, stake=stake)
            if stake in stakes:
                assert sheet_of(variant, event)["stake"] == stake
            else:
                assert refused_at(variant, event) == "stake"


@tarock
def test_what_illustrated_tarock_does_not_have(variant: Variant) -> None:
    """The service refuses most of it for its shape; the library knows it too."""
    plain = reported()
    assert refused_path(variant, plain._replace(oudlers=2)) == ("oudlers",)
    assert refused_path(variant, plain._replace(partner=1)) == ("partner",)
    assert refused_path(variant, plain._replace(contract="garde")) == ("contract",)
    assert refused_path(variant, plain._replace(declarer=None)) == ("declarer",)
    assert refused_path(variant, plain._replace(half_points=None)) == ("card_points",)
    for other in (plain._replace(points_by_seat=(1, 2, 3)), plain._replace(tricks_by_seat=(1, 2, 3))):
        assert refused_path(variant, other) == ("contract",)
    assert refused_path(variant, plain._replace(half_points=81)) == ("card_points",)


def reported() -> ResultReported:
    return ResultReported(0, "zweiblatt", "called", 80, "none", None, (), None, None, None, None)


@tarock
def test_it_7_32_it_7_33_contra_of_the_game(variant: Variant) -> None:
    def answered(level: str, stage: str, contract: str = "zweiblatt") -> Sent:
        return tarock_result(40, contract=contract, contra={"level": level, "stage": stage})

    taken(variant, tarock_result(40, contra={"level": "none"}))
    taken(variant, answered("contra", "after_pickup"))
    for level in ("contra", "recontra"):
        assert refused_at(variant, tarock_result(40, contra={"level": level})) == "contra/stage"
    taken(variant, tarock_result(40, contract="solo", contra={"level": "contra"}))
    taken(variant, answered("contra", "after_pickup", "solo"))
    # A Solo has no pick-up: the stage says nothing (IT-7.22).
    taken(variant, answered("contra", "before_pickup", "solo"))
    if variant is LOEW:
        assert refused_at(variant, answered("contra", "before_pickup")) == "contra/stage"
    else:
        taken(variant, answered("contra", "before_pickup"))
    if variant is MAYR:
        taken(variant, answered("recontra", "before_pickup"))
    else:
        assert refused_at(variant, answered("recontra", "after_pickup")) == "contra/level"
    never = replace(variant, rulings={**variant.rulings, "game_contra": "never"})
    for contract in ("zweiblatt", "solo"):
        assert refused_at(never, answered("contra", "after_pickup", contract)) == "contra/stage"


# --- Trischaken ----------------------------------------------------------------------------------


def test_it_8_6_a_trischaken() -> None:
    assert taken(BECK, trischaken_result([20, 15, 25], [5, 5, 6])) == [5, 5, -10]
    taken(BECK, trischaken_result([44, 0, 0], [16, 0, 0]))
    for tricks in ([5, 5, 5], [6, 6, 6], [16, 1, 0]):
        assert refused_at(BECK, trischaken_result([20, 20, 20], tricks)) == "tricks_by_player"
    # A trick is worth 1 to 13 points, no trick none.
    for given, tricks in (([60, 0, 1], [16, 0, 0]), ([30, 30, 1], [8, 6, 2]), ([40, 14, 0], [3, 12, 1])):
        assert refused_at(BECK, trischaken_result(given, tricks)) == "card_points_by_player"
    taken(BECK, trischaken_result([39, 12, 1], [3, 12, 1]))
    assert refused_at(BECK, trischaken_result([40, 12, 1], [3, 12, 1])) == "card_points_by_player"
    for total in ([20, 13, 10], [30, 30, 11]):
        assert refused_at(BECK, trischaken_result(total, [6, 6, 4])) == "card_points_by_player"
    taken(BECK, trischaken_result([20, 14, 10], [6, 6, 4]))
    taken(BECK, trischaken_result([30, 30, 10], [6, 6, 4]))


def test_it_8_1_a_trischaken_has_points_and_tricks_only() -> None:
    plain = ResultReported(
        None, "trischaken", "called", None, "none", None, (), None, None, (20, 15, 25), (5, 5, 6)
    )
    assert replay(BECK, [plain]).status == "scored"
    pagat = ReportedBonus("pagat", 0, "silent", True, "none", None, None)
    assert refused_path(BECK, plain._replace(bonuses=(pagat,))) == ("bonuses",)
    assert refused_path(BECK, plain._replace(stake="held")) == ("stake",)
    assert refused_path(BECK, plain._replace(contra_level="contra")) == ("contra",)


def test_it_8_1_only_beck_has_trischaken() -> None:
    for variant in (LOEW, MAYR):
        assert refused_at(variant, trischaken_result([20, 15, 25], [5, 5, 6])) == "contract"
