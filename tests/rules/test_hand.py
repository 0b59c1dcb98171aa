"""The deal, annulments, results and penalties beside the game (IT-3, IT-12, FT-2, FT-9)."""

from __future__ import annotations

import pytest

from tests.rules.scenes import (
    BECK,
    FIVE,
    FOUR,
    LOEW,
    MAYR,
    TAROCKS,
    TAROTS,
    THREE,
    Sent,
    announce,
    annul,
    bid,
    deal,
    fine,
    gut,
    hand_of,
    lay,
    passed,
    play,
    players_of,
    points,
    refusal,
    refused,
    result,
    retract,
    sheet_of,
    take,
    tarock_result,
    tarot_result,
    trick,
)
from trull import Hand, RulesError, Variant, replay, score, step
from trull.events import CardsDealt, Passed

tarock = pytest.mark.parametrize("variant", TAROCKS, ids=lambda variant: variant.id)
tarot = pytest.mark.parametrize("variant", TAROTS, ids=lambda variant: variant.id)
every = pytest.mark.parametrize("variant", TAROCKS + TAROTS, ids=lambda variant: variant.id)


def any_result(variant: Variant) -> Sent:
    if variant in TAROCKS:
        return tarock_result(40)
    partner = {"partner": "A"} if variant is FIVE else {}
    return tarot_result(50, 1, **partner)


# --- The deal ------------------------------------------------------------------------------------


@every
def test_it_3_2_ft_2_9_the_deal(variant: Variant) -> None:
    dealt = deal(variant)
    hand = hand_of(variant, dealt)
    assert hand.phase == "auction"
    assert hand.status == "incomplete"
    assert hand.talon is not None
    assert len(hand.talon) == variant.game.deals[variant.players].talon
    clause = variant.game.clauses["deal"]
    assert refused(variant, dealt, dealt) == ("event-out-of-place", clause)
    assert refused(variant, passed("A"), dealt) == ("event-out-of-place", clause)
    # A penalty may come before it.
    assert hand_of(variant, fine("A", 5), dealt).phase == "auction"


@every
def test_a_card_twice(variant: Variant) -> None:
    dealt = deal(variant, "SK", "SQ")
    dealt["hands"]["B"][-1] = "SK"
    error = refusal(variant, dealt)
    last = len(dealt["hands"]["B"]) - 1
    assert (error.code, error.clause) == ("duplicate-card", variant.game.clauses["deal"])
    assert error.path == ("hands", 1, last)
    assert "SK" in error.detail
    twice_in_talon = deal(variant)
    twice_in_talon["talon"][-1] = twice_in_talon["talon"][0]
    place = len(twice_in_talon["talon"]) - 1
    assert refusal(variant, twice_in_talon).path == ("talon", place)


@every
def test_a_card_too_few_or_too_many(variant: Variant) -> None:
    clause = variant.game.clauses["deal"]
    for name in players_of(variant):
        dealt = deal(variant)
        dealt["talon"].append(dealt["hands"][name].pop())
        error = refusal(variant, dealt)
        assert (error.code, error.clause) == ("incomplete-deck", clause)
        assert error.path == ("hands", players_of(variant).index(name))
    dealt = deal(variant)
    dealt["talon"].pop()
    error = refusal(variant, dealt)
    assert (error.code, error.path) == ("incomplete-deck", ("talon",))


def test_a_card_of_the_other_pack() -> None:
    dealt = deal(MAYR, "SK")
    dealt["hands"]["A"][0] = "S1"
    error = refusal(MAYR, dealt)
    assert (error.code, error.clause, error.path) == ("incomplete-deck", "IT-3.2", ())
    assert "SK" in error.detail


NO_TAROCK = "S7 S8 S9 H4 H3 H2 D4 D3 D2 C7 C8 C9 HK HQ DK DQ"


def test_it_3_3_loew_a_hand_without_a_tarock_is_dealt_again() -> None:
    for own in ((NO_TAROCK,), ("", NO_TAROCK), ("", "", NO_TAROCK)):
        dealt = deal(LOEW, *own)
        assert hand_of(LOEW, dealt).status == "void"
        for wrong in (passed("A"), bid("A", "solo"), play("A", "SK"), announce("A", "pagat")):
            assert refused(LOEW, dealt, wrong) == ("redeal-required", "IT-3.3")
        sheet = sheet_of(LOEW, dealt)
        assert (sheet["status"], points(sheet)) == ("void", [0, 0, 0])
        assert [note["code"] for note in sheet["notes"]] == ["void"]
        for variant in (BECK, MAYR):
            assert hand_of(variant, dealt, passed("A")).status == "incomplete"
    # The Sküs and the Pagat are tarocks.
    for only in ("F", "T1"):
        assert hand_of(LOEW, deal(LOEW, NO_TAROCK.replace("S7", only)), passed("A")).status == "incomplete"


