"""The tricks of Illustrated Tarock: who plays, what may be played, who wins (IT-6, IT-8)."""

from __future__ import annotations

from contextlib import suppress

import pytest

from tests.laws.lawbook import record_of
from tests.rules.scenes import (
    BECK,
    FOUR,
    MAYR,
    TAROCKS,
    TAROTS,
    Sent,
    bid,
    deal,
    hand_of,
    passed,
    play,
    players_of,
    refusal,
    refused,
    trick,
)
from tests.support.hands import Telling
from trull import RulesError, Variant, step
from trull.errors import CardNotHeld, IllegalPlay
from trull.events import TrickPlayed

tarock = pytest.mark.parametrize("variant", TAROCKS, ids=lambda variant: variant.id)
tarot = pytest.mark.parametrize("variant", TAROTS, ids=lambda variant: variant.id)


def solo(variant: Variant, *own: str) -> list[Sent]:
    """A plays a Solo."""
    return [deal(variant, *own), bid("A", "solo")]


def plays(cards: str, first: str = "A", players: str = "ABC") -> list[Sent]:
    """Cards one after the other."""
    at = players.index(first)
    return [play(players[(at + place) % len(players)], card) for place, card in enumerate(cards.split())]


def legal(variant: Variant, *events: Sent) -> set[str]:
    """What the next player may play, by trying every card that he holds."""
    hand = hand_of(variant, *events)
    seat = hand.turn
    name = players_of(variant)[seat]
    found = set()
    for card in events[0]["hands"][name]:
        with suppress(IllegalPlay, CardNotHeld):
            hand_of(variant, *events, play(name, card))
            found.add(card)
    return found


# --- Turn and trick ------------------------------------------------------------------------------


@tarock
def test_it_6_1_forehand_leads_and_the_winner_next(variant: Variant) -> None:
    hands = ("SK S7", "SQ HK HQ", "S8 H4 T5")
    ready = [deal(variant, *hands), passed("A"), bid("B", "solo")]
    error = refusal(variant, *ready, play("B", "SQ"))
    assert (error.code, error.clause, error.path) == ("wrong-turn", "IT-6.1", ("player",))
    assert "seat 0" in error.detail
    after_first = [*ready, *plays("S7 SQ S8")]
    assert hand_of(variant, *after_first).turn == 1
    assert refused(variant, *after_first, play("A", "SK"))[0] == "wrong-turn"
    hand = hand_of(variant, *after_first, play("B", "HK"))
    assert (hand.turn, hand.winners) == (2, [1])
    assert hand.tricks == [tuple(hand.tricks[0])]


@tarock
def test_it_6_2_follow_suit(variant: Variant) -> None:
    ready = solo(variant, "SK T9", "S7 S8 T1 HK", "T2 T3 HQ HC")
    assert legal(variant, *ready, play("A", "SK")) == {
        card for card in ready[0]["hands"]["B"] if card[0] == "S"
    }
    error = refusal(variant, *ready, play("A", "SK"), play("B", "T1"))
    assert (error.code, error.clause, error.path) == ("illegal-play", "IT-6.2", ("card",))
    assert "S7" in error.detail
    # A tarock led is followed with a tarock, the Sküs too, and nobody has to beat.
    led = [*ready, play("A", "T9")]
    assert legal(variant, *led) == {card for card in ready[0]["hands"]["B"] if card[0] in "TF"}
    assert "T1" in legal(variant, *led)


SUITS_ONLY = "S7 S8 S9 H4 H3 H2 D4 D3 D2 C7 C8 C9 HK HQ DK DQ"


@tarock
def test_it_6_3_otherwise_a_tarock_and_otherwise_anything(variant: Variant) -> None:
    no_spade = "T1 T2 T3 HK HQ HC HJ H1 DK DQ DC DJ D1 CK CQ CC"
    ready = solo(variant, "SK SQ S9 S10", no_spade)
    assert legal(variant, *ready, play("A", "SK")) == {"T1", "T2", "T3"}
    assert refused(variant, *ready, play("A", "SK"), play("B", "HK")) == ("illegal-play", "IT-6.3")
    if variant.rulings["no_tarock_redeal"]:
        return
    bare = solo(variant, "T9 SK", SUITS_ONLY)
    assert legal(variant, *bare, play("A", "T9")) == set(SUITS_ONLY.split())


@tarock
def test_it_6_4_who_wins_a_trick(variant: Variant) -> None:
    for cards, winner in (
        ("S7 S10 SK", 2),
        ("SK S10 T1", 2),
        ("SK T1 T2", 2),
        ("T21 F T1", 1),
        ("HK D1 DK", 0),
        ("H4 H3 H2", 2),
        ("S7 S8 S10", 2),
        ("C10 C9 CJ", 2),
        ("H1 H2 H3", 0),
    ):
        hand = hand_of(variant, bid("A", "solo"), trick(cards))
        assert hand.winners == [winner], cards
        assert hand.turn == winner


@tarock
def test_it_6_5_after_sixteen_tricks_it_is_over(variant: Variant) -> None:
    for seed in range(40):
        sent = record_of(variant.id, seed, Telling(tricks=1))
        if sum(event["type"] == "trick_played" for event in sent["events"]) == 16:
            break
    names = dict(zip(sent["players"], "ABC", strict=True))
    events = [
        {key: names.get(value, value) if key == "player" else value for key, value in event.items()}
        for event in sent["events"][1:]
    ]
    hand = hand_of(variant, *events)
    assert (hand.phase, len(hand.tricks)) == ("finished", 16)
    for wrong in (play("A", "SK"), trick("SK SQ SC")):
        assert refused(variant, *events, wrong) == ("event-out-of-place", hand.variant.game.clauses["end"])


