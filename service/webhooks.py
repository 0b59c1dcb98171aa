"""Webhooks for admins: made, changed, tried and deleted; their deliveries looked at and sent again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from flask import Blueprint, Response
from marshmallow import ValidationError, fields, validate

from records.deliveries import MOST_WAITING, TEST, Notice, Shown
from records.stored_hands import rfc3339
from records.webhook_urls import MAX_URL, host_fault, url_fault
from records.webhooks import (
    EVENTS,
    MAX_DESCRIPTION,
    MAX_OLD_SECRET_SECONDS,
    MAX_WEBHOOKS,
    OLD_SECRET_SECONDS,
    Target,
    TooManyWebhooks,
    Webhook,
    milliseconds,
)
from service.answers import answer, page_of
from service.auth import actor, need, tenant
from service.bodies import read_body, read_json
from service.problems import Problem, invalid
from service.queries import PageQuery, Query, parameter_fault, takes
from service.small_bodies import SmallBody, read_as
from service.wiring import wired

RESOLVE_SECONDS: Final = 2.0
"""How long the host of a URL is looked up."""
RETRY_SECONDS: Final = 10

_ID: Final = r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"

blueprint = Blueprint("webhooks", __name__, url_prefix="/v1/webhooks")


def _is_switch(value: Any) -> None:
    if not isinstance(value, bool):
        raise ValidationError("Must be true or false.")


def _are_seconds(value: Any) -> None:
    if type(value) is not int or not 0 <= value <= MAX_OLD_SECRET_SECONDS:
        raise ValidationError(f"Must be a whole number from 0 to {MAX_OLD_SECRET_SECONDS}.")


class NewWebhook(SmallBody):
    """What a webhook is to be."""

    url = fields.String(required=True, validate=validate.Length(1, MAX_URL))
    events = fields.List(
        fields.String(validate=validate.OneOf(EVENTS)),
        required=True,
        validate=validate.Length(1, len(EVENTS)),
    )
    description = fields.String(validate=validate.Length(1, MAX_DESCRIPTION))


class WebhookChange(SmallBody):
    """What is to be different; what is absent stays."""

    clearable = frozenset(("description",))

    url = fields.String(validate=validate.Length(1, MAX_URL))
    events = fields.List(
        fields.String(validate=validate.OneOf(EVENTS)),
        validate=validate.Length(1, len(EVENTS)),
    )
    description = fields.String(validate=validate.Length(1, MAX_DESCRIPTION), allow_none=True)
    enabled = fields.Raw(validate=_is_switch)


class Rotation(SmallBody):
    """How long the secret that there is stays good; the body may be left out."""

    old_valid_seconds = fields.Raw(validate=_are_seconds, load_default=OLD_SECRET_SECONDS)


class DeliveriesQuery(PageQuery):
    """Which page of the deliveries."""

    cursor = fields.String(validate=validate.Regexp(_ID, error="No page of this list gave this cursor."))


@blueprint.post("")
@takes(Query)
def make(query: Mapping[str, Any]) -> Response:
    """Make a webhook, and tell its secret this once."""
    need("admin")
    wanted = read_as(NewWebhook(), read_json())
    _check_url(wanted["url"])
    target = Target(wanted["url"], _in_order(wanted["events"]), wanted.get("description"))
    try:
        made = wired().webhooks.make(tenant(), target, actor())
    except TooManyWebhooks:
        detail = f"There are {MAX_WEBHOOKS} webhooks already; delete one that nobody listens to any more."
        raise Problem("too-many-webhooks", detail) from None
    headers = {"Location": f"/v1/webhooks/{made.webhook_id}"}
    return _with_secret(made, made.secrets[0].secret, 201, headers)


@blueprint.get("")
@takes(PageQuery)
def listed(query: Mapping[str, Any]) -> Response:
    """A page of the webhooks, the oldest first."""
    need("admin")
    hooks = wired().webhooks.all([tenant()])
    if "cursor" in query:
        ids = [hook.webhook_id for hook in hooks]
        if query["cursor"] not in ids:
            raise invalid([parameter_fault("cursor", "No page of this list gave this cursor.")])
        hooks = hooks[ids.index(query["cursor"]) + 1 :]
    page = hooks[: query["limit"]]
    following = page[-1].webhook_id if len(hooks) > len(page) else None
    return page_of("webhooks", [_as_dict(hook) for hook in page], following, "cursor")


@blueprint.get("/<name:webhook_id>")
@takes(Query)
def read(query: Mapping[str, Any], webhook_id: str) -> Response:
    """A webhook without its secrets."""
    need("admin")
    return answer(_as_dict(_known(webhook_id)))


@blueprint.patch("/<name:webhook_id>")
@takes(Query)
def change(query: Mapping[str, Any], webhook_id: str) -> Response:
    """Change a webhook, enable it or disable it."""
    need("admin")
    _known(webhook_id)
    changes = read_as(WebhookChange(), read_json())
    if "url" in changes:
        _check_url(changes["url"])
    if "events" in changes:
        changes["events"] = _in_order(changes["events"])
    changed = wired().webhooks.change(tenant(), webhook_id, changes)
    return answer(_as_dict(_there(changed, webhook_id)))


@blueprint.delete("/<name:webhook_id>")
@takes(Query)
def delete(query: Mapping[str, Any], webhook_id: str) -> Response:
    """Delete a webhook with its deliveries."""
    need("admin")
    if not wired().webhooks.delete(tenant(), webhook_id):
        raise _unknown(webhook_id)
    return Response(status=204)


@blueprint.post("/<name:webhook_id>:rotate")
@takes(Query)
def rotate(query: Mapping[str, Any], webhook_id: str) -> Response:
    """Make a new secret, and tell it this once."""
    need("admin")
    _known(webhook_id)
    wanted = read_as(Rotation(), read_json() if read_body() else {})
    rotated = wired().webhooks.rotate(tenant(), webhook_id, wanted["old_valid_seconds"])
    if rotated is None:
        raise _unknown(webhook_id)
    return _with_secret(*rotated, 200)


@blueprint.post("/<name:webhook_id>:test")
@takes(Query)
def test(query: Mapping[str, Any], webhook_id: str) -> Response:
    """Send an event that means nothing, once."""
    need("admin")
    hook, deliveries = _known(webhook_id), wired().deliveries
    if deliveries.waiting(hook.tenant, webhook_id) >= MOST_WAITING:
        detail = f"{MOST_WAITING:,} deliveries of this webhook wait already."
        raise Problem("rate-limited", detail, headers={"Retry-After": str(RETRY_SECONDS)})
    notice = Notice(TEST, rfc3339(milliseconds()), {"webhook_id": webhook_id})
    made = deliveries.send_one(hook, notice)
    if made is None:
        raise _unknown(webhook_id)
    wired().couriers.notify()
    return _begun(webhook_id, made)


@blueprint.get("/<name:webhook_id>/deliveries")
@takes(DeliveriesQuery)
def deliveries(query: Mapping[str, Any], webhook_id: str) -> Response:
    """A page of the deliveries, the newest first."""
    need("admin")
    hook = _known(webhook_id)
    page = wired().deliveries.page(hook.tenant, webhook_id, query.get("cursor"), query["limit"])
    return page_of("deliveries", [one.as_dict() for one in page.items], page.next, "cursor")


@blueprint.get("/<name:webhook_id>/deliveries/<name:delivery_id>")
@takes(Query)
def delivery(query: Mapping[str, Any], webhook_id: str, delivery_id: str) -> Response:
    """A delivery with all its attempts."""
    need("admin")
    hook = _known(webhook_id)
    found = wired().deliveries.get(hook.tenant, webhook_id, delivery_id)
    if found is None:
        raise _unknown_delivery(delivery_id)
    return answer(found.as_dict())


@blueprint.post("/<name:webhook_id>/deliveries/<name:delivery_id>:resend")
@takes(Query)
def resend(query: Mapping[str, Any], webhook_id: str, delivery_id: str) -> Response:
    """Send a delivery again, at once."""
    need("admin")
    hook = _known(webhook_id)
    found = wired().deliveries.resend(hook.tenant, webhook_id, delivery_id)
    if found is None:
        raise _unknown_delivery(delivery_id)
    wired().couriers.notify()
    return _begun(webhook_id, found)


def _begun(webhook_id: str, shown: Shown) -> Response:
    """The answer that a delivery is on its way."""
    where = f"/v1/webhooks/{webhook_id}/deliveries/{shown.delivery.delivery_id}"
    return answer(shown.as_dict(), 202, {"Location": where})


def _check_url(url: str) -> None:
    """Whether webhooks may be sent there. Raises Problem (invalid-record)."""
    private = wired().settings.webhook_private
    wrong = url_fault(url, private=private)
    if wrong is None and not private:
        wrong = host_fault(url, RESOLVE_SECONDS)
    if wrong is not None:
        raise invalid([{"pointer": "/url", "code": "invalid-record", "detail": wrong}])


def _in_order(events: list[str]) -> tuple[str, ...]:
    """The events as the document lists them, each once."""
    return tuple(event for event in EVENTS if event in events)


def _known(webhook_id: str) -> Webhook:
    return _there(wired().webhooks.get(tenant(), webhook_id), webhook_id)


def _there(found: Webhook | None, webhook_id: str) -> Webhook:
    if found is None:
        raise _unknown(webhook_id)
    return found


def _unknown(webhook_id: str) -> Problem:
    return Problem("unknown-webhook", f"No webhook has the id {webhook_id!r}.")


def _unknown_delivery(delivery_id: str) -> Problem:
    return Problem(
        "unknown-delivery", f"The webhook has no delivery with the id {delivery_id!r}, or no longer."
    )


def _as_dict(hook: Webhook) -> dict[str, Any]:
    waiting = wired().deliveries.waiting(hook.tenant, hook.webhook_id)
    return {**hook.as_dict(milliseconds()), "waiting": waiting}


def _with_secret(
    hook: Webhook, secret: str, status: int, headers: Mapping[str, str] | None = None
) -> Response:
    kept = {"Cache-Control": "no-store", **(headers or {})}
    return answer({**_as_dict(hook), "secret": secret}, status, kept)
