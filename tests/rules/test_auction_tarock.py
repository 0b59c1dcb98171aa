"""Who may bid what in Illustrated Tarock: words, turns, duels (IT-4)."""

from __future__ import annotations

import pytest

from tests.rules.scenes import (
    BECK,
    LOEW,
    MAYR,
    TAROCKS,
    TAROTS,
    Sent,
    bid,
    deal,
    gut,
    hand_of,
    passed,
    play,
    refusal,
    refused,
    say,
)
from trull import Variant

OVER, HELD, RETAKEN = "bid_taken_over", "bid_held", "bid_retaken"

tarock = pytest.mark.parametrize("variant", TAROCKS, ids=lambda variant: variant.id)
tarot = pytest.mark.parametrize("variant", TAROTS, ids=lambda variant: variant.id)


def won(variant: Variant, *events: Sent) -> tuple[int, str, str]:
    """Declarer, contract and stake after an auction."""
    hand = hand_of(variant, *events)
    assert hand.contract is not None
    return hand.declarer, hand.contract.id, hand.stake


@tarock
def test_it_4_2_forehand_speaks_first_then_each_in_turn(variant: Variant) -> None:
    assert refused(variant, passed("B")) == ("wrong-turn", "IT-4.2")
    assert refused(variant, passed("A"), passed("C")) == ("wrong-turn", "IT-4.2")
    error = refusal(variant, passed("A"), bid("A", "solo"))
    assert (error.code, error.path) == ("wrong-turn", ("player",))
    assert "seat 1" in error.detail


@tarock
def test_it_4_2_who_has_passed_is_out_for_good(variant: Variant) -> None:
    """The first bidder answers a raise; who passed is never asked again."""
    raised = [passed("A"), bid("B", "dreiblatt"), bid("C", "zweiblatt")]
    assert refused(variant, *raised, bid("A", "einblatt")) == ("wrong-turn", "IT-4.2")
    assert won(variant, *raised, bid("B", "einblatt"), *gut("C")) == (1, "einblatt", "called")


@tarock
def test_it_4_3_a_raise_must_be_higher_and_may_jump(variant: Variant) -> None:
    for low in ("dreiblatt", "zweiblatt"):
        error = refusal(variant, bid("A", "zweiblatt"), bid("B", low))
        assert (error.code, error.clause, error.path) == ("illegal-bid", "IT-4.3", ("contract",))
    assert won(variant, bid("A", "dreiblatt"), bid("B", "einblatt"), passed("C"), passed("A"))[0] == 1


@tarock
def test_it_4_3_a_contract_of_the_other_game_is_none_here(variant: Variant) -> None:
    assert refused(variant, bid("A", "garde")) == ("illegal-bid", "IT-4.3")


@tarock
def test_it_4_4_accepting_is_passing(variant: Variant) -> None:
    for first in (passed("B"), *gut("B")):
        for second in (passed("C"), *gut("C")):
            assert won(variant, bid("A", "zweiblatt"), first, second) == (0, "zweiblatt", "called")
    assert refused(variant, *gut("A")) == ("illegal-bid", "IT-4.4")


@pytest.mark.parametrize("contract", ["dreiblatt", "zweiblatt", "einblatt"])
@tarock
def test_it_4_5_what_may_be_taken_over(variant: Variant, contract: str) -> None:
    allowed = variant is LOEW or (variant is BECK and contract == "dreiblatt")
    if allowed:
        taken = [bid("A", contract), say(OVER, "B"), *gut("A", "C")]
        assert won(variant, *taken) == (1, contract, "taken_over")
    else:
        assert refused(variant, bid("A", contract), say(OVER, "B")) == ("illegal-bid", "IT-4.5")


def test_it_4_5_only_the_first_to_answer_takes_over() -> None:
    assert refused(LOEW, say(OVER, "A")) == ("illegal-bid", "IT-4.5")
    assert refused(LOEW, bid("A", "einblatt"), *gut("B"), say(OVER, "C")) == ("illegal-bid", "IT-4.5")
    duel = [bid("A", "einblatt"), say(OVER, "B")]
    assert refused(LOEW, *duel, say(OVER, "A")) == ("illegal-bid", "IT-4.5")
    assert refused(LOEW, *duel, *gut("A"), say(OVER, "C")) == ("illegal-bid", "IT-4.5")
    # One player has passed before the bid: the next one answers it first.
    taken = [passed("A"), bid("B", "dreiblatt"), say(OVER, "C"), *gut("B")]
    assert won(LOEW, *taken) == (2, "dreiblatt", "taken_over")


def test_it_4_5_the_third_player_may_raise_what_was_taken_over() -> None:
    duel = [bid("A", "dreiblatt"), say(OVER, "B"), *gut("A")]
    assert won(BECK, *duel, *gut("C")) == (1, "dreiblatt", "taken_over")
    assert won(BECK, *duel, bid("C", "zweiblatt"), *gut("B")) == (2, "zweiblatt", "called")


