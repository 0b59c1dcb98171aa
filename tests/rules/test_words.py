"""What refusals say: what comes first, who is meant, which pack, how many."""

from __future__ import annotations

import pytest

from tests.rules.scenes import (
    FIVE,
    FOUR,
    MAYR,
    Sent,
    announce,
    annul,
    bid,
    deal,
    gut,
    passed,
    play,
    refusal,
    take,
    tarock_result,
    tarot_result,
    trick,
)
from trull import Variant
from trull.errors import any_of, counted

HERE = ["Anna", "Béla", "Cyril", "Dora", "Emil"]
DEALT = deal(MAYR, "T1 T2 T3 T4 T5 T6 T7 T8 T9 T10", "HK", talon="S7 S8")
BOUGHT = [DEALT, bid("A", "zweiblatt"), *gut("B", "C")]
FOUR_DEALT = deal(FOUR, "T1 T2 T3 T4 T5 T6 T7 T8 T9 T10 T11 T12", talon="S7 S8 S9 H7 H8 H9")
KEPT = [bid("A", "garde_sans"), *map(passed, "BCD")]


@pytest.mark.parametrize(
    ("variant", "events", "says"),
    [
        (MAYR, [play("A", "T1")], "The auction comes before the first card."),
        (MAYR, [DEALT, play("A", "T1")], "The auction comes first: it is the turn of Anna to speak."),
        (MAYR, [*BOUGHT, play("A", "T1")], "The talon comes first: Anna takes from it."),
        (MAYR, [*BOUGHT, take("A", "S7 S8"), play("A", "T1")], "The discard of Anna comes first."),
        (MAYR, [*map(passed, "ABC"), play("A", "T1")], "Everybody has passed, so that nothing is played."),
        (MAYR, [annul("director"), play("A", "T1")], "The hand is annulled."),
        (
            FIVE,
            [bid("A", "garde"), *map(passed, "BCDE"), play("A", "T1")],
            "The call of Anna for a King comes first.",
        ),
        (MAYR, [tarock_result(40), play("A", "T1")], "Every card is played."),
        (
            MAYR,
            [DEALT, bid("A", "solo"), trick("HK T1 T2")],
            "Anna leads this trick, and does not hold HK.",
        ),
        (
            MAYR,
            [DEALT, bid("A", "solo"), trick("T1 T2 HK")],
            "Béla plays card 2 of this trick, and does not hold T2.",
        ),
        (MAYR, [DEALT, bid("A", "solo"), play("A", "HK")], "Anna does not hold HK."),
        (
            MAYR,
            [DEALT, bid("A", "solo"), play("A", "T1"), play("B", "T1")],
            "Béla does not hold T1: it was played in trick 1.",
        ),
        (
            MAYR,
            [bid("A", "solo"), play("A", "S3")],
            "S3 is no card of the 54-card pack, "
            "whose black suits have the pips 7 to 10, the red ones 1 to 4.",
        ),
        (
            MAYR,
            [*BOUGHT, announce("A", "forty", stage="after_pickup")],
            "This announcement comes before pick-up, so its stage is before_pickup.",
        ),
        (
            FOUR,
            [FOUR_DEALT, *KEPT, announce("A", "handful", "T1 T2")],
            "A handful shows exactly 10, 13 or 15 trumps, not 2.",
        ),
        (
            FOUR,
            [FOUR_DEALT, *KEPT, announce("A", "slam", stage="before_pickup")],
            "Announcements come after the discard, so their stage is after_pickup.",
        ),
        (MAYR, [tarock_result(40), annul("director")], "A reported result is not annulled."),
        (
            MAYR,
            [bid("A", "einblatt"), *gut("B", "C"), take("A", "S7 S8")],
            "einblatt takes 1 card.",
        ),
        (
            MAYR,
            [tarock_result(40, contra={"level": "contra"})],
            "A contra to the game says its stage: before_pickup or after_pickup.",
        ),
        (FOUR, [tarot_result(3, 1)], "3 card points do not go with 1 oudler."),
    ],
)
def test_what_is_said(variant: Variant, events: list[Sent], says: str) -> None:
    assert refusal(variant, *events).told(HERE) == says


def test_a_deal_with_a_wrong_count_says_whose() -> None:
    short, less = deal(MAYR), deal(MAYR)
    short["hands"]["B"].pop()
    assert refusal(MAYR, short).told(HERE) == "Each player must be dealt 16 cards; Béla has 15."
    less["talon"].pop()
    assert refusal(MAYR, less).told(HERE) == "The talon must have 6 cards; this one has 5."
    foreign = deal(MAYR)
    lacking, foreign["talon"][0] = foreign["talon"][0], "S3"
    told = refusal(MAYR, foreign).told(HERE)
    assert told.startswith(f"The deal lacks {lacking}, and S3 is not of the 54-card pack, whose black")


def test_a_retraction_names_the_event_that_breaks_a_rule() -> None:
    events = [passed("A"), bid("B", "dreiblatt"), passed("C"), {"type": "event_retracted", "seq": 2}]
    error = refusal(MAYR, *events)
    assert (error.code, error.seq) == ("wrong-turn", 3)
    said = "Without event 2, event 3 breaks a rule: It is the turn of Béla to speak."
    assert error.told(HERE) == said
    assert str(error).startswith("Without event 2, event 3 breaks a rule: It is the turn of seat 1")


def test_numbers_and_choices_in_words() -> None:
    assert [counted(number, "card") for number in (0, 1, 2, 1.5)] == [
        "0 cards",
        "1 card",
        "2 cards",
        "1.5 cards",
    ]
    assert [any_of("abc"[:count]) for count in (1, 2, 3)] == ["a", "a or b", "a, b or c"]
