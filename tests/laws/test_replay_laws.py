"""Laws of the fold: JSON there and back, every prefix, one step at a time, events undone."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.lawbook import (
    SEEDS,
    TELLINGS,
    each_kind,
    hand_of,
    law,
    read,
    record_of,
    refusal_of,
    state,
    table_of,
)
from tests.support.hands import Telling, penalty, play_out, record, told
from trull import Hand, RulesError, replay, step
from trull.events import EventRetracted
from trull.state import PHASES

STATUSES = ("scored", "annulled", "incomplete", "void")


@each_kind
@law(40)
@given(SEEDS, TELLINGS)
def test_json_there_and_back(kind: str, seed: int, telling: Telling) -> None:
    sent = record_of(kind, seed, telling)
    loaded = read(json.loads(json.dumps(sent)))
    assert loaded.as_dict() == sent
    again = read(loaded.as_dict())
    assert again.events == loaded.events
    assert [type(event) for event in again.events] == [type(event) for event in loaded.events]


@each_kind
@law(12)
@given(SEEDS, TELLINGS)
def test_every_prefix_is_a_hand_and_a_step_at_a_time_leads_there(
    kind: str, seed: int, telling: Telling
) -> None:
    loaded = read(record_of(kind, seed, telling))
    hand = Hand(loaded.variant)
    for count, event in enumerate(loaded.events, start=1):
        before = {
            name: value.copy() if type(value) in (list, dict) else value
            for name, value in state(hand).items()
        }
        following = step(hand, event)
        assert state(hand) == before, "the given hand stays as it is"
        hand = following
        whole = replay(loaded.variant, loaded.events[:count])
        assert state(hand) == state(whole)
        assert hand.phase in PHASES
        assert hand.status in STATUSES


@each_kind
@law(25)
@given(SEEDS)
def test_phases_follow_the_hand(kind: str, seed: int) -> None:
    """A played hand is scored, one that everybody passed is annulled; before that it is incomplete."""
    table = table_of(kind, seed)
    whole = hand_of(told(table, random.Random(seed)))
    assert whole.phase == table.phase
    assert whole.status == ("scored" if table.phase == "finished" else "annulled")
    for count in range(1, len(table.story), 5):
        part = hand_of(record(table, [event for _, event in table.story[:count]]))
        then = table.upto(count)
        assert part.phase == {"call": "king_call"}.get(then.phase, then.phase)
        idle = kind == "trischaken" and then.phase == "play" and then.nothing_played
        assert part.status == ("annulled" if idle else "incomplete")


@each_kind
@law(25)
@given(SEEDS, st.sampled_from((0.0, 0.6, 1.0)))
def test_what_is_retracted_reads_as_if_it_had_never_been(kind: str, seed: int, tricks: float) -> None:
    """Also where the rest breaks a rule: the same refusal, told of the retraction."""
    sent = told(table_of(kind, seed), random.Random(seed), Telling(tricks=tricks))
    loaded = read(sent)
    variant, events = loaded.variant, loaded.events
    for target in random.Random(seed).sample(range(len(events)), min(len(events), 12)):
        undone: list[Any] = [*events, EventRetracted(target + 1, None)]
        rest = events[:target] + events[target + 1 :]
        broken = refusal_of(variant, rest)
        if broken is None:
            known = state(replay(variant, rest)) | {"events": undone, "retracted": frozenset({target})}
            assert state(replay(variant, undone)) == known
            continue
        with pytest.raises(type(broken)) as caught:
            replay(variant, undone)
        assert (caught.value.index, caught.value.path) == (len(events), ("seq",))
        assert caught.value.clause == broken.clause
        at = broken.index if broken.index < target else broken.index + 1
        assert caught.value.seq == at + 1


@pytest.mark.parametrize(
    "kind", ["illustrated-loew-1954", "french-tarot-3", "french-tarot-4", "french-tarot-5"]
)
@law(15)
@given(SEEDS)
def test_a_void_deal_takes_nothing_but_an_annulment(kind: str, seed: int) -> None:
    chance = random.Random(seed)
    table = play_out(kind, chance, void=True)
    deal = told(table, chance)
    assert hand_of(deal).status == "void"
    for wrong in (
        {"type": "passed", "player": table.players[0]},
        {"type": "card_played", "player": table.players[0], "card": table.dealt[0][0]},
    ):
        with pytest.raises(RulesError) as caught:
            hand_of(record(table, [*deal["events"], wrong]))
        assert (caught.value.code, caught.value.index) == ("redeal-required", 1)
    corrected = [*deal["events"], penalty(table, chance), {"type": "hand_annulled", "reason": "redeal"}]
    assert hand_of(record(table, corrected)).status == "annulled"
