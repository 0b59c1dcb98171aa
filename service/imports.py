"""Importing hands: at once, or as a job with its progress and its outcomes."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final

from flask import Blueprint, Response, request
from marshmallow import fields, validate

from records.idempotency import KeptAnswer
from records.import_jobs import CHUNK_BYTES, KEPT_SECONDS, ImportState, Upload
from records.import_records import Importing
from records.lines import Block, blocks
from records.log import StoreUnavailable
from records.stored_hands import rfc3339
from service.answers import answer
from service.auth import actor, has_scope, need, player, tenant
from service.bulk import SMALL_PIECE, import_lines
from service.idempotency import claim_call, replay, settle_call
from service.memory import PIECE
from service.peer import Peer
from service.places import Place
from service.problems import Problem
from service.queries import Flag, Query, takes
from service.tenancy import hands
from service.uploads import NDJSON, check_ndjson, pieces
from service.wiring import wired

RETRY_SECONDS: Final = 5
"""When an upload that found no room may be tried again."""

blueprint = Blueprint("imports", __name__, url_prefix="/v1")


class ImportQuery(Query):
    """What to do with hands that break a rule."""

    on_illegal = fields.String(validate=validate.OneOf(("flag",)))


class ResultsQuery(Query):
    """Which outcomes."""

    failed = Flag(load_default=False)


@blueprint.post("/hands:import")
@takes(ImportQuery)
def import_now(query: Mapping[str, Any]) -> Response:
    """Import the lines of the body; a line for each of them comes back as it goes."""
    by, owner = _importing(query), tenant()
    service = wired()
    service.importer.check()  # once the answer has begun, it could be told for each line only
    place = _place()
    body = pieces(request.environ, SMALL_PIECE if request.content_length is None else PIECE)
    lines = import_lines(service.importer, owner, by, body, Peer(request.environ), request.path)
    return place.held_by(Response(_then_notify(lines), content_type=NDJSON))


@blueprint.post("/imports")
@takes(ImportQuery)
def upload(query: Mapping[str, Any]) -> Response:
    """Store the body as it comes; it is imported once it is complete."""
    by, owner = _importing(query), tenant()
    place = _place()
    uploaded = wired().imports.upload(owner)
    try:
        return _accepted(uploaded, by)
    except BaseException:
        with contextlib.suppress(StoreUnavailable):
            wired().imports.abandon(uploaded)
        raise
    finally:
        place.leave()


@blueprint.get("/imports/<import_id>")
@takes(Query)
def read(query: Mapping[str, Any], import_id: str) -> Response:
    """How far the import is."""
    need("submit")
    return answer(_as_dict(_state(import_id)))


@blueprint.get("/imports/<import_id>/results")
@takes(ResultsQuery)
def results(query: Mapping[str, Any], import_id: str) -> Response:
    """What became of each line, as far as the import is."""
    need("submit")
    found = wired().imports.results(tenant(), _state(import_id))
    return Response(_failed(found) if query["failed"] else found, content_type=NDJSON)


def _importing(query: Mapping[str, Any]) -> Importing:
    """Who imports, and what they may. Raises Problem where the call cannot be one of an import."""
    need("submit")
    if player() is not None and not has_scope("cards"):
        # Its lines would be compared with the hands of those who play against this player.
        raise Problem("forbidden", f"An import tells whole hands; this key is for the player {player()!r}.")
    check_ndjson()
    return Importing(actor(), has_scope("direct"), has_scope("admin"), "on_illegal" in query)


def _place() -> Place:
    """A place among the uploads of this process. Raises Problem where there is none."""
    place = wired().uploads.take()
    if place is None:
        detail = f"{wired().settings.max_uploads} uploads are coming in at this process already."
        raise Problem("rate-limited", detail, headers={"Retry-After": str(RETRY_SECONDS)})
    return place


def _accepted(uploaded: Upload, by: Importing) -> Response:
    """Store the body and make an import of it; under an Idempotency-Key, only the first time."""
    keyed = "HTTP_IDEMPOTENCY_KEY" in request.environ
    digest = hashlib.sha256()
    service = wired()
    body = pieces(request.environ, PIECE)
    first = _keep(uploaded, _digested(body, digest) if keyed else body)
    claim = None
    if keyed:
        # Only now is it known whether it is the same upload. What was stored of it harms nobody.
        begun = claim_call((request.query_string, b"", digest.digest()))
        if isinstance(begun, KeptAnswer):
            service.imports.abandon(uploaded)
            return replay(begun)
        claim = begun
    if first is not None:
        by = by._replace(made=service.importer.make_first(tenant(), by, first.lines()))
    import_id = service.imports.accept(uploaded, by)
    hands().notify_import()
    response = answer(_as_dict(_state(import_id)), 202, {"Location": f"/v1/imports/{import_id}"})
    if claim is not None:
        settle_call(claim, response)
    return response


def _keep(uploaded: Upload, body: Iterator[bytes]) -> Block | None:
    """Store a body; its first block. While one is deflated and stored, the next one is read."""
    first: Block | None = None
    stored: Future[None] | None = None
    with ThreadPoolExecutor(1) as thread:
        for block in blocks(body, CHUNK_BYTES):
            if stored is not None:
                stored.result()
            stored = thread.submit(uploaded.add, block)
            first = first or block
        if stored is not None:
            stored.result()
    return first


def _digested(body: Iterator[bytes], digest: Any) -> Iterator[bytes]:
    for piece in body:
        digest.update(piece)
        yield piece


def _then_notify(lines: Iterator[bytes]) -> Iterator[bytes]:
    """The same lines; the workers are woken for what is stored, at the first ones and at the end."""
    stored = hands()

    def passing() -> Iterator[bytes]:
        for count, line in enumerate(lines):
            if not count:
                stored.notify()
            yield line
        stored.notify()

    return passing()


def _failed(found: Iterator[bytes]) -> Iterator[bytes]:
    """Only the lines with a problem."""
    for lines in found:
        kept = [line for line in lines.splitlines(keepends=True) if b',"problem":{' in line]
        if kept:
            yield b"".join(kept)


def _state(import_id: str) -> ImportState:
    found = wired().imports.state(tenant(), import_id)
    if found is None:
        raise Problem("unknown-import", f"No import has the id {import_id!r}, or it is kept no longer.")
    return found


def _as_dict(state: ImportState) -> dict[str, Any]:
    ended = state.finished
    return {
        "import_id": state.import_id,
        "status": state.status,
        "total": state.total,
        "done": state.done,
        "created": state.created,
        "existing": state.existing,
        "failed": state.failed,
        "size": state.size,
        "accepted_at": rfc3339(state.accepted),
        "finished_at": None if ended is None else rfc3339(ended),
        "expires_at": None if ended is None else rfc3339(ended + KEPT_SECONDS * 1000),
    }
