"""A real Chromium for the tests that look at pages. It reaches nothing but this machine.

Nothing here imports the browser's driver before a test asks for it: `make test` does without.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

if find_spec("playwright") is None:
    collect_ignore_glob = ["test_*"]  # `make e2e` adds it

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)

Open = Callable[..., "Page"]
"""Opens an address; further arguments are those of a Playwright context (``viewport``, ``locale``)."""


def find_chromium() -> str:
    """The browser of this machine. Fails where there is none."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    pytest.fail("these tests need a browser: apt-get install chromium", pytrace=False)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One browser for all tests; each opens pages in a context of its own."""
    path = find_chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture
def faults() -> Iterator[list[str]]:
    """What pages complain of, and whom they ask beside the service. A test takes out what it expects."""
    found: list[str] = []
    yield found
    assert found == []


@pytest.fixture
def open_page(chromium: Browser, faults: list[str]) -> Iterator[Open]:
    """Opens pages that tell of every fault."""
    contexts: list[Any] = []

    def opened(address: str, **options: Any) -> Page:
        context = chromium.new_context(**options)
        context.set_default_timeout(20_000)
        contexts.append(context)
        page = context.new_page()
        watch(page, faults)
        page.goto(address)
        return page

    yield opened
    for context in contexts:
        context.close()


def watch(page: Page, faults: list[str]) -> None:
    """Note what the page complains of, and each request that leaves the service of the first one."""
    homes: list[str] = []

    def said(message: Any) -> None:
        if message.type in ("error", "warning"):
            faults.append(f"{message.type}: {message.text}")

    def asked(request: Any) -> None:
        home = "/".join(request.url.split("/")[:3])
        homes.append(home)
        if home != homes[0] and not request.url.startswith(("data:", "blob:")):
            faults.append(f"asks {request.url}")

    page.on("console", said)
    page.on("pageerror", lambda error: faults.append(f"thrown: {error}"))
    page.on("request", asked)
