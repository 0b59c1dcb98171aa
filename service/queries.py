"""Query parameters: declared beside their view, read through Marshmallow, unknown ones refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import wraps
from types import MappingProxyType
from typing import Any, Final

from flask import Response, request
from marshmallow import RAISE, Schema, ValidationError, fields, validate

from records.faults import shown
from records.times import instant, time_fault
from service.problems import Problem, invalid
from service.tenancy import known_variants
from trull import Variant


class Query(Schema):
    """The parameters of one operation; this one has none."""

    class Meta:
        unknown = RAISE

    def unknown_parameter(self) -> str:
        """What is said of any other parameter."""
        names = [field.data_key or name for name, field in self.fields.items()]
        return (
            f"No such parameter; there are: {', '.join(names)}." if names else "No parameters are known here."
        )


class Flag(fields.Boolean):
    """``true`` or ``false``."""

    def __init__(self, *, load_default: bool, data_key: str | None = None) -> None:
        super().__init__(load_default=load_default, data_key=data_key, truthy={"true"}, falsy={"false"})

    def make_error(self, key: str, **kwargs: Any) -> ValidationError:
        """Marshmallow's error in our words."""
        return ValidationError(f"Must be true or false, not {shown(kwargs.get('input'))}.")


def between(least: int, most: int) -> validate.Range:
    """That a whole number is one of these."""
    return validate.Range(least, most, error="Must be from {min} to {max}, not {input}.")


class WholeNumber(fields.Integer):
    """A whole number as digits: no sign, no spaces, no underscores, nothing else that `int` takes."""

    def _validated(self, value: Any) -> Any:
        if isinstance(value, str) and not re.fullmatch(r"[0-9]{1,9}", value):
            raise ValidationError(f"Must be a whole number in digits, not {shown(value)}.")
        return super()._validated(value)


class Moment(fields.Field[datetime]):
    """A time of RFC 3339 with its offset."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> datetime:
        wrong = time_fault(value)
        if wrong is not None:
            lost = time_fault(value.replace(" ", "+")) is None
            raise ValidationError(f"{wrong} In a query + is written %2B." if lost else wrong)
        return instant(value)


USUAL_PAGE: Final = 100
MAX_PAGE: Final = 1_000
"""How many items a page of a list has unless told otherwise, and at most."""


class PageQuery(Query):
    """Where a page of a list begins, and how long it is."""

    cursor = fields.String(validate=validate.Length(1, 512))
    limit = WholeNumber(load_default=USUAL_PAGE, validate=between(1, MAX_PAGE))


class LogQuery(Query):
    """Behind which entry of a log to begin, and how many to tell: all of them unless told."""

    after = WholeNumber(load_default=0, validate=between(0, 999_999_999))
    limit = WholeNumber(validate=between(1, MAX_PAGE))


def takes(schema: type[Query]) -> Callable[[Callable[..., Response]], Callable[..., Response]]:
    """Read the query of a call by the schema, and give it to the view as its first argument.

    A parameter that the schema does not know, has twice, or cannot read is refused: all of them at once.
    """
    reader = schema()
    defaults: Mapping[str, Any] = MappingProxyType(reader.load({}))

    def declare(view: Callable[..., Response]) -> Callable[..., Response]:
        @wraps(view)
        def reading(**path: Any) -> Response:
            query = _read(reader) if request.environ.get("QUERY_STRING") else defaults
            return view(query, **path)

        reading.query = reader  # type: ignore[attr-defined]  # functions take attributes, their type knows none
        return reading

    return declare


def _read(schema: Query) -> Mapping[str, Any]:
    """The query of the current call. Raises Problem with every fault."""
    given = {name: values[0] for name, values in request.args.lists()}
    twice = {name: ["Give this parameter once."] for name, values in request.args.lists() if len(values) > 1}
    known = {field.data_key or name for name, field in schema.fields.items()}
    try:
        query: Mapping[str, Any] = schema.load(given)
    except ValidationError as error:
        messages = {
            name: [schema.unknown_parameter()] if name not in known else details
            for name, details in error.messages_dict.items()
        }
        raise _refused({**messages, **twice}) from None
    if twice:
        raise _refused(twice)
    return query


def variant_named(name: str) -> Variant:
    """The variant of a path or a query. Raises Problem (unknown-variant)."""
    variant = known_variants().get(name)
    if variant is None:
        raise Problem("unknown-variant", f"No variant is called {name!r}; GET /v1/variants lists them.")
    return variant


def parameter_fault(name: str, detail: str) -> dict[str, object]:
    """A fault of the query, as a member of ``errors``."""
    return {"parameter": name, "code": "invalid-record", "detail": detail}


def _refused(messages: dict[str, Any]) -> Problem:
    return invalid(parameter_fault(name, " ".join(details)) for name, details in messages.items())
