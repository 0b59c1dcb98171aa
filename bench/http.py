"""Section http: POST /v1/score against a Flask echo of the same body, under gunicorn."""

from __future__ import annotations

import contextlib
import http.client
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from bench.boundary import TAROCK, first_hand
from bench.timing import Line
from records.wire import dumps
from service.engine import free_port

ROOT: Final = Path(__file__).parents[1]
BOUND: Final = 0.6
ROUNDS: Final = 15
SECONDS: Final = 0.6
PATH: Final = "/v1/score"
NOWHERE: Final = "redis://127.0.0.1:1/0"
"""Scoring on the spot needs no store, and must not."""


def lines() -> Iterator[Line]:
    """The rates for a whole hand told in each way."""
    with echoing() as echo, scoring() as service:
        by_cards = first_hand(TAROCK, lambda events: len(events) >= 54)
        yield _line("a hand by cards", by_cards, echo, service, BOUND)
        by_tricks = first_hand(TAROCK, lambda events: len(events) <= 30)
        yield _line("a hand by tricks", by_tricks, echo, service, BOUND)


def _line(name: str, record: dict[str, Any], echo: int, service: int, bound: float) -> Line:
    with tempfile.NamedTemporaryFile() as file:
        body = Path(file.name)
        body.write_bytes(dumps(record))
        for port in (echo, service):
            rate(port, body)
        # Neighbouring turns are compared, so that a machine that slows down slows down both.
        turns = [(rate(echo, body), rate(service, body)) for _ in range(ROUNDS)]
    ratio = statistics.median(scored / echoed for echoed, scored in turns)
    best = max(scored for _, scored in turns)
    return Line(f"POST {PATH}, {name} / echo ({best:,.0f} a second)", ratio, bound, "at least")


def rate(port: int, body: Path) -> float:
    """Answers a second, asked for by another process."""
    command = [sys.executable, "-m", "bench.load", str(port), PATH, str(body), str(SECONDS)]
    return float(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)


def scoring() -> contextlib.AbstractContextManager[int]:
    """A running service without a store; gives its port."""
    return _gunicorn("service.app:create_app()")


def echoing() -> contextlib.AbstractContextManager[int]:
    """A running echo under the same settings, but with gunicorn's own worker and log; gives its port.

    So it is what these settings give to any application, and stays that whatever becomes of our own server.
    """
    return _gunicorn("--worker-class=gthread", "--logger-class=gunicorn.glogging.Logger", "bench.echo:app")


@contextlib.contextmanager
def _gunicorn(*words: str) -> Iterator[int]:
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", "-c", "python:service.gunicorn_conf", *words]
    env = {"TRULL_BIND": f"127.0.0.1:{port}", "TRULL_API_KEYS": "", "TRULL_REDIS_URL": NOWHERE}
    with tempfile.TemporaryFile() as log:
        server = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **env}, stdout=log, stderr=log)
        try:
            _wait_for(port, server)
            yield port
        finally:
            server.terminate()
            server.wait()


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 20
    while time.monotonic() < until and server.poll() is None:
        with contextlib.suppress(OSError), contextlib.closing(_probe(port)) as probe:
            probe.request("GET", "/")
            probe.getresponse().read()
            return
        time.sleep(0.05)
    raise RuntimeError(f"gunicorn did not start at port {port}")


def _probe(port: int) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", port, timeout=2)
