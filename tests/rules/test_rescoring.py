"""A hand of Illustrated Tarock under another rule set (IT-9), and of either game under any other (FT-9.6)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.rules.scenes import (
    BECK,
    FIVE,
    FOUR,
    LOEW,
    MAYR,
    TAROCKS,
    THREE,
    Sent,
    announce,
    annul,
    bid,
    bonus,
    deal,
    fine,
    hand_of,
    lines,
    passed,
    points,
    sheet_of,
    silent,
    tarock_result,
    tarot_result,
    trischaken_result,
)
from tests.rules.tarock_facts import PLAIN, bonuses, claim, facts
from trull import VARIANTS, Variant, facts_of, replay, score
from trull.price_tarock import price
from trull.sheet import Draft

tarock = pytest.mark.parametrize("variant", TAROCKS, ids=lambda variant: variant.id)


def codes(notes: Any) -> list[str]:
    """The codes of a sheet's notes."""
    return [note["code"] for note in notes]


def noted(draft: Draft) -> list[str]:
    return [note.code for note in draft.notes]


def test_it_9_1_a_stake_that_the_target_lacks_counts_as_called() -> None:
    event = tarock_result(41, contract="dreiblatt", stake="retaken")
    assert (points(sheet_of(LOEW, event)), sheet_of(LOEW, event)["stake"]) == ([5 + 6, 0, 0], "retaken")
    for target, value in ((BECK, 3), (MAYR, 3)):
        sheet = sheet_of(LOEW, event, under=target)
        assert (points(sheet), sheet["stake"]) == ([value + 6, 0, 0], "called")
        assert codes(sheet["notes"]) == ["stake-as-called"]
        assert target.id in sheet["notes"][0]["detail"]
    # A stake that it has keeps its name, at the target's value.
    held = tarock_result(41, contract="dreiblatt", stake="held")
    sheet = sheet_of(LOEW, held, under=BECK)
    assert (points(sheet), sheet["stake"], sheet["notes"]) == ([5 + 6, 0, 0], "held", [])


def test_it_9_2_an_announcement_counts_at_the_stage_that_the_target_has() -> None:
    early = facts(41, claim(0, "pagat", "before_pickup"), pagat_by=0, pagat_to=0)
    draft = price(early, LOEW)
    assert bonuses(draft) == {"pagat": [10 * 2, 0, 0]}
    assert draft.lines[-1].facts["stage"] == "after_pickup"
    assert noted(draft) == ["announcement-at-other-stage"]
    late = facts(41, claim(0, "forty"))
    draft = price(late, LOEW)
    assert bonuses(draft) == {"forty": [5 * 2, 0, 0]}
    assert draft.lines[-1].facts["stage"] == "before_pickup"
    assert noted(draft) == ["announcement-at-other-stage"]
    assert noted(price(late, BECK)) == []


def test_it_9_3_a_bonus_not_announceable_there_is_judged_as_silent() -> None:
    bare = ("SK HQ", PLAIN, PLAIN)
    said = facts(41, claim(0, "without_trull"), dealt=bare)
    draft = price(said, LOEW)
    assert bonuses(draft) == {"without_trull": [5 * 2, 0, 0]}
    assert draft.lines[-1].facts["stage"] == "silent"
    assert noted(draft) == ["announcement-as-silent"]
    failed = price(facts(41, claim(0, "without_trull")), LOEW)
    assert (bonuses(failed), noted(failed)) == ({}, ["announcement-as-silent"])
    # Not by that player: a defender's Pagat of Löw's.
    own = facts(41, claim(1, "pagat"), pagat_by=1, pagat_to=1)
    assert bonuses(price(own, BECK)) == {"pagat": [0, 5 * 2, 0]}
    assert bonuses(price(own, MAYR)) == {}
    assert noted(price(own, MAYR)) == ["announcement-as-silent"]
    lost = facts(41, claim(1, "pagat"), pagat_by=1, pagat_to=0)
    assert bonuses(price(lost, BECK)) == {"pagat": [5 * 2, 0, 0]}


def test_it_9_3_a_bonus_that_nobody_can_announce_at_any_stage() -> None:
    row = replace(BECK.bonuses["pagat"], values={"silent": 5})
    house = replace(BECK, bonuses={**BECK.bonuses, "pagat": row})
    draft = price(facts(41, claim(0, "pagat"), pagat_by=0, pagat_to=0), house)
    assert bonuses(draft) == {"pagat": [5 * 2, 0, 0]}
    assert noted(draft) == ["announcement-as-silent"]


def test_it_9_4_a_bonus_that_the_target_lacks_is_left_out() -> None:
    said = facts(41, claim(0, "uhu"), uhu_by=0, uhu_to=0)
    draft = price(said, MAYR)
    assert (bonuses(draft), noted(draft)) == ({}, ["bonus-left-out"])
    valat = facts(66, claim(0, "valat"), declarer_tricks=16)
    draft = price(valat, LOEW)
    assert (bonuses(draft), noted(draft)) == ({}, ["bonus-left-out"])
    # What was only silent is not there without a note.
    assert noted(price(facts(41, uhu_by=0, uhu_to=0), MAYR)) == []


