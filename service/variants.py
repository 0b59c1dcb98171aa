"""The rule sets that the service knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response

from service.answers import answer, page_of
from service.queries import PageQuery, Query, takes, variant_named
from trull.variants import VARIANTS

blueprint = Blueprint("variants", __name__, url_prefix="/v1/variants")


@blueprint.get("")
@takes(PageQuery)
def listed(query: Mapping[str, Any]) -> Response:
    """A page of the variants, by id."""
    after = query.get("cursor", "")
    names = sorted(name for name in VARIANTS if name > after)
    page = names[: query["limit"]]
    items: list[dict[str, object]] = [
        {
            "id": variant.id,
            "name": variant.name,
            "family": variant.family,
            "players": variant.players,
            "revision": variant.revision,
        }
        for variant in map(VARIANTS.__getitem__, page)
    ]
    return page_of("variants", items, page[-1] if len(names) > len(page) else None, "cursor")


@blueprint.get("/<variant_id>")
@takes(Query)
def described(query: Mapping[str, Any], variant_id: str) -> Response:
    """One variant in full: contracts, bonuses, rulings with their values, defaults and why."""
    return answer(variant_named(variant_id).describe())
