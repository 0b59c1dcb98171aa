"""Every ruling of French Tarot, set to each of its values: what changes, and that nothing else does.

What the row of a ruling names must come out so; all the rest of the pool must come out as before.
"""

from __future__ import annotations

import pytest

from tests.rules.changes import Changes, changes_of, every_value
from tests.rules.played import play_on
from tests.rules.scenes import (
    FIVE,
    FOUR,
    THREE,
    Sent,
    bid,
    deal,
    passed,
    petit,
    slam,
    tarot_result,
)
from trull import Variant
from trull.model import RulingValue


def high(count: int) -> str:
    return " ".join(f"T{number}" for number in range(21, 21 - count, -1))


def excuse_last() -> list[Sent]:
    """A wins every trick with eighteen trumps; C keeps the Excuse to the last one."""
    dealt = deal(FOUR, high(18), "T1 T2 T3", "F SK HK DK CK")
    words = [bid("A", "garde_sans"), passed("B"), passed("C"), passed("D")]
    return play_on(FOUR, dealt, *words, style="hhhh", keep={"C": "F"})[0]


def petit_sec() -> list[Sent]:
    suits = " ".join(f"{suit}{rank}" for rank in "KQCJ9" for suit in "SHDC")
    return [deal(FOUR, " ".join(["T1", *suits.split()[:17]])), passed("A")]


FOUR_POOL: dict[str, list[Sent]] = {
    "garde": [tarot_result(51, 1, petit("B"))],
    "garde lost": [tarot_result(30, 2)],
    "slam": [tarot_result(91, 3, slam(False, True))],
    "slam of the defence": [tarot_result(5 - 1, 0, slam(True, True, "B"))],
    "the Excuse in the last trick": excuse_last(),
    "petit sec": petit_sec(),
}
THREE_POOL: dict[str, list[Sent]] = {
    "whole": [tarot_result(45, 2)],
    "by a half": [tarot_result(41.5, 2)],
    "lost by a half": [tarot_result(40.5, 2)],
}
FIVE_POOL: dict[str, list[Sent]] = {
    "by a half": [tarot_result(41.5, 2, partner="B")],
    "slam of the defence": [tarot_result(4.5, 0, slam(False, True, "C"), partner="A")],
}


def quarter(unit: int) -> list[int]:
    """A unit of A's deal with four players."""
    return [3 * unit, -unit, -unit, -unit]


TAROT_ROWS: list[tuple[Variant, dict[str, list[Sent]], str, RulingValue, Changes]] = [
    (FOUR, FOUR_POOL, "excuse_last_trick", "changes_side", {}),
    (FOUR, FOUR_POOL, "excuse_last_trick", "to_trick_winner", {}),
    (
        FOUR,
        FOUR_POOL,
        "excuse_last_trick",
        "stays_with_owner",
        # 87 points and two oudlers in place of 91 and three.
        {"the Excuse in the last trick": {"contract": quarter((25 + 46) * 4)}},
    ),
    (FOUR, FOUR_POOL, "half_points", "keep", {}),
    (THREE, THREE_POOL, "half_points", "away_from_zero", {}),
    (
        THREE,
        THREE_POOL,
        "half_points",
        "keep",
        {
            "by a half": {"contract": [25.5 * 2 * 2, -51, -51]},
            "lost by a half": {"contract": [-25.5 * 2 * 2, 51, 51]},
        },
    ),
    (
        FIVE,
        FIVE_POOL,
        "half_points",
        "keep",
        {
            "by a half": {"contract": [102, 51, -51, -51, -51]},
            "slam of the defence": {"contract": [-4 * 153, 153, 153, 153, 153]},
        },
    ),
    (FOUR, FOUR_POOL, "petit_sec_redeal", True, {}),
    (FOUR, FOUR_POOL, "petit_sec_redeal", False, {"petit sec": "incomplete"}),
    (FOUR, FOUR_POOL, "slam_by_defence", 200, {}),
    (FOUR, FOUR_POOL, "slam_by_defence", 50, {"slam of the defence": {"slam": quarter(-50)}}),
    (FIVE, FIVE_POOL, "slam_by_defence", 0, {"slam of the defence": {"slam": [0, 0, 0, 0, 0]}}),
]


@pytest.mark.parametrize(
    ("base", "pool", "ruling", "value", "expected"),
    TAROT_ROWS,
    ids=[f"{base.id}-{ruling}-{value}" for base, _, ruling, value, _ in TAROT_ROWS],
)
def test_a_ruling_of_french_tarot(
    base: Variant, pool: dict[str, list[Sent]], ruling: str, value: RulingValue, expected: Changes
) -> None:
    assert changes_of(base, ruling, value, pool) == expected


def test_every_value_of_every_ruling_is_here() -> None:
    every_value(FOUR, [(ruling, value) for _, _, ruling, value, _ in TAROT_ROWS])
