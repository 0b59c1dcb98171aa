"""What breaks for clients between two documents: a client of the old one, and a service of the new one.

Requests may be allowed more than before, and answers may grow new fields, values and kinds of items: clients
skip what they do not know (`info.description`). Everything else that a client may rely on stays. Where it
cannot be told, as with another pattern, it counts as a break.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.document.schemas import Schemas, resolved

METHODS = ("get", "put", "post", "delete", "patch")


def breaks(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Each break as a sentence that begins with its place; none when old clients can go on."""
    comparison = Comparison(old, new)
    return list(dict.fromkeys([*comparison.operations(), *comparison.webhooks()]))


class Comparison:
    """Two documents, and what their parts refer to."""

    def __init__(self, old: dict[str, Any], new: dict[str, Any]) -> None:
        self.old = old
        self.new = new

    def operations(self) -> Iterator[str]:
        for path, item in self.old["paths"].items():
            for method in METHODS:
                if method in item:
                    place = f"{method.upper()} {path}"
                    if method in self.new["paths"].get(path, ()):
                        yield from self.operation(path, method, place)
                    else:
                        yield f"{place}: the operation is gone"

    def webhooks(self) -> Iterator[str]:
        """What the service sends of itself is an answer to those who have it sent."""
        for name, item in self.old.get("webhooks", {}).items():
            for method in METHODS:
                old, new = (one.get(method) for one in (item, self.new.get("webhooks", {}).get(name, {})))
                if old and not new:
                    yield f"webhook {name}: it is gone"
                elif old:
                    bodies = resolved(self.old, old["requestBody"]), resolved(self.new, new["requestBody"])
                    yield from self.contents(*bodies, f"webhook {name}", answers=True)

    def operation(self, path: str, method: str, place: str) -> Iterator[str]:
        old, new = self.old["paths"][path][method], self.new["paths"][path][method]
        if old["operationId"] != new["operationId"]:
            yield f"{place}: the operation has another name, by which generated clients call it"
        if {} in _security(self.old, old) and {} not in _security(self.new, new):
            yield f"{place}: it cannot be called without a key any more"
        yield from self.parameters(
            _parameters(self.old, path, method), _parameters(self.new, path, method), place
        )
        yield from self.request(old.get("requestBody"), new.get("requestBody"), place)
        yield from self.responses(old["responses"], new["responses"], place)

    def parameters(
        self, old: dict[tuple[str, str], Any], new: dict[tuple[str, str], Any], place: str
    ) -> Iterator[str]:
        for key, parameter in new.items():
            where = f"{place} {key[0]} parameter {key[1]}"
            if parameter.get("required") and not old.get(key, {}).get("required"):
                yield f"{where}: it is required now"
            if key in old:
                yield from Schemas(self.old, self.new, answers=False).compare(
                    old[key]["schema"], parameter["schema"], where
                )
        for key in old.keys() - new.keys():
            yield f"{place} {key[0]} parameter {key[1]}: it is gone, and would be refused"

    def request(self, old: Any, new: Any, place: str) -> Iterator[str]:
        old, new = resolved(self.old, old or {}), resolved(self.new, new or {})
        if new.get("required") and not old.get("required"):
            yield f"{place} body: it is required now"
        yield from self.contents(old, new, f"{place} body", answers=False)

    def responses(self, old: dict[str, Any], new: dict[str, Any], place: str) -> Iterator[str]:
        for status in new.keys() - old.keys():
            if status.startswith(("2", "3")):
                yield f"{place} {status}: an answer that clients do not know"
        for status, response in old.items():
            where = f"{place} {status}"
            if status not in new:
                yield f"{where}: the answer is gone"
                continue
            before, after = resolved(self.old, response), resolved(self.new, new[status])
            for name in before.get("headers", {}).keys() - after.get("headers", {}).keys():
                yield f"{where} header {name}: it is gone"
            yield from self.contents(before, after, where, answers=True)

    def contents(self, old: Any, new: Any, place: str, answers: bool) -> Iterator[str]:
        for media_type, before in old.get("content", {}).items():
            after = new.get("content", {}).get(media_type)
            if after is None:
                yield f"{place}: {media_type} is gone"
                continue
            for code in sorted(_codes(self.old, before) - _codes(self.new, after)):
                yield f"{place}: the error {code} is gone"
            schemas = Schemas(self.old, self.new, answers)
            yield from schemas.compare(before.get("schema", {}), after.get("schema", {}), place)


def _security(document: dict[str, Any], operation: dict[str, Any]) -> list[dict[str, Any]]:
    """The ways to be let in; ``{}`` is the one without a key."""
    return operation.get("security", document.get("security", [])) or [{}]


def _parameters(document: dict[str, Any], path: str, method: str) -> dict[tuple[str, str], Any]:
    item = document["paths"][path]
    declared = [*item.get("parameters", ()), *item[method].get("parameters", ())]
    found = [resolved(document, parameter) for parameter in declared]
    return {(parameter["in"], parameter["name"]): parameter for parameter in found}


def _codes(document: dict[str, Any], content: Any) -> set[str]:
    """The error codes that there are examples of."""
    values = [resolved(document, one).get("value") for one in content.get("examples", {}).values()]
    return {
        str(value["type"])
        for value in values
        if isinstance(value, dict) and "status" in value and "type" in value
    }
