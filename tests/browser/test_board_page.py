"""A session's board in a real browser, which follows the session by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.conftest import Open
from tests.browser.evenings import add_hand, board_of, caller, fft_evening, six_with_long_names, totals
from tests.service.evenings import FOUR, tarot
from tests.support.processes import RunningService, wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.e2e, pytest.mark.xdist_group("running_service")]

PLACES = ["1 South +1,346", "2 East −390", "3 North −446", "4 West −510"]
LANGUAGES = {
    "en": ("Standings", "Live"),
    "de": ("Rangliste", "Live"),
    "fr": ("Classement", "En direct"),
    "ru": ("Положение", "В эфире"),
}

SEEN = """
line => {
  const { canvas } = plot.ctx;
  const size = { width: canvas.width, height: canvas.height };
  const copy = Object.assign(document.createElement("canvas"), size);
  const pen = copy.getContext("2d", { willReadFrequently: true });
  pen.fillStyle = plot.series[line].stroke();
  pen.fillRect(0, 0, 1, 1);
  const colour = pen.getImageData(0, 0, 1, 1).data.join();
  pen.clearRect(0, 0, 1, 1);
  pen.drawImage(canvas, 0, 0);
  const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
  let seen = 0;
  for (let at = 0; at < data.length; at += 4) seen += data.slice(at, at + 4).join() === colour;
  return seen;
}
"""
"""How many dots of the chart have the colour of a line."""


@pytest.fixture
def http(running_service: RunningService) -> Iterator[httpx.Client]:
    with caller(running_service) as client:
        yield client


def rows(page: Page) -> list[str]:
    """The standings as they are read: place, player, points."""
    texts: list[str] = page.locator("#standings tbody tr").all_inner_texts()
    return [" ".join(text.split()[:3]) for text in texts]


def test_it_follows_a_new_hand_and_a_correction(
    running_service: RunningService, http: httpx.Client, open_page: Open
) -> None:
    fft_evening(http, "followed")
    page = open_page(running_service.base_url + board_of(http, "/v1/sessions/followed")["page"])
    west = page.locator("#standings tbody tr", has_text="West")
    expect(west).to_contain_text("−510")
    assert rows(page) == PLACES
    assert page.title() == "Thursday"
    assert page.locator("#latest details").count() == 5
    expect(page.locator("#chart canvas")).to_be_visible()
    # West wins a Prise with 10 points more than he needs: (25 + 10) * 3 (FT-6.2).
    record = tarot("West", "prise", 51, 2, session_id="followed", number=10, hand_id="followed-10")
    add_hand(http, record)
    expect(west).to_contain_text("−405")
    expect(page.locator("#news")).to_have_text("Hand 10 is scored")
    # The reader opens another hand, which stays open when the first one is corrected: it was a Garde.
    page.locator("#latest summary").nth(1).click()
    corrected = tarot("West", "garde", 51, 2, session_id="followed", number=10)
    told = {"record": {**corrected, "hand_id": "followed-10"}, "reason": "it was a Garde"}
    assert http.put("/v1/hands/followed-10", json=told, headers={"If-Match": '"1"'}).status_code == 200
    expect(west).to_contain_text("−300")
    expect(page.locator("#latest details").nth(0)).to_contain_text("Garde · West")
    assert page.locator("#latest details").nth(1).get_attribute("open") == ""


def test_initials_are_all_that_it_knows(
    running_service: RunningService, http: httpx.Client, open_page: Open
) -> None:
    fft_evening(http, "short")
    board = board_of(http, "/v1/sessions/short", names="initials")
    page = open_page(running_service.base_url + board["page"])
    expect(page.locator("#standings tbody tr").first).to_contain_text("+1,346")
    assert [row.split()[1] for row in rows(page)] == ["S", "E", "N", "W"]
    assert not re.search("North|South|East|West", page.content())


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_speaks_the_readers_language(
    running_service: RunningService, http: httpx.Client, open_page: Open, language: str
) -> None:
    fft_evening(http, f"in-{language}")
    board = board_of(http, f"/v1/sessions/in-{language}")
    page = open_page(running_service.base_url + board["page"], locale=language)
    title, live = LANGUAGES[language]
    expect(page.locator("#standings-title")).to_have_text(title)
    expect(page.locator("#state")).to_have_text(live)
    assert page.locator("html").get_attribute("lang") == language
    other = "fr" if language != "fr" else "de"
    page.locator("#language").select_option(other)
    expect(page.locator("#standings-title")).to_have_text(LANGUAGES[other][0])
    page.reload()
    expect(page.locator("#standings-title")).to_have_text(LANGUAGES[other][0])


def test_a_link_that_is_revoked_says_so(
    running_service: RunningService, http: httpx.Client, open_page: Open
) -> None:
    fft_evening(http, "board-revoked")
    board = board_of(http, "/v1/sessions/board-revoked")
    page = open_page(running_service.base_url + board["page"])
    expect(page.locator("#state")).to_have_text("Live")
    assert http.delete(f"/v1/sessions/board-revoked/boards/{board['board_id']}").status_code == 204
    expect(page.locator("#state")).to_contain_text("leads to no board")


def test_a_link_that_never_was_says_so(
    running_service: RunningService, open_page: Open, faults: list[str]
) -> None:
    page = open_page(f"{running_service.base_url}/boards/0123456789abgone")
    expect(page.locator("#state")).to_contain_text("leads to no board")
    expect(page.locator("main")).to_be_hidden()
    assert [fault for fault in faults if "404" not in fault] == []
    faults.clear()


def test_it_comes_back_when_the_service_does(tmp_path: Path, open_page: Open, faults: list[str]) -> None:
    with RunningService(tmp_path) as service, caller(service) as client:
        fft_evening(client, "again")
        page = open_page(service.base_url + board_of(client, "/v1/sessions/again")["page"])
        expect(page.locator("#state")).to_have_text("Live")
        service.api.stop()
        expect(page.locator("#state")).to_contain_text("No connection", timeout=20_000)
        assert rows(page) == PLACES, "what was there stays"
        service.api.start()
        expect(page.locator("#state")).to_have_text("Live", timeout=30_000)
        add_hand(client, tarot("West", "prise", 51, 2, session_id="again", number=10))
        expect(page.locator("#standings tbody tr", has_text="West")).to_contain_text("−405")
        page.close()  # or it complains of a service that ends with this test
    assert [fault for fault in faults if "ERR_" not in fault] == []
    faults.clear()


def take_all_places(service: RunningService, path: str, held: ExitStack) -> None:
    """Listen until nobody else may. Which process is asked is chance: one may be full, and another not."""
    refused = 0
    while refused < 60:
        listener = ExitStack()
        http = listener.enter_context(caller(service))
        answer = listener.enter_context(http.stream("GET", path, headers={"Accept": "text/event-stream"}))
        if answer.status_code == 200:
            refused = 0
            held.push(listener)
        else:
            refused += 1
            listener.close()


def test_it_goes_on_where_no_more_may_listen(tmp_path: Path, open_page: Open, faults: list[str]) -> None:
    with RunningService(tmp_path) as service, caller(service) as client, ExitStack() as held:
        fft_evening(client, "crowded")
        board = board_of(client, "/v1/sessions/crowded")
        take_all_places(service, f"/v1/boards/{board['token']}", held)
        page = open_page(service.base_url + board["page"])
        expect(page.locator("#state")).to_have_text("Live")
        assert [fault for fault in faults if "429" in fault] != []
        add_hand(client, tarot("West", "prise", 51, 2, session_id="crowded", number=10))
        west = page.locator("#standings tbody tr", has_text="West")
        expect(west).to_contain_text("−405", timeout=20_000)
        page.close()
    assert [fault for fault in faults if "429" not in fault] == []
    faults.clear()


def is_in_sight(page: Page, element: str) -> bool:
    box = page.locator(element).bounding_box()
    assert box is not None
    height: int = page.evaluate("innerHeight")
    lowest: float = height - box["height"]
    return 0 <= float(box["y"]) <= lowest


@pytest.mark.parametrize("status", ["open", "closed"])
@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1366, 768), (1920, 1080)])
def test_a_projector_shows_all_at_once(
    running_service: RunningService, http: httpx.Client, open_page: Open, status: str, width: int, height: int
) -> None:
    session_id = f"wall-{status}-{width}"
    fft_evening(http, session_id)
    if status == "closed":
        assert http.post(f"/v1/sessions/{session_id}:close").status_code == 200
    address = running_service.base_url + board_of(http, f"/v1/sessions/{session_id}")["page"]
    page = open_page(address, viewport={"width": width, "height": height})
    expect(page.locator("body")).to_have_attribute("data-state", "live" if status == "open" else "closed")
    expect(page.locator("#chart canvas")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollHeight") == height
    for element in ("#standings", "#chart canvas", "#figures", "#latest-box"):
        assert is_in_sight(page, element), element
    box = page.locator("#chart").bounding_box()
    canvas = page.locator("#chart canvas").bounding_box()
    assert box is not None
    assert canvas is not None
    assert box["y"] <= canvas["y"]
    assert canvas["y"] + canvas["height"] <= box["y"] + box["height"] + 1, "with the names of the hands"
    # Who wants all figures scrolls.
    page.locator("#figures summary").click()
    expect(page.locator("#hands tbody tr").last).to_be_visible()
    assert page.evaluate("document.documentElement.scrollHeight") > height
    page.locator("#figures summary").click()
    expect(page.locator("body")).to_have_attribute("data-fit", "")
    assert page.evaluate("document.documentElement.scrollHeight") == height


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1366, 768), (1920, 1080)])
def test_six_with_long_names_and_many_hands_are_in_sight_too(
    running_service: RunningService, http: httpx.Client, open_page: Open, width: int, height: int
) -> None:
    session_id = f"six-{width}"
    six_with_long_names(http, session_id, hands=12)
    address = running_service.base_url + board_of(http, f"/v1/sessions/{session_id}")["page"]
    page = open_page(address, viewport={"width": width, "height": height})
    expect(page.locator("#chart canvas")).to_be_visible()
    page.evaluate("new Promise(requestAnimationFrame)")
    for element in ("#standings tbody tr >> nth=-1", "#chart canvas", "#latest details:visible >> nth=-1"):
        assert is_in_sight(page, element), element
    for element in ("#standings-box", "#latest-box", "#latest .scroll >> nth=0"):
        one = page.locator(element)
        assert one.evaluate("it => it.scrollHeight <= it.clientHeight"), element
        assert one.evaluate("it => it.scrollWidth <= it.clientWidth"), element


def test_lines_that_are_the_same_do_not_hide_one_another(
    running_service: RunningService, http: httpx.Client, open_page: Open
) -> None:
    body = {"session_id": "same", "players": FOUR, "variant": "french-tarot-4"}
    assert http.post("/v1/sessions", json=body).status_code == 201
    for number in (1, 2, 3):
        add_hand(http, tarot("North", "garde", 51, 2, session_id="same", number=number))
    wait_until(lambda: totals(http, "same")["North"] == 3 * 210, "the sheets of the evening")
    page = open_page(running_service.base_url + board_of(http, "/v1/sessions/same")["page"])
    expect(page.locator("#standings tbody tr").first).to_contain_text("+630")
    for line in range(2, 5):  # three defenders have lost the same
        assert page.evaluate(SEEN, line) > 100, f"line {line} of the curve is seen"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(360, 740), (1920, 1080)])
def test_it_is_for_everybody(
    running_service: RunningService,
    http: httpx.Client,
    open_page: Open,
    scheme: str,
    width: int,
    height: int,
) -> None:
    session_id = f"all-{scheme}-{width}"
    fft_evening(http, session_id)
    page = open_page(
        running_service.base_url + board_of(http, f"/v1/sessions/{session_id}")["page"],
        color_scheme=scheme,
        viewport={"width": width, "height": height},
        reduced_motion="reduce",
    )
    expect(page.locator("#standings tbody tr").first).to_be_visible()
    page.locator("#figures summary").click()
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
