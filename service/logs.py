"""How the service logs: one JSON object a line, on standard error."""

from __future__ import annotations

import sys

import structlog


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
