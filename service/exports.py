"""Exporting hands: records as lines, streamed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response
from marshmallow import fields, validate

from records.hands import HandFilters
from service.auth import need, tenant, viewer
from service.hands import FiltersQuery
from service.queries import takes, variant_named
from service.uploads import NDJSON
from service.wiring import wired

blueprint = Blueprint("exports", __name__, url_prefix="/v1")


class ExportQuery(FiltersQuery):
    """Which hands, and whether with what the log knows of them."""

    with_ = fields.String(data_key="with", validate=validate.OneOf(("log",)))


@blueprint.get("/hands:export")
@takes(ExportQuery)
def export(query: Mapping[str, Any]) -> Response:
    """The hands that pass all filters, each as a record that an import takes back."""
    need("read")
    filters = dict(query)
    with_log = filters.pop("with_", None) is not None
    if with_log:
        need("admin")
    if "variant" in filters:
        variant_named(filters["variant"])
    service = wired()
    service.importer.check()  # once the answer has begun, it can only be cut off
    lines = service.exporter.lines(tenant(), HandFilters(**filters), viewer(), with_log=with_log)
    return Response(lines, content_type=NDJSON)
