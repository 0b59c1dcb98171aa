"""NDJSON that comes in: read piece by piece, as much as there is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from flask import request
from werkzeug.wsgi import get_content_length

from service.problems import Problem

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

NDJSON: Final = "application/x-ndjson"


def check_ndjson() -> None:
    """Refuse a body that is not declared as NDJSON in UTF-8. Raises Problem."""
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise Problem("unsupported-media-type", "Send the body without a Content-Encoding.")
    if request.mimetype != NDJSON:
        detail = f"Send the records as `Content-Type: {NDJSON}`, each in a line of its own."
        raise Problem("unsupported-media-type", detail)
    if request.mimetype_params.get("charset", "utf-8").lower() not in ("utf-8", "utf8"):
        raise Problem("unsupported-media-type", "NDJSON is sent in UTF-8.")


def pieces(environ: WSGIEnvironment, size: int) -> Iterator[bytes]:
    """The body in pieces of at most ``size`` bytes. Raises Problem where it ends too soon."""
    length = get_content_length(environ)
    if length is None and not environ.get("wsgi.input_terminated"):
        return
    left = length
    while left is None or left > 0:
        try:
            piece: bytes = environ["wsgi.input"].read(size if left is None else min(size, left))
        except Exception as error:  # each server has classes of its own for a broken chunk or a lost client
            raise Problem("bad-request", "The body could not be read to its end.") from error
        if not piece:
            break
        yield piece
        if left is not None:
            left -= len(piece)
    if left:
        raise Problem("bad-request", "The body is shorter than its Content-Length.")
