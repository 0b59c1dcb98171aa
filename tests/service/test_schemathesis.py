"""Requests that Schemathesis makes from openapi.yaml: within it, at its edges and beyond them."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import CheckFunction, not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from service.app import create_app
from service.config import Settings
from service.wiring import wire
from tests.service.conftest import NOWHERE
from tests.service.document import Answer, load_document
from tests.support.processes import RedisServer

CONFIG = SchemathesisConfig.from_dict(
    {
        "checks": {
            # A record of the right shape may still break a rule of the game or of a name (422), and a
            # cursor or a hand that is made up is not there (404), has not changed (304) or has (412).
            "positive_data_acceptance": {
                "expected-statuses": ["200", "201", "202", "204", "304", "404", "409", "412", "422"]
            },
            # A change without If-Match is refused with a status of its own (RFC 6585).
            "missing_required_header": {"expected-statuses": ["400", "404", "422", "428"]},
        },
    }
)


@schemathesis.serializer("application/x-ndjson")
def as_lines(context: schemathesis.SerializationContext, value: Any) -> bytes:
    """The document has lines as a string; what is made to be wrong may be anything."""
    return (value if isinstance(value, str) else json.dumps(value)).encode("utf-8", "replace")


APP = create_app(Settings(redis_url=NOWHERE))
api = schemathesis.openapi.from_wsgi("/openapi.json", APP, config=CONFIG)


@pytest.fixture(autouse=True)
def real_store(redis_server: RedisServer) -> None:
    """The application exists before the fixtures do; it gets its store here."""
    APP.extensions["trull"] = wire(Settings(redis_url=redis_server.url))


ANY_BODY: list[CheckFunction] = [negative_data_rejection]
"""Of an import each line is accepted or not by itself, and the whole of it always."""

UNQUOTED: list[CheckFunction] = [positive_data_acceptance]
"""Schemathesis takes the quotes off an If-Match that is sent without need, and it is refused (400)."""

NOT_READY: list[CheckFunction] = [not_a_server_error, positive_data_acceptance]
"""No worker runs here, so /readyz says with 503 that the service is not ready."""


@api.parametrize()
@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_every_answer_is_documented(case: schemathesis.Case[Any]) -> None:
    """The same requests each time, so that a fault is seen where it was made."""
    excluded = {
        "/readyz": NOT_READY,
        "/v1/hands:import": ANY_BODY,
        "/v1/imports": ANY_BODY,
        "/v1/tournaments/{tournament_id}/events": UNQUOTED,
    }
    response = case.call_and_validate(excluded_checks=excluded.get(case.path))
    # Schemathesis lets unknown fields and undocumented headers pass; our own check does not.
    headers = httpx.Headers({name: values[0] for name, values in response.headers.items()})
    answer = Answer(case.method, case.formatted_path, response.status_code, headers, response.content)
    load_document().check(answer)
