"""How the service logs: one JSON object a line, on standard error, under the id of its call."""

from __future__ import annotations

import re
import sys
from typing import Final

import structlog
import uuid_utils
from flask import request

_SANE_ID: Final = re.compile(r"[A-Za-z0-9._~-]{1,128}")


def configure_logs() -> None:
    """Set up structlog for this process."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


def request_id() -> str:
    """The id of the current call: the client's own if it is harmless to log and to send back."""
    environ = request.environ
    known: str | None = environ.get("trull.request_id")
    if known is None:
        offered = environ.get("HTTP_REQUEST_ID", "")
        known = offered if _SANE_ID.fullmatch(offered) else str(uuid_utils.uuid7())
        environ["trull.request_id"] = known
    return known
