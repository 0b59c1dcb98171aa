"""Traces, sent to a real collector: each call with its route, in the caller's trace, and no secret in it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.app import create_app
from service.config import Settings
from service.config_error import ConfigError
from service.tracing import ENDPOINTS, secret_paths, trace
from tests.service.conftest import NOWHERE
from tests.service.document import load_document
from tests.support.processes import RunningService, wait_until

RESULT = load_document().raw["components"]["examples"]["ReportedResult"]["value"]
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
BOARD = "5f0c2b9e71aaT4x_1l8hU6vUO2dEsDKhQA"


class Collector(BaseHTTPRequestHandler):
    """Keeps what is sent to it."""

    taken: list[bytes]

    def do_POST(self) -> None:
        self.taken.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args: object) -> None:
        """Nothing."""


@pytest.fixture
def collector() -> Iterator[tuple[str, list[bytes]]]:
    """The address of a collector, and what it was sent."""
    taken: list[bytes] = []
    with ThreadingHTTPServer(("127.0.0.1", 0), type("Kept", (Collector,), {"taken": taken})) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        yield f"http://127.0.0.1:{server.server_port}", taken
        server.shutdown()
        serving.join()


def spans(taken: list[bytes]) -> list[Any]:
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    sent = [ExportTraceServiceRequest.FromString(body) for body in taken]
    return [
        span
        for one in sent
        for resource in one.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]


@pytest.mark.e2e  # the packages come with those of `make e2e`
def test_calls_and_what_they_ask_of_redis(tmp_path: Path, collector: tuple[str, list[bytes]]) -> None:
    address, taken = collector
    env = {ENDPOINTS[0]: address, "OTEL_BSP_SCHEDULE_DELAY": "100"}
    with RunningService(tmp_path, env) as service:
        headers = {"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"}
        url = f"{service.base_url}/v1/hands"
        # The second one needs no script to be loaded, as nearly all of them.
        another = {**RESULT, "hand_id": "another"}
        assert httpx.post(url, json=another, trust_env=False).status_code == 202
        assert httpx.post(url, json=RESULT, headers=headers, trust_env=False).status_code == 202
        assert httpx.get(f"{service.base_url}/v1/boards/{BOARD}", trust_env=False).status_code == 404
        assert httpx.get(f"{service.base_url}/readyz", trust_env=False).status_code == 200
        wait_until(lambda: any(span.trace_id.hex() == TRACE for span in spans(taken)), "the trace arrives")
    ours = [span for span in spans(taken) if span.trace_id.hex() == TRACE]
    (call,) = (span for span in ours if span.parent_span_id.hex() == "00f067aa0ba902b7")
    assert call.name == "POST /v1/hands"
    assert {span.name for span in ours if span.parent_span_id == call.span_id} >= {"EVALSHA"}
    told = b"".join(taken)
    for secret in (BOARD, "test-password", *RESULT["players"]):
        assert secret.encode() not in told
    assert b"readyz" not in told


@pytest.mark.parametrize("name", ENDPOINTS)
def test_a_collector_needs_the_packages(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    app = create_app(Settings(redis_url=NOWHERE))
    trace(app, {})
    with pytest.raises(ConfigError, match=f"{name} is set, .* extra `otel`"):
        trace(app, {name: "http://127.0.0.1:4318"})


def test_paths_with_a_secret_are_known() -> None:
    found = secret_paths(create_app(Settings(redis_url=NOWHERE)))
    assert {"/boards/[^/]", "/v1/boards/[^/]"} <= set(found)
