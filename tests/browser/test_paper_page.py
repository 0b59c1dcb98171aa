"""A score sheet as a page in a real browser: its style holds under its own policy, and it prints on A4."""

from __future__ import annotations

import httpx
import pytest

from tests.browser.conftest import Open
from tests.service.evenings import FFT_SHEET, FFT_TOTALS, FOUR, tarot
from tests.service.papers import pdf_of
from tests.support.processes import RunningService

pytestmark = [pytest.mark.e2e, pytest.mark.xdist_group("running_service")]


def test_a_sheet_is_read_and_printed(running_service: RunningService, open_page: Open) -> None:
    with httpx.Client(base_url=running_service.base_url) as client:
        body = {"session_id": "paper", "players": FOUR, "variant": "french-tarot-4", "name": "FFT"}
        assert client.post("/v1/sessions", json=body).status_code == 201
        for number, line in enumerate(FFT_SHEET, 1):
            record = {**tarot(*line), "session_id": "paper", "number": number}
            answer = client.post("/v1/hands", json=record, headers={"Prefer": "wait=10"})
            assert answer.status_code == 201
    # Without a format: a browser likes a page best.
    page = open_page(f"{running_service.base_url}/v1/sessions/paper/sheet", locale="ru-RU")
    assert page.locator("html").get_attribute("lang") == "ru"
    last = page.locator("tbody tr.strong td.figure").all_inner_texts()
    wanted = [str(FFT_TOTALS[player]).replace("-", "−") for player in FOUR]
    assert [cell for cell in last if cell][-4:] == wanted
    weight = page.locator("tbody tr.strong td").first.evaluate("cell => getComputedStyle(cell).fontWeight")
    assert weight == "700"
    (printed,) = pdf_of(page.pdf(prefer_css_page_size=True)).pages
    assert (round(printed.mediabox.width), round(printed.mediabox.height)) == (842, 595)
