"""What the bonuses of Illustrated Tarock are and pay (IT-7.6 to IT-7.29)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.scenes import (
    BECK,
    LOEW,
    MAYR,
    TAROCKS,
)
from tests.rules.tarock_facts import PLAIN, bonuses, claim, facts, mask
from trull import Variant
from trull.price_tarock import price
from trull.state import NOBODY

tarock = pytest.mark.parametrize("variant", TAROCKS, ids=lambda variant: variant.id)


# --- Bonuses: made, failed, silent ---------------------------------------------------------------


@tarock
def test_it_7_6_a_bonus_made_is_the_players_also_in_a_lost_game(variant: Variant) -> None:
    for count in (41, 30):
        made = price(facts(count, pagat_by=0, pagat_to=0), variant)
        assert bonuses(made) == {"pagat": [5 * 2, 0, 0]}
        announced = price(facts(count, claim(0, "pagat"), pagat_by=0, pagat_to=0), variant)
        assert bonuses(announced) == {"pagat": [10 * 2, 0, 0]}
        assert announced.lines[-1].clause == "IT-7.10"


@tarock
def test_it_7_7_it_7_8_a_failed_announcement_goes_to_the_other_side(variant: Variant) -> None:
    multiplier = 1 if variant is BECK else 3
    failed = price(facts(41, claim(0, "pagat"), contract="einblatt"), variant)
    assert bonuses(failed) == {"pagat": [0, 10 * multiplier, 10 * multiplier]}
    line = failed.lines[-1]
    assert (line.clause, line.base, line.multiplier) == ("IT-7.7", 10, multiplier)
    assert line.facts == {"player": 0, "stage": "after_pickup", "made": False}
    contrad = price(facts(41, claim(0, "pagat", level=1), contract="einblatt"), variant)
    assert bonuses(contrad) == {"pagat": [0, 20 * multiplier, 20 * multiplier]}


def test_it_7_7_a_defenders_failed_announcement_goes_to_the_declarer() -> None:
    assert bonuses(price(facts(41, claim(1, "uhu")), LOEW)) == {"uhu": [20, 0, 0]}
    made = price(facts(41, claim(2, "uhu"), uhu_by=2, uhu_to=2), LOEW)
    assert bonuses(made) == {"uhu": [0, 0, 20]}


@pytest.mark.parametrize(
    ("variant", "values"),
    [(LOEW, (None, 10, 5)), (BECK, (20, 10, 5)), (MAYR, (20, 10, 5))],
    ids=["loew", "beck", "mayr"],
)
def test_it_7_10_pagat_by_stage(variant: Variant, values: tuple[int | None, int, int]) -> None:
    before, after, quiet = values
    won: dict[str, Any] = {"pagat_by": 0, "pagat_to": 0}
    if before is not None:
        early = price(facts(41, claim(0, "pagat", "before_pickup"), **won), variant)
        assert bonuses(early) == {"pagat": [2 * before, 0, 0]}
        assert early.lines[-1].facts["stage"] == "before_pickup"
    late = price(facts(41, claim(0, "pagat"), **won), variant)
    assert bonuses(late) == {"pagat": [2 * after, 0, 0]}
    silently = price(facts(41, **won), variant)
    assert bonuses(silently) == {"pagat": [2 * quiet, 0, 0]}
    assert silently.lines[-1].facts == {"player": 0, "stage": "silent", "made": True}


def test_it_7_10_it_7_26_a_defenders_own_pagat() -> None:
    own = facts(41, pagat_by=1, pagat_to=1)
    assert bonuses(price(own, LOEW)) == bonuses(price(own, BECK)) == {"pagat": [0, 10, 0]}
    assert bonuses(price(own, MAYR)) == {}
    bird = facts(41, uhu_by=2, uhu_to=2)
    assert bonuses(price(bird, LOEW)) == bonuses(price(bird, BECK)) == {"uhu": [0, 0, 10]}
    assert bonuses(price(bird, MAYR)) == {}


@pytest.mark.parametrize(
    ("by", "to", "share"),
    [
        (0, 1, [0, 10, 10]),
        (0, 2, [0, 10, 10]),
        (1, 0, [10, 0, 0]),
        (2, 0, [10, 0, 0]),
        (1, 2, None),
        (2, 1, None),
    ],
)
@tarock
def test_it_7_20_a_captured_pagat(variant: Variant, by: int, to: int, share: list[int] | None) -> None:
    """Also where a defender's own would have earned nothing; between defenders nothing."""
    draft = price(facts(41, pagat_by=by, pagat_to=to), variant)
    assert bonuses(draft) == ({} if share is None else {"pagat": share})
    if share is not None:
        assert draft.lines[-1].clause == "IT-7.20"
        assert draft.lines[-1].facts == {"player": by, "stage": "silent", "made": False}


