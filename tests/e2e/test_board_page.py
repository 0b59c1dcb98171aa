"""A board in a real browser, which can reach nothing but the service, and follows the session by itself."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import httpx
import pytest

from tests.e2e.test_docs_page import CHROMIUM
from tests.service.evenings import FFT_SHEET, FFT_TOTALS, FOUR, tarot
from tests.support.processes import RunningService, wait_until

pytestmark = [
    pytest.mark.xdist_group("running_service"),
    pytest.mark.skipif(CHROMIUM is None, reason="needs a browser: apt-get install chromium"),
]


def evening(client: httpx.Client, session_id: str) -> None:
    """The hands of the FFT's printed score sheet, scored by the worker."""
    body = {"session_id": session_id, "name": "Thursday", "players": FOUR, "variant": "french-tarot-4"}
    assert client.post("/v1/sessions", json=body).status_code == 201
    for number, result in enumerate(FFT_SHEET, 1):
        record = tarot(*result, session_id=session_id, number=number)
        assert client.post("/v1/hands", json=record).status_code == 202

    def scored() -> bool:
        totals: dict[str, int] = client.get(f"/v1/sessions/{session_id}").json()["totals"]
        return totals == FFT_TOTALS

    wait_until(scored, "the sheets of the evening")


def look(address: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The page as the browser shows it after some seconds, and what it had to say."""
    assert CHROMIUM is not None
    return subprocess.run(
        [
            CHROMIUM,
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            f"--user-data-dir={folder}",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            "--accept-lang=de",
            "--timeout=8000",
            "--enable-logging=stderr",
            "--dump-dom",
            address,
        ],
        capture_output=True,
        text=True,
        timeout=90,
    )


def look_until(pattern: str, address: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The page once it shows that; a busy machine may take a browser longer than it waits."""
    for _ in range(5):
        shown = look(address, folder)
        if re.search(pattern, shown.stdout):
            return shown
    raise AssertionError(f"{pattern} is not shown: {shown.stdout}")


def test_the_page_shows_the_session_and_asks_nobody_else(
    running_service: RunningService, tmp_path: Path
) -> None:
    with httpx.Client(base_url=running_service.base_url, trust_env=False) as client:
        evening(client, "board-page")
        board = client.post("/v1/sessions/board-page/boards").json()
    shown = look_until('class="first"', f"{running_service.base_url}{board['page']}", tmp_path)
    assert "CONSOLE" not in shown.stderr
    rows = re.findall(
        r"<tr[^>]*><td>(\d)</td><th scope=\"row\">(\w+)</th><td[^>]*>([^<]+)</td>", shown.stdout
    )
    assert rows == [
        ("1", "South", "+1,346"),
        ("2", "East", "-390"),
        ("3", "North", "-446"),
        ("4", "West", "-510"),
    ] or (
        rows
        == [("1", "South", "+1.346"), ("2", "East", "-390"), ("3", "North", "-446"), ("4", "West", "-510")]
    )
    assert shown.stdout.count("<details") == 6  # the last five hands, and the table of all
    assert "<canvas" in shown.stdout


def test_a_link_that_was_revoked_says_so(running_service: RunningService, tmp_path: Path) -> None:
    said = r'id="state"[^>]*>(This link leads|Dieser Link führt)'
    look_until(said, f"{running_service.base_url}/boards/0123456789abgone", tmp_path)
