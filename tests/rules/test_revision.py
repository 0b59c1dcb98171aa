"""Sheets and revisions move together: what can change a sheet changes every variant's revision."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.rules import golden_sheets
from trull.model import RULES_VERSION

_NOTE = "`python -m tests.rules.golden_sheets` notes the sheets."


def test_the_sheets_are_those_of_this_version_of_the_rules() -> None:
    known = golden_sheets.noted().get(RULES_VERSION)
    found = golden_sheets.digests()
    assert known is not None, f"The rules of {RULES_VERSION} are new. {_NOTE}"
    assert known.records == found.records, f"There are other golden records. {_NOTE}"
    assert known.sheets == found.sheets, (
        "The sheets of the golden records have changed. Where that is meant, raise RULES_VERSION in "
        f"trull/model.py, which changes every revision; then {_NOTE}"
    )


def test_no_two_versions_have_the_same_name() -> None:
    """The date of the change, and a letter from the second one of a day on."""
    known = [*golden_sheets.noted()]
    assert known == sorted(known)
    assert known[-1] == RULES_VERSION


def test_sheets_once_noted_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "golden_sheets.json"
    monkeypatch.setattr(golden_sheets, "PAGE", page)
    found = golden_sheets.digests()
    for records, refused in (("others", False), (found.records, True)):
        page.write_text(json.dumps({"2000-01-01": ["", ""], RULES_VERSION: [records, "other sheets"]}))
        before = golden_sheets.noted()
        told = golden_sheets.main()
        assert (told is not None) == refused
        assert golden_sheets.noted() == (before if refused else {**before, RULES_VERSION: found})
