"""The golden records of tests/cases, and what it means to agree with one."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

from tests.support.processes import ROOT

CASES = ROOT / "tests" / "cases"
COMPARED = (
    "declarer",
    "partner",
    "contract",
    "stake",
    "outcome",
    "card_points",
    "card_points_exact",
    "card_points_by_player",
    "scores",
    "payments",
)
"""What of a scored sheet is fixed, besides its status."""


@dataclass(frozen=True)
class Case:
    """One line of a file: a record, and what must come of it."""

    name: str
    line: dict[str, Any]

    @property
    def record(self) -> dict[str, Any]:
        found: dict[str, Any] = self.line["record"]
        return found

    @property
    def variant(self) -> str:
        """The variant to score under."""
        found: str = self.line.get("variant", self.record["variant"])
        return found

    def __str__(self) -> str:
        return self.name


def load_cases(*kinds: str) -> list[Case]:
    """The lines of all files of these kinds (``full``, ``result``, ``illegal``, …)."""
    found = []
    for path in sorted(CASES.rglob("*.jsonl")):
        if path.stem not in kinds:
            continue
        folder = "" if path.parent == CASES else f"{path.parent.name}/"
        for number, text in enumerate(path.read_text().splitlines(), start=1):
            found.append(Case(f"{folder}{path.stem}:{number}", json.loads(text)))
    assert found, f"no cases of {kinds} in {CASES}"
    return found


def check_sheet(sheet: dict[str, Any], case: Case) -> None:
    """Fail unless the sheet agrees with the case; what a case does not say is free."""
    expected = case.line["expected"]
    assert sheet["variant"] == case.variant
    assert sheet["status"] == expected["status"], sheet
    assert sheet["version"] == len(case.record["events"])
    if expected["status"] == "scored":
        compared: tuple[str, ...] = COMPARED
    else:
        compared = () if expected["status"] == "void" else ("scores",)
    for name in compared:
        if name in expected:
            assert sheet.get(name) == expected[name], f"{name}: {sheet}"
    totals: Counter[str] = Counter()
    for item in sheet["items"]:
        for player, points in item["points"].items():
            totals[player] += points
    assert {player: totals[player] for player in sheet["scores"]} == sheet["scores"]


def check_refusal(problem: dict[str, Any], case: Case) -> None:
    """Fail unless the problem is the expected one, at the expected event, and points at what is there."""
    expected = case.line["expected_error"]
    code = problem["type"].removeprefix("urn:trull:problem:")
    accepted = [expected["code"], *(case.line.get("also_accept") or ())]
    assert code in accepted, problem
    [fault] = problem["errors"]
    assert fault["code"] == code
    assert fault["clause"], problem
    path = fault["pointer"].split("/")
    assert path[:3] == ["", "events", str(expected["event"])], problem
    value: Any = case.record
    for step in path[1:]:
        value = (
            value[int(step)] if isinstance(value, list) else value[step.replace("~1", "/").replace("~0", "~")]
        )
