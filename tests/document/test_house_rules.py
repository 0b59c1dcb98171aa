"""What linters ask of openapi.yaml, as far as it can be told in a moment; `make document` runs them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.document.schemas import ALTERNATIVES
from tests.service.document import OPENAPI_PATH, Operation, load_document

DOCUMENT = load_document()
COMPONENTS: dict[str, dict[str, Any]] = DOCUMENT.raw["components"]
OPERATIONS = list(DOCUMENT.operations())


def fields_in(schema: dict[str, Any], place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The schemas of all fields in a schema, each with its place."""
    for name, field in schema.get("properties", {}).items():
        yield f"{place}/{name}", field
        yield from fields_in(field, f"{place}/{name}")
    for word in ("items", "additionalProperties", "contentSchema"):
        if isinstance(schema.get(word), dict):
            yield from fields_in(schema[word], place)
    for word in ALTERNATIVES:
        for one in schema.get(word, ()):
            yield from fields_in(one, place)


def is_described(schema: dict[str, Any]) -> bool:
    return bool(schema.get("description") or DOCUMENT.resolve(schema).get("description"))


def test_every_schema_and_every_field_is_described() -> None:
    schemas = COMPONENTS["schemas"]
    fields = [field for name, schema in schemas.items() for field in fields_in(schema, name)]
    assert len(fields) > 500
    assert [name for name, schema in schemas.items() if not is_described(schema)] == []
    # What is always the same says it by its value.
    assert [place for place, field in fields if "const" not in field and not is_described(field)] == []


def test_every_tag_is_described_and_used() -> None:
    used = {tag for operation in OPERATIONS for tag in operation.details["tags"]}
    assert {tag["name"] for tag in DOCUMENT.raw["tags"] if tag["description"]} == used


def test_every_component_is_used() -> None:
    used = set(re.findall(r"'#/components/(\w+/[\w.-]+)'", OPENAPI_PATH.read_text()))
    schemes = {f"securitySchemes/{name}" for one in DOCUMENT.raw["security"] for name in one}
    assert used | schemes == {f"{kind}/{name}" for kind, found in COMPONENTS.items() for name in found}


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_operations_are_as_linters_want_them(operation: Operation) -> None:
    details = operation.details
    assert re.fullmatch("[a-z][A-Za-z]+", details["operationId"])
    assert len(details["tags"]) == 1, "a client has one module for it"
    assert not details["summary"].endswith("."), "it is a heading"
    assert "." in details["description"], "it is made of sentences"
    assert [status for status in details["responses"] if status.startswith("4")] != []
    assert operation.path == "/" or not operation.path.endswith("/")
    if "requestBody" in details:
        assert operation.method not in ("get", "delete")
