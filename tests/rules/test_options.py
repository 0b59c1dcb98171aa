"""What the players may do next (tests/laws has it tried exhaustively)."""

from __future__ import annotations

import pytest

from tests.rules.scenes import (
    BECK,
    FIVE,
    FOUR,
    LOEW,
    MAYR,
    Sent,
    announce,
    annul,
    bid,
    contra,
    deal,
    gut,
    hand_of,
    lay,
    passed,
    play,
    say,
    take,
    tarock_result,
)
from trull import Hand, Variant, may_act
from trull.events import Announced, CardsDiscarded, TalonTaken
from trull.options import options

DEAL = deal(MAYR, "SQ SC", talon="HQ S9 C8 T7 DK T1")
ZWEIBLATT = [DEAL, bid("A", "zweiblatt"), *gut("B", "C")]
TAKEN = [*ZWEIBLATT, take("A", "HQ S9")]
LAID = [*TAKEN, lay("A", "SQ SC")]

CASES: list[tuple[str, Variant, list[Sent], dict[int, list[str]]]] = [
    ("nothing yet", MAYR, [], {0: ["bid_made", "passed"]}),
    ("dealt", MAYR, [DEAL], {0: ["bid_made", "passed"]}),
    ("a bid", MAYR, [DEAL, bid("A", "einblatt")], {1: ["bid_accepted", "bid_made", "passed"]}),
    (
        "a bid to take over",
        LOEW,
        [bid("A", "einblatt")],
        {1: ["bid_accepted", "bid_made", "bid_taken_over", "passed"]},
    ),
    (
        "taken over",
        LOEW,
        [bid("A", "einblatt"), say("bid_taken_over", "B")],
        {0: ["bid_accepted", "bid_held", "passed"]},
    ),
    (
        "held",
        LOEW,
        [bid("A", "einblatt"), say("bid_taken_over", "B"), say("bid_held", "A")],
        {1: ["bid_accepted", "bid_retaken", "passed"]},
    ),
    (
        "before pick-up",
        MAYR,
        ZWEIBLATT,
        {0: ["announced", "talon_taken"], 1: ["contra_called"], 2: ["contra_called"]},
    ),
    ("before pick-up at Löw's", LOEW, [deal(LOEW), *ZWEIBLATT[1:]], {0: ["announced", "talon_taken"]}),
    ("the talon taken", MAYR, TAKEN, {0: ["cards_discarded"]}),
    (
        "laid away",
        MAYR,
        LAID,
        {0: ["announced", "card_played"], 1: ["contra_called"], 2: ["contra_called"]},
    ),
    (
        "contra",
        MAYR,
        [*LAID, contra("B")],
        {0: ["announced", "card_played", "contra_called"]},
    ),
    ("the first card", MAYR, [*LAID, play("A", "HQ")], {1: ["card_played"]}),
    ("passed out", MAYR, [passed("A"), passed("B"), passed("C")], {}),
    ("Trischaken", BECK, [passed("A"), passed("B"), passed("C")], {0: ["card_played"]}),
    ("annulled", MAYR, [DEAL, annul("director")], {}),
    ("a result", MAYR, [tarock_result(40)], {}),
    ("one word", FOUR, [passed("A")], {1: ["bid_made", "passed"]}),
    (
        "the call",
        FIVE,
        [bid("A", "garde"), *(passed(name) for name in "BCDE")],
        {0: ["king_called"]},
    ),
    ("garde contre, five players", FIVE, [bid("A", "garde_contre")], {0: ["king_called"], 1: ["passed"]}),
]


@pytest.mark.parametrize(("what", "variant", "events", "expected"), CASES, ids=[case[0] for case in CASES])
def test_may_act(what: str, variant: Variant, events: list[Sent], expected: dict[int, list[str]]) -> None:
    hand = hand_of(variant, *events) if events else Hand(variant)
    assert may_act(hand) == expected


def test_handfuls_that_the_hand_shows() -> None:
    trumps = " ".join(f"T{number}" for number in range(21, 6, -1))
    words = [bid("A", "garde_sans"), passed("B"), passed("C"), passed("D")]
    table = [deal(FOUR, "SK", trumps, "SQ", "SC"), *words]
    offered = [event for event in options(hand_of(FOUR, *table)) if isinstance(event, Announced)]
    sizes = {len(event.cards) for event in offered if event.bonus == "handful"}
    assert sizes == {10, 13, 15}
    assert {event.seat for event in offered if event.bonus == "handful"} == {1}
    shown = [*table, announce("B", "handful", trumps)]
    assert "announced" not in may_act(hand_of(FOUR, *shown)).get(1, [])


def test_one_legal_form_stands_for_all_discards() -> None:
    found = [event for event in options(hand_of(MAYR, *TAKEN)) if isinstance(event, CardsDiscarded)]
    assert len(found) == 1
    assert len(found[0].cards) == 2


def test_every_portion_of_the_talon_is_offered() -> None:
    found = [event for event in options(hand_of(MAYR, *ZWEIBLATT)) if isinstance(event, TalonTaken)]
    assert len(found) == 3
    unseen = hand_of(MAYR, *ZWEIBLATT[1:])
    found = [event for event in options(unseen) if isinstance(event, TalonTaken)]
    assert len(found) == 1
    assert may_act(unseen)[0] == ["announced", "talon_taken"]


def test_without_the_deal_a_discard_is_possible() -> None:
    assert may_act(hand_of(MAYR, *TAKEN[1:])) == {0: ["cards_discarded"]}
    after = may_act(hand_of(MAYR, *LAID[1:]))
    assert after[0] == ["announced", "card_played"]


def test_a_void_deal_lets_nobody_act() -> None:
    bare = "S7 S8 S9 H4 H3 H2 D4 D3 D2 C7 C8 C9 HK HQ DK DQ"
    assert may_act(hand_of(LOEW, deal(LOEW, bare))) == {}
