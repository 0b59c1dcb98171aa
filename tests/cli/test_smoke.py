"""`trull smoke` as a command: against a service that runs, one that does not, and ones that are wrong."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from service.engine import free_port
from tests.cli.command import COMMAND
from tests.support.processes import ROOT, RunningService

RIGHT: dict[str, Any] = {
    "/readyz": (200, {"status": "ready", "warnings": ["The disk is low."]}),
    "/openapi.json": (200, {"info": {"version": "9"}, "paths": {}}),
    "/v1/score": (200, {"scores": {"Anna": 42, "Béla": 0, "Cyril": 0}}),
}


def smoke(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, "smoke", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env={**os.environ, **env}, capture_output=True, text=True, timeout=60
    )


@pytest.mark.xdist_group("running_service")
def test_all_is_well(running_service: RunningService) -> None:
    done = smoke(running_service.base_url, "--store")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert [line.split(":")[0] for line in lines] == [
        "ok    ready",
        "ok    document",
        "ok    score",
        "ok    store",
    ]
    assert "comes to 42" in lines[2]
    assert "is at version 1" in lines[3]


class Wrong(BaseHTTPRequestHandler):
    """Answers as `answers` has it."""

    answers: dict[str, Any]

    def do_GET(self) -> None:
        status, body = self.answers[self.path]
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()

    def log_message(self, *args: object) -> None:
        """Nothing."""


@pytest.fixture
def answers() -> Iterator[dict[str, Any]]:
    """What the server at `url` answers, which a test may change."""
    told = dict(RIGHT)
    with ThreadingHTTPServer(("127.0.0.1", 0), type("Answers", (Wrong,), {"answers": told})) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        yield {"url": f"http://127.0.0.1:{server.server_port}/", "of": told}
        server.shutdown()
        serving.join()


@pytest.mark.parametrize(
    ("path", "answer", "says"),
    [
        ("/readyz", (503, {"code": "store-unavailable", "detail": "Redis cannot be reached."}),
         "WRONG ready: GET /readyz: 503 store-unavailable Redis cannot be reached."),
        ("/readyz", (200, b"<html>"), "WRONG ready: GET /readyz: "),
        ("/openapi.json", (404, []), "WRONG document: GET /openapi.json: 404"),
        ("/v1/score", (200, {"scores": {"Anna": 41}}), "POST /v1/score: {'Anna': 41} in place of"),
        ("/v1/score", (401, {"code": "unauthenticated", "detail": "Key?"}), "401 unauthenticated Key?"),
    ],
)  # fmt: skip
def test_the_first_fault_is_told(answers: dict[str, Any], path: str, answer: object, says: str) -> None:
    answers["of"][path] = answer
    done = smoke(answers["url"])
    assert done.returncode == 1
    assert says in done.stdout.splitlines()[-1]
    assert not done.stderr


def test_warnings_are_shown(answers: dict[str, Any]) -> None:
    done = smoke(answers["url"])
    assert done.returncode == 0
    assert done.stdout.startswith("ok    ready: The disk is low.\n")


@pytest.mark.parametrize("url", ["http://127.0.0.1:{port}", "127.0.0.1:{port}", "nowhere"])
def test_nobody_is_there(url: str) -> None:
    done = smoke(url.format(port=free_port()))
    assert done.returncode == 1
    assert done.stdout.startswith("WRONG ready: GET /readyz: ")
    assert not done.stderr
