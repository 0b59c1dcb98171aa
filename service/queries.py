"""Query parameters: declared beside their view, read through Marshmallow, unknown ones refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any, Final, TypeVar

from flask import current_app, g, request
from marshmallow import RAISE, Schema, ValidationError, fields, validate

from records.times import instant, time_fault
from service.problems import Problem, invalid
from trull import Variant
from trull.variants import VARIANTS

View = TypeVar("View", bound=Callable[..., Any])


class Query(Schema):
    """The parameters of one operation; this one has none."""

    class Meta:
        unknown = RAISE


class WholeNumber(fields.Integer):
    """A whole number as digits: no sign, no spaces, no underscores, nothing else that `int` takes."""

    def _validated(self, value: Any) -> Any:
        if isinstance(value, str) and not re.fullmatch(r"[0-9]{1,9}", value):
            raise self.make_error("invalid", input=value)
        return super()._validated(value)


class Moment(fields.Field[datetime]):
    """A time of RFC 3339 with its offset."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> datetime:
        wrong = time_fault(value)
        if wrong is not None:
            raise ValidationError(wrong)
        return instant(value)


class PageQuery(Query):
    """Where a page of a list begins, and how long it is."""

    cursor = fields.String(validate=validate.Length(1, 512))
    limit = WholeNumber(load_default=100, validate=validate.Range(1, 1000))


NO_PARAMETERS: Final = Query()


def takes(schema: type[Query]) -> Callable[[View], View]:
    """Declare the query parameters of a view, which reads them with `parameters`."""

    def declare(view: View) -> View:
        view.query = schema()  # type: ignore[attr-defined]  # functions take attributes, their type knows none
        return view

    return declare


def query_of(endpoint: str | None) -> Query:
    """The declared parameters of an endpoint's view."""
    view = current_app.view_functions.get(endpoint or "")
    query: Query = getattr(view, "query", NO_PARAMETERS)
    return query


def read_query() -> None:
    """Check the query of a call under /v1 before its view runs. Raises Problem with every fault."""
    if request.routing_exception is not None or not request.path.startswith("/v1/"):
        return
    schema = query_of(request.endpoint)
    if not request.query_string:
        g.query = schema.load({})
        return
    given = {name: values[0] for name, values in request.args.lists()}
    twice = {name: ["Give this parameter once."] for name, values in request.args.lists() if len(values) > 1}
    try:
        g.query = schema.load(given)
    except ValidationError as error:
        raise _refused({**error.messages_dict, **twice}) from None
    if twice:
        raise _refused(twice)


def parameters() -> dict[str, Any]:
    """The query parameters of the current call, as its view's schema makes them."""
    query: dict[str, Any] = g.query
    return query


def variant_named(name: str) -> Variant:
    """The variant of a path or a query. Raises Problem (unknown-variant)."""
    variant = VARIANTS.get(name)
    if variant is None:
        raise Problem("unknown-variant", f"No variant is called {name!r}; GET /v1/variants lists them.")
    return variant


def parameter_fault(name: str, detail: str) -> dict[str, object]:
    """A fault of the query, as a member of ``errors``."""
    return {"parameter": name, "code": "invalid-record", "detail": detail}


def _refused(messages: dict[str, Any]) -> Problem:
    return invalid(parameter_fault(name, " ".join(details)) for name, details in messages.items())
