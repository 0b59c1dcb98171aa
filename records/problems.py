"""Problem details (RFC 9457): the codes, and the body of a problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from records.faults import INVALID_RECORD, Fault, in_one_sentence


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
    "unknown-board": Kind(404, "No such board"),
    "unknown-hand": Kind(404, "No such hand"),
    "unknown-key": Kind(404, "No such key"),
    "unknown-import": Kind(404, "No such import"),
    "unknown-session": Kind(404, "No such session"),
    "unknown-player": Kind(404, "No such player"),
    "unknown-table": Kind(404, "The tournament has no such table"),
    "unknown-table-link": Kind(404, "No such table link"),
    "unknown-tournament": Kind(404, "No such tournament"),
    "unknown-rescore": Kind(404, "No such batch"),
    "unknown-variant": Kind(404, "No such variant"),
    "unknown-webhook": Kind(404, "No such webhook"),
    "unknown-delivery": Kind(404, "No such delivery"),
    "method-not-allowed": Kind(405, "The path does not know this method"),
    "hand-exists": Kind(409, "The hand exists with other content"),
    "variant-exists": Kind(409, "The variant exists with other content"),
    "session-exists": Kind(409, "The session exists with other content"),
    "session-closed": Kind(409, "The session is closed"),
    "session-unsettled": Kind(409, "The session cannot be closed yet"),
    "tournament-exists": Kind(409, "The tournament exists with other settings"),
    "tournament-closed": Kind(409, "The tournament is closed"),
    "tournament-unsettled": Kind(409, "The tournament cannot be closed yet"),
    "too-many-boards": Kind(409, "No more boards than that"),
    "too-many-table-links": Kind(409, "There are as many table links as there may be"),
    "no-open-proposal": Kind(409, "No result waits for the other side"),
    "proposal-outdated": Kind(409, "The table has gone past the proposed hand"),
    "too-many-webhooks": Kind(409, "There are all the webhooks that there may be"),
    "event-conflict": Kind(409, "The event_id stands for another event"),
    "request-in-progress": Kind(409, "The first call with this key is still running"),
    "version-mismatch": Kind(412, "Another version is stored"),
    "body-too-large": Kind(413, "The body is too large"),
    "unsupported-media-type": Kind(415, "The body must be JSON"),
    "misdirected": Kind(421, "The call was sent to another host"),
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
    "idempotency-key-reused": Kind(422, "The key was used for another request"),
    "version-required": Kind(428, "The version that is expected is missing"),
    "rate-limited": Kind(429, "Too much at once"),
    "internal-error": Kind(500, "A fault of the service"),
    "store-unavailable": Kind(503, "The store cannot be used"),
}
"""Every code that the service can answer with; openapi.yaml has an example of each."""


def problem_body(
    code: str, detail: str, instance: str, errors: Sequence[Mapping[str, object]] = ()
) -> dict[str, Any]:
    """The problem as JSON. ``code`` is one of `KINDS`; ``errors`` are the single faults, if there are any."""
    kind = KINDS[code]
    body: dict[str, Any] = {
        "type": f"urn:trull:problem:{code}",
        "title": kind.title,
        "status": kind.status,
        "detail": detail,
        "instance": instance,
    }
    if errors:
        body["errors"] = list(errors)
    return body


class Refused(Exception):
    """What cannot be accepted, as a problem says it. ``errors`` are the single faults."""

    def __init__(self, code: str, detail: str, errors: Sequence[Mapping[str, object]] = ()) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.errors = list(errors)

    def first_errors(self, most: int) -> list[Mapping[str, object]]:
        """The first faults; a last one tells when there are more."""
        if len(self.errors) <= most:
            return self.errors
        more = {"code": self.code, "detail": "There are more faults, which are not listed."}
        return [*self.errors[:most], more]


def refused_shape(faults: Sequence[Fault]) -> Refused:
    """The refusal of faults of shape, all of them at once."""
    errors = [fault._asdict() for fault in faults]
    return Refused(INVALID_RECORD, in_one_sentence(errors), errors)
