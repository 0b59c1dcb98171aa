"""A board in a real browser, which follows the session by itself."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Open
from tests.browser.evenings import add_hand, board_of, caller, fft_evening
from tests.service.evenings import tarot
from tests.support.processes import RunningService

pytestmark = [pytest.mark.e2e, pytest.mark.xdist_group("running_service")]

PLACES = ["1 South +1,346", "2 East -390", "3 North -446", "4 West -510"]


def test_the_page_shows_the_session_and_follows_it(running_service: RunningService, open_page: Open) -> None:
    with caller(running_service) as client:
        fft_evening(client, "followed")
        board = board_of(client, "/v1/sessions/followed")
        page = open_page(f"{running_service.base_url}{board['page']}")
        rows = page.locator("#standings tbody tr")
        expect(rows.first).to_contain_text("South")
        assert [" ".join(row.split()[:3]) for row in rows.all_inner_texts()] == PLACES
        assert page.locator("details").count() == 6, "the last five hands, and the table of all"
        expect(page.locator("#chart canvas")).to_be_visible()
        # West wins a Prise with 10 points more than he needs: (25 + 10) * 3 (FT-6.2).
        add_hand(client, tarot("West", "prise", 51, 2, session_id="followed", number=10))
        expect(rows.nth(1)).to_contain_text("West")
        expect(rows.nth(1)).to_contain_text("-405")


def test_a_link_that_was_revoked_says_so(
    running_service: RunningService, open_page: Open, faults: list[str]
) -> None:
    page = open_page(f"{running_service.base_url}/boards/0123456789abgone")
    expect(page.locator("#state")).to_contain_text("leads to no board")
    assert [fault for fault in faults if "404" not in fault] == []
    faults.clear()
