"""A hand entered on one phone and confirmed on another, in a real browser."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Open
from tests.browser.evenings import caller, totals
from tests.service.evenings import FOUR, MAYR, THREE, tarot
from tests.support.processes import ROOT, RunningService, wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.e2e, pytest.mark.xdist_group("running_service")]

PHONE: dict[str, Any] = {
    "viewport": {"width": 360, "height": 760},
    "device_scale_factor": 2,
    "has_touch": True,
    "is_mobile": True,
}
IMAGES = ROOT / "docs" / "images"
REMAKES = bool(os.environ.get("REMAKE_IMAGES"))
"""Whether the pictures of the documentation are taken anew."""

AtTable = Callable[..., "Page"]


@pytest.fixture
def client(running_service: RunningService) -> Iterator[httpx.Client]:
    with caller(running_service) as client:
        yield client


@pytest.fixture
def at_table(client: httpx.Client, running_service: RunningService, open_page: Open) -> AtTable:
    """Opens the page of a session on a phone of its own, made where it is not there yet."""
    tokens: dict[str, str] = {}

    def opened(session_id: str, variant: str, players: list[str], **options: Any) -> Page:
        if session_id not in tokens:
            body = {"session_id": session_id, "name": "Thursday", "players": players, "variant": variant}
            assert client.post("/v1/sessions", json=body).status_code == 201
            tokens[session_id] = client.post(f"/v1/sessions/{session_id}/table-links").json()["token"]
        page = open_page(f"{running_service.base_url}/tables/{tokens[session_id]}", **{**PHONE, **options})
        page.wait_for_selector("#me option:nth-child(2)", state="attached")
        return page

    return opened


class Taps:
    """A page, and how often it was tapped."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.count = 0

    def on(self, group: str, text: str) -> None:
        """Tap one of several."""
        self.tap(self.page.get_by_role("group", name=group, exact=True).get_by_text(text, exact=True))

    def button(self, name: str) -> None:
        self.tap(self.page.get_by_role("button", name=name, exact=True))

    def digits(self, label: str, digits: str) -> None:
        """Tap a field, then the keys of the keyboard."""
        self.tap(self.page.get_by_label(label, exact=True))
        self.page.keyboard.type(digits)
        self.count += len(digits)

    def tap(self, what: Locator) -> None:
        what.tap()
        self.count += 1


def shot(page: Page, name: str) -> None:
    if REMAKES:
        page.evaluate("scrollTo(0, 0); document.activeElement.blur()")
        page.screenshot(path=IMAGES / name)


def test_a_hand_in_under_ten_taps_confirmed_by_another_phone(client: httpx.Client, at_table: AtTable) -> None:
    north = at_table("taps", "french-tarot-4", FOUR)
    west = at_table("taps", "french-tarot-4", FOUR)
    north.get_by_label("I am").select_option("North")
    west.get_by_label("I am").select_option("West")
    taps = Taps(north)
    taps.on("Contract", "Garde")
    taps.on("Declarer", "North")
    taps.on("Oudlers", "2")
    taps.digits("Card points", "51")
    expect(north.locator("#scores")).to_contain_text("North +210")
    shot(north, "table-phone.png")
    taps.button("Send to the other side")
    assert taps.count < 10
    expect(north.locator("#proposal")).to_contain_text("Waiting for South or East or West.")
    expect(north.get_by_role("button", name="That is right")).to_have_count(0)
    assert totals(client, "taps")["North"] == 0
    expect(west.locator("#proposal")).to_contain_text("North has entered")
    expect(west.locator("#proposal")).to_contain_text("+210")
    expect(west.locator("#news")).to_contain_text("North has entered a result.")
    shot(west, "table-confirm.png")
    west.get_by_role("button", name="That is right").tap()
    for phone in (west, north):
        expect(phone.locator("#state")).to_contain_text(
            "Hand 1 is written down: entered by North, confirmed by West."
        )
        expect(phone.locator("#form-title")).to_have_text("Hand 2")
        expect(phone.locator("#hands")).to_contain_text("+210")
    wait_until(lambda: totals(client, "taps")["North"] == 210, "the hand in the totals")
    # Who leads the next hand sits first there. The figures stand as they stood.
    taps.on("Contract", "Prise")
    taps.on("Declarer", "West")
    taps.on("Oudlers", "2")
    taps.digits("Card points", "41")
    expect(north.locator("#sheet tbody")).to_be_visible()
    figures = [north.locator(f"{table} thead th").all_inner_texts() for table in ("#sheet", "#hands")]
    assert figures[0] == figures[1]
    assert len(figures[0]) == 4
    assert north.locator("[id='seat:0']").input_value() != figures[0][0]


