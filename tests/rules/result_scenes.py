"""What the rules make of a score sheet's result: taken and scored, or refused, and where."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.scenes import Sent, points, refusal, sheet_of
from trull import RulesError, Variant, replay
from trull.events import ResultReported


def refused_at(variant: Variant, event: Sent) -> str:
    """The pointer into the event of the fault."""
    error = refusal(variant, event)
    clause = "IT-12.4" if variant.family == "illustrated-tarock" else "FT-9.4"
    assert (error.code, error.clause, error.index) == ("inconsistent-result", clause, 0)
    assert error.detail
    return "/".join(map(str, error.path))


def taken(variant: Variant, event: Sent) -> list[int]:
    """The scores of a result that is taken."""
    sheet = sheet_of(variant, event)
    assert sheet["status"] == "scored"
    return points(sheet)


def refused_path(variant: Variant, event: ResultReported) -> tuple[Any, ...]:
    """The same for an event whose shape the service would refuse already."""
    with pytest.raises(RulesError) as caught:
        replay(variant, [event])
    assert caught.value.code == "inconsistent-result"
    return caught.value.path