def test_it_9_5_a_recontra_counts_as_a_contra() -> None:
    again = facts(41, claim(0, "pagat", level=2), game_contra=("after_pickup", 2), pagat_by=0, pagat_to=0)
    for target in (LOEW, BECK):
        draft = price(again, target)
        assert {line.contra for line in draft.lines} == {2}
        assert noted(draft) == ["recontra-as-contra", "recontra-as-contra"]
        assert ["game" in note.detail for note in draft.notes] == [True, False]
    assert {line.contra for line in price(again, MAYR).lines} == {4}
    assert noted(price(again, MAYR)) == []


PASSES = [passed("A"), passed("B"), passed("C")]


def test_it_9_6_trischaken_where_the_target_deals_again() -> None:
    event = trischaken_result([20, 15, 25], [5, 5, 6])
    for target in (LOEW, MAYR):
        sheet = sheet_of(BECK, event, under=target)
        assert (sheet["status"], points(sheet), sheet["items"]) == ("annulled", [0, 0, 0], [])
        assert (sheet["contract"], sheet["outcome"]) == (None, None)
        assert codes(sheet["notes"]) == ["trischaken-not-played"]
        assert sheet_of(BECK, *PASSES, under=target)["status"] == "annulled"
    fined = sheet_of(BECK, event, fine("A", 3), under=LOEW)
    assert (points(fined), fined["payments"]) == ([3, 0, 0], [])


def test_it_9_7_another_game_or_number_of_players_is_void() -> None:
    for own, events in (
        (MAYR, [tarock_result(40)]),
        (THREE, [tarot_result(50, 1)]),
        (FOUR, [tarot_result(50, 1)]),
        (FIVE, [tarot_result(50, 1, partner="A")]),
        (MAYR, [annul("director")]),
        (FOUR, [passed("A")]),
    ):
        for target in VARIANTS.values():
            sheet = sheet_of(own, *events, under=target)
            if target.game is own.game and target.players == own.players:
                assert sheet["status"] != "void"
                continue
            assert (sheet["status"], sheet["variant"]) == ("void", target.id)
            assert (sheet["items"], sheet["payments"]) == ([], [])
            assert codes(sheet["notes"]) == ["void"]


NO_TAROCK = "S7 S8 S9 H4 H3 H2 D4 D3 D2 C7 C8 C9 HK HQ DK DQ"


def test_it_9_8_what_the_targets_auction_does_not_allow_stays() -> None:
    """Löw has no contra before the pick-up: the factor is his, the call stands."""
    early = tarock_result(41, contra={"level": "contra", "stage": "before_pickup"})
    sheet = sheet_of(BECK, early, under=LOEW)
    assert [item["contra"] for item in sheet["items"]] == [2, 2]
    assert sheet["notes"] == []


def test_it_9_9_results_without_cards() -> None:
    made = tarock_result(41, bonus("without_trull", made=True))
    sheet = sheet_of(BECK, made, under=LOEW)
    assert lines(sheet)["without_trull"] == [5 * 2, 0, 0]
    assert sheet["items"][-1]["stage"] == "silent"
    failed = tarock_result(41, bonus("without_trull", made=False))
    sheet = sheet_of(BECK, failed, under=LOEW)
    assert "without_trull" not in lines(sheet)
    assert codes(sheet["notes"]) == ["announcement-as-silent"]
    # A failed announcement that is none there is dropped: it is no captured Pagat either.
    lost = tarock_result(41, bonus("pagat", "B", made=False))
    sheet = sheet_of(LOEW, lost, under=BECK)
    assert "pagat" not in lines(sheet)
    captured = tarock_result(41, silent("pagat", "B", made=False))
    assert lines(sheet_of(LOEW, captured, under=BECK))["pagat"] == [10, 0, 0]
    assert lines(sheet_of(LOEW, captured, under=MAYR))["pagat"] == [10, 0, 0]


def test_it_9_10_the_hands_own_variant_leaves_no_note() -> None:
    said = [deal(LOEW), bid("A", "solo"), announce("A", "forty"), announce("B", "pagat")]
    for events in ([*said], [tarock_result(41, contract="einblatt", stake="retaken")]):
        assert sheet_of(LOEW, *events)["notes"] == []
        assert sheet_of(LOEW, *events, under=LOEW)["notes"] == []


def test_facts_are_read_once_and_priced_often() -> None:
    events: list[Sent] = [tarock_result(41, contract="dreiblatt", stake="held")]
    for target in TAROCKS:
        assert sheet_of(LOEW, *events, under=target)["variant_revision"] == target.revision
    hand = replay(LOEW, [])
    assert score(hand).draft.status == "incomplete"


@tarock
def test_a_hand_is_scored_with_the_facts_that_are_at_hand(variant: Variant) -> None:
    hand = hand_of(LOEW, tarock_result(41, stake="held"))
    other = hand_of(LOEW, tarock_result(30, stake="held"))
    assert score(hand, variant, facts_of(hand)) == score(hand, variant)
    # They are not read again.
    assert score(hand, variant, facts_of(other)) == score(other, variant)
