"""Whether one schema does for clients of another; see `tests.document.breaking`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

AT_LEAST = ("minimum", "minLength", "minItems", "minProperties")
AT_MOST = ("maximum", "maxLength", "maxItems", "maxProperties")
SAME = ("pattern", "format", "multipleOf", "uniqueItems", "contentMediaType")
PARTS = ("items", "contentSchema")
PROSE = ("description", "title", "summary", "example", "examples", "deprecated", "discriminator")
ALTERNATIVES = ("anyOf", "oneOf")
KNOWN = {
    *("$ref", "type", "enum", "const", "default", "properties", "required", "additionalProperties"),
    *(*AT_LEAST, *AT_MOST, *SAME, *PARTS, *PROSE, *ALTERNATIVES),
}
"""The keywords that are compared or say nothing; a test holds that `openapi.yaml` has no others."""

TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}
ANY = {*TYPES.values(), "array", "object"}

Schema = Any
"""A schema, or a part of one."""


class Schemas:
    """Compares schemas: in requests all that was allowed must be, in answers nothing else may come."""

    def __init__(
        self, old: dict[str, Any], new: dict[str, Any], answers: bool, seen: Iterable[tuple[str, str]] = ()
    ) -> None:
        self.old = old
        self.new = new
        self.answers = answers
        self._seen = set(seen)

    def compare(self, old: Schema, new: Schema, place: str) -> Iterator[str]:
        names = (_name(old), _name(new))
        if all(names):
            if names in self._seen:
                return
            self._seen.add(names)
        old, new = resolved(self.old, old), resolved(self.new, new)
        if old.get("default") != new.get("default"):
            yield f"{place}: the default was {old.get('default')!r} and is {new.get('default')!r}"
        olds, news = _alternatives(old), _alternatives(new)
        if len(olds) > 1 or len(news) > 1:
            yield from self.alternatives(olds, news, place)
            return
        yield from self.values(olds[0], news[0], place)
        yield from self.limits(olds[0], news[0], place)
        yield from self.fields(olds[0], news[0], place)
        for part in PARTS:
            if part in old or part in new:
                yield from self.compare(old.get(part, {}), new.get(part, {}), f"{place}/{part}")

    def alternatives(self, olds: list[Schema], news: list[Schema], place: str) -> Iterator[str]:
        """Each old alternative must go on in a new one. If it does not, it is told how its like differs."""
        before, after = _by_kind(self.old, olds), _by_kind(self.new, news)
        for kind, one in before.items():
            where = f"{place} ({kind})"
            if kind in after:
                likely = [after[kind], *news]
            elif kind == "null" and self.answers:
                continue
            else:
                likely = news
            tries = (self.trial(one, other, where) for other in likely)
            if all(tries):
                yield from (
                    self.compare(one, after[kind], where) if kind in after else [f"{place}: {kind} is gone"]
                )
        for kind in sorted(after.keys() - before.keys()) if self.answers else ():
            # Another kind of object is growth; another sort of value is not.
            if "object" not in _types(resolved(self.new, after[kind])):
                yield f"{place}: it may be {kind} now"

    def trial(self, old: Schema, new: Schema, place: str) -> bool:
        """Whether anything would break, without a word of it."""
        return any(Schemas(self.old, self.new, self.answers, self._seen).compare(old, new, place))

    def values(self, old: Schema, new: Schema, place: str) -> Iterator[str]:
        narrow, wide = (new, old) if self.answers else (old, new)
        types, allowed = _types(narrow), _types(wide)
        if "number" in allowed:
            allowed = allowed | {"integer"}
        if not types <= allowed:
            yield f"{place}: {' or '.join(sorted(types))} where {' or '.join(sorted(allowed))} was expected"
        before, after = _values(old), _values(new)
        if before is not None and after is not None:
            for value in before:
                if value not in after and not (value is None and self.answers):
                    yield f"{place}: the value {value!r} is gone"
        elif after is not None and not self.answers:
            yield f"{place}: only some values are allowed now"

    def limits(self, old: Schema, new: Schema, place: str) -> Iterator[str]:
        narrow, wide = (new, old) if self.answers else (old, new)
        infinite = float("inf")
        for name in AT_LEAST:
            if wide.get(name, -infinite) > narrow.get(name, -infinite):
                yield f"{place}: {name} was {old.get(name)} and is {new.get(name)}"
        for name in AT_MOST:
            if wide.get(name, infinite) < narrow.get(name, infinite):
                yield f"{place}: {name} was {old.get(name)} and is {new.get(name)}"
        for name in SAME:
            if name in wide and wide[name] != narrow.get(name):
                yield f"{place}: {name} was {old.get(name)} and is {new.get(name)}"

    def fields(self, old: Schema, new: Schema, place: str) -> Iterator[str]:
        before, after = old.get("properties", {}), new.get("properties", {})
        for name in before.keys() - after.keys():
            yield f"{place}/{name}: the field is gone"
        for name in before.keys() & after.keys():
            yield from self.compare(before[name], after[name], f"{place}/{name}")
        if self.answers:
            for name in set(old.get("required", ())) - set(new.get("required", ())):
                yield f"{place}/{name}: the field may be missing now"
        else:
            for name in set(new.get("required", ())) - set(old.get("required", ())):
                yield f"{place}/{name}: the field is required now"
        rest, others = old.get("additionalProperties", True), new.get("additionalProperties", True)
        if isinstance(rest, dict) and isinstance(others, dict):
            yield from self.compare(rest, others, f"{place}/*")
        elif isinstance(rest, dict) or (rest and others is not True and not self.answers):
            yield f"{place}: other fields than the named ones are not what they were"


def resolved(document: dict[str, Any], value: Any) -> Any:
    """The value itself, or what its ``$ref`` points to, under what stands beside the ``$ref``."""
    while "$ref" in value:
        target: Any = document
        for step in value["$ref"].removeprefix("#/").split("/"):
            target = target[step.replace("~1", "/").replace("~0", "~")]
        value = target | {name: beside for name, beside in value.items() if name != "$ref"}
    return value


def _name(schema: Schema) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2]


def _alternatives(schema: Schema) -> list[Schema]:
    """The alternatives of a schema; null among its types is one too."""
    for word in ALTERNATIVES:
        if word in schema:
            return list(schema[word])
    types = _types(schema)
    if "null" not in types or types in ({"null"}, ANY):
        return [schema]
    rest = {**schema, "type": sorted(types - {"null"})}
    if "enum" in schema:
        rest["enum"] = [value for value in schema["enum"] if value is not None]
    return [rest, {"type": "null"}]


def _by_kind(document: dict[str, Any], alternatives: list[Schema]) -> dict[str, Schema]:
    """The alternatives by what sort of value they are: as their ``type`` field says, by name, or by type."""
    found: dict[str, Schema] = {}
    for one in alternatives:
        schema = resolved(document, one)
        types = _types(schema)
        tags = _values(resolved(document, schema.get("properties", {}).get("type", {})))
        kind = " or ".join(map(str, tags or sorted(types)))
        if not tags and types in ({"object"}, ANY):
            kind = _name(one) or "object"
        found[f"{kind} ({_name(one)})" if kind in found else kind] = one
    return found


def _types(schema: Schema) -> set[str]:
    declared = schema.get("type")
    if declared is not None:
        return {declared} if isinstance(declared, str) else set(declared)
    values = _values(schema)
    return {TYPES[type(value)] for value in values} if values else set(ANY)


def _values(schema: Schema) -> list[Any] | None:
    """The values that are allowed, where they are counted."""
    if "const" in schema:
        return [schema["const"]]
    found: list[Any] | None = schema.get("enum")
    return found
