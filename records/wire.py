"""JSON as the service takes and gives it: RFC 8259, and strict where the RFC leaves a choice.

orjson reads the body and refuses bad UTF-8, a byte order mark, NaN and infinities, lone surrogates
and control characters. What it lets pass is refused here: keys named twice, integers beyond
64 bits and deep nesting. Doing that without a second parse is the point of this module.
"""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final

import orjson

from records.faults import Path, pointer, shown
from records.limits import MAX_DEPTH


class MalformedJson(Exception):
    """The body is not JSON, or JSON that two readers might understand differently."""

    code: Final = "malformed-json"

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail

    def in_a(self, part: str) -> MalformedJson:
        """The same, told of a part (a line, a file) that is a JSON text by itself."""
        rest = self.detail.removeprefix("The body")
        return MalformedJson(self.detail if rest == self.detail else f"The {part}{rest}")


def load(body: bytes) -> object:
    """The value of a JSON text in UTF-8. Raises `MalformedJson`, and nothing else."""
    try:
        value: object = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise MalformedJson(_why_no_json(body, error)) from None
    # orjson makes a float of an integer beyond 64 bits. Such a one has at least nineteen digits, four of
    # which stand four places apart; looking at those first is quicker than a regular expression.
    if b"0000" in body[::4].translate(_FOLD_DIGITS) and b"0" * 19 in body.translate(_FOLD_DIGITS):
        _refuse_big_integers(body)
    # Every key brings a colon. As many keys in the value as colons in the body: no key was lost,
    # and no string holds a colon.
    colons = body.count(b":")
    if body.count(b"[") < MAX_DEPTH - 3 and _is_record_with(colons, value, body):
        return value
    keys, in_strings = _count(value)
    # A colon written as \u003a is in the string and not in the body, and might make up for a lost key.
    if keys + in_strings != colons or b"\\u003" in body:
        _refuse_doubled_keys(body)
    return value


def _why_no_json(body: bytes, error: orjson.JSONDecodeError) -> str:
    """What the parser says, and what it does not say of other encodings."""
    if not body:
        return "The body is no JSON: it is empty."
    if body.startswith(BOM_UTF8):
        return "The body is no JSON: it begins with a byte order mark, which JSON does not have."
    try:
        body.decode()
    except UnicodeDecodeError as wrong:
        return (
            "The body is no JSON: it must be UTF-8, and the byte"
            f" 0x{body[wrong.start]:02X} at position {wrong.start} is not."
        )
    where = f"line {error.lineno}, column" if b"\n" in body.strip() else "column"
    return f"The body is no JSON: {error.msg} at {where} {error.colno}."


def dumps(value: object) -> bytes:
    """A value as compact JSON in UTF-8."""
    return orjson.dumps(value)


_FOLD_DIGITS: Final = bytes(ord("0") if ord("0") <= byte <= ord("9") else ord(" ") for byte in range(256))

_TOO_DEEP: Final = f"The body is nested more than {MAX_DEPTH} levels deep."
_NO_HANDS: Final[dict[str, Any]] = {}


def _is_record_with(colons: int, value: Any, body: bytes) -> bool:
    """Whether a record of flat events accounts for all colons of its body, so that no key was lost.

    The sums here leave things out (nested objects, most strings) but never count too much: they
    reach the number of colons only where nothing was left out and nothing lost. Then objects are at
    most three deep, and whatever else is deep needs a bracket for each level.
    """
    try:
        events = value["events"]
        found = len(value) + sum(map(dict.__len__, events)) + dict.__len__(events[0].get("hands", _NO_HANDS))
        if found == colons:
            return True
        if b"\\u003" in body:
            return False
        times = [event["at"] for event in events if "at" in event]
        times.append(value.get("played_at", ""))
        return found + "".join(times).count(":") == colons
    except (KeyError, IndexError, TypeError, AttributeError):
        return False


def _count(value: object) -> tuple[int, int]:
    """The keys of all objects, and the colons in all strings. Raises where the nesting is too deep."""
    keys = colons = 0
    level: list[Any] = [[value]]
    for _ in range(MAX_DEPTH + 1):
        below: list[Any] = []
        for container in level:
            children = container
            if type(container) is dict:
                keys += len(container)
                colons += "".join(container).count(":")
                children = container.values()
            for item in children:
                kind = type(item)
                if kind is str:
                    colons += item.count(":")
                elif kind is dict or kind is list:
                    below.append(item)
        if not below:
            return keys, colons
        level = below
    raise MalformedJson(_TOO_DEEP)


def _refuse_big_integers(body: bytes) -> None:
    """Raise where an integer does not fit into 64 bits; digits in a string or a fraction are no fault."""

    def integer(digits: str) -> int:
        if len(digits) > 20 or not -(2**63) <= int(digits) < 2**64:
            raise MalformedJson(
                f"The integer {digits[:24]} ({len(digits)} characters) does not fit into 64 bits."
            )
        return 0

    _reread(body, parse_int=integer)


class _Doubled(dict[str, object]):
    """An object in which a key is named twice."""

    def __init__(self, kept: dict[str, object], doubled: str) -> None:
        super().__init__(kept)
        self.doubled = doubled


def _refuse_doubled_keys(body: bytes) -> None:
    """Raise with a doubled key and where it is; a colon written as an escape is no fault."""
    found = False

    def obj(pairs: list[tuple[str, object]]) -> dict[str, object]:
        nonlocal found
        made = dict(pairs)
        if len(made) == len(pairs):
            return made
        found = True
        times = Counter(key for key, _ in pairs)
        return _Doubled(made, next(key for key in times if times[key] > 1))

    value = _reread(body, object_pairs_hook=obj)
    if found:
        for path, key in _doubled_keys(value, ()):
            where = f'the object at "{pointer(path)}"' if path else "the outermost object"
            raise MalformedJson(f"The key {shown(key)} is there twice in {where}.")


def _doubled_keys(value: object, path: Path) -> Iterator[tuple[Path, str]]:
    """The doubled keys of a value that is not deep, the outer ones first."""
    if isinstance(value, _Doubled):
        yield path, value.doubled
    children: Iterable[tuple[str | int, object]] = ()
    if isinstance(value, dict):
        children = value.items()
    elif isinstance(value, list):
        children = enumerate(value)
    for step, child in children:
        yield from _doubled_keys(child, (*path, step))


def _reread(body: bytes, **hooks: Any) -> object:
    """The value again through the standard library, which tells each integer and each pair of an object."""
    try:
        return json.loads(body.decode(), **hooks)
    except RecursionError:
        raise MalformedJson(_TOO_DEEP) from None