def test_it_4_6_the_bidder_answers_at_once_and_nothing_else() -> None:
    duel = [bid("A", "dreiblatt"), say(OVER, "B")]
    assert refused(LOEW, *duel, *gut("C")) == ("wrong-turn", "IT-4.2")
    error = refusal(LOEW, *duel, bid("A", "solo"))
    assert (error.code, error.clause) == ("illegal-bid", "IT-4.5")
    assert refused(LOEW, *duel, say(RETAKEN, "A")) == ("illegal-bid", "IT-4.7")
    assert refused(LOEW, say(HELD, "A")) == ("illegal-bid", "IT-4.6")


def test_it_4_6_beck_a_hold_ends_the_duel_and_puts_the_claimant_out() -> None:
    duel = [bid("A", "dreiblatt"), say(OVER, "B"), say(HELD, "A")]
    assert refused(BECK, *duel, *gut("B")) == ("wrong-turn", "IT-4.2")
    assert won(BECK, *duel, *gut("C")) == (0, "dreiblatt", "held")
    # B is out: a raise by C is answered by A alone.
    assert won(BECK, *duel, bid("C", "einblatt"), *gut("A")) == (2, "einblatt", "called")


def test_it_4_6_it_4_7_loew_the_claimant_accepts_or_retakes() -> None:
    duel = [bid("A", "zweiblatt"), say(OVER, "B"), say(HELD, "A")]
    assert refused(LOEW, *duel, *gut("C")) == ("wrong-turn", "IT-4.2")
    assert refused(LOEW, *duel, bid("B", "solo")) == ("illegal-bid", "IT-4.5")
    assert refused(LOEW, *duel, say(HELD, "B")) == ("illegal-bid", "IT-4.6")
    assert won(LOEW, *duel, *gut("B", "C")) == (0, "zweiblatt", "held")
    retaken = [*duel, say(RETAKEN, "B")]
    assert won(LOEW, *retaken, *gut("C")) == (1, "zweiblatt", "retaken")
    # A is out after the retaking: C's raise is answered by B alone.
    assert won(LOEW, *retaken, bid("C", "einblatt"), *gut("B")) == (2, "einblatt", "called")
    assert refused(LOEW, *retaken, say(RETAKEN, "C")) == ("illegal-bid", "IT-4.7")


def test_it_4_6_loew_who_accepted_a_hold_is_out() -> None:
    duel = [bid("A", "zweiblatt"), say(OVER, "B"), say(HELD, "A"), *gut("B"), bid("C", "einblatt")]
    assert refused(LOEW, *duel, bid("B", "solo")) == ("wrong-turn", "IT-4.2")
    assert won(LOEW, *duel, *gut("A")) == (2, "einblatt", "called")


def test_it_4_8_a_raise_starts_again_at_the_called_value() -> None:
    raised = [bid("A", "dreiblatt"), say(OVER, "B"), say(HELD, "A"), say(RETAKEN, "B"), bid("C", "zweiblatt")]
    assert won(LOEW, *raised, say(OVER, "B"), *gut("C")) == (1, "zweiblatt", "taken_over")
    assert won(LOEW, *raised, *gut("B")) == (2, "zweiblatt", "called")
    # The earlier bidder answers a raise too, and first of all may take it over.
    again = [bid("A", "dreiblatt"), *gut("B"), bid("C", "zweiblatt"), say(OVER, "A"), *gut("C")]
    assert won(LOEW, *again) == (0, "zweiblatt", "taken_over")


@tarock
def test_it_4_9_solo_ends_the_auction(variant: Variant) -> None:
    assert won(variant, bid("A", "solo")) == (0, "solo", "called")
    for word in ("passed", "bid_accepted", OVER, HELD):
        assert refused(variant, bid("A", "solo"), say(word, "B")) == ("event-out-of-place", "IT-4.2")
    assert hand_of(variant, bid("A", "dreiblatt"), bid("B", "solo")).phase == "play"


def test_it_4_10_after_three_passes_a_redeal_or_trischaken() -> None:
    three = [passed("A"), passed("B"), passed("C")]
    for variant in (LOEW, MAYR):
        hand = hand_of(variant, *three)
        assert (hand.phase, hand.status) == ("passed_out", "annulled")
        assert refused(variant, *three, passed("A")) == ("event-out-of-place", "IT-4.2")
        assert refused(variant, deal(variant), *three, play("A", "F"))[0] == "event-out-of-place"
    hand = hand_of(BECK, *three)
    assert (hand.phase, hand.status, hand.trischaken, hand.turn) == ("play", "annulled", True, 0)
    assert hand_of(BECK, *three, play("A", "SK")).status == "incomplete"


@tarock
def test_it_4_11_the_auction_is_over_when_one_is_left(variant: Variant) -> None:
    auction = [passed("A"), passed("B"), bid("C", "dreiblatt")]
    assert won(variant, *auction) == (2, "dreiblatt", "called")
    for word in ("passed", "bid_accepted"):
        assert refused(variant, *auction, say(word, "A")) == ("event-out-of-place", "IT-4.2")
    assert refused(variant, *auction, bid("C", "solo")) == ("event-out-of-place", "IT-4.2"), "IT-4.13"
    assert hand_of(variant, *auction).turn == 2


@tarock
def test_french_words_have_no_place_in_illustrated_tarock(variant: Variant) -> None:
    assert refused(variant, say("king_called", "A", card="HK")) == ("event-out-of-place", "IT-4.2")
