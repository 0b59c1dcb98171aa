"""Whether the service is alive, and whether it can do its work."""

from __future__ import annotations

from flask import Blueprint, Response

from records.hands import Readiness
from service.answers import answer
from service.problems import RETRY_SECONDS, Problem
from service.wiring import wired

blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
def healthz() -> Response:
    """Alive; asks nobody else."""
    return answer({"status": "ok"})


@blueprint.get("/readyz")
def readyz() -> Response:
    """Ready, or every reason why not."""
    state = wired().hands.ready()
    wrong = _what_is_wrong(state)
    if not wrong:
        return answer({"status": "ready", "warnings": _warnings(state)})
    errors = [
        {"check": check, "code": "store-unavailable", "detail": detail} for check, detail in wrong.items()
    ]
    detail = " ".join(wrong.values())
    raise Problem("store-unavailable", detail, errors, {"Retry-After": str(RETRY_SECONDS)})


def _what_is_wrong(state: Readiness) -> dict[str, str]:
    """The checks that fail, and what each found."""
    if not state.redis:
        return {"redis": "Redis does not answer."}
    wrong = {}
    if state.aof == "failing":
        wrong["append_only_file"] = "Redis cannot write its append-only file."
    if not state.workers:
        wrong["workers"] = "No worker has been seen lately, so no sheets are made."
    return wrong


def _warnings(state: Readiness) -> list[str]:
    """What keeps no call from being served, and should be known all the same."""
    if state.aof == "off":
        return ["Redis keeps no append-only file (appendonly no): its restart may lose hands."]
    return []
