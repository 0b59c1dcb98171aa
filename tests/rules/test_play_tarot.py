"""The tricks of French Tarot: who plays, what may be played, who wins (FT-5)."""

from __future__ import annotations

from contextlib import suppress

import pytest

from tests.rules.scenes import (
    FIVE,
    FOUR,
    TAROCKS,
    TAROTS,
    THREE,
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
    trick,
)
from trull import Variant
from trull.errors import CardNotHeld, IllegalPlay

tarock = pytest.mark.parametrize("variant", TAROCKS, ids=lambda variant: variant.id)
tarot = pytest.mark.parametrize("variant", TAROTS, ids=lambda variant: variant.id)


def sans(variant: Variant, *own: str, called: str = "HK") -> list[Sent]:
    """A plays a garde sans."""
    words = [bid("A", "garde_sans"), *(passed(name) for name in players_of(variant)[1:])]
    call = [say("king_called", "A", card=called)] if variant is FIVE else []
    return [deal(variant, *own), *words, *call]


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


@tarot
def test_ft_5_1_the_first_player_leads(variant: Variant) -> None:
    ready = sans(variant, "SK", "SQ")
    error = refusal(variant, *ready, play("B", "SQ"))
    assert (error.code, error.clause, error.path) == ("wrong-turn", "FT-5.1", ("player",))
    assert hand_of(variant, *ready, play("A", "SK")).turn == 1


@tarot
def test_ft_5_2_follow_suit(variant: Variant) -> None:
    ready = sans(variant, "SK T9", "SQ S1 T20 T3")
    may = legal(variant, *ready, play("A", "SK"))
    assert may == {card for card in ready[0]["hands"]["B"] if card[0] in "SF"}
    error = refusal(variant, *ready, play("A", "SK"), play("B", "T20"))
    assert (error.code, error.clause, error.path) == ("illegal-play", "FT-5.2", ("card",))


TRUMPS_AND_RED = "T1 T5 T12 T20 HQ HC HJ H10 H9 H8 H7 DK DQ DC DJ"


def test_ft_5_3_ruff_and_ft_5_4_overtrump() -> None:
    ready = sans(FOUR, "SK", f"{TRUMPS_AND_RED} D10 D9 D8", f"T2 T13 F {OTHERS}", "T14 S2")
    assert legal(FOUR, *ready, play("A", "SK")) == {"T1", "T5", "T12", "T20"}
    # Over the highest trump of the trick if he can, the Excuse always.
    assert legal(FOUR, *ready, *plays("SK T12", players="ABCD")) == {"T13", "F"}
    assert legal(FOUR, *ready, *plays("SK T20", players="ABCD")) == {"T2", "T13", "F"}
    assert refused(FOUR, *ready, *plays("SK T12 T2", players="ABCD")) == ("illegal-play", "FT-5.4")
    assert refused(FOUR, *ready, *plays("SK HQ", players="ABCD")) == ("illegal-play", "FT-5.3")


OTHERS = "CK CQ CC CJ C10 C9 C8 C7 C6 C5 C4 C3 C2 C1 D1"


def test_ft_5_4_overtrump_when_trumps_are_led() -> None:
    ready = sans(THREE, "T10 T3", "T4 T9 T11 T15", "T2 T20")
    assert {"T11", "T15"} <= legal(THREE, *ready, play("A", "T10"))
    assert not {"T4", "T9"} & legal(THREE, *ready, play("A", "T10"))
    error = refusal(THREE, *ready, play("A", "T10"), play("B", "T9"))
    assert (error.code, error.clause) == ("illegal-play", "FT-5.4")


def test_ft_5_3_without_suit_and_trump_anything() -> None:
    bare = " ".join(f"{suit}{rank}" for suit in "HD" for rank in ("K", "Q", "C", "J", *range(2, 7)))
    ready = sans(FOUR, "SK T9", bare)
    assert legal(FOUR, *ready, play("A", "SK")) == set(bare.split())
    assert legal(FOUR, *ready, play("A", "T9")) == set(bare.split())


@tarot
def test_ft_5_5_the_excuse_led_leaves_the_suit_to_the_next(variant: Variant) -> None:
    ready = sans(variant, "F", "SK T5 HQ", "S2 S3", called="CK")
    led = [*ready, play("A", "F")]
    assert legal(variant, *led) == set(ready[0]["hands"]["B"])
    assert legal(variant, *led, play("B", "SK")) == {
        card for card in ready[0]["hands"]["C"] if card[0] in "SF"
    }


@tarot
def test_ft_5_6_who_wins_a_trick(variant: Variant) -> None:
    for cards, winner in (
        ("F S2 SK S3 S4", 2),
        ("F T2 SK S3 S4", 1),
        ("SK T1 F S3 S4", 1),
        ("S1 S2 H10 C4 D5", 1),
        ("T20 T21 F T2 T3", 1),
        ("F SK HK S2 S3", 1),
    ):
        hand = hand_of(variant, *sans(variant)[1:], trick(" ".join(cards.split()[: variant.players])))
        assert hand.winners == [winner], cards


def test_ft_5_10_the_first_lead_with_five_players() -> None:
    ready = sans(FIVE, "HK HQ SK T3")
    may = legal(FIVE, *ready)
    assert may == {card for card in ready[0]["hands"]["A"] if card[0] != "H"} | {"HK"}
    error = refusal(FIVE, *ready, play("A", "HQ"))
    assert (error.code, error.clause, error.path) == ("illegal-play", "FT-5.10", ("card",))
    assert refusal(FIVE, *ready, trick("HQ H2 H3 H4 H5")).clause == "FT-5.10"
    # In later tricks, and with fewer players, any suit may be led.
    suits = [next(card for card in ready[0]["hands"][name] if card[0] == "S") for name in "BCDE"]
    assert "HQ" in legal(FIVE, *ready, trick(" ".join(["SK", *suits])))
    for variant in (THREE, FOUR):
        assert "HQ" in legal(variant, *sans(variant, "HK HQ SK T3"))


def test_ft_5_10_who_announces_a_slam_leads_by_the_same_rule() -> None:
    words = [passed("A"), bid("B", "garde_sans"), passed("C"), passed("D"), passed("E")]
    ready = [deal(FIVE, "", "HQ SK"), *words, say("king_called", "B", card="HK"), announce("B", "slam")]
    assert refused(FIVE, *ready, play("B", "HQ")) == ("illegal-play", "FT-5.10")
    hand_of(FIVE, *ready, play("B", "SK"))
