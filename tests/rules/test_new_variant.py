"""Adding a variant is adding a value: a fourth rule set of the Illustrated family, made up here.

It has five contracts, a bonus at another price, and rows of its own for everything else; the code of the
games is not touched.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tests.rules.scenes import (
    BECK,
    LOEW,
    MAYR,
    announce,
    bid,
    bonus,
    contra,
    deal,
    gut,
    hand_of,
    lay,
    lines,
    points,
    refused,
    say,
    sheet_of,
    silent,
    take,
    tarock_result,
)
from tests.support.hands import VARIANT_IDS, play_out
from trull import Hand, Variant, may_act, score
from trull.games import ILLUSTRATED_TAROCK
from trull.model import Bonus, Contract

SUNDAY = Variant(
    id="illustrated-sunday",
    name="Illustrated Tarock as never played on Sundays",
    source="this file",
    game=ILLUSTRATED_TAROCK,
    players=3,
    contracts={
        row.id: row
        for row in (
            Contract("einblatt", 7, ((5,),), {"called": 11, "taken_over": 13}, takeable=True),
            Contract("dreiblatt", 2, ((1, 2, 3),), {"called": 17}),
            Contract("solo", 5, stakes={"called": 19}, ends_auction=True),
        )
    },
    bonuses={
        row.id: row
        for row in (
            Bonus("uhu", {"before": 23, "silent": 29}, "anyone", "declarer"),
            Bonus("forty", {"after": 31}, "declarer"),
            Bonus("royal_trull", {"silent": 37}, silent_by="anyone"),
        )
    },
    rulings={**BECK.rulings, "contra_after": 3, "pass_out": "redeal", "royal_trull": "three_honours"},
)


def test_its_own_contracts_in_their_own_order() -> None:
    assert refused(SUNDAY, bid("A", "zweiblatt")) == ("illegal-bid", "IT-4.3")
    assert refused(SUNDAY, bid("A", "dreiblatt"), bid("B", "einblatt")) == ("illegal-bid", "IT-4.3")
    words = [bid("A", "einblatt"), say("bid_taken_over", "B"), *gut("A", "C")]
    hand = hand_of(SUNDAY, *words)
    assert hand.contract is not None
    assert (hand.declarer, hand.contract.id, hand.stake) == (1, "einblatt", "taken_over")
    assert refused(SUNDAY, bid("A", "dreiblatt"), say("bid_taken_over", "B")) == ("illegal-bid", "IT-4.5")
    assert may_act(Hand(SUNDAY)) == {0: ["bid_made", "passed"]}


def test_its_own_portions_of_the_talon() -> None:
    dealt = deal(SUNDAY, "SQ SC SJ", talon="HQ S9 C8 T7 DK T1")
    ready = [dealt, bid("A", "dreiblatt"), *gut("B", "C")]
    assert refused(SUNDAY, *ready, take("A", "HQ S9 C8")) == ("illegal-talon", "IT-5.1")
    assert hand_of(SUNDAY, *ready, take("A", "S9 C8 T7"), lay("A", "SQ SC SJ")).phase == "play"


def test_its_own_values() -> None:
    assert points(sheet_of(SUNDAY, tarock_result(40, contract="einblatt"))) == [(11 + 5) * 7, 0, 0]
    taken = tarock_result(40, contract="einblatt", stake="taken_over")
    assert points(sheet_of(SUNDAY, taken)) == [(13 + 5) * 7, 0, 0]
    answered = tarock_result(33, contract="solo", contra={"level": "contra"})
    assert points(sheet_of(SUNDAY, answered)) == [0, (19 + 2) * 5 * 3, (19 + 2) * 5 * 3]
    said = tarock_result(45, bonus("forty"), silent("royal_trull", "C"), contract="dreiblatt")
    assert lines(sheet_of(SUNDAY, said)) == {
        "game": [17 * 2, 0, 0],
        "overshoot": [10 * 2, 0, 0],
        "forty": [31 * 2, 0, 0],
        "royal_trull": [0, 0, 37 * 2],
    }


def test_its_own_announcements() -> None:
    ready = [deal(SUNDAY), bid("A", "dreiblatt"), *gut("B", "C")]
    hand = hand_of(SUNDAY, *ready, announce("C", "uhu"), contra("A", "uhu"))
    assert hand.contras == {("uhu", "before_pickup", False): 1}
    assert refused(SUNDAY, *ready, announce("A", "forty")) == ("illegal-announcement", "IT-7.21")
    assert refused(SUNDAY, *ready, announce("A", "pagat")) == ("illegal-announcement", "IT-7.21")


def test_hands_of_the_others_score_under_it_and_its_own_under_the_others() -> None:
    event = tarock_result(45, bonus("pagat"), silent("uhu"), contract="dreiblatt")
    sheet = sheet_of(BECK, event, under=SUNDAY)
    assert sheet["variant"] == "illustrated-sunday"
    assert lines(sheet) == {"game": [34, 0, 0], "overshoot": [20, 0, 0], "uhu": [29 * 2, 0, 0]}
    assert [note["code"] for note in sheet["notes"]] == ["bonus-left-out"]
    own = tarock_result(45, bonus("uhu", "C", "before_pickup"), contract="dreiblatt")
    assert lines(sheet_of(SUNDAY, own))["uhu"] == [0, 0, 23 * 2]
    assert lines(sheet_of(SUNDAY, own, under=LOEW))["uhu"] == [0, 0, 10]
    assert "uhu" not in lines(sheet_of(SUNDAY, own, under=MAYR))
    assert [note["code"] for note in sheet_of(SUNDAY, own, under=BECK)["notes"]] == ["announcement-as-silent"]


def test_its_revision_is_its_own() -> None:
    assert SUNDAY.revision not in {BECK.revision, LOEW.revision, MAYR.revision}
    assert replace(SUNDAY, id="x").describe()["id"] == "x"


@pytest.mark.parametrize("name", VARIANT_IDS)
def test_the_hands_of_chance_know_every_variant(name: str) -> None:
    assert play_out(name, random.Random(1)).over


def test_it_9_7_a_contract_that_the_other_rule_set_lacks_is_not_played() -> None:
    sheet = score(hand_of(BECK, tarock_result(40)), SUNDAY).as_dict(("A", "B", "C"), None, 1)
    assert sheet["status"] == "void"
    assert sheet["notes"] == [{"code": "void", "detail": "illustrated-sunday has no contract zweiblatt."}]
