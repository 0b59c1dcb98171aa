"""Reading what a request carries: its body, never more of it than the limit, and its Prefer header."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from flask import request
from werkzeug.http import parse_list_header
from werkzeug.wsgi import get_content_length

from records.record import HandRecord
from records.schemas import load_record
from records.wire import load
from service.problems import Problem
from service.tenancy import known_variants
from service.wiring import wired

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

_WAIT: Final = re.compile(r"wait\s*=\s*\"?([0-9]{1,9})\"?\s*(;.*)?", re.IGNORECASE)


def read_record() -> HandRecord:
    """The hand record that the body is. Raises Problem, MalformedJson or InvalidRecord."""
    return load_record(read_json(), known_variants())


def read_json() -> object:
    """The JSON value of the body. Raises Problem or MalformedJson."""
    environ = request.environ
    # Nearly every client sends just this; the rest of the check is not worth its time for them.
    if environ.get("CONTENT_TYPE") != "application/json" or "HTTP_CONTENT_ENCODING" in environ:
        _check_media_type()
    return load(read_body())


def wait_seconds(limit: int) -> int:
    """The N of ``Prefer: wait=N`` (RFC 7240), at most `limit`; 0 without one.

    A preference that cannot be understood is ignored, as the RFC asks; of two, the first counts.
    """
    preferred = request.environ.get("HTTP_PREFER")
    for preference in parse_list_header(preferred) if preferred else ():
        if found := _WAIT.fullmatch(preference.strip()):
            return min(int(found[1]), limit)
    return 0


def _check_media_type() -> None:
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise Problem("unsupported-media-type", "Send the body without a Content-Encoding.")
    if request.mimetype != "application/json":
        raise Problem("unsupported-media-type", "Send the body as `Content-Type: application/json`.")
    if request.mimetype_params.get("charset", "utf-8").lower() not in ("utf-8", "utf8"):
        raise Problem("unsupported-media-type", "JSON is sent in UTF-8.")


def read_body() -> bytes:
    """The body's bytes, which may be asked for again. Raises Problem."""
    environ = request.environ
    body: bytes | None = environ.get("trull.body")
    if body is None:
        body = environ["trull.body"] = _read_body(environ)
    return body


def _read_body(environ: WSGIEnvironment) -> bytes:
    """Read from the server's stream itself: Werkzeug's limited stream cuts a chunked body off at the
    limit without a word, and copies it in small pieces.
    """
    limit = wired().settings.max_body_bytes
    length = get_content_length(environ)
    if length is None and not environ.get("wsgi.input_terminated"):
        return b""
    if length is not None and length > limit:
        raise _too_large(limit)
    try:
        body: bytes = environ["wsgi.input"].read(limit + 1 if length is None else length)
    except Exception as error:  # each server has classes of its own for a broken chunk or a lost client
        raise Problem("bad-request", "The body could not be read to its end.") from error
    if len(body) > limit:
        raise _too_large(limit)
    if length is not None and len(body) < length:
        raise Problem("bad-request", "The body is shorter than its Content-Length.")
    return body


def _too_large(limit: int) -> Problem:
    return Problem("body-too-large", f"A body may have {limit:,} bytes at most.")
