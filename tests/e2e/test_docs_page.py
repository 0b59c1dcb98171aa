"""The page at /docs in a real browser that can reach nothing but the service."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.service.document import load_document
from tests.support.processes import RunningService

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

pytestmark = [
    pytest.mark.xdist_group("running_service"),
    pytest.mark.skipif(CHROMIUM is None, reason="needs a browser: apt-get install chromium"),
]


def test_the_page_shows_every_operation_and_asks_nobody_else(
    running_service: RunningService, tmp_path: Path
) -> None:
    assert CHROMIUM is not None
    shown = subprocess.run(
        [
            CHROMIUM,
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            f"--user-data-dir={tmp_path}",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            "--virtual-time-budget=20000",
            "--enable-logging=stderr",
            "--dump-dom",
            f"{running_service.base_url}/docs",
        ],
        capture_output=True,
        text=True,
        timeout=90,
    )
    found = re.findall(r'class="opblock-summary-path" data-path="([^"]+)"', shown.stdout)
    assert sorted(found) == sorted(operation.path for operation in load_document().operations())
    # Whatever the content policy forbade, or could not be loaded, is told on the console.
    assert "CONSOLE" not in shown.stderr
