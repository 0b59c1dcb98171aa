"""A tournament's board in a real browser: two hundred players on a projector and on a phone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.conftest import Open
from tests.browser.cups import cup, hand, play
from tests.browser.evenings import add_hand, board_of, caller
from tests.support.processes import RunningService

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.e2e, pytest.mark.xdist_group("running_service")]

WALL = {"width": 1920, "height": 1080}
PHONE = {"width": 360, "height": 740}


class Played(NamedTuple):
    """A tournament under way. ``page`` is the address of its board."""

    settings: dict[str, Any]
    http: httpx.Client
    path: str
    page: str

    def names(self) -> list[str]:
        """The players from the first place on."""
        lines: list[dict[str, Any]] = self.http.get(f"{self.path}/standings").json()["standings"]
        return [line["player"] for line in lines]


@pytest.fixture(scope="module")
def played(running_service: RunningService) -> Iterator[Played]:
    """200 players; the first round is over, of the second ten tables are missing."""
    settings = cup("big-cup", tables=50, rounds=2, hands=1)
    with caller(running_service) as http:
        play(http, settings, last=2, done=40)
        path = "/v1/tournaments/big-cup"
        yield Played(settings, http, path, running_service.base_url + board_of(http, path)["page"])


def names(page: Page) -> list[str]:
    found: list[str] = page.locator("#standings tbody th button").all_inner_texts()
    return found


class TestProjector:
    def test_the_standings_turn_their_pages_until_they_are_stopped(
        self, played: Played, open_page: Open
    ) -> None:
        page = open_page("about:blank", viewport=WALL)
        page.clock.install()
        page.goto(played.page)
        range_ = page.locator("#pages-range")
        expect(range_).to_have_text(re.compile(r"^1–1\d of 200$"))
        size = len(names(page))
        assert size >= 14
        wanted = played.names()
        assert names(page) == wanted[:size]
        page.clock.run_for(13_000)
        expect(range_).to_have_text(f"{size + 1}–{2 * size} of 200")
        assert names(page) == wanted[size : 2 * size]
        page.keyboard.press("Space")
        expect(page.locator("#pause")).to_have_text("Go on")
        page.clock.run_for(30_000)
        expect(range_).to_have_text(f"{size + 1}–{2 * size} of 200")
        page.keyboard.press("ArrowLeft")
        expect(range_).to_have_text(f"1–{size} of 200")
        page.keyboard.press("ArrowLeft")
        expect(range_).to_have_text(re.compile(r"–200 of 200$"))
        page.keyboard.press("Space")
        page.clock.run_for(13_000)
        expect(range_).to_have_text(f"1–{size} of 200")

    @pytest.mark.parametrize("language", ["en", "de", "fr", "ru"])
    def test_everything_is_on_one_screen_in_big_type(
        self, played: Played, open_page: Open, language: str
    ) -> None:
        page = open_page(played.page, viewport=WALL, locale=language)
        expect(page.locator("#pause")).to_be_visible()
        page.wait_for_timeout(500)  # until it has as many lines as fit
        assert page.evaluate("document.documentElement.scrollHeight") <= WALL["height"]
        for name in ("#ties", "#pages", "#progress", "#chart canvas", "#latest details[open] tr.total"):
            box = page.locator(name).bounding_box()
            assert box is not None
            assert box["y"] + box["height"] < WALL["height"] - 20, name
        size = page.locator("#standings tbody th").first.evaluate("one => getComputedStyle(one).fontSize")
        assert float(size.removesuffix("px")) >= 22

    @pytest.mark.parametrize(("width", "height"), [(1280, 720), (1366, 768)])
    def test_a_small_one_shows_one_screen_too(
        self, played: Played, open_page: Open, width: int, height: int
    ) -> None:
        page = open_page(played.page, viewport={"width": width, "height": height})
        expect(page.locator("#pause")).to_be_visible()
        page.wait_for_timeout(500)  # until it has as many lines as fit
        assert page.evaluate("document.documentElement.scrollHeight") == height
        assert len(names(page)) >= 5
        last = "#latest details:visible >> nth=-1"
        assert page.locator("#latest-box").evaluate("it => it.scrollHeight <= it.clientHeight"), (
            "no hand is cut off"
        )
        for name in ("#standings", "#ties", "#pages", "#progress", "#chart canvas", last):
            box = page.locator(name).bounding_box()
            assert box is not None
            assert box["y"] + box["height"] < height - 20, name

    def test_how_far_the_round_is(self, played: Played, open_page: Open) -> None:
        page = open_page(played.page, viewport=WALL)
        progress = page.locator("#progress")
        expect(progress).to_contain_text("✓ Round 1")
        expect(progress).to_contain_text("40 of 50 tables")
        expect(progress).to_contain_text("Missing: 41, 42, 43, 44, 45, 46, 47, 48, 49, 50")
        expect(page.locator("#ties")).to_have_text("Ties are broken by: Contracts won, Best hand")

    def test_who_wants_no_motion_has_none(self, played: Played, open_page: Open) -> None:
        page = open_page(played.page, viewport=WALL, reduced_motion="reduce")
        expect(page.locator("#pause")).to_have_text("Go on")
        assert page.evaluate("document.getAnimations().length") == 0


class TestPhone:
    def test_a_player_is_found_and_followed(self, played: Played, open_page: Open) -> None:
        page = open_page(played.page, viewport=PHONE, has_touch=True)
        expect(page.locator("#pages-range")).to_have_text("1–50 of 200")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        wanted = played.names()
        page.locator("#find").fill(wanted[120].upper())
        page.locator("#find").press("Enter")
        expect(page.locator("#followed")).to_contain_text(wanted[120])
        expect(page.locator("#legend")).to_contain_text(wanted[120])
        page.reload()
        expect(page.locator("#followed")).to_contain_text(wanted[120])
        page.locator("#next").click()
        page.locator("#next").click()
        expect(page.locator("#standings tr.followed")).to_contain_text(wanted[120])
        page.locator("#find").fill("nobody at all")
        page.locator("#find").press("Enter")
        expect(page.locator("#followed")).to_have_text("Nobody here is called so.")

    def test_by_keyboard_and_through_an_update(self, played: Played, open_page: Open) -> None:
        page = open_page(played.page, viewport=PHONE)
        first = played.names()[0]
        button = page.locator("#standings button", has_text=first)
        button.focus()
        page.keyboard.press("Enter")
        expect(button).to_have_attribute("aria-pressed", "true")
        expect(button).to_be_focused()
        add_hand(played.http, hand(played.settings, 2, 41, 1))
        expect(page.locator("#progress")).to_contain_text("41 of 50 tables")
        expect(button).to_be_focused()
        expect(page.locator("#news")).not_to_be_empty()
        page.keyboard.press("Enter")
        expect(button).to_have_attribute("aria-pressed", "false")

    def test_after_a_round(self, played: Played, open_page: Open) -> None:
        page = open_page(played.page, viewport=PHONE)
        page.locator("#round").select_option("1")
        after = played.http.get(f"{played.path}/standings?round=1").json()["standings"]
        expect(page.locator("#standings tbody th button").first).to_have_text(after[0]["player"])
        assert names(page) == [line["player"] for line in after[:50]]


def test_teams_and_disputes(running_service: RunningService, open_page: Open) -> None:
    settings = cup("team-cup", tables=2, rounds=1, hands=1, players=[], tie_breaks=[])
    for at, team in enumerate(("Red", "Blue")):
        members = [
            player for one in settings["seats"][0]["tables"] for player in one["players"][2 * at : 2 * at + 2]
        ]
        settings.setdefault("teams", []).append({"team": team, "players": members})
    with caller(running_service) as http:
        play(http, settings, last=1, done=2)
        again = hand(settings, 1, 1, 1, hand_id="team-cup-again")
        again["events"][0]["card_points"] -= 1
        add_hand(http, again)
        path = "/v1/tournaments/team-cup"
        page = open_page(running_service.base_url + board_of(http, path)["page"], locale="de")
        expect(page.locator("#disputes")).to_have_text(
            "Wartet auf die Turnierleitung: Runde 1, Tisch 1, Spiel 1"
        )
        expect(page.locator("#ties")).to_have_text("Bei Gleichstand wird der Rang geteilt")
        page.locator("#of").select_option("teams")
        expect(page.locator("#standings thead")).to_contain_text("Mannschaft")
        teams = http.get(f"{path}/standings").json()["teams"]
        expect(page.locator("#standings tbody th button").first).to_have_text(teams[0]["team"])
        assert names(page) == [team["team"] for team in teams]
        chosen = {"events": [{"type": "hand_chosen", "hand_id": "team-cup-1-1-1"}]}
        assert http.post(f"{path}/events", json=chosen).status_code == 200
        expect(page.locator("#disputes")).to_be_hidden()


def test_a_penalty_is_told_on_a_phone_too(played: Played, open_page: Open) -> None:
    last = played.names()[-1]
    penalty = {"type": "penalty_assessed", "player": last, "points": -7, "reason": "Came late"}
    assert played.http.post(f"{played.path}/events", json={"events": [penalty]}).status_code == 200
    page = open_page(f"{played.page}#player={last}", viewport=PHONE)
    page.locator("#previous").click()  # before the first page comes the last
    expect(page.locator("#standings tr.followed .narrow")).to_contain_text("Penalties\u00a0−7")


def test_a_penalty_is_a_step_of_its_own_on_the_curve(
    running_service: RunningService, open_page: Open
) -> None:
    settings = cup("fined-cup", tables=1, rounds=1, hands=2)
    with caller(running_service) as http:
        play(http, settings, last=1, done=1)
        path = "/v1/tournaments/fined-cup"
        fine = {"type": "penalty_assessed", "player": settings["players"][0], "points": -5}
        assert http.post(f"{path}/events", json={"events": [fine]}).status_code == 200
        page = open_page(running_service.base_url + board_of(http, path)["page"], locale="de")
        page.locator("#figures summary").click()
        rows = page.locator("#hands tbody th")
        expect(rows).to_have_text(["1·1", "1·2", "Strafen"])
        page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [PHONE, WALL], ids=["phone", "wall"])
def test_it_is_for_everybody(played: Played, open_page: Open, scheme: str, viewport: dict[str, int]) -> None:
    address = f"{played.page}#player={played.names()[0][:4]}"
    page = open_page(address, color_scheme=scheme, viewport=viewport, reduced_motion="reduce")
    expect(page.locator("#followed")).to_be_visible()
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
