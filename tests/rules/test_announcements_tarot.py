"""Slams and handfuls of French Tarot announced (FT-4)."""

from __future__ import annotations

from dataclasses import replace

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
    contra,
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
from trull import RulesError, Variant, step
from trull.events import Announced

tarock = pytest.mark.parametrize("variant", TAROCKS, ids=lambda variant: variant.id)
tarot = pytest.mark.parametrize("variant", TAROTS, ids=lambda variant: variant.id)


HIGH = [f"T{number}" for number in range(21, 1, -1)]


def ready(variant: Variant, *own: str, contract: str = "garde_sans") -> list[Sent]:
    """B plays this contract, and the first card may be led."""
    words = [bid(name, contract) if name == "B" else passed(name) for name in players_of(variant)]
    call = [say("king_called", "B", card="HK")] if variant.players == 5 else []
    return [deal(variant, *own), *words, *call]


@tarot
def test_ft_4_1_the_slam_is_the_takers_before_the_lead(variant: Variant) -> None:
    table = ready(variant)
    hand = hand_of(variant, *table, announce("B", "slam"))
    assert hand.announced == {(1, "slam"): ("after_pickup", ())}
    for player in "AC":
        error = refusal(variant, *table, announce(player, "slam"))
        assert (error.code, error.clause, error.path) == ("illegal-announcement", "FT-4.1", ("player",))
    error = refusal(variant, *table, announce("B", "slam"), announce("B", "slam"))
    assert (error.code, error.path) == ("illegal-announcement", ("bonus",))
    led = [*table, play("A", next(card for card in table[0]["hands"]["A"] if card[0] not in "HF"))]
    assert refused(variant, *led, announce("B", "slam")) == ("illegal-announcement", "FT-4.1")
    assert refused(variant, *table[: variant.players], announce("B", "slam")) == (
        "event-out-of-place",
        "FT-4.1",
    )


@tarot
def test_ft_4_2_the_announcer_leads(variant: Variant) -> None:
    table = [*ready(variant), announce("B", "slam")]
    card = next(card for card in table[0]["hands"]["B"] if card[0] not in "HF")
    hand = hand_of(variant, *table, play("B", card))
    assert hand.turn == 2
    assert hand.first_leader == 1
    assert refused(variant, *table, play("A", "SK"))[0] == "wrong-turn"


@tarot
def test_ft_4_1_nothing_else_is_announced(variant: Variant) -> None:
    for name in ("petit_au_bout", "pagat", "valat"):
        error = refusal(variant, *ready(variant), announce("B", name))
        assert (error.code, error.clause, error.path) == ("illegal-announcement", "FT-4.1", ("bonus",))
    for name in ("slam", "handful"):
        house = replace(variant, bonuses={key: row for key, row in variant.bonuses.items() if key != name})
        shown = " ".join(HIGH[:10]) if name == "handful" else ""
        error = refusal(house, *ready(house, "", " ".join(HIGH[:10])), announce("B", name, shown))
        assert (error.code, error.path) == ("illegal-announcement", ("bonus",))


@tarot
def test_ft_4_1_the_stage_is_after_the_discard(variant: Variant) -> None:
    hand_of(variant, *ready(variant), announce("B", "slam", stage="after_pickup"))
    error = refusal(variant, *ready(variant), announce("B", "slam", stage="before_pickup"))
    assert (error.code, error.clause, error.path) == ("illegal-announcement", "FT-4.1", ("stage",))


def test_ft_4_1_not_before_the_discard() -> None:
    table = ready(FOUR, contract="garde")
    chien = " ".join(table[0]["talon"])
    assert refused(FOUR, *table, announce("B", "slam")) == ("event-out-of-place", "FT-4.1")
    assert refused(FOUR, *table, take("B", chien), announce("B", "slam"))[0] == "event-out-of-place"


def test_no_cards_are_shown_for_a_slam() -> None:
    hand = hand_of(FOUR, *ready(FOUR, "", "T21"))
    with pytest.raises(RulesError) as caught:
        step(hand, Announced(1, "slam", (76,), None))
    assert (caught.value.code, caught.value.path) == ("illegal-announcement", ("cards",))


SIZES = [(THREE, (13, 15, 18)), (FOUR, (10, 13, 15)), (FIVE, (8, 10, 13))]


