"""How every process logs: one line an event on standard error, as JSON or as text.

The HTTP service logs through structlog, RQ and gunicorn through the standard library; the lines of all
look alike. `TRULL_LOG_FORMAT` says how: ``json`` (one object a line) or ``text``.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

import orjson
import structlog
from structlog.types import Processor

FORMATS: Final = ("json", "text")
"""What TRULL_LOG_FORMAT may be; the first one if it is unset."""


class UnknownFormat(ValueError):
    """TRULL_LOG_FORMAT is none of `FORMATS`."""


def format_from_env(environ: Mapping[str, str] = os.environ) -> str:
    """The format that TRULL_LOG_FORMAT names. Raises `UnknownFormat`."""
    chosen = environ.get("TRULL_LOG_FORMAT") or FORMATS[0]
    if chosen not in FORMATS:
        raise UnknownFormat(f"TRULL_LOG_FORMAT must be {' or '.join(FORMATS)}, not {chosen!r}.")
    return chosen


def configure_logs(log_format: str = FORMATS[0]) -> None:
    """Set up structlog for this process."""
    structlog.configure(
        processors=[*_STAMPS, *_renderers(log_format)],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


def line_writer(log_format: str) -> Callable[[str, dict[str, object]], None]:
    """What writes a line of an event and what is told of it, which it may change.

    As JSON the line is what structlog would write, in a third of its time: a call is logged about as often as
    a hand is scored. Standard error is as it is now.
    """
    if log_format == "text":
        log = structlog.get_logger()
        return lambda event, told: log.info(event, **told)
    write = sys.stderr.write

    def write_line(event: str, told: dict[str, object]) -> None:
        told["event"] = event
        told["level"] = "info"
        told["timestamp"] = datetime.now(UTC).isoformat().replace("+00:00", "Z")
        write(_as_json(told) + "\n")

    return write_line


def configure_standard_logs(log_format: str = FORMATS[0]) -> None:
    """Set up the standard library's logging for this process."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter(log_format))
    logging.basicConfig(level=logging.INFO, handlers=[handler])


def formatter(log_format: str) -> logging.Formatter:
    """What writes a line of the standard library's logging."""
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[structlog.stdlib.add_logger_name, *_STAMPS],
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_renderers(log_format)],
    )


def dict_config(log_format: str) -> dict[str, Any]:
    """The same for who takes it as a dictionary (`logging.config`): everything to standard error."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": formatter, "log_format": log_format}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"level": "INFO", "handlers": ["stderr"]},
        "loggers": {"gunicorn.error": {"level": "INFO", "propagate": True}},
    }


_STAMPS: Final[tuple[Processor, ...]] = (
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
)


def _renderers(log_format: str) -> list[Processor]:
    if log_format == "text":
        # The plain traceback: others show the values of local variables, which may be secrets.
        plain = structlog.dev.plain_traceback
        return [structlog.dev.ConsoleRenderer(colors=False, exception_formatter=plain)]
    return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer(_as_json)]


def _as_json(event: Any, **_: Any) -> str:
    return orjson.dumps(event, default=repr, option=orjson.OPT_NON_STR_KEYS).decode()
