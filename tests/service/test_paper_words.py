"""The words of sheets: none forgotten, none too many; and how figures, days and money are written."""

from __future__ import annotations

import re

from service.paper.layout import Column, Grid, Row, day, figure, money, parted, widths
from service.paper.words import WORDS, rules_called
from service.terms import LANGUAGES, TERMS
from tests.support.processes import ROOT
from trull.variants import VARIANTS


def test_the_catalogue_and_its_use_are_the_same() -> None:
    paths = [*(ROOT / "service" / "paper").glob("*.py"), ROOT / "records" / "result_table.py"]
    sources = [path.read_text() for path in paths if path.stem != "words"]
    strings = {text for source in sources for text in re.findall(r"[\"']([a-z_]+)[\"']", source)}
    asked = {text for source in sources for text in re.findall(r"word\((?:\w+, )?[\"']([a-z_]+)", source)}
    assert asked <= {*WORDS, *TERMS}
    rules = {f"rules_{variant}" for variant in VARIANTS}
    assert rules <= set(WORDS)
    assert set(WORDS) - rules - strings == set()


def test_house_rules_keep_their_name() -> None:
    assert rules_called("de", "house-club", "Our club") == "Our club"
    assert rules_called("fr", "french-tarot-5", "x") == "Tarot à cinq"


def test_figures_days_and_money() -> None:
    assert [figure(lang, -25.5) for lang in LANGUAGES] == ["−25.5", "−25,5", "−25,5", "−25,5"]
    assert [figure("de", cell) for cell in (None, "-x", 0, 1346, 0.67)] == ["", "-x", "0", "1346", "0,67"]
    night = "2026-11-30T23:30:00.000Z"
    assert day("de", night, "Europe/Vienna") == "1. Dezember 2026"
    assert day("ru", night) == "30 ноября 2026\u202fг."
    assert money("en", -1205, "EUR") == "−€12.05"
    assert money("en", 1205, "JPY") == "¥1,205"
    assert money("fr", None, "EUR") == ""


def test_a_table_is_parted_between_groups() -> None:
    columns = [
        Column("No.", True),
        *(Column(title, True, f"P{at}") for at in range(9) for title in ("a", "b")),
    ]
    grid = Grid("", columns, [Row(list(range(19)))], fixed=1)
    parts = parted(grid, "en", room=38)
    assert [len(part.columns) for part in parts] == [5, 5, 5, 5, 3]
    assert [part.rows[0].cells[:3] for part in parts[:2]] == [[0, 1, 2], [0, 5, 6]]
    assert all(sum(widths(part, "en")) <= 38 for part in parts)
    assert parted(grid, "en") == [grid]
