"""The rule clauses that the code cites are in docs/rules, once each."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from tests.support.processes import ROOT
from trull.bonuses import CLAUSES
from trull.variants import VARIANTS

CITED = re.compile(r"\b((?:IT|FT|TO)-\d+(?:\.\d+)?)\b")
DEFINED = re.compile(r"^\*\*((?:IT|FT|TO)-\d+\.\d+)\*\*", re.MULTILINE)
SECTION = re.compile(r"^## ((?:IT|FT|TO)-\d+) ", re.MULTILINE)
PAGES = {path.stem: path.read_text() for path in sorted((ROOT / "docs" / "rules").glob("*.md"))}
CODE = sorted((ROOT / "trull").rglob("*.py"))


def defined() -> Counter[str]:
    """How often each clause and each section is there."""
    found: Counter[str] = Counter()
    for page in PAGES.values():
        found.update(DEFINED.findall(page))
        found.update(SECTION.findall(page))
    return found


def test_each_clause_is_defined_once() -> None:
    twice = {clause for clause, count in defined().items() if count > 1}
    assert not twice
    assert len(defined()) > 150


@pytest.mark.parametrize("path", CODE, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_code_cites_clauses_that_exist(path: object) -> None:
    text = (ROOT / str(path)).read_text()
    assert set(CITED.findall(text)) - set(defined()) == set()


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_the_rules_cite_clauses_that_exist(page: str) -> None:
    assert set(CITED.findall(PAGES[page])) - set(defined()) == set()


@pytest.mark.parametrize("name", sorted(VARIANTS))
def test_the_clauses_of_rulings_describe_them(name: str) -> None:
    """A ruling cites the clause in which the rules name it."""
    text = "\n".join(PAGES.values())
    for ruling in VARIANTS[name].game.rulings:
        head = next(line for line in text.splitlines() if line.startswith(f"**{ruling.clause}**"))
        assert f"`{ruling.name}`" in head


@pytest.mark.parametrize("bonus", sorted(CLAUSES))
def test_the_clause_of_a_bonus_defines_it(bonus: str) -> None:
    page = PAGES["illustrated-tarock"]
    paragraph = page[page.index(f"**{CLAUSES[bonus]}**") :].split("\n\n")[0]
    assert f"`{bonus}`" in paragraph


def test_clauses_that_scores_and_refusals_cite_belong_to_their_game() -> None:
    for variant in VARIANTS.values():
        prefix = "IT-" if variant.family == "illustrated-tarock" else "FT-"
        game = variant.game
        for clause in (*game.clauses.values(), game.void_clause, *(row.clause for row in game.rulings)):
            assert clause.startswith(prefix)
            assert defined()[clause] == 1