@tarock
def test_it_7_20_who_announced_it_loses_the_announcement_alone(variant: Variant) -> None:
    draft = price(facts(41, claim(0, "pagat"), pagat_by=0, pagat_to=1, contract="dreiblatt"), variant)
    assert bonuses(draft) == {"pagat": [0, 10, 10]}
    # A captured Uhu brings nothing.
    assert bonuses(price(facts(41, uhu_by=0, uhu_to=1), variant)) == {}


@tarock
def test_it_7_23_another_players_pagat_counts_beside_the_announcement(variant: Variant) -> None:
    """The declarer announced it, and a defender's falls into the last trick."""
    announced = facts(41, claim(0, "pagat"), pagat_by=1, pagat_to=0, contract="dreiblatt")
    shares = [list(line.points) for line in price(announced, variant).lines if line.item == "pagat"]
    assert shares == [[0, 10, 10], [5, 0, 0]]
    own = facts(41, claim(0, "pagat"), pagat_by=1, pagat_to=1, contract="dreiblatt")
    shares = [list(line.points) for line in price(own, variant).lines if line.item == "pagat"]
    assert shares == ([[0, 10, 10]] if variant is MAYR else [[0, 10, 10], [0, 5, 0]])


@pytest.mark.parametrize(("name", "least"), [("forty", 40), ("fifty", 50)])
@tarock
def test_it_7_12_it_7_13_forty_and_fifty(variant: Variant, name: str, least: int) -> None:
    stage = "before_pickup" if name == "forty" else "after_pickup"
    value = variant.bonuses[name].values["before" if name == "forty" else "after"]
    multiplier = 1 if variant is BECK else 2
    made = price(facts(least, claim(0, name, stage)), variant)
    assert bonuses(made) == {name: [2 * value, 0, 0]}
    failed = price(facts(least - 1, claim(0, name, stage)), variant)
    assert bonuses(failed) == {name: [0, multiplier * value, multiplier * value]}
    # Never silent.
    assert bonuses(price(facts(70), variant)) == {}


def test_it_7_27_forty_fifty_and_valat_together() -> None:
    said = [claim(0, name, "before_pickup") for name in ("valat", "fifty", "forty")]
    draft = price(facts(55, *said, declarer_tricks=15, contract="dreiblatt"), MAYR)
    assert bonuses(draft) == {"valat": [0, 80, 80], "fifty": [40, 0, 0], "forty": [10, 0, 0]}


def test_it_7_19_valat() -> None:
    every = facts(66, declarer_tricks=16)
    assert bonuses(price(every, BECK)) == {"valat": [24, 0, 0]}
    assert bonuses(price(every, MAYR)) == {"valat": [40, 0, 0]}
    assert bonuses(price(every, LOEW)) == {}
    assert bonuses(price(facts(66, declarer_tricks=15), MAYR)) == {}
    announced = facts(66, claim(0, "valat", "before_pickup"), declarer_tricks=16)
    assert bonuses(price(announced, MAYR)) == {"valat": [160, 0, 0]}


