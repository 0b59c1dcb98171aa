"""Display names of players: the key stays, the name may change or be erased."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response
from marshmallow import ValidationError, fields
from werkzeug.routing import BaseConverter

from records.limits import MAX_NAME
from records.names import line_fault, player_fault
from service.answers import answer
from service.auth import actor, need, tenant
from service.bodies import read_json
from service.idempotency import once
from service.problems import Problem, invalid
from service.queries import Query, parameter_fault, takes
from service.small_bodies import SmallBody, read_as
from service.wiring import wired


class KeyConverter(BaseConverter):
    """A player's key in a path. It may hold whatever a name may, slashes too."""

    regex = "(?s:.+)"
    part_isolating = False


blueprint = Blueprint("players", __name__, url_prefix="/v1/players")


def _check_key(player: str) -> None:
    wrong = player_fault(player)
    if wrong is not None:
        raise invalid([parameter_fault("player", wrong)])


def _check_name(name: str) -> None:
    wrong = line_fault(name, MAX_NAME, "A display name")
    if wrong is not None:
        raise ValidationError(wrong)


class NameSchema(SmallBody):
    """The body that gives a player a name."""

    name = fields.String(required=True, validate=_check_name)


@blueprint.put("/<key:player>")
@once
@takes(Query)
def name(query: Mapping[str, Any], player: str) -> Response:
    """Give a player a display name, in place of one that was there."""
    need("direct")
    _check_key(player)
    given = read_as(NameSchema(), read_json())["name"]
    return answer(wired().players.name(tenant(), actor(), player, given)._asdict())


@blueprint.get("/<key:player>")
@takes(Query)
def read(query: Mapping[str, Any], player: str) -> Response:
    """The display name of a player."""
    need("read")
    _check_key(player)
    found = wired().players.get(tenant(), player)
    if found is None:
        raise Problem("unknown-player", f"The player {player!r} has no display name.")
    return answer(found._asdict())


@blueprint.delete("/<key:player>")
@takes(Query)
def erase(query: Mapping[str, Any], player: str) -> Response:
    """Erase the display name of a player, if there is one."""
    need("direct")
    _check_key(player)
    wired().players.erase(tenant(), player)
    return Response(status=204)