@tarot
def test_ft_2_5_petit_sec(variant: Variant) -> None:
    count = variant.game.deals[variant.players].cards_each - 1
    suits = [f"{suit}{rank}" for rank in "KQCJ98765" for suit in "SHDC"][:count]
    dealt = deal(variant, " ".join(["T1", *suits]))
    assert hand_of(variant, dealt).status == "void"
    assert refused(variant, dealt, passed("A")) == ("redeal-required", "FT-2.5")
    hand = hand_of(variant, dealt, annul("petit_sec"))
    assert (hand.status, hand.phase) == ("annulled", "annulled")
    with_excuse = deal(variant, " ".join(["T1", "F", *suits[1:]]))
    assert hand_of(variant, with_excuse, passed("A")).status == "incomplete"
    with_trump = deal(variant, " ".join(["T1", "T2", *suits[1:]]))
    assert hand_of(variant, with_trump, passed("A")).status == "incomplete"
    error = refusal(variant, with_trump, annul("petit_sec"))
    assert (error.code, error.clause, error.path) == ("event-out-of-place", "FT-9.1", ("reason",))


def test_it_9_7_a_void_deal_of_another_rule_set() -> None:
    """A whole hand of Beck's that Löw would not have played, and one that is not yet whole."""
    dealt = deal(BECK, "", "", NO_TAROCK)
    for events in ([dealt], [dealt, bid("A", "solo")]):
        assert sheet_of(BECK, *events)["status"] == "incomplete"
        assert sheet_of(BECK, *events, under=LOEW)["status"] == "void"
        assert sheet_of(BECK, *events, under=MAYR)["status"] == "incomplete"
    assert sheet_of(LOEW, dealt, under=BECK)["status"] == "void", "it was not played here either"


# --- Annulments ----------------------------------------------------------------------------------


@every
def test_it_12_1_ft_9_1_annulments(variant: Variant) -> None:
    dealt = deal(variant)
    for reason in ("director", "misdeal", "redeal"):
        hand = hand_of(variant, dealt, passed("A"), annul(reason))
        assert (hand.status, hand.phase, hand.annulled) == ("annulled", "annulled", reason)
        sheet = sheet_of(variant, dealt, annul(reason))
        assert (sheet["status"], sheet["outcome"], sheet["items"]) == ("annulled", None, [])
        assert reason in sheet["notes"][0]["detail"]
    assert hand_of(variant, annul("director")).status == "annulled"
    clause = variant.game.clauses["annulled"]
    error = refusal(variant, dealt, annul("all_passed"))
    assert (error.code, error.clause, error.path) == ("event-out-of-place", clause, ("reason",))
    over = [dealt, annul("director")]
    assert refused(variant, *over, annul("director")) == ("event-out-of-place", clause)
    for wrong in (passed("A"), play("A", "SK"), announce("A", "slam")):
        assert refused(variant, *over, wrong)[0] == "event-out-of-place"
    assert refused(variant, any_result(variant), annul("director")) == ("event-out-of-place", clause)


@every
def test_everybody_has_passed(variant: Variant) -> None:
    passes = [passed(name) for name in players_of(variant)]
    assert hand_of(variant, *passes).status == "annulled"
    hand = hand_of(variant, *passes, annul("all_passed"))
    assert (hand.status, hand.phase) == ("annulled", "annulled")
    sheet = sheet_of(variant, *passes)
    assert (sheet["status"], sheet["scores"]) == ("annulled", dict.fromkeys(players_of(variant), 0))
    assert sheet["notes"][0]["detail"] == "No score: all_passed."


def test_beck_after_a_card_of_trischaken_not_everybody_has_just_passed() -> None:
    passes = [passed("A"), passed("B"), passed("C")]
    assert refused(BECK, *passes, play("A", "SK"), annul("all_passed"))[0] == "event-out-of-place"
    assert hand_of(BECK, *passes, annul("all_passed")).phase == "annulled"
    assert hand_of(BECK, *passes, play("A", "SK"), annul("director")).status == "annulled"


