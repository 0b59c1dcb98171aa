"""Who may bid and call what in French Tarot (FT-2)."""

from __future__ import annotations

import pytest

from tests.rules.scenes import (
    FIVE,
    FOUR,
    TAROCKS,
    TAROTS,
    Sent,
    announce,
    bid,
    deal,
    hand_of,
    passed,
    play,
    players_of,
    refusal,
    refused,
    say,
    take,
    trick,
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


def all_pass_but(variant: Variant, player: str, contract: str) -> list[Sent]:
    return [bid(player, contract) if name == player else passed(name) for name in players_of(variant)]


@tarot
def test_ft_2_1_everyone_speaks_once_in_turn(variant: Variant) -> None:
    assert refused(variant, passed("B")) == ("wrong-turn", "FT-2.1")
    assert refused(variant, bid("A", "prise"), passed("A")) == ("wrong-turn", "FT-2.1")
    last = players_of(variant)[-1]
    assert won(variant, *all_pass_but(variant, last, "garde"))[:2] == (variant.players - 1, "garde")
    whole = all_pass_but(variant, "A", "garde")
    assert refused(variant, *whole, passed("A")) == ("event-out-of-place", "FT-2.1")


@tarot
def test_ft_2_2_higher_only(variant: Variant) -> None:
    for low in ("prise", "garde"):
        error = refusal(variant, bid("A", "garde"), bid("B", low))
        assert (error.code, error.clause, error.path) == ("illegal-bid", "FT-2.2", ("contract",))
    assert refused(variant, bid("A", "solo")) == ("illegal-bid", "FT-2.2")
    hand = hand_of(variant, bid("A", "prise"), bid("B", "garde_sans"))
    assert hand.standing is not None
    assert (hand.bidder, hand.standing.id) == (1, "garde_sans")


@tarot
def test_ft_2_3_all_pass(variant: Variant) -> None:
    hand = hand_of(variant, *map(passed, players_of(variant)))
    assert (hand.phase, hand.status) == ("passed_out", "annulled")
    cards = trick(" ".join(["SK", "S1", "S2", "S3", "S4"][: variant.players]))
    assert refused(variant, *map(passed, players_of(variant)), cards)[0] == "event-out-of-place"


@tarot
def test_ft_2_4_garde_contre_ends_the_bidding(variant: Variant) -> None:
    """The passes that follow may be left out, all of them or some."""
    dealt = deal(variant)
    short = [dealt, bid("A", "garde_contre")]
    call = [say("king_called", "A", card="HK")] if variant is FIVE else []
    lead = play("A", next(card for card in dealt["hands"]["A"] if card[0] != "H"))
    for passes in range(variant.players):
        told = [*short, *map(passed, players_of(variant)[1 : 1 + passes])]
        hand = hand_of(variant, *told, *call, lead)
        assert (hand.phase, hand.declarer) == ("play", 0)
        assert hand.contract is not None
        assert hand.contract.id == "garde_contre"
    assert refused(variant, *short, bid("B", "garde_contre")) == ("illegal-bid", "FT-2.2")
    assert refused(variant, *short, *call, lead, passed("B"))[0] == "event-out-of-place"
    # Not after a lower bid.
    assert refused(variant, dealt, bid("A", "garde_sans"), [*call, lead][0])[0] == "event-out-of-place"


@tarot
def test_ft_2_4_announcements_close_the_auction_too(variant: Variant) -> None:
    call = [say("king_called", "A", card="HK")] if variant is FIVE else []
    hand = hand_of(variant, deal(variant), bid("A", "garde_contre"), *call, announce("A", "slam"))
    assert hand.phase == "play"
    early = [deal(variant), bid("A", "garde_contre"), *call]
    assert refused(variant, *early, take("A", "F")) == ("illegal-talon", "FT-3.1")


@tarot
def test_tarock_words_have_no_place_in_french_tarot(variant: Variant) -> None:
    for word in ("bid_accepted", OVER, HELD, RETAKEN):
        assert refused(variant, bid("A", "prise"), say(word, "B")) == ("event-out-of-place", "FT-2.1")


# --- The call ------------------------------------------------------------------------------------

GARDE_OF_FIVE = all_pass_but(FIVE, "C", "garde")


def test_ft_2_6_the_taker_calls_between_auction_and_chien() -> None:
    assert hand_of(FIVE, *GARDE_OF_FIVE).phase == "king_call"
    call = say("king_called", "C", card="HK")
    assert hand_of(FIVE, *GARDE_OF_FIVE, call).phase == "talon"
    assert refused(FIVE, *GARDE_OF_FIVE, call, call) == ("event-out-of-place", "FT-2.6")
    assert refused(FIVE, call) == ("event-out-of-place", "FT-2.6")
    assert refused(FIVE, *GARDE_OF_FIVE, say("king_called", "A", card="HK")) == ("wrong-turn", "FT-2.6")
    assert refused(FIVE, *GARDE_OF_FIVE, take("C", "F T1 T2"))[0] == "event-out-of-place"
    assert hand_of(FIVE, *all_pass_but(FIVE, "C", "garde_sans"), call).phase == "play"


def test_ft_2_6_fewer_than_five_call_nobody() -> None:
    taken = all_pass_but(FOUR, "C", "garde")
    assert refused(FOUR, *taken, say("king_called", "C", card="HK")) == ("event-out-of-place", "FT-2.6")


KINGS, QUEENS, CAVALIERS = "SK HK DK CK", "SQ HQ DQ CQ", "SC HC DC CC"


@pytest.mark.parametrize(
    ("own", "allowed", "not_allowed"),
    [
        ("", ["HK", "SK"], ["HQ", "SC", "DJ", "S10", "T21", "F"]),
        ("SK HK DK", ["CK", "HK"], ["HQ"]),
        (KINGS, ["HK", "HQ"], ["HC", "HJ"]),
        (f"{KINGS} SQ HQ DQ", ["CQ"], ["CC"]),
        (f"{KINGS} {QUEENS}", ["HK", "HQ", "HC"], ["HJ", "H10"]),
        (f"{KINGS} {QUEENS} {CAVALIERS}", ["HC", "HJ", "SJ"], ["H10", "T1"]),
        (f"{KINGS} {QUEENS} {CAVALIERS} SJ HJ DJ", ["CJ"], ["C10", "F"]),
        (f"{QUEENS} {CAVALIERS}", ["HK"], ["HQ", "HC"]),
    ],
)
def test_ft_2_7_which_card_may_be_called(own: str, allowed: list[str], not_allowed: list[str]) -> None:
    dealt = deal(FIVE, "", "", own)
    for card in allowed:
        hand = hand_of(FIVE, dealt, *GARDE_OF_FIVE, say("king_called", "C", card=card))
        assert hand.phase == "talon"
    for card in not_allowed:
        error = refusal(FIVE, dealt, *GARDE_OF_FIVE, say("king_called", "C", card=card))
        assert (error.code, error.clause, error.path) == ("illegal-call", "FT-2.7", ("card",))


def test_ft_2_7_without_the_deal_any_court_card_may_be_called() -> None:
    for card in ("HK", "HQ", "HC", "HJ"):
        assert hand_of(FIVE, *GARDE_OF_FIVE, say("king_called", "C", card=card)).phase == "talon"
    assert refused(FIVE, *GARDE_OF_FIVE, say("king_called", "C", card="H10")) == ("illegal-call", "FT-2.7")
