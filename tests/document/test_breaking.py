"""The document breaks nothing for clients of the last release; and every kind of break would be found."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.document.breaking import breaks
from tests.document.schemas import ALTERNATIVES, KNOWN, PARTS
from tests.support.processes import ROOT

RELEASES = ROOT / "docs" / "releases"

Part = dict[str, Any]


def load(path: Path) -> Part:
    document: Part = yaml.load(path.read_bytes(), yaml.CSafeLoader)
    return document


def last_release() -> Path:
    """The document that was released last: the one with the highest version in its name."""

    def version(path: Path) -> tuple[int, ...]:
        found = re.fullmatch(r"openapi-(\d+)\.(\d+)\.(\d+)\.yaml", path.name)
        assert found, f"{path.name} is no openapi-MAJOR.MINOR.PATCH.yaml"
        return tuple(map(int, found.groups()))

    return max(RELEASES.iterdir(), key=version)


def test_nothing_breaks_for_clients_of_the_last_release() -> None:
    assert breaks(load(last_release()), load(ROOT / "openapi.yaml")) == []


def test_a_release_is_named_for_its_version() -> None:
    for path in RELEASES.iterdir():
        assert path.name == f"openapi-{load(path)['info']['version']}.yaml"


def schemas_in(value: Any) -> Iterator[Part]:
    """Every schema of a document, with those inside it."""
    if isinstance(value, list):
        for item in value:
            yield from schemas_in(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            if name in ("schema", *PARTS) or (name == "additionalProperties" and isinstance(item, dict)):
                yield item
            elif name in ("schemas", "properties"):
                yield from item.values()
            elif name in ALTERNATIVES:
                yield from item
            if name not in ("example", "examples", "default"):
                yield from schemas_in(item)


def test_schemas_say_nothing_that_is_not_compared() -> None:
    used = {keyword for schema in schemas_in(load(ROOT / "openapi.yaml")) for keyword in schema}
    assert used - KNOWN == set()
    assert {"$ref", "contentSchema", "additionalProperties", "oneOf", "pattern"} <= used


def problem(code: str) -> Part:
    return {"value": {"type": f"urn:trull:problem:{code}", "status": 404}}


BASE: Part = {
    "security": [{}, {"key": []}],
    "paths": {
        "/hands/{hand_id}": {
            "parameters": [
                {"name": "hand_id", "in": "path", "required": True, "schema": {"type": "string"}},
                {"name": "as", "in": "query", "schema": {"type": "string", "maxLength": 64}},
                {"name": "limit", "in": "query", "schema": {"type": "integer", "maximum": 9, "default": 5}},
            ],
            "put": {
                "operationId": "putHand",
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/schemas/Record"}}}},
                "responses": {
                    "200": {
                        "headers": {"ETag": {}},
                        "content": {
                            "application/json": {"schema": {"$ref": "#/schemas/Hand"}},
                            "text/csv": {"schema": {"type": "string"}},
                        },
                    },
                    "404": {
                        "content": {
                            "application/problem+json": {
                                "examples": {"a": problem("unknown-hand"), "b": problem("unknown-variant")}
                            }
                        }
                    },
                },
            },
        },
    },
    "webhooks": {
        "hand.scored": {
            "post": {"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/schemas/Hook"}}}}}
        },
    },
    "schemas": {
        "Hook": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}},
        "Record": {
            "type": "object",
            "required": ["players"],
            "additionalProperties": False,
            "properties": {
                "players": {"type": "array", "minItems": 3, "maxItems": 5, "items": {"type": "string"}},
                "name": {"type": ["string", "null"], "minLength": 0, "pattern": "^a"},
                "table": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
                "stake": {"enum": ["called", "held", None]},
                "free": {"type": "string"},
                "events": {"type": "array", "items": {"$ref": "#/schemas/Event"}},
                "rulings": {"type": "object", "additionalProperties": {"type": ["integer", "boolean"]}},
                "open": {"type": "object"},
            },
        },
        "Event": {"oneOf": [{"$ref": "#/schemas/Passed"}, {"$ref": "#/schemas/Bid"}]},
        "Passed": {"type": "object", "required": ["type"], "properties": {"type": {"const": "passed"}}},
        "Bid": {"type": "object", "required": ["type"], "properties": {"type": {"const": "bid_made"}}},
        "Hand": {
            "type": "object",
            "required": ["hand_id", "status", "version", "feed", "scores"],
            "properties": {
                "hand_id": {"type": "string", "format": "uuid"},
                "status": {"enum": ["scored", "void"]},
                "version": {"type": "integer", "minimum": 1},
                "note": {"type": "string", "maxLength": 500},
                "feed": {"type": "array", "items": {"$ref": "#/schemas/Event"}},
                "scores": {"type": "object", "additionalProperties": {"type": "integer"}},
                "previous": {"anyOf": [{"$ref": "#/schemas/Hand"}, {"type": "null"}]},
                "lines": {"type": "string", "contentSchema": {"type": "array", "items": {"type": "integer"}}},
            },
        },
    },
}


def path_of(document: Part) -> Part:
    found: Part = document["paths"]["/hands/{hand_id}"]
    return found


def put(document: Part) -> Part:
    found: Part = path_of(document)["put"]
    return found


def answer(document: Part, status: str = "200") -> Part:
    found: Part = put(document)["responses"][status]
    return found


def record(document: Part) -> Part:
    found: Part = document["schemas"]["Record"]
    return found


def sent(document: Part, name: str) -> Part:
    found: Part = record(document)["properties"][name]
    return found


def hand(document: Part) -> Part:
    found: Part = document["schemas"]["Hand"]
    return found


def told(document: Part, name: str) -> Part:
    found: Part = hand(document)["properties"][name]
    return found


Change = Callable[[Part], object]

BREAKS: dict[str, tuple[Change, str]] = {
    "path": (lambda d: d["paths"].clear(), "PUT /hands/{hand_id}: the operation is gone"),
    "operation": (lambda d: path_of(d).pop("put"), "the operation is gone"),
    "operation id": (lambda d: put(d).update(operationId="storeHand"), "has another name"),
    "key needed": (lambda d: put(d).update(security=[{"key": []}]), "without a key"),
    "key needed everywhere": (lambda d: d.update(security=[{"key": []}]), "without a key"),
    "parameter gone": (lambda d: path_of(d)["parameters"].pop(), "query parameter limit: it is gone"),
    "parameter required": (
        lambda d: path_of(d)["parameters"][1].update(required=True),
        "query parameter as: it is required now",
    ),
    "new parameter required": (
        lambda d: put(d).update(
            parameters=[{"name": "If-Match", "in": "header", "required": True, "schema": {}}]
        ),
        "header parameter If-Match: it is required now",
    ),
    "parameter narrower": (
        lambda d: path_of(d)["parameters"][2]["schema"].update(maximum=8),
        "maximum was 9 and is 8",
    ),
    "parameter bounded": (
        lambda d: path_of(d)["parameters"][1]["schema"].update(enum=["Anna"]),
        "only some values",
    ),
    "default": (
        lambda d: path_of(d)["parameters"][2]["schema"].update(default=6),
        "the default was 5 and is 6",
    ),
    "body required": (lambda d: put(d)["requestBody"].update(required=True), "body: it is required now"),
    "body gone": (lambda d: put(d).pop("requestBody"), "body: application/json is gone"),
    "field gone from requests": (lambda d: record(d)["properties"].pop("free"), "/free: the field is gone"),
    "field required": (lambda d: record(d)["required"].append("name"), "/name: the field is required now"),
    "new field required": (
        lambda d: (record(d)["required"].append("x"), record(d)["properties"].update(x={})),
        "/x: the field is required now",
    ),
    "closed": (lambda d: sent(d, "open").update(additionalProperties=False), "/open: other fields"),
    "others bounded": (
        lambda d: sent(d, "open").update(additionalProperties={"type": "string"}),
        "/open: other",
    ),
    "no others": (lambda d: sent(d, "rulings").pop("additionalProperties"), "/rulings: other fields"),
    "others narrower": (
        lambda d: sent(d, "rulings").update(additionalProperties={"type": "integer"}),
        "/rulings/*: boolean or integer where integer",
    ),
    "type narrower": (lambda d: sent(d, "free").update(type="integer"), "/free: string where integer"),
    "null refused": (lambda d: sent(d, "name").update(type="string"), "/name: null is gone"),
    "value refused": (lambda d: sent(d, "stake")["enum"].remove("held"), "the value 'held' is gone"),
    "null value refused": (lambda d: sent(d, "stake")["enum"].remove(None), "/stake: null is gone"),
    "alternative refused": (lambda d: sent(d, "table")["oneOf"].pop(), "/table: integer is gone"),
    "items narrower": (
        lambda d: sent(d, "players")["items"].update(maxLength=3),
        "/players/items: maxLength was None and is 3",
    ),
    "too few items": (lambda d: sent(d, "players").update(minItems=4), "minItems was 3 and is 4"),
    "pattern": (lambda d: sent(d, "name").update(pattern="^b"), "/name (string): pattern was ^a and is ^b"),
    "unique": (lambda d: sent(d, "players").update(uniqueItems=True), "uniqueItems was None and is True"),
    "event renamed": (
        lambda d: d["schemas"]["Bid"]["properties"]["type"].update(const="bid"),
        "bid_made is gone",
    ),
    "event field required": (
        lambda d: d["schemas"]["Passed"]["required"].append("player"),
        "/events/items (passed)/player: the field is required now",
    ),
    "status gone": (lambda d: put(d)["responses"].pop("404"), "404: the answer is gone"),
    "another success": (
        lambda d: put(d)["responses"].update({"202": {}}),
        "202: an answer that clients do not know",
    ),
    "header gone": (lambda d: answer(d)["headers"].clear(), "200 header ETag: it is gone"),
    "media type gone": (lambda d: answer(d)["content"].pop("text/csv"), "200: text/csv is gone"),
    "error gone": (
        lambda d: answer(d, "404")["content"]["application/problem+json"]["examples"].pop("b"),
        "the error urn:trull:problem:unknown-variant is gone",
    ),
    "webhook gone": (lambda d: d["webhooks"].clear(), "webhook hand.scored: it is gone"),
    "webhook without a field": (
        lambda d: d["schemas"]["Hook"]["required"].clear(),
        "webhook hand.scored/id: the field may be missing now",
    ),
    "field gone from answers": (lambda d: hand(d)["properties"].pop("note"), "/note: the field is gone"),
    "field may be missing": (
        lambda d: hand(d)["required"].remove("version"),
        "/version: the field may be missing",
    ),
    "type wider": (lambda d: told(d, "version").update(type="number"), "/version: number where integer"),
    "may be null": (lambda d: told(d, "note").update(type=["string", "null"]), "/note: it may be null now"),
    "may be text": (
        lambda d: told(d, "previous")["anyOf"].append({"type": "string"}),
        "/previous: it may be string now",
    ),
    "null among the values": (
        lambda d: told(d, "status")["enum"].append(None),
        "/status: it may be null now",
    ),
    "value never told": (lambda d: told(d, "status")["enum"].remove("void"), "the value 'void' is gone"),
    "limit wider": (lambda d: told(d, "note").update(maxLength=501), "maxLength was 500 and is 501"),
    "minimum lower": (lambda d: told(d, "version").pop("minimum"), "minimum was 1 and is None"),
    "format": (lambda d: told(d, "hand_id").pop("format"), "/hand_id: format was uuid and is None"),
    "scores": (
        lambda d: told(d, "scores").update(additionalProperties={"type": "string"}),
        "/scores/*: string where integer",
    ),
    "lines": (
        lambda d: told(d, "lines")["contentSchema"]["items"].update(type="string"),
        "/lines/contentSchema/items: string where integer",
    ),
}

GROWTH: dict[str, Change] = {
    "nothing": lambda d: None,
    "prose": lambda d: sent(d, "free").update(description="Free text."),
    "operation": lambda d: path_of(d).update(get={"operationId": "getHand", "responses": {}}),
    "parameter": lambda d: put(d).update(parameters=[{"name": "x", "in": "query", "schema": {}}]),
    "error": lambda d: put(d)["responses"].update({"409": {}}),
    "code": lambda d: answer(d, "404")["content"]["application/problem+json"]["examples"].update(
        c=problem("gone")
    ),
    "request field": lambda d: record(d)["properties"].update(x={"type": "string"}),
    "field needed no more": lambda d: record(d)["required"].remove("players"),
    "request opened": lambda d: record(d).update(additionalProperties=True),
    "request value": lambda d: sent(d, "stake")["enum"].append("retaken"),
    "any value": lambda d: sent(d, "stake").update(enum=["called", "held", None, 3]),
    "request type": lambda d: sent(d, "free").update(type=["string", "integer", "null"]),
    "request limit": lambda d: sent(d, "players").update(maxItems=6, minItems=2),
    "request pattern": lambda d: sent(d, "name").pop("pattern"),
    "webhook field": lambda d: d["schemas"]["Hook"]["properties"].update(x={"type": "string"}),
    "answer field": lambda d: hand(d)["properties"].update(x={"type": "string"}),
    "answer field always there": lambda d: hand(d)["required"].append("note"),
    "answer value": lambda d: told(d, "status")["enum"].append("irregular"),
    "answer limit": lambda d: told(d, "note").update(maxLength=400),
    "kind of event": lambda d: (
        d["schemas"].update(Held={"type": "object", "properties": {"type": {"const": "held"}}}),
        d["schemas"]["Event"]["oneOf"].append({"$ref": "#/schemas/Held"}),
    ),
    "header": lambda d: answer(d)["headers"].update(Link={}),
    "no key needed": lambda d: put(d).update(security=[]),
    "schema renamed": lambda d: d.update(rename_hand(d)),
}


def rename_hand(document: Part) -> Part:
    """Another name for a schema, which no client sees."""
    renamed: Part = json.loads(json.dumps(document).replace("#/schemas/Hand", "#/schemas/Line"))
    renamed["schemas"]["Line"] = renamed["schemas"].pop("Hand")
    return renamed


@pytest.mark.parametrize("name", BREAKS)
def test_a_break_is_found(name: str) -> None:
    change, said = BREAKS[name]
    new = copy.deepcopy(BASE)
    change(new)
    found = breaks(BASE, new)
    assert found
    assert all(said in one for one in found), found


@pytest.mark.parametrize("name", GROWTH)
def test_growth_is_no_break(name: str) -> None:
    new = copy.deepcopy(BASE)
    GROWTH[name](new)
    assert breaks(BASE, new) == []