# --- Bonuses for cards ---------------------------------------------------------------------------


@tarock
def test_it_7_16_it_7_17_it_7_18_hand_bonuses_belong_to_who_holds_the_cards(variant: Variant) -> None:
    trull = variant.bonuses["tarock_trull"].values["silent"] * 2
    royal = variant.bonuses["royal_trull"].values["silent"] * 2
    two = 0 if variant is MAYR else variant.bonuses["two_honours"].values["silent"] * 2
    kings = "SK HK DK CK"
    all_three = price(facts(41, dealt=("T1 T21 F SK", kings, PLAIN)), variant)
    assert bonuses(all_three) == {"tarock_trull": [trull, 0, 0], "royal_trull": [0, royal, 0]}
    pair = price(facts(41, dealt=("T1 SK", "T21 F", PLAIN)), variant)
    assert bonuses(pair) == ({"two_honours": [0, two, 0]} if two else {})
    three_kings = price(facts(41, dealt=("SK HK DK T1", PLAIN, PLAIN)), variant)
    assert bonuses(three_kings) == {}


@tarock
def test_it_10_5_hand_bonuses_are_judged_before_play(variant: Variant) -> None:
    came = facts(41, dealt=("T1 T21 SK", PLAIN, PLAIN), before=("T1 T21 F SK", PLAIN, PLAIN))
    assert list(bonuses(price(came, variant))) == ["tarock_trull"]
    kings = facts(41, dealt=("SK HK DK T1", PLAIN, PLAIN), before=("SK HK DK CK T1", PLAIN, PLAIN))
    assert list(bonuses(price(kings, variant))) == ["royal_trull"]


def test_it_7_14_it_7_15_without_in_a_won_game_only() -> None:
    for name, cards, other in (("without_trull", "SK HQ", "T1"), ("without_kings", "T1 HQ", "SK")):
        bare = (cards, PLAIN, PLAIN)
        assert list(bonuses(price(facts(36, dealt=bare), BECK))) == [name]
        assert bonuses(price(facts(35, dealt=bare), BECK)) == {}
        both = (f"{cards} {other}", PLAIN, PLAIN)
        assert bonuses(price(facts(36, dealt=both), BECK)) == {}
        assert list(bonuses(price(facts(36, dealt=bare), LOEW))) == [name]
        assert bonuses(price(facts(36, dealt=bare), MAYR)) == {}, "not silent there"
        # The defenders' hands say nothing.
        assert bonuses(price(facts(36, dealt=("T1 SK", "HQ", "HQ")), BECK)) == {}


def test_it_7_14_what_comes_in_with_the_talon() -> None:
    """Löw and Beck look at the hand as dealt, M&S at the hand before play."""
    came: dict[str, Any] = {"dealt": ("SK HQ", PLAIN, PLAIN), "before": ("SK HQ T21", PLAIN, PLAIN)}
    said = claim(0, "without_trull", "before_pickup")
    assert bonuses(price(facts(41, **came), BECK)) == {"without_trull": [8, 0, 0]}
    assert bonuses(price(facts(41, said, **came), BECK)) == {"without_trull": [32, 0, 0]}
    assert bonuses(price(facts(41, said, **came), MAYR)) == {"without_trull": [0, 40, 40]}
    stayed = facts(41, said, dealt=("SK HQ", PLAIN, PLAIN), talon=mask("T21"))
    assert bonuses(price(stayed, MAYR)) == {"without_trull": [40, 0, 0]}


def test_nobody_is_no_seat() -> None:
    """A Pagat that was not in the last trick is nobody's, and nobody wins it."""
    plain = facts(41)
    assert (plain.pagat_by, plain.pagat_to, plain.uhu_by, plain.uhu_to) == (NOBODY,) * 4
    assert bonuses(price(plain, LOEW)) == {}
