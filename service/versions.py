"""`If-Match`: which version of a stored thing a change was made for."""

from __future__ import annotations

import re
from typing import Final

from flask import request

from service.problems import Problem

_TAG: Final = r'(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"'
_TAGS: Final = re.compile(rf"\s*{_TAG}\s*(?:,\s*{_TAG}\s*)*")
_STRONG: Final = re.compile(r'(?:^|[\s,])"([^"]*)"')


def expected_tags(what: str) -> list[str]:
    """The strong entity tags of If-Match. Raises Problem where there is none, or it is not readable.

    ``what`` is the thing that is changed, for the message.
    """
    named = request.headers.get("If-Match", "").strip()
    tags = offered_tags(what) if named else None
    if tags is None:
        detail = f'Say with If-Match which version of the {what} this is made for, like `If-Match: "12"`'
        raise Problem("version-required", f"{detail}, and not `*`." if named else f"{detail}.")
    return tags


def offered_tags(what: str) -> list[str] | None:
    """The strong entity tags of an If-Match that may be left out; None where any version will do.

    Raises Problem where it is not readable.
    """
    header = request.headers.get("If-Match", "*").strip()
    if header == "*":
        return None
    if not _TAGS.fullmatch(header):
        raise Problem("bad-request", f'If-Match holds the version of the {what} in double quotes, like "12".')
    return _STRONG.findall(header)


def other_version(what: str, version: int) -> Problem:
    """The problem of a change that was made for another version than that which is there."""
    detail = f"The {what} is at version {version}, and nothing was added to it."
    return Problem("version-mismatch", detail, headers={"ETag": f'"{version}"'})
