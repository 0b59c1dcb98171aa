"""The current call: its id, and which operation it is of."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

import uuid_utils
from flask import request

NO_ROUTE: Final = "none"

_SECRET: Final = "{token}"

_SANE_ID: Final = re.compile(r"[A-Za-z0-9._~-]{1,128}")
_OFFERED: Final = ("HTTP_X_REQUEST_ID", "HTTP_REQUEST_ID")


def request_id() -> str:
    """The id of the current call: the client's own if it is harmless to log and to send back."""
    environ = request.environ
    known: str | None = environ.get("trull.request_id")
    if known is None:
        offered = (environ.get(name, "") for name in _OFFERED)
        sane = (value for value in offered if _SANE_ID.fullmatch(value))
        known = next(sane, None) or str(uuid_utils.uuid7())
        environ["trull.request_id"] = known
    return known


def route() -> str:
    """The path of the current call's operation, as the document has it; `NO_ROUTE` where there is none."""
    rule = request.url_rule
    return NO_ROUTE if rule is None else _documented(rule.rule)


@cache
def _documented(rule: str) -> str:
    """A rule of the application as the document writes the path; asked for thrice in every call."""
    return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule)


def shown_path() -> str:
    """The path of the current call for the log: of one that holds a secret, its operation's."""
    return found if _SECRET in (found := route()) else request.path
