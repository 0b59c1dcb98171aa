"""Whether the service is alive, and whether it can do its work."""

from __future__ import annotations

import shutil
from typing import Final

from flask import Blueprint, Response

from records.hands import Readiness
from service import engine
from service.answers import answer
from service.problems import RETRY_SECONDS, Problem
from service.wiring import wired

FULL: Final = 1_000_000
"""Bytes free on the disk of our own Redis below which the next write may be the one that ends it."""
LOW: Final = 256_000_000
"""Bytes free that should be known of: a rewrite of the append-only file needs as much again as the data."""

blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
def healthz() -> Response:
    """Alive; asks nobody else."""
    return answer({"status": "ok"})


@blueprint.get("/readyz")
def readyz() -> Response:
    """Ready, or every reason why not."""
    state = wired().ready()
    free = _free_bytes()
    wrong = _what_is_wrong(state, free)
    if not wrong:
        return answer({"status": "ready", "warnings": _warnings(state, free)})
    errors = [
        {"check": check, "code": "store-unavailable", "detail": detail} for check, detail in wrong.items()
    ]
    detail = " ".join(wrong.values())
    raise Problem("store-unavailable", detail, errors, {"Retry-After": str(RETRY_SECONDS)})


def _what_is_wrong(state: Readiness, free: int | None) -> dict[str, str]:
    """The checks that fail, and what each found."""
    wrong = {}
    if not state.redis:
        wrong["redis"] = state.detail or "Redis cannot be reached."
    if state.aof == "failing":
        wrong["append_only_file"] = "Redis cannot write its append-only file."
    if free is not None and free < FULL:
        wrong["disk"] = f"The disk of TRULL_DATA_DIR is full ({free:,} bytes free): Redis cannot write."
    if state.queue:
        wrong["queue"] = f"Hands are stored, and no sheets are made. The queue: {state.queue}"
    elif state.redis and not state.workers:
        wrong["workers"] = "No worker has been seen lately, so no sheets are made."
    return wrong


def _warnings(state: Readiness, free: int | None) -> list[str]:
    """What keeps no call from being served, and should be known all the same."""
    warnings = []
    if state.aof == "off":
        warnings.append("Redis keeps no append-only file (appendonly no): its restart may lose hands.")
    if free is not None and free < LOW:
        warnings.append(f"Little space is left on the disk of TRULL_DATA_DIR: {free:,} bytes.")
    return warnings


def _free_bytes() -> int | None:
    """What is left on the disk that our own Redis writes to; None where the Redis is another."""
    settings = wired().settings
    if settings.redis_url is None or not engine.is_ours(settings.data_dir, settings.redis_url):
        return None
    try:
        return shutil.disk_usage(settings.data_dir).free
    except OSError:
        return None
