"""The talon and the discard (IT-5, FT-3)."""

from __future__ import annotations

import pytest

from tests.rules.scenes import (
    FIVE,
    FOUR,
    LOEW,
    MAYR,
    TAROCKS,
    TAROTS,
    THREE,
    Sent,
    bid,
    deal,
    gut,
    hand_of,
    lay,
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
from trull.cards import codes_of

tarock = pytest.mark.parametrize("variant", TAROCKS, ids=lambda variant: variant.id)
tarot = pytest.mark.parametrize("variant", TAROTS, ids=lambda variant: variant.id)
PILE = "HQ S9 C8 T7 DK T1"


def table(variant: Variant, contract: str, own: str = "", talon: str = PILE) -> list[Sent]:
    """A has won this contract."""
    return [deal(variant, own, talon=talon), bid("A", contract), *gut("B", "C")]


PORTIONS = {
    "dreiblatt": ["HQ S9 C8", "T7 DK T1"],
    "zweiblatt": ["HQ S9", "C8 T7", "DK T1"],
    "einblatt": PILE.split(),
}


@pytest.mark.parametrize("contract", PORTIONS)
@tarock
def test_it_5_1_which_talon_cards(variant: Variant, contract: str) -> None:
    for cards in PORTIONS[contract]:
        for order in (cards, " ".join(reversed(cards.split()))):
            hand = hand_of(variant, *table(variant, contract), take("A", order))
            assert sorted(codes_of(hand.taken)) == sorted(cards.split())
            assert hand.held is not None
            assert hand.held[0] & hand.taken == hand.taken
            assert hand.phase == "discard"


WRONG = {
    "dreiblatt": ["S9 C8 T7", "HQ S9", "HQ S9 C8 T7", "HQ S9 T1", "HQ HQ S9", "HQ S9 SK"],
    "zweiblatt": ["S9 C8", "T7 DK", "HQ T1", "HQ", "HQ S9 C8", "HQ HQ", "HQ SK"],
    "einblatt": ["HQ S9", "SK"],
}


@pytest.mark.parametrize(
    ("contract", "cards"), [(contract, cards) for contract in WRONG for cards in WRONG[contract]]
)
@tarock
def test_it_5_1_any_other_choice_is_refused(variant: Variant, contract: str, cards: str) -> None:
    error = refusal(variant, *table(variant, contract, "SK"), take("A", cards))
    assert (error.code, error.clause, error.path) == ("illegal-talon", "IT-5.1", ("cards",))


@tarock
def test_it_5_1_the_refusal_names_what_may_be_taken(variant: Variant) -> None:
    assert (
        "HQ+S9 or C8+T7 or DK+T1" in refusal(variant, *table(variant, "zweiblatt"), take("A", "S9 C8")).detail
    )


@tarock
def test_it_5_5_only_the_declarer_exchanges_and_when(variant: Variant) -> None:
    ready = table(variant, "zweiblatt", "SQ SC")
    error = refusal(variant, *ready, take("B", "HQ S9"))
    assert (error.code, error.clause, error.path) == ("wrong-turn", "IT-5.5", ("player",))
    taken = [*ready, take("A", "HQ S9")]
    error = refusal(variant, *taken, lay("B", "SQ SC"))
    assert (error.code, error.clause, error.path) == ("wrong-turn", "IT-5.5", ("player",))
    place = ("event-out-of-place", "IT-5.5")
    assert refused(variant, *taken, take("A", "C8 T7")) == place
    assert refused(variant, *ready, lay("A", "SQ SC")) == place
    laid = [*taken, lay("A", "SQ SC")]
    assert refused(variant, *laid, lay("A", "S9 HQ")) == place
    assert refused(variant, *laid, take("A", "C8 T7")) == place
    assert refused(variant, ready[0], take("A", "HQ S9")) == place
    assert refused(variant, ready[0], lay("A", "SQ SC")) == place


@tarock
def test_it_5_6_solo_takes_nothing(variant: Variant) -> None:
    solo = [deal(variant, "HK", talon=PILE), bid("A", "solo")]
    for cards in ("HQ", "HQ S9", PILE):
        error = refusal(variant, *solo, take("A", cards))
        assert (error.code, error.clause, error.path) == ("illegal-talon", "IT-5.1", ("cards",))
    assert refused(variant, *solo, take("B", "HQ")) == ("wrong-turn", "IT-5.5")
    assert refused(variant, *solo, lay("A", "HK")) == ("event-out-of-place", "IT-5.5")
    assert refused(variant, *solo, play("A", "HK"), take("A", "HQ")) == ("event-out-of-place", "IT-5.5")


@tarock
def test_it_5_2_as_many_discards_as_cards_taken(variant: Variant) -> None:
    taken = [*table(variant, "zweiblatt", "SQ SC SJ S10"), take("A", "HQ S9")]
    for cards in ("SQ", "SQ SC SJ"):
        error = refusal(variant, *taken, lay("A", cards))
        assert (error.code, error.clause, error.path) == ("illegal-discard", "IT-5.2", ("cards",))
    assert codes_of(hand_of(variant, *taken, lay("A", "SQ SC")).discarded) == ["SC", "SQ"]
    one = [*table(variant, "einblatt", "SQ"), take("A", "S9")]
    hand = hand_of(variant, *one, lay("A", "SQ"))
    assert (hand.phase, hand.turn) == ("play", 0)


@tarock
def test_it_5_3_no_honours_and_no_kings(variant: Variant) -> None:
    taken = [*table(variant, "zweiblatt", "SQ SC SK F T21"), take("A", "DK T1")]
    for place, pair in enumerate(("SQ {}", "{} SQ")):
        for card in ("SK", "F", "T21", "DK", "T1"):
            error = refusal(variant, *taken, lay("A", pair.format(card)))
            assert (error.code, error.clause) == ("illegal-discard", "IT-5.3")
            assert error.path == ("cards", 1 - place)
            assert card in error.detail


@tarock
def test_it_5_3_a_card_just_taken_may_go(variant: Variant) -> None:
    hand_of(variant, *table(variant, "zweiblatt"), take("A", "HQ S9"), lay("A", "HQ S9"))


TAROCKS_OF_A = "T2 T3 T4 T5 T6 T8 T9 T10 T11 T12"


@tarock
def test_it_5_4_tarocks_only_when_nothing_else(variant: Variant) -> None:
    """With one plain card one tarock goes, with none two, and never more than needed."""
    one = f"{TAROCKS_OF_A} T13 SK HK CK F T21"
    taken = [*table(variant, "zweiblatt", one), take("A", "C8 T7")]
    hand_of(variant, *taken, lay("A", "C8 T7"))
    hand_of(variant, *taken, lay("A", "T13 C8"))
    error = refusal(variant, *taken, lay("A", "T2 T3"))
    assert (error.code, error.clause, error.path) == ("illegal-discard", "IT-5.4", ("cards", 0))
    none = f"{TAROCKS_OF_A} T13 SK HK CK F T21"
    bare = [*table(variant, "zweiblatt", none, "T14 T7 S9 C8 DK T1"), take("A", "T14 T7")]
    hand_of(variant, *bare, lay("A", "T2 T3"))
    plenty = [*table(variant, "zweiblatt", f"SQ SC {TAROCKS_OF_A}"), take("A", "C8 T7")]
    error = refusal(variant, *plenty, lay("A", "SQ T5"))
    assert (error.code, error.path) == ("illegal-discard", ("cards", 1))


@tarock
def test_it_6_6_what_is_laid_away_is_held_each_once(variant: Variant) -> None:
    taken = [*table(variant, "zweiblatt", "SQ", "HQ S9 C8 T7 DK T1"), take("A", "HQ S9")]
    for cards, place in (("C8 SQ", 0), ("SQ C8", 1), ("SQ SQ", 1)):
        error = refusal(variant, *taken, lay("A", cards))
        assert (error.code, error.clause, error.path) == ("card-not-held", "IT-6.6", ("cards", place))


@tarock
def test_what_was_laid_away_cannot_be_played(variant: Variant) -> None:
    laid = [*table(variant, "zweiblatt", "SQ"), take("A", "HQ S9"), lay("A", "SQ HQ")]
    assert refused(variant, *laid, play("A", "SQ"))[0] == "card-not-held"
    hand_of(variant, *laid, play("A", "S9"))


# --- Without the deal ----------------------------------------------------------------------------


@tarock
def test_it_3_4_without_the_deal_only_what_can_be_known_is_judged(variant: Variant) -> None:
    ready = [bid("A", "zweiblatt"), *gut("B", "C")]
    hand_of(variant, *ready, take("A", "HQ S9"), lay("A", "SQ SC"))
    assert refused(variant, *ready, take("A", "HQ")) == ("illegal-talon", "IT-5.1")
    error = refusal(variant, *ready, take("A", "HQ HQ"))
    assert (error.code, error.clause, error.path) == ("duplicate-card", "IT-6.6", ("cards", 1))
    error = refusal(variant, *ready, take("A", "HQ S1"))
    assert (error.code, error.clause, error.path) == ("card-not-held", "IT-6.6", ("cards", 1))
    taken = [*ready, take("A", "HQ S9")]
    assert refused(variant, *taken, lay("A", "SQ")) == ("illegal-discard", "IT-5.2")
    assert refused(variant, *taken, lay("A", "SQ SQ")) == ("duplicate-card", "IT-6.6")
    assert refused(variant, *taken, lay("A", "SQ S1")) == ("card-not-held", "IT-6.6")
    assert refused(variant, *taken, lay("A", "SQ SK")) == ("illegal-discard", "IT-5.3")
    laid = [*taken, lay("A", "SQ SC")]
    assert refused(variant, *laid, play("A", "SQ")) == ("duplicate-card", "IT-6.6")
    error = refusal(variant, *laid, play("A", "SK"), play("B", "HQ"))
    assert (error.code, error.clause, error.path) == ("card-not-held", "IT-6.6", ("card",))
    assert "talon" in error.detail
    # The one who took it plays it, and nobody plays it again.
    hand_of(variant, *laid, play("A", "HQ"))
    assert refused(variant, *laid, play("A", "SK"), play("B", "SK")) == ("duplicate-card", "IT-6.6")
    assert refused(variant, *laid, play("A", "S1")) == ("card-not-held", "IT-6.6")
    error = refusal(variant, *laid, trick("SK S10 HQ"))
    assert error.path == ("cards", 2)


# --- French Tarot --------------------------------------------------------------------------------


def taken_by_a(variant: Variant, contract: str, own: str = "", talon: str = "") -> list[Sent]:
    words = [bid("A", contract), *(passed(name) for name in players_of(variant)[1:])]
    call = [say("king_called", "A", card="HK")] if variant is FIVE else []
    return [deal(variant, own, talon=talon), *words, *call]


@pytest.mark.parametrize("contract", ["prise", "garde"])
@tarot
def test_ft_3_1_the_whole_chien(variant: Variant, contract: str) -> None:
    ready = taken_by_a(variant, contract, "SK")
    chien = ready[0]["talon"]
    for order in (chien, chien[::-1]):
        hand = hand_of(variant, *ready, take("A", " ".join(order)))
        assert sorted(codes_of(hand.taken)) == sorted(chien)
    for wrong in (chien[1:], [*chien[1:], "SK"], [*chien, "SK"], [chien[1], *chien[1:]]):
        error = refusal(variant, *ready, take("A", " ".join(wrong)))
        assert (error.code, error.clause, error.path) == ("illegal-talon", "FT-3.1", ("cards",))


@pytest.mark.parametrize("contract", ["garde_sans", "garde_contre"])
@tarot
def test_ft_3_5_the_chien_stays(variant: Variant, contract: str) -> None:
    ready = taken_by_a(variant, contract)
    chien = " ".join(ready[0]["talon"])
    assert hand_of(variant, *ready).phase == "play"
    assert refused(variant, *ready, take("A", chien)) == ("illegal-talon", "FT-3.1")
    assert refused(variant, *ready, take("B", chien)) == ("wrong-turn", "FT-3.6")
    assert refused(variant, *ready, lay("A", chien)) == ("event-out-of-place", "FT-3.6")


@tarot
def test_ft_3_6_only_the_taker_in_his_place(variant: Variant) -> None:
    ready = taken_by_a(variant, "garde", "SQ SC SJ S10 S9 S8")
    chien = " ".join(ready[0]["talon"])
    count = len(ready[0]["talon"])
    discard = " ".join(["SQ", "SC", "SJ", "S10", "S9", "S8"][:count])
    assert refused(variant, *ready, take("B", chien)) == ("wrong-turn", "FT-3.6")
    assert refused(variant, *ready, lay("A", discard)) == ("event-out-of-place", "FT-3.6")
    taken = [*ready, take("A", chien)]
    assert refused(variant, *taken, lay("B", discard)) == ("wrong-turn", "FT-3.6")
    assert refused(variant, *taken, take("A", chien)) == ("event-out-of-place", "FT-3.6")
    laid = [*taken, lay("A", discard)]
    assert hand_of(variant, *laid).phase == "play"
    assert refused(variant, *laid, lay("A", discard)) == ("event-out-of-place", "FT-3.6")
    error = refusal(variant, *taken, lay("A", " ".join(discard.split()[1:])))
    assert (error.code, error.clause, error.path) == ("illegal-discard", "FT-3.2", ("cards",))


@tarot
def test_ft_3_3_no_kings_and_no_oudlers(variant: Variant) -> None:
    ready = taken_by_a(variant, "garde", "SQ SC SJ S10 S9 SK T21 T1 F")
    taken = [*ready, take("A", " ".join(ready[0]["talon"]))]
    rest = ["SQ", "SC", "SJ", "S10", "S9"][: len(ready[0]["talon"]) - 1]
    for card in ("SK", "T21", "T1", "F"):
        error = refusal(variant, *taken, lay("A", " ".join([*rest, card])))
        assert (error.code, error.clause, error.path) == ("illegal-discard", "FT-3.3", ("cards", len(rest)))


def test_ft_3_4_trumps_only_if_nothing_else() -> None:
    trumps = " ".join(f"T{number}" for number in range(2, 17))
    own = f"{trumps} SK HK DK"
    ready = taken_by_a(FOUR, "garde", own, "S2 S3 S4 T17 T18 CK")
    taken = [*ready, take("A", "S2 S3 S4 T17 T18 CK")]
    hand_of(FOUR, *taken, lay("A", "S2 S3 S4 T2 T3 T4"))
    error = refusal(FOUR, *taken, lay("A", "S2 S3 T2 T3 T4 T5"))
    assert (error.code, error.clause, error.path) == ("illegal-discard", "FT-3.4", ("cards", 2))
    plenty = taken_by_a(FOUR, "garde", f"{own} SQ".replace("T16 ", ""), "S2 S3 S4 S5 S6 T18")
    taken = [*plenty, take("A", "S2 S3 S4 S5 S6 T18")]
    assert refused(FOUR, *taken, lay("A", "S2 S3 S4 S5 S6 T2")) == ("illegal-discard", "FT-3.4")
    hand_of(FOUR, *taken, lay("A", "S2 S3 S4 S5 S6 SQ"))


def test_ft_5_11_what_is_laid_away_is_held() -> None:
    ready = taken_by_a(THREE, "garde", "SQ SC SJ S10 S9", "S8 S7 S6 S5 S4 S3")
    taken = [*ready, take("A", "S8 S7 S6 S5 S4 S3")]
    other = next(card for card in ready[0]["hands"]["B"] if card[0] == "H")
    error = refusal(THREE, *taken, lay("A", f"SQ SC SJ S10 S9 {other}"))
    assert (error.code, error.clause, error.path) == ("card-not-held", "FT-5.11", ("cards", 5))


def test_the_clauses_are_those_of_the_game() -> None:
    assert LOEW.game is MAYR.game
    assert {clause[:3] for clause in LOEW.game.clauses.values()} == {"IT-"}
    assert {clause[:3] for clause in FOUR.game.clauses.values()} == {"FT-"}
