"""Every ruling of Illustrated Tarock, set to each of its values: what changes, and that nothing else does.

What the row of a ruling names must come out so; all the rest of the pool must come out as before.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.changes import Changes, changes_of, every_value
from tests.rules.played import play_on
from tests.rules.scenes import (
    BECK,
    FIVE,
    FOUR,
    LOEW,
    MAYR,
    THREE,
    Sent,
    announce,
    bid,
    bonus,
    contra,
    deal,
    fine,
    gut,
    lay,
    passed,
    play,
    silent,
    take,
    tarock_result,
    trischaken_result,
)
from trull import Variant
from trull.model import RulingValue

PASSES = [passed("A"), passed("B"), passed("C")]
NO_TAROCK = "S7 S8 S9 H4 H3 H2 D4 D3 D2 C7 C8 C9 HK HQ DK DQ"
KINGS = "SK HK DK CK"


def zweiblatt(own: str, talon: str, laid: str = "") -> list[Sent]:
    """A, who holds the highest tarocks, plays a Zweiblatt and wins it with most of the tricks."""
    dealt = deal(MAYR, own, talon=talon)
    first = " ".join(talon.split()[:2])
    words = [bid("A", "zweiblatt"), *gut("B", "C"), take("A", first), lay("A", laid or first)]
    return play_on(MAYR, dealt, *words, style="hll")[0]


HIGH = "T20 T19 T18 T17 T16 T15 T14 T13 T12"
TAROCK_POOL: dict[str, list[Sent]] = {
    "solo won": [tarock_result(45, contract="solo")],
    "solo lost": [tarock_result(30, contract="solo")],
    "zweiblatt": [tarock_result(41)],
    "pagat failed": [tarock_result(39, bonus("pagat", made=False))],
    "held": [tarock_result(36, contract="dreiblatt", stake="held")],
    "forty in a solo": [tarock_result(45, bonus("forty"), contract="solo")],
    "pagat captured": [tarock_result(39, silent("pagat", made=False))],
    "contra before": [tarock_result(36, contra={"level": "contra", "stage": "before_pickup"})],
    "contra after": [tarock_result(36, contra={"level": "contra", "stage": "after_pickup"})],
    "contra in a solo": [tarock_result(36, contract="solo", contra={"level": "contra"})],
    "recontra": [tarock_result(36, contra={"level": "recontra", "stage": "after_pickup"})],
    "forty contra'd": [tarock_result(41, bonus("forty", stage="before_pickup", contra="contra"))],
    "contra called early": [bid("A", "zweiblatt"), *gut("B", "C"), contra("B")],
    "contra called in a solo": [bid("A", "solo"), contra("B")],
    "trischaken": [trischaken_result([20, 15, 25], [5, 5, 6])],
    "trischaken tied": [trischaken_result([25, 25, 10], [6, 6, 4])],
    "three passes": PASSES,
    "three passes and a card": [*PASSES, play("A", "SK")],
    "no tarock": [deal(MAYR, NO_TAROCK), passed("A")],
    "four kings": zweiblatt(f"{KINGS} {HIGH}", "HQ S9 C8 T7 D4 T2"),
    "three honours": zweiblatt(f"F T21 T1 SK {HIGH}", "HQ S9 C8 T7 D4 T2"),
    "an honour comes in": zweiblatt(f"F T21 SK SQ {HIGH}", "T1 S9 C8 T7 D4 T2", laid="S9 SQ"),
    "a king comes in": zweiblatt(f"F T21 SQ {HIGH} D3 D2 C9 H4", "HK S9 C8 T7 D4 T2", laid="S9 SQ"),
    "a king stays in the talon": zweiblatt(f"F T21 SQ {HIGH} D3 D2 C9 H4", "HQ S9 HK T7 D4 T2"),
    "no king at all": zweiblatt(f"F T21 SQ {HIGH} D3 D2 C9 H4", "HQ S9 C8 T7 D4 T2"),
    "royal trull claimed": [bid("A", "zweiblatt"), *gut("B", "C"), announce("A", "royal_trull")],
    "penalty": [tarock_result(41), fine("A", -5)],
}
SOLO_OVER = {"overshoot": [10 * 4, 0, 0]}
ROYAL = {"royal_trull": [5 * 2, 0, 0]}

TAROCK_ROWS: list[tuple[Variant, str, RulingValue, Changes]] = [
    (LOEW, "solo_overshoot", "undershoot_only", {}),
    (
        LOEW,
        "solo_overshoot",
        "both",
        {
            "solo won": SOLO_OVER,
            "forty in a solo": SOLO_OVER,
            "contra in a solo": {"overshoot": [1 * 4 * 2, 0, 0]},
        },
    ),
    (LOEW, "solo_overshoot", "neither", {"solo lost": {"undershoot": None}}),
    (
        BECK,
        "solo_overshoot",
        "neither",
        {
            "solo won": {"overshoot": None},
            "solo lost": {"undershoot": None},
            "forty in a solo": {"overshoot": None},
            "contra in a solo": {"overshoot": None},
        },
    ),
    (BECK, "failed_bonus_multiplied", False, {}),
    (BECK, "failed_bonus_multiplied", True, {"pagat failed": {"pagat": [0, 20, 20]}}),
    (MAYR, "failed_bonus_multiplied", False, {"pagat failed": {"pagat": [0, 10, 10]}}),
    (BECK, "held_value", 5, {}),
    (BECK, "held_value", 9, {"held": {"game": [9, 0, 0]}}),
    (MAYR, "held_value", 9, {}),
    (BECK, "royal_trull", "four_kings", {}),
    (
        BECK,
        "royal_trull",
        "three_honours",
        {"four kings": {"royal_trull": None}, "three honours": ROYAL, "an honour comes in": ROYAL},
    ),
    (BECK, "hand_bonus_basis", "before_play", {}),
    (
        BECK,
        "hand_bonus_basis",
        "dealt",
        {"an honour comes in": {"tarock_trull": None, "two_honours": [4, 0, 0]}},
    ),
    (BECK, "without_basis", "dealt", {}),
    (BECK, "without_basis", "before_play", {"a king comes in": {"without_kings": None}}),
    (
        BECK,
        "without_basis",
        "talon_exposed",
        {"a king comes in": {"without_kings": None}, "a king stays in the talon": {"without_kings": None}},
    ),
    (MAYR, "without_basis", "dealt", {}),
    (MAYR, "game_contra", "any_stage", {}),
    (
        MAYR,
        "game_contra",
        "after_pickup",
        {"contra before": "inconsistent-result", "contra called early": "illegal-contra"},
    ),
    (
        MAYR,
        "game_contra",
        "never",
        {
            "contra before": "inconsistent-result",
            "contra after": "inconsistent-result",
            "contra in a solo": "inconsistent-result",
            "recontra": "inconsistent-result",
            "contra called early": "illegal-contra",
            "contra called in a solo": "illegal-contra",
        },
    ),
    (BECK, "solo_stage", "after_pickup", {}),
    (
        BECK,
        "solo_stage",
        "before_pickup",
        {
            "forty in a solo": {"forty": [10 * 4, 0, 0]},
            "contra in a solo": {"game": [3 * 4 * 4, 0, 0], "overshoot": [1 * 4 * 4, 0, 0]},
        },
    ),
    (BECK, "captured_pagat", True, {}),
    (BECK, "captured_pagat", False, {"pagat captured": {"pagat": None}}),
    (BECK, "hand_bonuses", "automatic", {}),
    (
        BECK,
        "hand_bonuses",
        "claimed",
        {
            "four kings": {"royal_trull": None},
            "three honours": {"tarock_trull": None},
            "an honour comes in": {"tarock_trull": None},
            "a king comes in": {"two_honours": None},
            "a king stays in the talon": {"two_honours": None},
            "no king at all": {"two_honours": None},
            "royal trull claimed": "incomplete",
        },
    ),
    (BECK, "no_tarock_redeal", False, {}),
    (BECK, "no_tarock_redeal", True, {"no tarock": "redeal-required"}),
    (LOEW, "no_tarock_redeal", False, {"no tarock": "incomplete"}),
    (BECK, "pass_out", "trischaken", {}),
    (
        BECK,
        "pass_out",
        "redeal",
        {
            "trischaken": "inconsistent-result",
            "trischaken tied": "inconsistent-result",
            "three passes and a card": "event-out-of-place",
        },
    ),
    (BECK, "trischaken_tie", "all_tied_lose", {}),
    (BECK, "trischaken_tie", "no_score", {"trischaken tied": {"trischaken": None}}),
    (BECK, "contra_before", 4, {}),
    (
        BECK,
        "contra_before",
        3,
        {
            "contra before": {"game": [3 * 2 * 3, 0, 0], "overshoot": [1 * 2 * 3, 0, 0]},
            "forty contra'd": {"forty": [10 * 2 * 3, 0, 0]},
        },
    ),
    (
        MAYR,
        "contra_after",
        3,
        {
            "contra after": {"game": [5 * 2 * 3, 0, 0], "overshoot": [1 * 2 * 3, 0, 0]},
            "contra in a solo": {"game": [10 * 4 * 3, 0, 0], "overshoot": [1 * 4 * 3, 0, 0]},
            "recontra": {"game": [5 * 2 * 9, 0, 0], "overshoot": [1 * 2 * 9, 0, 0]},
        },
    ),
    (MAYR, "recontra", True, {}),
    (MAYR, "recontra", False, {"recontra": "inconsistent-result"}),
    (BECK, "recontra", True, {"recontra": {"game": [3 * 2 * 4, 0, 0], "overshoot": [1 * 2 * 4, 0, 0]}}),
    (BECK, "series_target", 7, {}),
    (BECK, "series_bonus", 7, {}),
]


@pytest.mark.parametrize(
    ("base", "ruling", "value", "expected"),
    TAROCK_ROWS,
    ids=[f"{base.id}-{ruling}-{value}" for base, ruling, value, _ in TAROCK_ROWS],
)
def test_a_ruling_of_illustrated_tarock(
    base: Variant, ruling: str, value: RulingValue, expected: Changes
) -> None:
    assert changes_of(base, ruling, value, TAROCK_POOL) == expected


def test_every_value_of_every_ruling_is_here() -> None:
    every_value(BECK, [(ruling, value) for _, ruling, value, _ in TAROCK_ROWS])


@pytest.mark.parametrize("variant", [LOEW, BECK, MAYR, THREE, FOUR, FIVE], ids=lambda variant: variant.id)
def test_another_value_is_another_revision(variant: Variant) -> None:
    for ruling in variant.game.rulings:
        values = (41, 42) if ruling.values is None else ruling.values
        made = {
            replace(variant, rulings={**variant.rulings, ruling.name: value}).revision for value in values
        }
        assert len(made) == len(values)
