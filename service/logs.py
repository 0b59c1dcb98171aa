"""Each call in the log: one line when its answer has been sent, under the id of the call."""

from __future__ import annotations

import time

from flask import Response, g, request

from service.auth import actor
from service.calls import request_id, route, shown_path
from service.wiring import wired


def begin_call() -> None:
    """Note when the current call began."""
    g.began = time.perf_counter()


def log_when_sent(response: Response) -> None:
    """Have the line written when the answer has been sent, or is not sent any further."""
    began: float = g.began
    log_call = wired().log_call
    told: dict[str, object] = {
        "request_id": request_id(),
        "method": request.method,
        "route": route(),
        "path": shown_path(),
        "status": response.status_code,
        "actor": actor(),
    }

    def write() -> None:
        told["duration_ms"] = round((time.perf_counter() - began) * 1000, 2)
        log_call("request", told)

    response.call_on_close(write)