def test_what_is_wrong_stands_beside_its_field(at_table: AtTable, faults: list[str]) -> None:
    page = at_table("faults", "french-tarot-4", FOUR)
    page.get_by_label("I am").select_option("North")
    taps = Taps(page)
    taps.button("Send to the other side")
    expect(page.get_by_role("group", name="Contract").locator(".fault")).to_have_text("Choose one.")
    taps.on("Contract", "Prise")
    taps.on("Declarer", "South")
    taps.on("Oudlers", "3")
    taps.digits("Card points", "10")
    fault = page.get_by_role("group", name="Oudlers").locator(".fault")
    expect(fault).to_have_text("10 card points do not go with 3 oudlers.")
    taps.digits("Card points", "40")
    expect(fault).to_have_text("")
    expect(page.locator("#scores")).to_contain_text("South +87")  # (25 + 40 - 36) * 3
    assert {fault for fault in faults if "422" not in fault} == set()
    faults.clear()


def test_an_objection_and_the_hand_anew(client: httpx.Client, at_table: AtTable) -> None:
    """A Dreiblatt with a Pagat announced before the talon, contra'd and lost."""
    anna, bela = (at_table("objected", MAYR, THREE) for _ in range(2))
    anna.get_by_label("I am").select_option("Anna")
    bela.get_by_label("I am").select_option("Béla")
    taps = Taps(anna)
    taps.on("Contract", "Dreiblatt")
    taps.on("Declarer", "Anna")
    taps.digits("Card points", "40")
    taps.button("+ Pagat")
    pagat = anna.get_by_role("group", name="Pagat", exact=True)
    pagat.get_by_text("before the talon", exact=True).tap()
    pagat.get_by_text("failed", exact=True).tap()
    pagat.get_by_role("group", name="Contra").get_by_text("Contra", exact=True).last.tap()
    # Game 3, overshoot 5; the Pagat 20, by the contra before the talon 80 for each defender.
    expect(anna.locator("#scores")).to_contain_text("Anna +8")
    expect(anna.locator("#scores")).to_contain_text("Béla +80")
    taps.button("Send to the other side")
    bela.get_by_role("button", name="That is wrong").tap()
    bela.get_by_label("What is wrong?").fill("There was no contra.")
    bela.get_by_role("button", name="Send it back").tap()
    expect(anna.locator("#proposal")).to_contain_text("Béla does not agree: There was no contra.")
    pagat.get_by_text("none", exact=True).tap()
    expect(anna.locator("#scores")).to_contain_text("Béla +20")
    taps.button("Send in its place")
    expect(bela.locator("#proposal")).to_contain_text("It takes the place of what Anna had entered.")
    bela.get_by_role("button", name="That is right").tap()
    wait_until(
        lambda: totals(client, "objected") == {"Anna": 8, "Béla": 20, "Cyril": 20}, "the hand in the totals"
    )


def test_trischaken_by_keyboard(client: httpx.Client, at_table: AtTable) -> None:
    page = at_table("keys", "illustrated-beck", THREE, locale="de-AT")
    page.get_by_label("Ich bin").select_option("Cyril")
    page.get_by_role("radio", name="Dreiblatt").focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radio", name="Trischaken")).to_be_focused()
    for label, numbers in (("Augen", (20, 20, 10)), ("Stiche", (6, 6, 4))):
        for player, number in zip(THREE, numbers, strict=True):
            page.get_by_label(f"{label}: {player}").focus()
            page.keyboard.type(str(number))
    expect(page.locator("#scores")).to_contain_text("Anna")
    page.keyboard.press("Enter")
    expect(page.locator("#proposal")).to_contain_text("Wartet auf Anna oder Béla.")


