"""The worked examples of docs/rules, clause by clause, as results of a score sheet.

Played out as whole hands they are among the golden records (tests/cases/published.jsonl).
"""

from __future__ import annotations

import re

import pytest

from tests.rules.scenes import (
    BECK,
    FOUR,
    LOEW,
    MAYR,
    Sent,
    bonus,
    handful,
    petit,
    points,
    sheet_of,
    silent,
    slam,
    tarock_result,
    tarot_result,
)
from tests.support.processes import ROOT
from trull import Variant

EARLY = "before_pickup"
EXAMPLES = [
    ("IT-7.40", LOEW, tarock_result(37, bonus("pagat", made=False)), [10, 20, 20]),
    ("IT-7.41", LOEW, tarock_result(51, bonus("fifty"), silent("royal_trull"), contract="solo"), [104, 0, 0]),
    (
        "IT-7.42",
        LOEW,
        tarock_result(49, bonus("fifty", made=False), silent("royal_trull"), contract="solo"),
        [44, 60, 60],
    ),
    ("IT-7.43", BECK, tarock_result(39, bonus("pagat")), [34, 0, 0]),
    ("IT-7.44", BECK, tarock_result(39, bonus("pagat", made=False)), [14, 10, 10]),
    ("IT-7.45", MAYR, tarock_result(41, bonus("forty", stage=EARLY)), [42, 0, 0]),
    ("IT-7.46", MAYR, tarock_result(39, bonus("forty", stage=EARLY, made=False)), [18, 20, 20]),
    ("FT-6.20", FOUR, tarot_result(43, 2, petit("A")), 74),
    ("FT-6.21", FOUR, tarot_result(49, 2, handful("A"), petit("A")), 106),
    ("FT-6.22", FOUR, tarot_result(45, 2, petit("B"), contract="garde_sans"), 76),
    ("FT-6.23", FOUR, tarot_result(34, 2, handful("A"), petit("A"), contract="prise"), -42),
    ("FT-6.24", FOUR, tarot_result(52, 2, handful("C")), 92),
    ("FT-6.25", FOUR, tarot_result(87, 2, slam(True, True), handful("A"), petit("A")), 582),
]


@pytest.mark.parametrize(
    ("clause", "variant", "event", "expected"), EXAMPLES, ids=[clause for clause, *_ in EXAMPLES]
)
def test_example(clause: str, variant: Variant, event: Sent, expected: list[int] | int) -> None:
    scores = expected if isinstance(expected, list) else [3 * expected, *[-expected] * 3]
    assert points(sheet_of(variant, event)) == scores


def test_every_worked_example_of_the_rules_is_here() -> None:
    """And the figures in bold of its paragraph are among the scores."""
    found: dict[str, str] = {}
    for page in sorted((ROOT / "docs" / "rules").glob("*.md")):
        for section in re.split(r"^##+ ", page.read_text(), flags=re.MULTILINE):
            if section.startswith("Worked examples"):
                found.update(re.findall(r"^\*\*([IF]T-\d+\.\d+)\*\*(.*?)(?=\n\n|\Z)", section, re.M | re.S))
    assert sorted(found) == sorted(clause for clause, *_ in EXAMPLES)
    for clause, variant, event, _ in EXAMPLES:
        bold = {int(figure.replace("−", "-")) for figure in re.findall(r"\*\*([+−]?\d+)\*\*", found[clause])}
        assert bold
        assert bold <= set(points(sheet_of(variant, event))), clause
