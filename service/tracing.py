"""Traces of calls, for a collector that speaks OTLP over HTTP; only where one is named.

The packages are the extra `otel`. Settings are OpenTelemetry's own environment variables.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Final

from flask import Flask

from records.redis_script import QuickScript
from service.config_error import ConfigError

ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
"""The variables of which one names the collector."""

NAME: Final = "trull"
"""The service's name in a trace, unless OTEL_SERVICE_NAME has another."""

_QUIET: Final = ("/healthz", "/readyz", "/metrics")
"""Asked every few seconds, and of no interest."""


def trace(app: Flask, environ: Mapping[str, str] = os.environ) -> None:
    """Have the application's calls, and what they ask of Redis, traced. Raises ConfigError."""
    named = next((name for name in ENDPOINTS if environ.get(name)), None)
    if named is None:
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.instrumentation.flask import FlaskInstrumentor
        from opentelemetry.instrumentation.redis import RedisInstrumentor
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise ConfigError(
            f"{named} is set, and OpenTelemetry is not there: it is the extra `otel`."
        ) from None
    name = environ.get("OTEL_SERVICE_NAME") or NAME
    provider = TracerProvider(resource=Resource.create({"service.name": name}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    untraced = ",".join((*_QUIET, *secret_paths(app)))
    FlaskInstrumentor().instrument_app(app, tracer_provider=provider, excluded_urls=untraced)
    # Commands are told without their arguments.
    RedisInstrumentor().instrument(tracer_provider=provider)
    QuickScript.watched = True


def secret_paths(app: Flask) -> list[str]:
    """Patterns of the paths that hold a secret: a trace would tell it to whoever reads traces."""
    rules = (rule.rule for rule in app.url_map.iter_rules())
    return sorted({re.escape(rule.partition("<token>")[0]) + "[^/]" for rule in rules if "<token>" in rule})
