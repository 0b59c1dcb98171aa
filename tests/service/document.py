"""openapi.yaml as the tests see it: what it promises, and whether an answer keeps the promise."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import yaml
from jsonschema import Draft202012Validator, FormatChecker
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from tests.support.processes import ROOT

METHODS = ("get", "post", "put", "delete", "patch")
URI = "urn:trull:openapi"
OPENAPI_PATH = ROOT / "openapi.yaml"


class Operation(NamedTuple):
    """One method of one path of the document."""

    path: str
    method: str
    details: dict[str, Any]

    @property
    def name(self) -> str:
        return f"{self.method.upper()} {self.path}"


class Answer(NamedTuple):
    """What the service answered, whichever client asked."""

    method: str
    path: str
    status: int
    headers: Mapping[str, str]
    body: bytes


class Document:
    """The document, and its checks of answers and bodies."""

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw
        strict = _absolute(_closed(copy.deepcopy(raw)))
        self._strict = strict
        self._registry: Registry[Any] = Registry().with_resource(URI, DRAFT202012.create_resource(strict))

    def operations(self) -> Iterator[Operation]:
        """Every operation."""
        for path, item in self.raw["paths"].items():
            for method in METHODS:
                if method in item:
                    yield Operation(path, method, item[method])

    def resolve(self, value: Any) -> Any:
        """The value itself, or what its ``$ref`` points to."""
        while isinstance(value, dict) and "$ref" in value:
            target: Any = self.raw
            for step in value["$ref"].removeprefix("#/").split("/"):
                target = target[step.replace("~1", "/").replace("~0", "~")]
            value = target
        return value

    def parameters(self, operation: Operation, place: str) -> dict[str, dict[str, Any]]:
        """The parameters in a place (``query``, ``path``, ``header``), by name."""
        declared = [
            *self.raw["paths"][operation.path].get("parameters", ()),
            *operation.details["parameters"],
        ]
        resolved = [self.resolve(parameter) for parameter in declared]
        return {parameter["name"]: parameter for parameter in resolved if parameter["in"] == place}

    def operation_at(self, method: str, path: str) -> Operation | None:
        """The operation that serves a request; HEAD goes with GET."""
        wanted = "get" if method == "HEAD" else method.lower()
        path = path.removesuffix("/") if path == "/docs/" or path.startswith("/docs/rules/") else path
        for operation in self.operations():
            template = re.sub(r"\\\{[a-z_]+\\\}", "[^/]+", re.escape(operation.path))
            if operation.method == wanted and re.fullmatch(template, path):
                return operation
        return None

    def response_of(self, operation: Operation, status: int) -> dict[str, Any]:
        """What the document says of a status of an operation."""
        responses = operation.details["responses"]
        found: dict[str, Any] = self.resolve(responses.get(str(status), responses["default"]))
        return found

    def faults(self, schema: Any, value: Any) -> list[str]:
        """What is wrong with a value under a schema of the document, unknown fields included."""
        validator = Draft202012Validator(
            _absolute(_closed(copy.deepcopy(schema))), registry=self._registry, format_checker=FormatChecker()
        )
        return [f"{error.json_path}: {error.message[:300]}" for error in validator.iter_errors(value)]

    def check(self, answer: Answer) -> None:
        """Fail unless the document promises just this answer."""
        where = f"{answer.method} {answer.path} -> {answer.status}"
        operation = self.operation_at(answer.method, answer.path)
        if answer.method == "OPTIONS" and answer.status == 200:
            assert "Allow" in answer.headers, where
            assert not answer.body, where
            return
        if operation is None:
            self._check_outside(answer, where)
            return
        response = self.response_of(operation, answer.status)
        self._check_headers(response, answer, where)
        self._check_body(response, answer, where)

    def _check_outside(self, answer: Answer, where: str) -> None:
        """A path or a method that the document does not have."""
        known = self.raw["components"]["responses"]
        names = ("Unauthenticated", "NotFound", "AnyOther")
        codes = {code for name in names for code in self.codes_of(known[name])}
        assert answer.status in (401, 404, 405), where
        response = known["Unauthenticated" if answer.status == 401 else "AnyOther"]
        self._check_headers(response, answer, where)
        if answer.method != "HEAD":
            self._check_problem(answer, codes, where)

    def codes_of(self, response: dict[str, Any]) -> set[str]:
        """The error codes that a response has examples of."""
        examples = response["content"]["application/problem+json"]["examples"].values()
        return {self.resolve(example)["value"]["type"].rpartition(":")[2] for example in examples}

    def _check_headers(self, response: dict[str, Any], answer: Answer, where: str) -> None:
        for name, header in response.get("headers", {}).items():
            described = self.resolve(header)
            value = answer.headers.get(name)
            if value is None:
                assert not described.get("required"), f"{where}: no {name}"
                continue
            kind = self.resolve(described["schema"]).get("type")
            faults = self.faults(described["schema"], int(value) if kind == "integer" else value)
            assert not faults, f"{where}: {name}: {faults}"

    def _check_body(self, response: dict[str, Any], answer: Answer, where: str) -> None:
        content = response.get("content")
        if content is None or answer.method == "HEAD":
            assert not answer.body, where
            return
        media_type = answer.headers["Content-Type"].partition(";")[0]
        assert media_type in content, f"{where}: {media_type}"
        if media_type == "application/problem+json":
            self._check_problem(answer, self.codes_of(response), where)
        elif media_type == "application/json":
            faults = self.faults(content[media_type]["schema"], json.loads(answer.body))
            assert not faults, f"{where}: {faults}"
        elif media_type == "application/x-ndjson":
            for line in answer.body.splitlines():
                faults = self.faults(item_schema(content[media_type]), json.loads(line))
                assert not faults, f"{where}: {line!r}: {faults}"

    def _check_problem(self, answer: Answer, codes: set[str], where: str) -> None:
        assert answer.headers["Content-Type"] == "application/problem+json", where
        problem = json.loads(answer.body)
        faults = self.faults({"$ref": "#/components/schemas/Problem"}, problem)
        assert not faults, f"{where}: {faults}"
        assert problem["status"] == answer.status, f"{where}: {problem}"
        code = problem["type"].removeprefix("urn:trull:problem:")
        assert code in codes, f"{where}: {code} is not documented there; {problem}"


def item_schema(content: dict[str, Any]) -> Any:
    """What a media type says of the single lines of a body; None where it is not made of lines."""
    return content.get("schema", {}).get("contentSchema", {}).get("items")


@cache
def load_document() -> Document:
    """openapi.yaml."""
    return Document(yaml.safe_load(OPENAPI_PATH.read_bytes()))


def _closed(schema: Any) -> Any:
    """Forbid the fields that a schema does not name: clients must skip new ones, these tests must not."""
    if isinstance(schema, dict):
        for value in schema.values():
            _closed(value)
        if schema.get("type") == "object" and "properties" in schema:
            schema.setdefault("additionalProperties", False)
    elif isinstance(schema, list):
        for value in schema:
            _closed(value)
    return schema


def _absolute(schema: Any) -> Any:
    """Make every ``$ref`` absolute, so that a part of the document can be used by itself."""
    if isinstance(schema, dict):
        return {
            name: URI + value if name == "$ref" and value.startswith("#") else _absolute(value)
            for name, value in schema.items()
        }
    if isinstance(schema, list):
        return [_absolute(value) for value in schema]
    return schema
