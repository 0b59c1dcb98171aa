"""Keys for admins: made, listed and revoked over HTTP. Whoever has none yet uses `trull keys`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from flask import Blueprint, Response
from marshmallow import ValidationError, fields, validate

from records.keys import StoredKey
from records.names import player_fault
from records.scopes import NAME_PATTERN, PLAYER_SCOPES, SCOPES
from records.stored_hands import rfc3339
from service.answers import answer, page_of
from service.auth import actor, is_operator, need, tenant
from service.bodies import read_json
from service.problems import Problem, invalid
from service.queries import PageQuery, Query, parameter_fault, takes
from service.small_bodies import SmallBody, read_as
from service.wiring import wired

_NAME_FAULT: Final = "A name has 1 to 64 of a-z, 0-9 and hyphens."

blueprint = Blueprint("keys", __name__, url_prefix="/v1/keys")


def _name(text: str) -> None:
    """A pattern that ends with $ would let a line break pass behind it."""
    if not re.fullmatch(NAME_PATTERN, text):
        raise ValidationError(_NAME_FAULT)


class KeysQuery(PageQuery):
    """Which keys."""

    tenant = fields.String(validate=validate.Regexp(NAME_PATTERN, error=_NAME_FAULT))


class NewKey(SmallBody):
    """What a key is to be."""

    name = fields.String(required=True, validate=_name)
    scopes = fields.List(
        fields.String(validate=validate.OneOf(SCOPES)),
        validate=validate.Length(1, len(SCOPES)),
    )
    player = fields.String()
    tenant = fields.String(validate=_name)


@blueprint.post("")
@takes(Query)
def make(query: Mapping[str, Any]) -> Response:
    """Make a key, and tell it this once."""
    need("admin")
    wanted = _read_wanted(read_json())
    owner = _tenant(wanted.get("tenant"))
    player = wanted.get("player")
    scopes = wanted.get("scopes") or (SCOPES if player is None else PLAYER_SCOPES)
    made, key = wired().keys.make(wanted["name"], owner, scopes, player, actor())
    headers = {"Location": f"/v1/keys/{made.bearer.key_id}", "Cache-Control": "no-store"}
    return answer({**_as_dict(made), "key": key}, 201, headers)


@blueprint.get("")
@takes(KeysQuery)
def listed(query: Mapping[str, Any]) -> Response:
    """A page of a tenant's keys, the oldest first."""
    need("admin")
    keys = wired().keys.all(_tenant(query.get("tenant")))
    if "cursor" in query:
        ids = [key.bearer.key_id for key in keys]
        if query["cursor"] not in ids:
            raise invalid([parameter_fault("cursor", "No page of this list gave this cursor.")])
        keys = keys[ids.index(query["cursor"]) + 1 :]
    page = keys[: query["limit"]]
    following = page[-1].bearer.key_id if len(keys) > len(page) else None
    return page_of("keys", [_as_dict(key) for key in page], following, "cursor")


@blueprint.get("/<key_id>")
@takes(Query)
def read(query: Mapping[str, Any], key_id: str) -> Response:
    """What is known of a key."""
    need("admin")
    return answer(_as_dict(_known(key_id)))


@blueprint.delete("/<key_id>")
@takes(Query)
def revoke(query: Mapping[str, Any], key_id: str) -> Response:
    """Revoke a key for good."""
    need("admin")
    _known(key_id)
    revoked = wired().keys.revoke(key_id)
    assert revoked is not None, "no key is ever deleted"
    return answer(_as_dict(revoked))


def _tenant(wanted: str | None) -> str:
    """The tenant that a call is about. Raises Problem where it is not the caller's own to look at."""
    own = tenant()
    if wanted not in (None, own) and not is_operator():
        raise Problem("forbidden", "Keys of another tenant are the operator's to make and to see.")
    return wanted or own


def _known(key_id: str) -> StoredKey:
    """The key of a path, of the caller's tenant unless that is the operator. Raises Problem."""
    own = tenant()
    found = wired().keys.get(key_id)
    if found is None or not (found.bearer.tenant == own or is_operator()):
        raise Problem("unknown-key", f"No key has the id {key_id!r}.")
    return found


def _read_wanted(body: Any) -> dict[str, Any]:
    """The key that a body asks for. Raises Problem with all its faults."""
    wanted = read_as(NewKey(), body)
    wrong = None if wanted.get("player") is None else player_fault(wanted["player"])
    if wrong:
        raise invalid([{"pointer": "/player", "code": "invalid-record", "detail": wrong}])
    return wanted


def _as_dict(key: StoredKey) -> dict[str, Any]:
    bearer = key.bearer
    return {
        "key_id": bearer.key_id,
        "name": bearer.name,
        "tenant": bearer.tenant,
        "scopes": [scope for scope in SCOPES if scope in bearer.scopes],
        "player": bearer.player,
        "made_by": key.by,
        "created_at": rfc3339(key.created),
        "revoked_at": None if key.revoked is None else rfc3339(key.revoked),
        "last_used_at": None if key.used is None else rfc3339(key.used),
    }
