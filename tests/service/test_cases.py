"""The golden records through POST /v1/score: sheets equal, refusals in place."""

from __future__ import annotations

import pytest

from service.app import create_app
from service.config import Settings
from tests.service.clients import CheckedClient
from tests.service.conftest import NOWHERE, checked_client
from tests.service.golden import Case, check_refusal, check_sheet, load_cases


@pytest.fixture(scope="module")
def scorer() -> CheckedClient:
    return checked_client(create_app(Settings(redis_url=NOWHERE)))


@pytest.mark.parametrize("case", load_cases("full", "result", "published", "real-french"), ids=str)
def test_sheet(scorer: CheckedClient, case: Case) -> None:
    response = scorer.post("/v1/score", json=case.record)
    assert response.status_code == 200, response.get_data(as_text=True)
    check_sheet(response.get_json(), case)


@pytest.mark.parametrize("case", load_cases("rescored"), ids=str)
def test_sheet_under_another_variant(scorer: CheckedClient, case: Case) -> None:
    response = scorer.post(f"/v1/score?variant={case.variant}", json=case.record)
    assert response.status_code == 200, response.get_data(as_text=True)
    check_sheet(response.get_json(), case)
    compared = scorer.post("/v1/score:compare", json={"record": case.record, "variants": [case.variant]})
    assert compared.get_json()["sheets"] == [response.get_json()]


@pytest.mark.parametrize("case", load_cases("illegal"), ids=str)
def test_refusal(scorer: CheckedClient, case: Case) -> None:
    response = scorer.post("/v1/score", json=case.record)
    assert response.status_code == 422, response.get_data(as_text=True)
    check_refusal(response.get_json(force=True), case)
