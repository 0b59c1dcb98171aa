"""What the generator of the Python client gets: the document, open where answers may grow."""

from __future__ import annotations

from typing import Any

import yaml

from clients.open_document import opened
from tests.service.document import load_document
from tests.support.processes import ROOT

RAW = load_document().raw
BEFORE: dict[str, Any] = RAW["components"]["schemas"]
NEWER = {"$ref": "#/components/schemas/Newer"}
AFTER: dict[str, Any] = opened(RAW)["components"]["schemas"]


def test_the_generator_is_told_of_every_sort_of_body() -> None:
    """It leaves an operation out whose body it does not know."""
    told = yaml.safe_load((ROOT / "clients" / "python.yaml").read_text())["content_type_overrides"]
    operations = [one.details for one in load_document().operations() if "requestBody" in one.details]
    bodies = [load_document().resolve(operation["requestBody"]) for operation in operations]
    assert {kind for body in bodies for kind in body["content"]} <= {"application/json", *told}


def test_values_of_answers_may_be_others() -> None:
    known, *others = AFTER["Status"]["anyOf"]
    assert known["enum"] == BEFORE["Status"]["enum"]
    assert others == [{"type": "string"}]
    assert AFTER["Status"]["description"] == BEFORE["Status"]["description"]


def test_where_there_may_be_none_there_still_may() -> None:
    assert None in BEFORE["ScoreSheet"]["properties"]["outcome"]["enum"]
    known, *others = AFTER["ScoreSheet"]["properties"]["outcome"]["anyOf"]
    assert None not in known["enum"]
    assert others == [{"type": "string"}, {"type": "null"}]


def test_values_that_are_only_sent_are_those_of_the_document() -> None:
    assert AFTER["NewBoard"] == BEFORE["NewBoard"]


def test_items_of_answers_may_be_of_another_kind() -> None:
    before, after = (schemas["FeedPage"]["properties"]["events"]["items"] for schemas in (BEFORE, AFTER))
    assert after["oneOf"] == [*before["oneOf"], NEWER]
    assert AFTER["RecordedEvent"]["anyOf"][-1] == NEWER


def test_events_that_are_sent_are_of_a_known_kind() -> None:
    assert AFTER["Event"] == BEFORE["Event"]


def test_a_choice_that_is_not_of_objects_stays() -> None:
    assert AFTER["Table"] == BEFORE["Table"]


def test_the_document_itself_is_as_it_was() -> None:
    assert "anyOf" not in BEFORE["Status"]
    assert opened(RAW)["paths"] == RAW["paths"]
