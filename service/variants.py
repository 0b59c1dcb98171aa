"""The rule sets that the service knows: the built-in ones, and those of the house."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response

from records.house_schemas import described as described_with
from records.variant_store import VariantExists
from service.answers import answer, page_of
from service.auth import actor, need, tenant
from service.bodies import read_json
from service.problems import Problem
from service.queries import PageQuery, Query, takes, variant_named
from service.tenancy import known_variants
from service.wiring import wired
from trull import Variant
from trull.variants import VARIANTS

blueprint = Blueprint("variants", __name__, url_prefix="/v1/variants")


@blueprint.get("")
@takes(PageQuery)
def listed(query: Mapping[str, Any]) -> Response:
    """A page of the variants, by id."""
    after = query.get("cursor", "")
    names = sorted(name for name in (*VARIANTS, *wired().variants.ids(tenant())) if name > after)
    page = names[: query["limit"]]
    items: list[dict[str, object]] = [
        {
            "id": variant.id,
            "name": variant.name,
            "family": variant.family,
            "players": variant.players,
            "revision": variant.revision,
        }
        for variant in map(known_variants().__getitem__, page)
    ]
    return page_of("variants", items, page[-1] if len(names) > len(page) else None, "cursor")


@blueprint.get("/<variant_id>")
@takes(Query)
def described(query: Mapping[str, Any], variant_id: str) -> Response:
    """One variant in full: contracts, bonuses, rulings with their values, defaults and why."""
    return answer(_described(variant_named(variant_id)))


@blueprint.post("")
@takes(Query)
def make(query: Mapping[str, Any]) -> Response:
    """Keep the house rules of the body, once and for ever."""
    need("submit")
    variants = wired().variants
    rules = variants.load(tenant(), read_json())
    try:
        created = variants.make(tenant(), actor(), rules)
    except VariantExists as error:
        detail = f"{error.variant_id} is there with other rules or another name, and never changes."
        raise Problem("variant-exists", detail) from error
    headers = {"Location": f"/v1/variants/{rules.variant.id}"}
    return answer(_described(rules.variant), 201 if created else 200, headers)


def _described(variant: Variant) -> dict[str, object]:
    return described_with(variant, known_variants().overrides(variant.id))
