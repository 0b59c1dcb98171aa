"""The feed: the log across hands, in pages or as a stream of events."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Final

from flask import Blueprint, Response, request

from records.feed import FeedPage, FeedWalk
from records.hands import InvalidCursor
from records.visibility import Viewer
from service.answers import answer, next_link
from service.auth import need, tenant, viewer
from service.bodies import wait_seconds
from service.event_stream import event_stream
from service.hands import SHORT_WAIT, ViewQuery
from service.peer import Peer
from service.problems import Problem, invalid
from service.queries import PageQuery, parameter_fault, takes
from service.tenancy import feed
from service.wiring import wired

EVENT_STREAM: Final = "text/event-stream"
RETRY_SECONDS: Final = 10
"""When a listener who found no room may ask again."""
_LOOK_SECONDS: Final = 0.1

blueprint = Blueprint("feed", __name__, url_prefix="/v1")


class FeedQuery(PageQuery, ViewQuery):
    """Where to begin, how much, and whose eyes to look with."""


@blueprint.get("/events")
@takes(FeedQuery)
def events(query: Mapping[str, Any]) -> Response:
    """What was appended after the cursor; followed live by who accepts an event stream."""
    need("read")
    seen_by = viewer(query.get("as_"))
    if (
        request.accept_mimetypes.best_match(["application/json", EVENT_STREAM], "application/json")
        == EVENT_STREAM
    ):
        return _stream(query.get("cursor"), seen_by)
    page = _page(query.get("cursor"), query["limit"], seen_by)
    headers = {"Link": next_link(page.next, "cursor")} if page.full else {}
    return answer({"events": page.items, "next": page.next}, headers=headers)


def _page(cursor: str | None, limit: int, seen_by: Viewer) -> FeedPage:
    """A page; where there is nothing yet and the caller prefers to wait, as soon as there is something."""
    service = wired()
    seconds = wait_seconds(service.settings.max_wait_seconds)
    is_long = bool(seconds) and service.long_waits.acquire(blocking=False)
    try:
        until = time.monotonic() + (seconds if is_long else min(seconds, SHORT_WAIT))
        while True:
            page = feed().page(tenant(), cursor, limit, seen_by)
            left = until - time.monotonic()
            if page.items or left <= 0 or service.lifetime.ending():
                return page
            # `latest` is the end as it was at first.
            cursor = page.next
            time.sleep(min(_LOOK_SECONDS, left))
    except InvalidCursor:
        raise invalid([parameter_fault("cursor", "No page of the feed gave this cursor.")]) from None
    finally:
        if is_long:
            service.long_waits.release()


def _stream(cursor: str | None, seen_by: Viewer) -> Response:
    """The event stream. Holds one of the places for listeners until it is closed."""
    service = wired()
    walk = _walk(cursor, seen_by)
    walk.check()  # once the stream has begun it would wait for the store instead
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    if request.method == "HEAD":
        return Response(headers=headers, content_type=EVENT_STREAM)
    place = service.listeners.take()
    if place is None:
        detail = f"The feed has {service.settings.max_listeners} listeners in this process already."
        raise Problem("rate-limited", detail, headers={"Retry-After": str(RETRY_SECONDS)})
    stream = event_stream(walk, Peer(request.environ), service.lifetime.ending)
    return place.held_by(Response(stream, headers=headers, content_type=EVENT_STREAM))


def _walk(cursor: str | None, seen_by: Viewer) -> FeedWalk:
    """Where a listener begins: who connects again says what came last."""
    resumed = request.headers.get("Last-Event-ID")
    try:
        return feed().follow(tenant(), resumed or cursor, seen_by)
    except InvalidCursor:
        name = "Last-Event-ID" if resumed else "cursor"
        raise invalid([parameter_fault(name, "No event of the feed has this id.")]) from None
