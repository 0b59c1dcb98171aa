"""Every error body: RFC 9457 problem details under the contract's codes.

A view raises `Problem`, or lets a refusal of the layers below pass through; the handlers at the end
of this file turn each of them into `application/problem+json`. No other module writes an error body.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple
from urllib.parse import quote

import structlog
from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from records.changes import EventConflict
from records.faults import InvalidRecord
from records.log import StoreUnavailable
from records.refusals import fault_of
from records.wire import MalformedJson, dumps
from service.logs import request_id
from trull.errors import RulesError

log = structlog.get_logger()

PROBLEM_JSON: Final = "application/problem+json"
RETRY_SECONDS: Final = 2
"""What `Retry-After` says while the store is away: a restart of Redis takes about a second."""


class Kind(NamedTuple):
    """What all problems of one code share."""

    status: int
    title: str


KINDS: Final[Mapping[str, Kind]] = {
    "bad-request": Kind(400, "The request is not valid HTTP"),
    "malformed-json": Kind(400, "The body is not JSON"),
    "unauthenticated": Kind(401, "A valid key is needed"),
    "forbidden": Kind(403, "The key may not do this"),
    "not-found": Kind(404, "There is nothing at this path"),
    "unknown-hand": Kind(404, "No such hand"),
    "unknown-variant": Kind(404, "No such variant"),
    "method-not-allowed": Kind(405, "The path does not know this method"),
    "hand-exists": Kind(409, "The hand exists with other content"),
    "event-conflict": Kind(409, "The event_id stands for another event"),
    "version-mismatch": Kind(412, "The hand has another version"),
    "body-too-large": Kind(413, "The body is too large"),
    "unsupported-media-type": Kind(415, "The body must be JSON"),
    "invalid-record": Kind(422, "The request does not have the documented shape"),
    "event-out-of-place": Kind(422, "The event cannot come at this point of the hand"),
    "wrong-turn": Kind(422, "Another player is to act"),
    "card-not-held": Kind(422, "The player does not hold the card"),
    "illegal-bid": Kind(422, "The auction does not allow the call"),
    "illegal-call": Kind(422, "The card may not be called"),
    "illegal-announcement": Kind(422, "The bonus may not be announced so"),
    "illegal-contra": Kind(422, "There is nothing that may be answered so"),
    "illegal-talon": Kind(422, "The contract does not take these cards"),
    "illegal-discard": Kind(422, "The cards may not be discarded"),
    "illegal-play": Kind(422, "The card may not be played to this trick"),
    "incomplete-deck": Kind(422, "The deal does not hold the pack"),
    "duplicate-card": Kind(422, "A card is there twice"),
    "redeal-required": Kind(422, "The deal is void and the record goes on"),
    "inconsistent-result": Kind(422, "The reported facts cannot be true together"),
    "version-required": Kind(428, "The version that is expected is missing"),
    "internal-error": Kind(500, "A fault of the service"),
    "store-unavailable": Kind(503, "The store cannot be used"),
}
"""Every code that the service can answer with; openapi.yaml has an example of each."""


class Problem(Exception):
    """A request that cannot be served, as the client will read it.

    ``code`` is one of `KINDS`; ``errors`` holds the single faults, each with ``code``, ``detail``
    and where it is: ``pointer`` (into the body), ``parameter`` (of the query) or ``check`` (of the
    service's readiness).
    """

    def __init__(
        self,
        code: str,
        detail: str,
        errors: Sequence[Mapping[str, object]] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.errors = list(errors)
        self.headers = dict(headers or {})


def broken_rule(error: RulesError, players: Sequence[str], prefix: str = "") -> Problem:
    """The problem of a broken rule. ``prefix`` is the pointer of the record within the body."""
    return Problem(error.code, error.told(players), [fault_of(error, players, prefix)])


def conflict(error: EventConflict) -> Problem:
    """The problem of event_ids that stand for other events."""
    return Problem(error.code, error.faults[0].detail, [fault._asdict() for fault in error.faults])


def invalid(errors: Iterable[Mapping[str, object]]) -> Problem:
    """The problem of a request with shape faults, all of them at once."""
    faults = list(errors)
    more = f" ({len(faults)} faults in all)" if len(faults) > 1 else ""
    return Problem("invalid-record", f"{faults[0]['detail']}{more}", faults)


def faults_of(error: InvalidRecord, prefix: str = "") -> list[dict[str, object]]:
    """The shape faults of a record as members of ``errors``."""
    return [
        {"pointer": prefix + fault.pointer, "code": fault.code, "detail": fault.detail}
        for fault in error.faults
    ]


def respond(problem: Problem) -> Response:
    """The answer for a problem."""
    kind = KINDS[problem.code]
    body: dict[str, object] = {
        "type": f"urn:trull:problem:{problem.code}",
        "title": kind.title,
        "status": kind.status,
        "detail": problem.detail,
        # A path may hold anything once it is decoded; `instance` must be a URI reference.
        "instance": quote(request.path, safe="/:@!$&'()*+,;=~", errors="replace"),
    }
    if problem.errors:
        body["errors"] = problem.errors
    return Response(dumps(body), kind.status, problem.headers, content_type=PROBLEM_JSON)


def register(app: Flask) -> None:
    """Answer every refusal and failure of `app` with a problem."""
    app.register_error_handler(Problem, respond)
    app.register_error_handler(InvalidRecord, lambda error: respond(invalid(faults_of(error))))
    app.register_error_handler(MalformedJson, lambda error: respond(Problem("malformed-json", error.detail)))
    app.register_error_handler(EventConflict, lambda error: respond(conflict(error)))
    app.register_error_handler(StoreUnavailable, _store_unavailable)
    app.register_error_handler(HTTPException, _http_exception)
    app.register_error_handler(Exception, _fault_of_ours)


def _store_unavailable(error: StoreUnavailable) -> Response:
    log.warning("store unavailable", error=str(error), path=request.path, request_id=request_id())
    detail = "The store is not available, and nothing was accepted for certain. Try again in a moment."
    return respond(Problem("store-unavailable", detail, headers={"Retry-After": str(RETRY_SECONDS)}))


def _http_exception(error: HTTPException) -> Response:
    """What routing and parsing refuse before a view runs."""
    if isinstance(error, MethodNotAllowed):
        allowed = ", ".join(sorted(error.valid_methods or ()))
        detail = f"{request.method} is not possible here; allowed: {allowed}."
        return respond(Problem("method-not-allowed", detail, headers={"Allow": allowed}))
    if error.code == 404:
        return respond(Problem("not-found", "No operation has this path; /openapi.yaml lists them all."))
    if error.code is not None and error.code < 500:
        return respond(Problem("bad-request", error.description or "The request cannot be read."))
    return _fault_of_ours(error)


def _fault_of_ours(error: Exception) -> Response:
    # The client learns nothing of the inside; the log has it, under the same request id.
    log.error("request failed", path=request.path, request_id=request_id(), exc_info=error)
    detail = "The service failed on this request; its log knows more under the Request-Id of this answer."
    return respond(Problem("internal-error", detail))
