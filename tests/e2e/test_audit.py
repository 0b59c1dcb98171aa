"""The audit of the lock files finds what a server of advisories tells, and says so where there is none."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from service.engine import free_port
from tests.audit import LOCKS, ROOT, main, pins

KNOWN = "TEST-1"


class Advisories(BaseHTTPRequestHandler):
    """Tells of one fault in `six`, in the words of OSV."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["queries"]
        found = {"vulns": [{"id": KNOWN, "modified": "2026-01-01T00:00:00Z"}]}
        self._answer({"results": [found if one["package"]["name"] == "six" else {} for one in asked]})

    def do_GET(self) -> None:
        self._answer({"id": KNOWN, "modified": "2026-01-01T00:00:00Z", "summary": "a test", "affected": []})

    def _answer(self, told: object) -> None:
        body = json.dumps(told).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its name there
        """Nothing."""


@pytest.fixture
def advisories() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Advisories) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        serving.join()


@pytest.mark.parametrize("name", LOCKS)
def test_every_package_of_a_lock_file_is_asked_about(name: str) -> None:
    lock = (ROOT / name).read_text()
    found = pins(lock)
    # Each package has a line that begins with its name, and its hashes below it.
    assert len(found) == sum(line[:1].isalnum() for line in lock.splitlines()) > 0
    assert all(" --" not in pin and "\\" not in pin for pin in found)


@pytest.mark.e2e  # what the packages need is looked up in the registry
def test_a_known_fault_ends_with_1(advisories: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--service-url", advisories, "--if-reachable"], ["six==1.17.0"]) == 1
    assert KNOWN in capfd.readouterr().out
    assert main(["--service-url", advisories], ["iniconfig==2.1.0"]) == 0


@pytest.mark.e2e
def test_without_advisories_nothing_is_known(capfd: pytest.CaptureFixture[str]) -> None:
    nowhere = ["--service-url", f"http://127.0.0.1:{free_port()}/"]
    assert main(nowhere, ["six==1.17.0"]) == 2
    assert main([*nowhere, "--if-reachable"], ["six==1.17.0"]) == 0
    assert capfd.readouterr().err.count("NOT AUDITED") == 2