@tarock
def test_petit_sec_belongs_to_french_tarot(variant: Variant) -> None:
    assert refused(variant, annul("petit_sec")) == ("event-out-of-place", "IT-12.1")
    assert refused(variant, deal(variant), annul("petit_sec")) == ("event-out-of-place", "IT-12.1")


@tarot
def test_petit_sec_without_the_deal_is_taken_on_trust(variant: Variant) -> None:
    assert hand_of(variant, annul("petit_sec")).annulled == "petit_sec"


# --- Results and penalties beside the game -------------------------------------------------------


@every
def test_it_12_4_ft_9_4_a_result_stands_alone(variant: Variant) -> None:
    whole = any_result(variant)
    clause = variant.game.clauses["result"]
    assert hand_of(variant, whole).phase == "finished"
    assert refused(variant, whole, whole) == ("event-out-of-place", clause)
    for before in (passed("A"), deal(variant), annul("director")):
        assert refused(variant, before, whole) == ("event-out-of-place", clause)
    for after in (passed("A"), play("A", "SK"), deal(variant)):
        assert refused(variant, whole, after)[0] == "event-out-of-place"
    assert hand_of(variant, whole, fine("A", 1), fine("B", 2)).status == "scored"
    assert refused(variant, fine("A", 1), whole) == ("event-out-of-place", clause)
    # The first event that stands: what was retracted does not.
    assert hand_of(variant, passed("A"), retract(1), whole).status == "scored"
    assert hand_of(variant, whole, retract(1), passed("A")).status == "incomplete"


@every
def test_it_12_3_ft_9_3_penalties_count_in_the_scores_alone(variant: Variant) -> None:
    plain = sheet_of(variant, any_result(variant))
    fined = sheet_of(variant, any_result(variant), fine("A", -20), fine("C", 5), fine("A", -1))
    difference = [after - before for before, after in zip(points(plain), points(fined), strict=True)]
    assert difference == [-21, 0, 5, *([0] * (variant.players - 3))]
    assert fined["payments"] == plain["payments"]
    penalties = [item for item in fined["items"] if item["item"] == "penalty"]
    assert [(item["player"], item["base"]) for item in penalties] == [("A", -20), ("C", 5), ("A", -1)]
    assert {item["clause"] for item in penalties} == {variant.game.clauses["penalty"]}
    assert {(item["multiplier"], item["contra"]) for item in penalties} == {(1, 1)}
    for item in penalties:
        others = {name: given for name, given in item["points"].items() if name != item["player"]}
        assert not any(others.values())


@every
def test_penalties_of_a_hand_without_score(variant: Variant) -> None:
    annulled = sheet_of(variant, fine("B", 7), annul("director"))
    assert annulled["scores"]["B"] == 7
    assert annulled["payments"] == []
    unfinished = sheet_of(variant, fine("B", 7), passed("A"))
    assert (unfinished["status"], unfinished["items"]) == ("incomplete", [])
    assert not any(points(unfinished))
    assert hand_of(variant, annul("director"), fine("B", 7)).penalties == [(1, 7)]


# --- The library's own interface -----------------------------------------------------------------


def test_a_step_leaves_the_hand_as_it_was() -> None:
    hand = Hand(MAYR)
    later = step(hand, Passed(0))
    assert (hand.phase, hand.turn, hand.events) == ("deal", 0, [])
    assert (later.phase, later.turn, later.events) == ("auction", 1, [Passed(0)])
    with pytest.raises(RulesError) as caught:
        step(later, Passed(0))
    assert caught.value.index == 1, "counted over the whole hand"
    assert (later.turn, later.events) == (1, [Passed(0)])


def test_what_the_deal_is_made_of() -> None:
    hand = replay(MAYR, [])
    assert (hand.phase, hand.status) == ("deal", "incomplete")
    assert score(hand).scores == (0, 0, 0)
    with pytest.raises(RulesError):
        step(hand, CardsDealt(((1,), (2,), (3,)), (4,)))


def test_a_whole_exchange_without_the_deal() -> None:
    events = [bid("A", "zweiblatt"), *gut("B", "C"), take("A", "HQ S9"), lay("A", "SQ SC")]
    assert hand_of(MAYR, *events, trick("HQ HC H1")).winners == [0]
    assert sheet_of(MAYR, *events)["contract"] == "zweiblatt"
    assert sheet_of(MAYR, *events)["declarer"] == "A"
    assert sheet_of(THREE, result(contract="garde", card_points=50, oudlers=1))["status"] == "scored"
    assert hand_of(FOUR, bid("A", "garde")).status == "incomplete"
