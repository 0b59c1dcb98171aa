"""The rules as a library: its examples run, and wrong use of it is told."""

from __future__ import annotations

import doctest
from typing import Any

import pytest

import trull
from trull import VARIANTS, Hand, replay, score, step
from trull.events import Announced, BidMade, EventRetracted, PenaltyAssessed, ReportedBonus, ResultReported

MAYR = VARIANTS["illustrated-mayr-sedlaczek-2016"]


def test_the_example_of_the_package_runs() -> None:
    found = doctest.testmod(trull)
    assert found.attempted > 15
    assert found.failed == 0


@pytest.mark.parametrize("event", [{"type": "passed", "player": "Anna"}, "passed", None, 7, (0,)])
def test_what_is_no_event_is_a_type_error(event: Any) -> None:
    bid = BidMade(0, "solo")
    for stream in ([event], [bid, event]):
        with pytest.raises(TypeError, match=r"trull\.events, not "):
            replay(MAYR, stream)
    with pytest.raises(TypeError):
        step(Hand(MAYR), event)


def test_what_an_event_leaves_out_is_what_a_record_leaves_out() -> None:
    assert Announced(0, "pagat") == Announced(0, "pagat", (), None)
    assert EventRetracted(1) == EventRetracted(1, None)
    assert PenaltyAssessed(0, -5) == PenaltyAssessed(0, -5, None)
    bonus = ReportedBonus("pagat", seat=0, stage="silent", made=True)
    assert bonus == ReportedBonus("pagat", 0, "silent", True, "none", None, None)
    result = ResultReported(0, "zweiblatt", half_points=80, bonuses=(bonus,))
    assert result == ResultReported(
        0, "zweiblatt", "called", 80, "none", None, (bonus,), None, None, None, None
    )
    assert score(replay(MAYR, [result])).draft.status == "scored"
