"""How broken rules are told on the wire: by the players' names, with a pointer into the body."""

from __future__ import annotations

import pytest

from records.refusals import fault_of
from trull import VARIANTS, RulesError, replay
from trull.events import CardsDealt, EventRetracted, Passed

MAYR = VARIANTS["illustrated-mayr-sedlaczek-2016"]
PLAYERS = ("Anna", "Béla", "Cyril")


def test_a_seat_becomes_the_players_name() -> None:
    with pytest.raises(RulesError) as caught:
        replay(MAYR, [Passed(0), Passed(2)])
    fault = fault_of(caught.value, PLAYERS, "/record")
    assert fault == {
        "pointer": "/record/events/1/player",
        "code": "wrong-turn",
        "detail": "It is the turn of Béla to speak.",
        "clause": "IT-4.2",
    }


def test_a_dealt_hand_is_pointed_at_by_its_player() -> None:
    hands = (tuple(range(56, 72)), tuple(range(56, 72)), tuple(range(16)))
    with pytest.raises(RulesError) as caught:
        replay(MAYR, [CardsDealt(hands, (72, 73, 74, 75, 76, 77))])
    fault = fault_of(caught.value, ("Anna", "B/éla", "Cyril"))
    assert fault["pointer"] == "/events/0/hands/B~1éla/0"
    assert fault["code"] == "duplicate-card"


def test_an_event_that_another_exposes_is_named_by_its_number() -> None:
    # Without the first pass the second one is out of turn.
    with pytest.raises(RulesError) as caught:
        replay(MAYR, [Passed(0), Passed(1), EventRetracted(1, None)])
    fault = fault_of(caught.value, PLAYERS)
    assert fault["pointer"] == "/events/2/seq"
    assert fault["seq"] == 2
    assert fault["detail"] == "Without event 1, event 2 breaks a rule: It is the turn of Anna to speak."
