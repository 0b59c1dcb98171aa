"""openapi.yaml for the generator of the Python client: open where answers may grow.

Answers may have values and kinds of items that are newer than a client, which is to skip them
(`info.description`). The generated client refuses what its document does not allow. So here each list of
values allows any other string too, and whatever answers choose from, any other object.

    python clients/open_document.py openapi.yaml > open.yaml
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import yaml

PREFIX = "#/components/schemas/"
ALTERNATIVES = ("anyOf", "oneOf")
NEWER = {"type": "object", "description": "Something that is newer than this client."}


def opened(document: dict[str, Any]) -> dict[str, Any]:
    """The document with schemas that let newer answers through."""
    schemas = document["components"]["schemas"]
    sent, told = _part_of(document, "requestBodies"), _part_of(document, "responses")
    grown = {
        name: _opened(schema, schemas, values=name in told, items=name not in sent)
        for name, schema in schemas.items()
    }
    return {**document, "components": {**document["components"], "schemas": {**grown, "Newer": NEWER}}}


def _opened(schema: Any, schemas: dict[str, Any], values: bool, items: bool) -> Any:
    if isinstance(schema, list):
        return [_opened(item, schemas, values, items) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: _opened(item, schemas, values, items) for name, item in schema.items()}
    for word in ALTERNATIVES:
        if items and word in found and all(_is_object(one, schemas) for one in found[word]):
            found = {**found, word: [*found[word], {"$ref": f"{PREFIX}Newer"}]}
            found.pop("discriminator", None)
    if values and all(isinstance(value, str | None) for value in found.get("enum", [1])):
        beside = {name: item for name, item in found.items() if name in ("description", "default")}
        known = [value for value in found["enum"] if value is not None]
        others = [{"type": "string"}, *([{"type": "null"}] if None in found["enum"] else [])]
        return {**beside, "anyOf": [{"type": "string", "enum": known}, *others]}
    return found


def _is_object(schema: dict[str, Any], schemas: dict[str, Any]) -> bool:
    """Whether it is an object, or some choice of objects."""
    if "$ref" in schema:
        schema = schemas[schema["$ref"].removeprefix(PREFIX)]
    choices = next((schema[word] for word in ALTERNATIVES if word in schema), None)
    if choices is not None:
        return all(_is_object(one, schemas) for one in choices)
    return schema.get("type") == "object"


def _part_of(document: dict[str, Any], kind: str) -> set[str]:
    """The schemas that requests (``requestBodies``) or answers (``responses``) are made of."""
    word = {"requestBodies": "requestBody"}.get(kind, kind)
    roots = [document["components"][kind]]
    for item in document["paths"].values():
        roots += [operation.get(word) for operation in item.values() if isinstance(operation, dict)]
    found: set[str] = set()
    new = _named(roots)
    while new:
        found |= new
        new = _named([document["components"]["schemas"][name] for name in new]) - found
    return found


def _named(part: Any) -> set[str]:
    """The schemas that a part refers to, but for those of lines of JSON, which are bytes to the client."""
    if isinstance(part, list):
        return set().union(*map(_named, part))
    if not isinstance(part, dict):
        return set()
    found = set().union(*(_named(item) for name, item in part.items() if name != "contentSchema"))
    reference = str(part.get("$ref", ""))
    return found | {reference.removeprefix(PREFIX)} if reference.startswith(PREFIX) else found


if __name__ == "__main__":
    raw = yaml.safe_load(Path(sys.argv[1]).read_bytes())
    yaml.safe_dump(opened(raw), sys.stdout, sort_keys=False, allow_unicode=True)
