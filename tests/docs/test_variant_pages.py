"""The pages of the variants are those that their rule sets make, and say where each thing comes from."""

from __future__ import annotations

import pytest

from tests.docs.clauses import clauses_of
from tests.docs.variant_pages import EXAMPLES, page_of, path_of
from tests.service.golden import load_cases
from trull.variants import VARIANTS

NAMES = sorted(VARIANTS)


@pytest.mark.parametrize("name", NAMES)
def test_the_page_is_as_the_rule_set_is_now(name: str) -> None:
    variant = VARIANTS[name]
    assert path_of(variant).read_text() == page_of(variant), "`make docs` makes the pages anew"


@pytest.mark.parametrize("name", NAMES)
def test_each_number_and_ruling_is_there_with_its_clause(name: str) -> None:
    variant = VARIANTS[name]
    page = path_of(variant).read_text()
    stakes = {row.id: row.stakes for row in variant.contracts.values()}
    values = {row.id: row.values for row in variant.bonuses.values()}
    for row, numbers in {**stakes, **values}.items():
        [line] = [line for line in page.splitlines() if line.startswith(f"| `{row}` |")]
        assert all(str(number) in line for number in numbers.values())
    for ruling in variant.game.rulings:
        item = " ".join(page[page.index(f"- **`{ruling.name}`**") :].split("\n\n")[0].split())
        assert f"[{ruling.clause}]" in item
        assert "Why there is a ruling: " in item
        assert item.count("](") > 1, "a clause that it decides"


def test_each_published_result_is_an_example_somewhere() -> None:
    named = {case.line["id"] for case in load_cases("published") if len(case.record["events"]) == 1}
    assert named == set(EXAMPLES)
    pages = "".join(path_of(variant).read_text() for variant in VARIANTS.values())
    for clause in EXAMPLES.values():
        assert pages.count(f"#{clause})]\n") == 1


def test_a_clause_is_read_with_its_sources() -> None:
    overshoot = clauses_of("illustrated-tarock")["IT-7.5"]
    assert (overshoot.title, overshoot.text) == (
        "Solo overshoot",
        "Löw: in a Solo *E* is not counted, while *U* is.",
    )
    assert overshoot.sources == ("Löw 1954 (worked examples)", "Trull ruling `solo_overshoot`")
