"""Bonuses announced and answered (IT-7.21 to IT-7.35, FT-4)."""

from __future__ import annotations

from dataclasses import replace

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
    bid,
    contra,
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


# --- Illustrated Tarock: announcements -----------------------------------------------------------

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


# --- French Tarot --------------------------------------------------------------------------------

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
    assert stages(hand) == {(1, "slam"): "after_pickup"}
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