@pytest.mark.parametrize(("variant", "sizes"), SIZES, ids=lambda value: getattr(value, "id", None))
def test_ft_4_3_a_handful_shows_exactly_its_size(variant: Variant, sizes: tuple[int, ...]) -> None:
    most = sizes[-1]
    table = ready(variant, "", "", " ".join(HIGH[:most]))
    for size in range(1, most + 1):
        shown = announce("C", "handful", " ".join(HIGH[:size]))
        if size in sizes:
            assert len(hand_of(variant, *table, shown).announced[2, "handful"][1]) == size
        else:
            error = refusal(variant, *table, shown)
            assert (error.code, error.clause, error.path) == ("illegal-announcement", "FT-4.3", ("cards",))


def test_ft_4_4_trumps_that_are_held_each_once() -> None:
    table = ready(FOUR, "", "", " ".join(["HQ", *HIGH[:12]]))
    not_held = announce("C", "handful", " ".join([*HIGH[:9], HIGH[19]]))
    error = refusal(FOUR, *table, not_held)
    assert (error.code, error.clause, error.path) == ("card-not-held", "FT-4.4", ("cards", 9))
    no_trump = announce("C", "handful", " ".join([*HIGH[:3], "HQ", *HIGH[3:9]]))
    error = refusal(FOUR, *table, no_trump)
    assert (error.code, error.clause, error.path) == ("illegal-announcement", "FT-4.4", ("cards", 3))
    twice = announce("C", "handful", " ".join([*HIGH[:9], HIGH[0]]))
    error = refusal(FOUR, *table, twice)
    assert (error.code, error.clause, error.path) == ("illegal-announcement", "FT-4.4", ("cards", 9))
    # He may hold more than he shows.
    hand_of(FOUR, *table, announce("C", "handful", " ".join(HIGH[2:12])))


def test_ft_4_4_once_a_hand_and_before_the_own_first_card() -> None:
    trumps = " ".join(HIGH[:10])
    table = ready(FOUR, "SK", "SQ", f"SC {trumps}", "SJ")
    shown = announce("C", "handful", trumps)
    assert refused(FOUR, *table, shown, shown) == ("illegal-announcement", "FT-4.4")
    led = [*table, play("A", "SK")]
    hand_of(FOUR, *led, shown)
    hand_of(FOUR, *led, play("B", "SQ"), shown)
    own = [*led, play("B", "SQ"), play("C", "SC")]
    error = refusal(FOUR, *own, shown)
    assert (error.code, error.clause) == ("illegal-announcement", "FT-4.4")
    assert refused(FOUR, *table, trick("SK SQ SC SJ"), shown) == ("illegal-announcement", "FT-4.4")
    assert refused(FOUR, *own, play("D", "SJ"), shown) == ("illegal-announcement", "FT-4.4")


def test_ft_4_5_the_excuse_stands_for_no_trump_that_could_be_shown() -> None:
    nine = " ".join(HIGH[:9])
    hand_of(
        FOUR, *ready(FOUR, "", "", f"{nine} F SK SQ SC SJ HK HQ HC HJ"), announce("C", "handful", f"{nine} F")
    )
    ten = ready(FOUR, "", "", f"{' '.join(HIGH[:10])} F SK SQ SC SJ HK HQ HC")
    error = refusal(FOUR, *ten, announce("C", "handful", f"F {nine}"))
    assert (error.code, error.clause, error.path) == ("illegal-announcement", "FT-4.5", ("cards", 0))
    hand_of(FOUR, *ten, announce("C", "handful", " ".join(HIGH[:10])))


def test_ft_4_4_without_the_deal_what_was_shown_is_judged_in_the_end() -> None:
    hand = hand_of(FOUR, *ready(FOUR)[1:], announce("A", "handful", " ".join([*HIGH[:9], "F"])))
    assert hand.announced[0, "handful"][1]
    assert refused(FOUR, *ready(FOUR)[1:], announce("A", "handful", "SK")) == (
        "illegal-announcement",
        "FT-4.4",
    )


@tarot
def test_ft_4_6_no_contra(variant: Variant) -> None:
    error = refusal(variant, *ready(variant), contra("A"))
    assert (error.code, error.clause, error.path) == ("illegal-contra", "FT-4.6", ("level",))
    bidding = ready(variant)[:2]
    assert refused(variant, *bidding, contra("A")) == ("event-out-of-place", "FT-4.6")
    passes = [passed(name) for name in players_of(variant)]
    assert refused(variant, *passes, contra("A")) == ("event-out-of-place", "FT-4.6")