@tarock
def test_it_6_6_a_card_is_held_and_played_once(variant: Variant) -> None:
    ready = solo(variant, "SK SQ", "S7 S10", "S9 SC")
    error = refusal(variant, *ready, play("A", "S7"))
    assert (error.code, error.clause, error.path) == ("card-not-held", "IT-6.6", ("card",))
    again = [*ready, trick("SK S7 S9")]
    assert refused(variant, *again, play("A", "SK")) == ("card-not-held", "IT-6.6")
    error = refusal(variant, *ready, trick("SK S9 S10"))
    assert (error.code, error.path) == ("card-not-held", ("cards", 1))
    error = refusal(variant, *ready, trick("SK S7 S7"))
    assert (error.code, error.path) == ("card-not-held", ("cards", 2))


@tarock
def test_whole_tricks_are_told_between_tricks_only(variant: Variant) -> None:
    ready = solo(variant, "SK SQ", "S7 S10", "S9 SC")
    hand_of(variant, *ready, *plays("SK S7 S9"), trick("SQ S10 SC"))
    error = refusal(variant, *ready, play("A", "SK"), trick("SQ S10 SC"))
    assert (error.code, error.clause, error.path) == ("event-out-of-place", "IT-6.1", ())
    hand = hand_of(variant, *ready)
    for cards in ((13, 0), (13, 0, 2, 5), ()):
        with pytest.raises(RulesError) as caught:
            step(hand, TrickPlayed(cards))
        assert caught.value.code == "event-out-of-place"


def test_no_card_is_played_before_the_contract_stands() -> None:
    assert refused(MAYR, play("A", "SK")) == ("event-out-of-place", "IT-6.1")
    assert refused(MAYR, bid("A", "dreiblatt"), play("B", "SK")) == ("event-out-of-place", "IT-6.1")
    assert refused(FOUR, bid("A", "garde"), play("B", "SK")) == ("event-out-of-place", "FT-5.1")


# --- Trischaken ----------------------------------------------------------------------------------

THREE_PASSES = [passed("A"), passed("B"), passed("C")]


def test_it_8_2_a_player_must_beat_if_a_legal_card_can() -> None:
    ready = [deal(BECK, "SJ S8 T9 T4", "S7 SQ SK T5 T10", "S9 S10 T12 T3"), *THREE_PASSES]
    assert legal(BECK, *ready, play("A", "SJ")) == {"SQ", "SK"}
    error = refusal(BECK, *ready, play("A", "SJ"), play("B", "S7"))
    assert (error.code, error.clause, error.path) == ("illegal-play", "IT-8.2", ("card",))
    # Beating is beating the best card so far, and following comes before it.
    rest = legal(BECK, *ready, play("A", "SJ"), play("B", "SQ"))
    assert rest == {card for card in ready[0]["hands"]["C"] if card[0] == "S"}
    tarocks = legal(BECK, *ready, play("A", "T9"))
    higher = {
        card for card in ready[0]["hands"]["B"] if card == "F" or (card[0] == "T" and int(card[1:]) > 9)
    }
    assert tarocks == higher
    assert "T10" in higher


def test_it_8_2_a_ruffed_suit_is_beaten_with_a_higher_tarock_or_thrown_under() -> None:
    suits = "HK HQ HC HJ H1 H2 DK DQ DC DJ D1 D2"
    ready = [deal(BECK, "SK SQ", f"{suits} T1 T9 T5 T7", "CK CQ CC CJ C10 C9 C8 C7 H3 H4 D3 D4 T3 T8 T2 T6")]
    ready += THREE_PASSES
    assert legal(BECK, *ready, play("A", "SK")) == {"T5", "T7", "T9"}
    assert legal(BECK, *ready, *plays("SK T7")) == {"T8"}
    assert legal(BECK, *ready, *plays("SK T9")) == {"T2", "T3", "T6", "T8"}


def test_it_8_3_the_pagat_is_the_last_tarock() -> None:
    ready = [deal(BECK, "T1 T5 SK", "T9 T10", "T11 S7"), *THREE_PASSES]
    assert "T1" not in legal(BECK, *ready)
    assert refused(BECK, *ready, play("A", "T1")) == ("illegal-play", "IT-8.3")
    # As the last tarock it may be led, and must be played where it is the only legal card.
    only = "T1 SK SQ SC SJ S10 S9 HK HQ HC HJ H1 H2 DK DQ DC"
    ready = [deal(BECK, only, "T9 S7", "T10 S8"), *THREE_PASSES]
    assert legal(BECK, *ready) == set(only.split())
    led = [deal(BECK, "T9 S7", only, "T10 S8"), *THREE_PASSES, play("A", "T9")]
    assert legal(BECK, *led) == {"T1"}


def test_it_8_3_the_pagat_beats_a_suit_when_it_is_all_there_is() -> None:
    hand = "T1 HK HQ HC HJ H1 H2 H3 DK DQ DC DJ D1 D2 D3 CK"
    ready = [deal(BECK, "SK", hand, "S7"), *THREE_PASSES, play("A", "SK")]
    assert legal(BECK, *ready) == {"T1"}
