"""The page at /docs in a real browser that can reach nothing but the service."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Open
from tests.service.document import load_document
from tests.support.processes import RunningService

pytestmark = [pytest.mark.e2e, pytest.mark.xdist_group("running_service")]


def test_the_page_shows_every_operation_and_asks_nobody_else(
    running_service: RunningService, open_page: Open
) -> None:
    page = open_page(f"{running_service.base_url}/docs")
    paths = page.locator(".opblock-summary-path")
    paths.first.wait_for()
    found = paths.evaluate_all("all => all.map(path => path.dataset.path)")
    assert sorted(found) == sorted(operation.path for operation in load_document().operations())