def test_nothing_is_wider_than_a_small_phone(client: httpx.Client, at_table: AtTable) -> None:
    names = ["Wolfgang-Amadeus", "Μαργαρίτα", "Екатерина Великая", "Jean-Baptiste"]
    for language in ("en", "de", "fr", "ru"):
        page = at_table("narrow", "french-tarot-4", names, locale=language)
        for part in (page.locator("#fields label.chip").first, page.get_by_role("button").last):
            part.scroll_into_view_if_needed()
        page.locator("input[type=radio]").first.check(force=True)
        expect(page.locator("#fields fieldset")).to_have_count(5)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        small = "[...document.querySelectorAll('button, .chip, select')].filter((one) => one.offsetParent"
        assert page.evaluate(f"{small} && one.getBoundingClientRect().height < 44).length") == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_in_the_way_of_who_cannot_see_or_tap(
    client: httpx.Client, at_table: AtTable, scheme: str
) -> None:
    """The rules of axe-core, over the form with a bonus, and over a proposal with the word against it."""
    name = f"axe-{scheme}"
    page = at_table(name, MAYR, THREE, color_scheme=scheme)
    page.get_by_label("I am").select_option("Anna")
    taps = Taps(page)
    taps.on("Contract", "Zweiblatt")
    taps.on("Declarer", "Béla")
    taps.digits("Card points", "41")
    taps.button("+ Pagat")
    expect(page.locator("#scores")).to_contain_text("Béla")
    assert Axe().run(page).response["violations"] == []
    taps.button("Send to the other side")
    expect(page.locator("#proposal")).to_contain_text("Waiting for Béla.")
    page.get_by_label("I am").select_option("Béla")
    page.get_by_role("button", name="That is wrong").tap()
    assert Axe().run(page).response["violations"] == []


def test_every_word_is_known(at_table: AtTable) -> None:
    page = at_table("words", MAYR, THREE)
    lacking = """() => Object.keys(WORDS).flatMap((tongue) =>
        Object.keys(WORDS.en).filter((name) => !(name in WORDS[tongue])).map((name) => [tongue, name]))"""
    assert page.evaluate(lacking) == []
    ids = """() => entry.form.contracts.flatMap((row) => [
            row.contract, ...row.fields.map((field) => field.name), ...row.bonuses.map((one) => one.bonus),
        ]).filter((id) => !(id in WORDS.en))"""
    assert page.evaluate(ids) == []


def test_a_link_that_was_revoked_says_so(client: httpx.Client, at_table: AtTable, faults: list[str]) -> None:
    page = at_table("revoked", MAYR, THREE)
    (link,) = client.get("/v1/sessions/revoked/table-links").json()["table_links"]
    assert client.delete(f"/v1/sessions/revoked/table-links/{link['link_id']}").status_code == 204
    expect(page.locator("#state")).to_have_text("This link leads to no table any more.")
    expect(page.locator("#form")).to_be_hidden()
    assert [fault for fault in faults if "404" not in fault] == []
    faults.clear()


def test_what_is_entered_survives_a_reload(at_table: AtTable) -> None:
    page = at_table("reload", "french-tarot-4", FOUR)
    page.get_by_label("I am").select_option("East")
    taps = Taps(page)
    taps.on("Contract", "Garde sans")
    taps.on("Declarer", "West")
    page.reload()
    expect(page.get_by_label("I am")).to_have_value("East")
    expect(page.get_by_role("radio", name="Garde sans")).to_be_checked()
    expect(page.get_by_role("group", name="Declarer").get_by_role("radio", name="West")).to_be_checked()


def test_hands_that_a_key_submits_move_the_table_on(client: httpx.Client, at_table: AtTable) -> None:
    page = at_table("moved", "french-tarot-4", FOUR)
    expect(page.locator("#form-title")).to_have_text("Hand 1")
    record = tarot("West", "prise", 51, 2, session_id="moved", number=1)
    assert client.post("/v1/hands", json=record).status_code == 202
    expect(page.locator("#form-title")).to_have_text("Hand 2")
    expect(page.locator("#hands")).to_contain_text("+105")
