"""`Idempotency-Key`: a call that is sent again with the same key is made once, and answered alike."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import Any, Final

import structlog
from flask import Response, current_app, request

from records.idempotency import Call, Claim, InProgress, KeptAnswer, KeyReused
from records.log import StoreUnavailable
from service.auth import actor, tenant
from service.bodies import read_body
from service.problems import Problem
from service.wiring import wired

REPLAYED: Final = "Idempotent-Replayed"
"""The header that tells an answer that was given before."""

RETRY_SECONDS: Final = 1
_KEY: Final = re.compile(r"[!-~]{1,255}")
_FLEETING: Final = frozenset((401, 403, 408, 425, 429))
"""What depends on the moment, or on who is known by then. These and faults of the service are not kept."""
_KEPT_HEADERS: Final = ("Content-Type", "Location", "ETag", "Preference-Applied", "Retry-After")

log = structlog.get_logger()


def once(view: Callable[..., Response]) -> Callable[..., Response]:
    """Make a view keep its answers by the caller's Idempotency-Key. Without one nothing changes.

    The body is read here, whole: not for uploads that are streamed.
    """

    @wraps(view)
    def making(*args: Any, **path: Any) -> Response:
        if "HTTP_IDEMPOTENCY_KEY" not in request.environ:
            return view(*args, **path)
        begun = claim_call((request.query_string, _header("If-Match"), read_body(), *_charset()))
        if isinstance(begun, KeptAnswer):
            return replay(begun)
        try:
            response = view(*args, **path)
        except Exception as error:  # its handler makes the answer, which is kept like any other
            response = current_app.make_response(current_app.handle_user_exception(error))
        settle_call(begun, response)
        return response

    return making


def claim_call(parts: tuple[bytes, ...]) -> Claim | KeptAnswer:
    """The right to make the current call under its Idempotency-Key, or the answer that it had.

    ``parts`` are what makes another request of it. Raises Problem.
    """
    scope = (actor(), request.method, request.path)
    try:
        return wired().idempotency.begin(Call(tenant(), scope, _key(), parts))
    except KeyReused:
        detail = "This Idempotency-Key was used for another request; take a new one for each."
        raise Problem("idempotency-key-reused", detail) from None
    except InProgress:
        detail = "The first call with this Idempotency-Key is still running."
        raise Problem("request-in-progress", detail, headers={"Retry-After": str(RETRY_SECONDS)}) from None


def settle_call(claim: Claim, response: Response) -> None:
    """Keep the answer, or free the key where another try may bring another one."""
    keep = response.status_code < 500 and response.status_code not in _FLEETING
    headers = [(name, response.headers[name]) for name in _KEPT_HEADERS if name in response.headers]
    kept = KeptAnswer(response.status_code, headers, response.get_data()) if keep else None
    try:
        wired().idempotency.settle(claim, kept)
    except StoreUnavailable as error:
        # What was done is done and has to be told. Sent again after the claim, it is recognised by itself.
        log.warning("an answer could not be kept", error=str(error), path=request.path)


def replay(kept: KeptAnswer) -> Response:
    """The answer that was given before."""
    response = Response(kept.body, kept.status, kept.headers)
    response.headers[REPLAYED] = "true"
    return response


def _key() -> str:
    """The key of the current call; as the draft writes it, in double quotes, it is the same without them."""
    key: str = request.environ["HTTP_IDEMPOTENCY_KEY"].strip()
    if not _KEY.fullmatch(key):
        raise Problem("bad-request", "An Idempotency-Key is 1 to 255 visible ASCII characters.")
    return key[1:-1] if len(key) > 2 and key[0] == key[-1] == '"' else key


def _charset() -> tuple[bytes, ...]:
    """How the body is encoded, where that is not as ever: the same bytes say something else then."""
    charset = request.mimetype_params.get("charset", "").lower()
    return () if charset in ("", "utf-8") else (charset.encode(),)


def _header(name: str) -> bytes:
    return request.headers.get(name, "").encode()
