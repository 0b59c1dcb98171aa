"""Events undone, and hands whose deal is inferred (IT-3.4, IT-12.2, FT-2.10, FT-9.2)."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.laws.lawbook import sheet_of as sheet_of_record
from tests.rules.scenes import (
    FIVE,
    MAYR,
    TAROCKS,
    TAROTS,
    Sent,
    annul,
    bid,
    deal,
    fine,
    hand_of,
    passed,
    play,
    players_of,
    refusal,
    refused,
    retract,
    say,
)
from tests.support.hands import Telling, play_out, record, told
from tests.support.plans import no_tarock
from trull import RulesError, Variant

tarock = pytest.mark.parametrize("variant", TAROCKS, ids=lambda variant: variant.id)
tarot = pytest.mark.parametrize("variant", TAROTS, ids=lambda variant: variant.id)
every = pytest.mark.parametrize("variant", TAROCKS + TAROTS, ids=lambda variant: variant.id)


@every
def test_it_12_2_ft_9_2_a_retracted_event_never_was(variant: Variant) -> None:
    contract = "dreiblatt" if variant in TAROCKS else "prise"
    events = [deal(variant), passed("A"), retract(2), bid("A", contract)]
    hand = hand_of(variant, *events)
    assert hand.standing is not None
    assert (hand.standing.id, hand.bidder, hand.turn) == (contract, 0, 1)
    assert len(hand.events) == 4
    assert hand.retracted == {1}
    # Two retractions, the second of an earlier event.
    again = hand_of(variant, *events, passed("B"), retract(5), retract(4))
    assert again.standing is None
    assert (again.turn, again.retracted) == (0, frozenset({1, 3, 4}))


@every
def test_what_cannot_be_retracted(variant: Variant) -> None:
    clause = variant.game.clauses["retracted"]
    base = [deal(variant), passed("A"), retract(2)]
    for seq, why in ((2, "already"), (3, "cannot be retracted"), (4, "no such event"), (9, "no such event")):
        error = refusal(variant, *base, retract(seq))
        assert (error.code, error.clause, error.path) == ("event-out-of-place", clause, ("seq",))
        assert why in error.detail
        assert error.seq is None
    assert refused(variant, retract(1)) == ("event-out-of-place", clause)


@tarock
def test_a_retraction_is_refused_when_the_rest_breaks_a_rule(variant: Variant) -> None:
    events = [deal(variant), passed("A"), bid("B", "solo"), *(fine("C", 1) for _ in range(2))]
    error = refusal(variant, *events, retract(2))
    assert (error.code, error.path, error.seq) == ("wrong-turn", ("seq",), 3)
    # An earlier retraction moves nothing: seq names the event by its place in the log.
    slipped = [deal(variant), passed("A"), retract(2), passed("A"), bid("B", "solo")]
    error = refusal(variant, *slipped, retract(4))
    assert (error.code, error.seq) == ("wrong-turn", 5)
    hand_of(variant, *slipped, retract(5))


@tarot
def test_retracting_a_card_or_the_deal(variant: Variant) -> None:
    words = [bid("A", "garde_sans"), *(passed(name) for name in players_of(variant)[1:])]
    call = [say("king_called", "A", card="HK")] if variant is FIVE else []
    events = [deal(variant, "SK", "SQ"), *words, *call, play("A", "SK"), play("B", "SQ")]
    count = len(events)
    assert refusal(variant, *events, retract(count - 1)).code == "wrong-turn"
    hand = hand_of(variant, *events, retract(count), retract(count - 1))
    assert hand.nothing_played
    assert hand.turn == 0
    bare = hand_of(variant, *events, retract(1))
    assert bare.held is None
    assert bare.dealt is None


def test_a_retracted_annulment_lets_the_hand_go_on() -> None:
    hand = hand_of(MAYR, deal(MAYR), annul("director"), retract(2), bid("A", "solo"))
    assert (hand.status, hand.phase) == ("incomplete", "play")


# --- Without the deal ----------------------------------------------------------------------------


def played(variant_id: str, seed: int = 0, **telling: Any) -> tuple[Any, Sent]:
    """A hand that is whole, and its record without the deal."""
    for more in range(200):
        table = play_out(variant_id, random.Random(seed + more))
        if table.phase == "finished" and table.taken and not table.announced:
            return table, told(table, random.Random(0), Telling(deal=False, **telling))
    raise AssertionError("no such hand")


@every
def test_it_3_4_ft_2_10_the_hands_are_inferred(variant: Variant) -> None:
    table, bare = played(variant.id)
    whole = sheet_of_record(told(table, random.Random(0)))
    assert {**sheet_of_record(bare), "version": 0} == {**whole, "version": 0}
    del bare["events"][-1]
    assert sheet_of_record(bare)["status"] == "incomplete"


@tarock
def test_a_card_taken_and_neither_played_nor_laid_away(variant: Variant) -> None:
    """The declarer discards, or plays, a card that he can never have had instead of one he took."""
    table, bare = played(variant.id)
    never = next(card for card in table.talon if card in table.taken)
    other = next(card for card in table.talon if card not in table.taken)
    swapped = [_with_other_card(event, never, other) for event in bare["events"]]
    with pytest.raises(RulesError) as caught:
        sheet_of_record(record(table, swapped))
    assert (caught.value.code, caught.value.index) == ("incomplete-deck", len(swapped) - 1)
    assert caught.value.clause == variant.game.clauses["inferred"]
    assert never in caught.value.detail


def _with_other_card(event: Sent, card: str, other: str) -> Sent:
    """The same event of the play or the discard with another card."""
    if event["type"] == "talon_taken":
        return event
    changed = dict(event)
    if event.get("card") == card:
        changed["card"] = other
    if card in event.get("cards", ()):
        changed["cards"] = [other if known == card else known for known in event["cards"]]
    return changed


def test_it_3_3_loew_an_inferred_hand_without_a_tarock_is_void() -> None:
    """Played under Beck, where such a deal stands, and read as a hand of Löw's."""
    for seed in range(300):
        chance = random.Random(seed)
        table = play_out("illustrated-beck", chance, no_tarock)
        if table.contract == "solo" and not table.announced:
            break
    bare = told(table, random.Random(0), Telling(deal=False))
    words = [{"type": "bid_made", "player": table.players[table.declarer or 0], "contract": "solo"}]
    plays = [event for event in bare["events"] if event["type"] == "card_played"]
    silent = [{"type": "passed", "player": name} for name in table.players[: table.declarer or 0]]
    sent = {**bare, "variant": "illustrated-loew-1954", "events": [*silent, *words, *plays]}
    assert sheet_of_record(sent)["status"] == "void"
    assert sheet_of_record({**sent, "variant": "illustrated-beck"})["status"] == "scored"
    assert (
        sheet_of_record({**sent, "variant": "illustrated-beck"}, "illustrated-loew-1954")["status"] == "void"
    )
    sent["events"] += [{"type": "passed", "player": table.players[0]}]
    with pytest.raises(RulesError) as caught:
        sheet_of_record(sent)
    assert (caught.value.code, caught.value.index) == ("redeal-required", len(sent["events"]) - 1)
