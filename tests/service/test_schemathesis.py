"""Requests that Schemathesis makes from openapi.yaml: within it, at its edges and beyond them."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import CheckFunction, not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from service.app import create_app
from service.config import Settings
from service.configured_keys import ApiKey
from service.wiring import wire
from tests.service.conftest import NOWHERE
from tests.support.made_requests import CONFIG, KEY
from tests.support.processes import RedisServer

KEYS = (ApiKey.of("operator", KEY),)
APP = create_app(Settings(redis_url=NOWHERE, api_keys=KEYS))
api = schemathesis.openapi.from_wsgi("/openapi.json", APP, config=SchemathesisConfig.from_str(CONFIG))


@pytest.fixture(autouse=True)
def real_store(redis_server: RedisServer) -> None:
    """The application exists before the fixtures do; it gets its store here."""
    APP.extensions["trull"] = wire(Settings(redis_url=redis_server.url, api_keys=KEYS))


ANY_BODY: list[CheckFunction] = [negative_data_rejection]
"""Of an import each line is accepted or not by itself, and the whole of it always."""

UNQUOTED: list[CheckFunction] = [positive_data_acceptance]
"""Schemathesis takes the quotes off an If-Match that is sent without need, and it is refused (400)."""

NOT_READY: list[CheckFunction] = [not_a_server_error, positive_data_acceptance]
"""No worker runs here, so /readyz says with 503 that the service is not ready."""

EXCLUDED = {
    "/readyz": NOT_READY,
    "/v1/hands:import": ANY_BODY,
    "/v1/imports": ANY_BODY,
    "/v1/tournaments/{tournament_id}/events": UNQUOTED,
}


@api.parametrize()
@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_every_answer_is_documented(case: schemathesis.Case[Any]) -> None:
    """The same requests each time, so that a fault is seen where it was made."""
    case.call_and_validate(excluded_checks=EXCLUDED.get(case.path))


class Chains(api.as_state_machine()):  # type: ignore[misc]  # made at run time
    """Calls in a row, each with what the ones before it were answered: ids, cursors, versions."""

    def validate_response(self, response: Any, case: schemathesis.Case[Any], **options: Any) -> None:
        """The same checks as for a call alone."""
        case.validate_response(response, excluded_checks=EXCLUDED.get(case.path))


TestChains = Chains.TestCase
TestChains.settings = settings(
    max_examples=4,
    stateful_step_count=6,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
