"""The page at /docs in a real browser that can reach nothing but the service."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import Open
from tests.service.document import load_document
from tests.support.processes import RunningService

if TYPE_CHECKING:
    from playwright.sync_api import Page

KEY = "0123456789abcdef0123456789abcdef"

pytestmark = [pytest.mark.e2e, pytest.mark.xdist_group("running_service")]


def test_the_page_shows_every_operation_and_asks_nobody_else(
    running_service: RunningService, open_page: Open
) -> None:
    page = open_page(f"{running_service.base_url}/docs")
    paths = page.locator(".opblock-summary-path")
    paths.first.wait_for()
    found = paths.evaluate_all("all => all.map(path => path.dataset.path)")
    paths_and_webhooks = [
        *(one.path for one in load_document().operations()),
        *load_document().raw["webhooks"],
    ]
    assert sorted(found) == sorted(paths_and_webhooks)


@pytest.fixture(scope="module")
def locked_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service of this file's own, which asks for a key and has no hands yet."""
    with RunningService(tmp_path_factory.mktemp("docs"), {"TRULL_API_KEYS": f"club:{KEY}"}) as service:
        yield service


class Operation:
    """An operation on the page, unfolded."""

    def __init__(self, page: Page, operation_id: str) -> None:
        self._block = page.locator(f"[id$='-{operation_id}']")
        self._block.locator(".opblock-summary").click()

    def choose(self, file: Path) -> None:
        """Send this file as the body."""
        self._block.locator("input[type=file]").set_input_files(file)

    def execute(self) -> tuple[str, str]:
        """Try the call as it stands; the status and the body of the answer."""
        self._block.locator("button.execute").click()
        answer = self._block.locator(".live-responses-table tr.response")
        status = answer.locator(".response-col_status").inner_text()
        body = answer.locator(".response-col_description .microlight").first.inner_text()
        # So that the next call's answer cannot be taken for this one's.
        self._block.locator("button.btn-clear").click()
        return status, body


def authorize(page: Page, key: str) -> None:
    """Give the page a key, as its button asks for it."""
    page.locator("button.authorize").first.click()
    page.locator(".modal-ux input").fill(key)
    page.locator(".modal-ux button.authorize").click()
    page.locator(".modal-ux button.btn-done").click()


def test_calls_can_be_tried_from_the_page(
    locked_service: RunningService, open_page: Open, faults: list[str], tmp_path: Path
) -> None:
    page = open_page(f"{locked_service.base_url}/docs")
    submit = Operation(page, "submitHand")
    status, body = submit.execute()
    assert (status, "unauthenticated" in body) == ("401", True)
    assert [fault for fault in faults if "401" not in fault] == []
    faults.clear()

    authorize(page, KEY)
    assert submit.execute()[0] == "202"
    # Fields that may be left empty are: with the Idempotency-Key of the first call, this would be no new one.
    status, body = submit.execute()
    assert (status, "hand_id" in body) == ("200", True)
    listed = Operation(page, "listHands")
    status, body = listed.execute()
    assert (status, body.count('"hand_id"')) == ("200", 1), "no filter is filled in"

    lines = tmp_path / "hands.ndjson"
    lines.write_text(load_document().raw["components"]["examples"]["RecordLines"]["value"])
    imported = Operation(page, "importHands")
    imported.choose(lines)
    status, body = imported.execute()
    assert (status, body.count('"line"')) == ("200", 2)


def test_the_page_calls_the_service_behind_a_path_of_another_one(
    running_service: RunningService, open_page: Open
) -> None:
    page = open_page(f"{running_service.base_url}/docs")
    for home in (running_service.base_url, "https://club.example/trull"):
        script = "at => forTrying({paths: {}, components: {parameters: {}}}, at).servers[0].url"
        assert page.evaluate(script, f"{home}/docs#/Hands") == home
