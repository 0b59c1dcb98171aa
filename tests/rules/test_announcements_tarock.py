"""Bonuses of Illustrated Tarock announced and answered (IT-7.21 to IT-7.35)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.scenes import (
    BECK,
    LOEW,
    MAYR,
    TAROCKS,
    TAROTS,
    announce,
    bid,
    contra,
    gut,
    hand_of,
    lay,
    passed,
    play,
    refusal,
    refused,
    take,
)
from trull import Hand, RulesError, Variant, step
from trull.events import Announced

tarock = pytest.mark.parametrize("variant", TAROCKS, ids=lambda variant: variant.id)
tarot = pytest.mark.parametrize("variant", TAROTS, ids=lambda variant: variant.id)

ZWEIBLATT = [bid("A", "zweiblatt"), *gut("B", "C")]
EXCHANGED = [*ZWEIBLATT, take("A", "HQ S9"), lay("A", "HQ S9")]
SOLO = [bid("A", "solo")]


def stages(hand: Hand) -> dict[tuple[int, str], str]:
    """The stage of each announcement."""
    return {key: stage for key, (stage, _) in hand.announced.items()}


BEFORE = {"illustrated-loew-1954": {"forty"}}
AFTER = {"illustrated-loew-1954": {"pagat", "uhu", "fifty"}}
BOTH = {
    "illustrated-beck": {"pagat", "uhu", "forty", "fifty", "without_trull", "without_kings", "valat"},
    "illustrated-mayr-sedlaczek-2016": {"pagat", "forty", "fifty", "without_trull", "without_kings", "valat"},
}
ALL = ["pagat", "uhu", "forty", "fifty", "without_trull", "without_kings", "tarock_trull", "royal_trull"]
ALL += ["two_honours", "valat", "petit_au_bout", "slam"]


@pytest.mark.parametrize("name", ALL)
@tarock
def test_it_7_21_what_the_declarer_announces_at_which_stage(variant: Variant, name: str) -> None:
    both = BOTH.get(variant.id, set())
    before = name in both | BEFORE.get(variant.id, set())
    after = name in both | AFTER.get(variant.id, set())
    for events, allowed, stage in (
        (ZWEIBLATT, before, "before_pickup"),
        (EXCHANGED, after, "after_pickup"),
        (SOLO, before or after, "after_pickup"),  # IT-7.22
    ):
        if allowed:
            assert stages(hand_of(variant, *events, announce("A", name))) == {(0, name): stage}
        else:
            error = refusal(variant, *events, announce("A", name))
            assert (error.code, error.clause) == ("illegal-announcement", "IT-7.21")
            assert error.path == ("bonus",)


@tarock
def test_it_7_21_only_loew_lets_defenders_announce_pagat_and_uhu(variant: Variant) -> None:
    for name in ("pagat", "uhu", "forty", "fifty"):
        wrong = announce("B", name)
        if variant is LOEW and name in ("pagat", "uhu"):
            assert stages(hand_of(variant, *EXCHANGED, wrong)) == {(1, name): "after_pickup"}
        else:
            assert refused(variant, *EXCHANGED, wrong)[0] == "illegal-announcement"
    error = refusal(variant, *SOLO, announce("B", "fifty"))
    assert error.path == ("player",)


@tarock
def test_it_7_21_each_bonus_once_by_a_player(variant: Variant) -> None:
    error = refusal(variant, *ZWEIBLATT, announce("A", "forty"), announce("A", "forty"))
    assert (error.code, error.clause, error.path) == ("illegal-announcement", "IT-7.21", ("bonus",))
    if variant is not LOEW:
        early = [*ZWEIBLATT, announce("A", "forty"), take("A", "HQ S9"), lay("A", "HQ S9")]
        assert refused(variant, *early, announce("A", "forty"))[0] == "illegal-announcement"
    else:
        both = hand_of(variant, *EXCHANGED, announce("B", "pagat"), announce("C", "pagat"))
        assert stages(both) == {(1, "pagat"): "after_pickup", (2, "pagat"): "after_pickup"}


@tarock
def test_it_7_21_a_stage_in_the_record_must_agree(variant: Variant) -> None:
    right = announce("A", "forty", stage="before_pickup")
    assert stages(hand_of(variant, *ZWEIBLATT, right)) == {(0, "forty"): "before_pickup"}
    error = refusal(variant, *ZWEIBLATT, announce("A", "forty", stage="after_pickup"))
    assert (error.code, error.clause, error.path) == ("illegal-announcement", "IT-7.21", ("stage",))
    assert "before pick-up" in error.detail
    late = announce("A", "pagat", stage="before_pickup")
    assert "after pick-up" in refusal(variant, *EXCHANGED, late).detail
    hand_of(variant, *SOLO, announce("A", "pagat", stage="after_pickup"))
    assert refused(variant, *SOLO, announce("A", "forty", stage="before_pickup"))[0] == "illegal-announcement"


@tarock
def test_it_7_27_several_bonuses_in_any_order(variant: Variant) -> None:
    names = ["fifty", "pagat"] if variant is LOEW else ["valat", "fifty", "forty"]
    hand = hand_of(variant, *EXCHANGED, *(announce("A", name) for name in names))
    assert [bonus for _, bonus in hand.announced] == names


@tarock
def test_it_7_35_closed_times(variant: Variant) -> None:
    taken = [*ZWEIBLATT, take("A", "HQ S9")]
    begun = [*EXCHANGED, play("A", "HK")]
    for events in ([], [bid("A", "zweiblatt")], taken, begun, [*begun, play("B", "H1"), play("C", "H2")]):
        for wrong in (announce("A", "pagat"), contra("B"), contra("A", "pagat")):
            if events:
                assert refused(variant, *events, wrong) == ("event-out-of-place", "IT-7.35")
            else:
                assert refused(variant, wrong) == ("event-out-of-place", "IT-7.35")


@tarock
def test_no_cards_are_shown_for_a_bonus_of_illustrated_tarock(variant: Variant) -> None:
    """The service refuses the shape already; whoever uses the library meets the rule."""
    hand = hand_of(variant, *EXCHANGED)
    with pytest.raises(RulesError) as caught:
        step(hand, Announced(0, "pagat", (56,), None))
    assert (caught.value.code, caught.value.path) == ("illegal-announcement", ("cards",))


def test_it_8_1_no_announcements_and_no_contra_in_trischaken() -> None:
    three = [passed("A"), passed("B"), passed("C")]
    assert refused(BECK, *three, announce("A", "pagat")) == ("illegal-announcement", "IT-8.4")
    assert refused(BECK, *three, contra("A")) == ("illegal-contra", "IT-8.4")


def claimed(variant: Variant) -> Variant:
    return replace(variant, rulings={**variant.rulings, "hand_bonuses": "claimed"})


@tarock
def test_it_10_10_where_hand_bonuses_are_claimed_anyone_claims_them(variant: Variant) -> None:
    for events in (ZWEIBLATT, EXCHANGED, SOLO):
        for player in "AB":
            seat = "AB".index(player)
            hand = hand_of(claimed(variant), *events, announce(player, "royal_trull"))
            assert list(hand.announced) == [(seat, "royal_trull")]
        assert refused(variant, *events, announce("A", "royal_trull"))[0] == "illegal-announcement"
    assert refused(claimed(variant), *EXCHANGED, announce("B", "without_kings"))[0] == "illegal-announcement"


# --- Illustrated Tarock: contra ------------------------------------------------------------------


@tarock
def test_it_7_33_when_the_game_is_contrad(variant: Variant) -> None:
    early = [*ZWEIBLATT, contra("B")]
    if variant is LOEW:
        error = refusal(variant, *early)
        assert (error.code, error.clause, error.path) == ("illegal-contra", "IT-7.33", ("target",))
        assert "before pick-up" in error.detail
    else:
        assert hand_of(variant, *early).game_contra == ("before_pickup", 1)
    for events in (EXCHANGED, SOLO):
        assert hand_of(variant, *events, contra("C")).game_contra == ("after_pickup", 1)


@tarock
def test_it_7_30_it_7_34_the_game_is_for_defenders_to_contra_once(variant: Variant) -> None:
    error = refusal(variant, *EXCHANGED, contra("A"))
    assert (error.code, error.clause, error.path) == ("illegal-contra", "IT-7.30", ("player",))
    for again in "BC":
        error = refusal(variant, *EXCHANGED, contra("B"), contra(again))
        assert (error.code, error.clause, error.path) == ("illegal-contra", "IT-7.34", ("target",))
    if variant is not LOEW:
        early = [*ZWEIBLATT, contra("B"), take("A", "HQ S9"), lay("A", "HQ S9")]
        assert refused(variant, *early, contra("C")) == ("illegal-contra", "IT-7.34")


def test_it_10_7_a_house_can_do_without_contra_to_the_game() -> None:
    never = replace(MAYR, rulings={**MAYR.rulings, "game_contra": "never"})
    for events in (ZWEIBLATT, EXCHANGED, SOLO):
        assert refused(never, *events, contra("B")) == ("illegal-contra", "IT-7.33")
    after = replace(MAYR, rulings={**MAYR.rulings, "game_contra": "after_pickup"})
    assert refused(after, *ZWEIBLATT, contra("B")) == ("illegal-contra", "IT-7.33")
    for events in (EXCHANGED, SOLO):
        hand_of(after, *events, contra("B"))


def test_it_7_32_recontra_of_the_game() -> None:
    answer = contra("A", level="recontra")
    for events, stage in ((ZWEIBLATT, "before_pickup"), (EXCHANGED, "after_pickup"), (SOLO, "after_pickup")):
        assert hand_of(MAYR, *events, contra("B"), answer).game_contra == (stage, 2)
        assert refused(MAYR, *events, answer) == ("illegal-contra", "IT-7.32")
        assert refused(MAYR, *events, contra("B"), answer, answer) == ("illegal-contra", "IT-7.32")
        wrong = contra("C", level="recontra")
        assert refused(MAYR, *events, contra("B"), wrong) == ("illegal-contra", "IT-7.32")
        for variant in (LOEW, BECK):
            if stage == "after_pickup":
                error = refusal(variant, *events, contra("B"), answer)
                assert (error.code, error.clause, error.path) == ("illegal-contra", "IT-7.32", ("level",))
    # Not in a later stage, and a recontra'd game is not contra'd once more.
    early = [*ZWEIBLATT, contra("B"), take("A", "HQ S9"), lay("A", "HQ S9")]
    assert refused(MAYR, *early, answer) == ("illegal-contra", "IT-7.32")
    assert refused(MAYR, *EXCHANGED, contra("B"), answer, contra("C")) == ("illegal-contra", "IT-7.34")


@tarock
def test_it_7_30_an_announcement_is_answered_by_the_other_side(variant: Variant) -> None:
    said = [*EXCHANGED, announce("A", "pagat")]
    for player in "BC":
        hand = hand_of(variant, *said, contra(player, "pagat"))
        assert hand.contras == {("pagat", "after_pickup", True): 1}
    error = refusal(variant, *said, contra("A", "pagat"))
    assert (error.code, error.clause, error.path) == ("illegal-contra", "IT-7.30", ("target",))
    assert refused(variant, *said, contra("B", "fifty")) == ("illegal-contra", "IT-7.30")
    assert refused(variant, *EXCHANGED, contra("B", "tarock_trull")) == ("illegal-contra", "IT-7.30")
    assert refused(variant, *said, contra("B", "pagat"), contra("C", "pagat")) == (
        "illegal-contra",
        "IT-7.34",
    )


@tarock
def test_it_7_30_in_the_stage_of_the_announcement(variant: Variant) -> None:
    said = [*ZWEIBLATT, announce("A", "forty")]
    hand = hand_of(variant, *said, contra("B", "forty"))
    assert hand.contras == {("forty", "before_pickup", True): 1}
    later = [*said, take("A", "HQ S9"), lay("A", "HQ S9")]
    assert refused(variant, *later, contra("B", "forty")) == ("illegal-contra", "IT-7.30")


def test_it_7_30_loew_the_declarer_answers_a_defender() -> None:
    said = [*EXCHANGED, announce("B", "uhu")]
    hand = hand_of(LOEW, *said, contra("A", "uhu"))
    assert hand.contras == {("uhu", "after_pickup", False): 1}
    assert refused(LOEW, *said, contra("C", "uhu")) == ("illegal-contra", "IT-7.30")
    both = [*EXCHANGED, announce("A", "uhu"), announce("B", "uhu"), contra("A", "uhu"), contra("C", "uhu")]
    assert hand_of(LOEW, *both).contras == {
        ("uhu", "after_pickup", False): 1,
        ("uhu", "after_pickup", True): 1,
    }


def test_it_7_32_recontra_of_an_announcement() -> None:
    said = [*EXCHANGED, announce("A", "pagat"), contra("B", "pagat")]
    answer = contra("A", "pagat", "recontra")
    assert hand_of(MAYR, *said, answer).contras == {("pagat", "after_pickup", True): 2}
    assert refused(MAYR, *said, answer, answer) == ("illegal-contra", "IT-7.32")
    assert refused(MAYR, *said[:-1], answer) == ("illegal-contra", "IT-7.32")
    assert refused(MAYR, *said, contra("B", "pagat", "recontra")) == ("illegal-contra", "IT-7.30")
    assert refused(BECK, *said, answer) == ("illegal-contra", "IT-7.32")
