"""POST /v1/score against a Flask echo of the same body, both under the service's gunicorn settings."""

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

import orjson
import yaml

from service.engine import free_port

ROOT = Path(__file__).parents[1]
ROUNDS = 9
SECONDS = 1.0
PATH = "/v1/score"


@contextlib.contextmanager
def gunicorn(application: str) -> Iterator[int]:
    """A running server of the application; gives its port."""
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", "-c", "python:service.gunicorn_conf", application]
    env = {
        **os.environ,
        "TRULL_BIND": f"127.0.0.1:{port}",
        "TRULL_API_KEYS": "",
        "TRULL_REDIS_URL": "redis://127.0.0.1:1/0",
    }
    with tempfile.TemporaryFile() as log:
        server = subprocess.Popen(command, cwd=ROOT, env=env, stdout=log, stderr=log)
        try:
            _wait_for(port, server)
            yield port
        finally:
            server.terminate()
            server.wait()


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 20
    while time.monotonic() < until and server.poll() is None:
        with (
            contextlib.suppress(OSError),
            contextlib.closing(http.client.HTTPConnection("127.0.0.1", port)) as probe,
        ):
            probe.request("GET", "/")
            probe.getresponse().read()
            return
        time.sleep(0.05)
    raise RuntimeError(f"gunicorn did not start at port {port}")


def rate(port: int, body: Path, seconds: float = SECONDS) -> float:
    """Answers a second, asked for by another process."""
    command = [sys.executable, "-m", "bench.load", str(port), PATH, str(body), str(seconds)]
    return float(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)


def ratios(body: bytes, rounds: int = ROUNDS) -> list[float]:
    """The service's rate by the echo's, round by round."""
    with (
        tempfile.NamedTemporaryFile() as file,
        gunicorn("bench.echo:app") as echo,
        gunicorn("service.app:create_app()") as service,
    ):
        path = Path(file.name)
        path.write_bytes(body)
        for port in (echo, service):
            rate(port, path)
        found = []
        for _ in range(rounds):
            echoed = rate(echo, path)
            found.append(rate(service, path) / echoed)
    return found


def whole_hand() -> bytes:
    """The example record of openapi.yaml, told card by card."""
    document = yaml.safe_load((ROOT / "openapi.yaml").read_bytes())
    return orjson.dumps(document["components"]["examples"]["WholeHand"]["value"])


if __name__ == "__main__":
    print(statistics.median(ratios(whole_hand())))
