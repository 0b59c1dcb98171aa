"""Every error body: RFC 9457 problem details under the contract's codes.

A view raises `Problem`, or lets a refusal of the layers below pass through; the handlers at the end
of this file turn each of them into `application/problem+json`. No other module answers with an error;
what error bodies hold is in `records.problems`, since results of imports hold them too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from urllib.parse import quote

import structlog
from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from records.changes import EventConflict
from records.faults import INVALID_RECORD, InvalidRecord, in_one_sentence
from records.limits import MAX_FAULTS
from records.log import StoreUnavailable
from records.problems import KINDS, problem_body
from records.refusals import fault_of
from records.wire import MalformedJson, dumps
from service.calls import request_id, shown_path
from trull.errors import RulesError

log = structlog.get_logger()

PROBLEM_JSON: Final = "application/problem+json"
RETRY_SECONDS: Final = 2
"""What `Retry-After` says while the store is away: a restart of Redis takes about a second."""


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
    if len(faults) > MAX_FAULTS:
        more = "There are more faults, which are not listed."
        faults[MAX_FAULTS:] = [{"pointer": "", "code": INVALID_RECORD, "detail": more}]
    return Problem("invalid-record", in_one_sentence(faults), faults)


def faults_of(error: InvalidRecord, prefix: str = "") -> list[dict[str, object]]:
    """The shape faults of a record as members of ``errors``."""
    return [
        {"pointer": prefix + fault.pointer, "code": fault.code, "detail": fault.detail}
        for fault in error.faults
    ]


def respond(problem: Problem) -> Response:
    """The answer for a problem."""
    # A path may hold anything once it is decoded; `instance` must be a URI reference.
    instance = quote(request.path, safe="/:@!$&'()*+,;=~", errors="replace")
    body = problem_body(problem.code, problem.detail, instance, problem.errors)
    body["request_id"] = request_id()
    return Response(dumps(body), KINDS[problem.code].status, problem.headers, content_type=PROBLEM_JSON)


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
    log.warning("store unavailable", error=str(error), path=shown_path(), request_id=request_id())
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
    log.error("request failed", path=shown_path(), request_id=request_id(), exc_info=error)
    detail = "The service failed on this request; its log knows more under the Request-Id of this answer."
    return respond(Problem("internal-error", detail))
