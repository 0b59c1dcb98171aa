"""The pictures in `docs/images`, made anew by `make pictures`: the pages as a real browser shows them."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
from playwright.sync_api import sync_playwright

from tests.browser.conftest import ARGUMENTS, find_chromium
from tests.browser.cups import cup, play
from tests.browser.evenings import board_of, caller, evening
from tests.support.processes import ROOT, RunningService

if TYPE_CHECKING:
    from playwright.sync_api import Browser

IMAGES = ROOT / "docs" / "images"
WALL = {"width": 1920, "height": 1080}
DESK = {"width": 1280, "height": 960}
PHONE = {"width": 360, "height": 740}


def take(browser: Browser, name: str, address: str, shown: str, **options: Any) -> None:
    """A picture of the page at the address, once something is shown on it, or scrolled there."""
    context = browser.new_context(**options)
    page = context.new_page()
    page.goto(address)
    page.locator(shown).first.wait_for()
    if "/docs" in address:
        page.locator(shown).first.evaluate("one => one.scrollIntoView()")
    page.wait_for_timeout(500)  # a projector asks once more, for as many lines as fit
    page.screenshot(path=IMAGES / name, animations="disabled")
    context.close()
    print(f"docs/images/{name}")


def take_all(browser: Browser, service: str, http: httpx.Client) -> None:
    """All of them."""
    evening(http, "thursday")
    thursday = service + board_of(http, "/v1/sessions/thursday")["page"]
    play(http, cup("winter", tables=50, rounds=3, hands=4), last=3, done=37)
    winter = service + board_of(http, "/v1/tournaments/winter")["page"]
    lines = "#standings tbody tr"
    take(browser, "board.png", thursday, lines, viewport=DESK)
    take(browser, "board-phone.png", thursday, lines, viewport=PHONE, device_scale_factor=2, locale="de")
    take(browser, "tournament.png", winter, lines, viewport=WALL)
    take(browser, "tournament-dark.png", winter, lines, viewport=WALL, color_scheme="dark")
    followed = f"{winter}#player=Zo"
    take(browser, "tournament-phone.png", followed, lines, viewport=PHONE, device_scale_factor=2)
    take(browser, "docs.png", f"{service}/docs", ".opblock-tag-section", viewport=DESK)


def main() -> None:
    """Start a service of its own, and look at it."""
    with (
        tempfile.TemporaryDirectory() as folder,
        RunningService(Path(folder)) as service,
        caller(service) as http,
        sync_playwright() as driver,
    ):
        browser = driver.chromium.launch(executable_path=find_chromium(), args=list(ARGUMENTS))
        take_all(browser, service.base_url, http)
        browser.close()


if __name__ == "__main__":
    main()
