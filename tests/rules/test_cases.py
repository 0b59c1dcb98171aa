"""Every golden record of tests/cases, straight through the rules."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from records.schemas import load_record
from tests.service.golden import Case, check_sheet, load_cases
from trull import RulesError, replay, score
from trull.variants import VARIANTS


def points_by_item(sheet: dict[str, Any]) -> dict[str, Counter[str]]:
    """What each kind of item gave to whom: a case may show two lines of a kind as one."""
    found: dict[str, Counter[str]] = {}
    for item in sheet["items"]:
        found.setdefault(item["item"], Counter()).update(item["points"])
    return found


@pytest.mark.parametrize(
    "case", load_cases("full", "result", "rescored", "published", "real-french"), ids=str
)
def test_sheet(case: Case) -> None:
    record = load_record(case.record)
    hand = replay(record.variant, record.events)
    sheet = score(hand, VARIANTS[case.variant]).as_dict(record.players, record.hand_id, len(record.events))
    check_sheet(sheet, case)
    expected = case.line["expected"]
    if case.variant == record.variant.id:
        assert hand.status == expected["status"]
    if expected["status"] == "scored" and "items" in expected:
        assert points_by_item(sheet) == points_by_item(expected)


@pytest.mark.parametrize("case", load_cases("illegal"), ids=str)
def test_refusal(case: Case) -> None:
    record = load_record(case.record)
    with pytest.raises(RulesError) as caught:
        replay(record.variant, record.events)
    expected = case.line["expected_error"]
    assert caught.value.code in (expected["code"], *(case.line.get("also_accept") or ()))
    assert caught.value.index == expected["event"]
    # What stands before the faulty event is legal as far as it goes.
    replay(record.variant, record.events[: expected["event"]])
