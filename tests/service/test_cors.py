"""Calls from web pages: those of the named origins, and no others."""

from __future__ import annotations

import pytest

from service.app import create_app
from service.config import Settings
from service.configured_keys import ApiKey
from tests.service.clients import CheckedClient, code_of
from tests.service.conftest import NOWHERE, checked_client

KEY = "0123456789abcdef"
PAGE = "https://club.example"
ASKS = {"Origin": PAGE, "Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "if-match"}


def client_for(*origins: str) -> CheckedClient:
    keys = (ApiKey.of("club", KEY),)
    settings = Settings(redis_url=NOWHERE, api_keys=keys, cors_origins=frozenset(origins))
    return checked_client(create_app(settings))


@pytest.mark.parametrize("known", [PAGE, "*"])
def test_a_page_may_call_with_a_key(known: str) -> None:
    client = client_for(known, "https://other.example")
    asked = client.options("/v1/hands/h", headers=ASKS)
    assert asked.status_code == 200
    assert asked.headers["Access-Control-Allow-Origin"] == PAGE
    assert "PUT" in asked.headers["Access-Control-Allow-Methods"]
    assert {"Authorization", "If-Match"} <= set(asked.headers["Access-Control-Allow-Headers"].split(", "))
    assert "Access-Control-Allow-Credentials" not in asked.headers
    for headers, status in (({"Authorization": f"Bearer {KEY}"}, 200), ({}, 401)):
        called = client.get("/v1/variants/illustrated-beck", headers={"Origin": PAGE, **headers})
        assert called.status_code == status, "the page may read the refusal, too"
        assert called.headers["Access-Control-Allow-Origin"] == PAGE
        assert "ETag" in called.headers["Access-Control-Expose-Headers"]
        assert called.headers["Vary"] == "Origin"


@pytest.mark.parametrize("origin", ["https://club.example.evil.example", "http://club.example", "null", ""])
def test_another_page_may_not(origin: str) -> None:
    client = client_for(PAGE)
    asked = client.options("/v1/hands/h", headers={**ASKS, "Origin": origin})
    assert code_of(asked, 401) == "unauthenticated"
    called = client.get(
        "/v1/variants/illustrated-beck", headers={"Origin": origin, "Authorization": f"Bearer {KEY}"}
    )
    for response in (asked, called):
        assert not [name for name, _ in response.headers if name.startswith("Access-Control")]
        assert response.headers["Vary"] == "Origin", "a cache must not give it to the page that may"


def test_without_origins_nothing_is_said() -> None:
    called = client_for().get(
        "/v1/variants/illustrated-beck", headers={"Origin": PAGE, "Authorization": f"Bearer {KEY}"}
    )
    assert "Vary" not in called.headers
    assert "Access-Control-Allow-Origin" not in called.headers
    assert code_of(client_for().options("/v1/hands", headers=ASKS), 401) == "unauthenticated"


def test_a_question_needs_all_its_parts() -> None:
    client = client_for(PAGE)
    assert code_of(client.options("/v1/hands", headers={"Origin": PAGE}), 401) == "unauthenticated"
    no_question = client.get("/v1/hands", headers=ASKS)
    assert code_of(no_question, 401) == "unauthenticated"
