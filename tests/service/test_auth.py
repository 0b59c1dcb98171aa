"""Keys: who may call, and what an answer says of itself."""

from __future__ import annotations

import re

import pytest

from service.app import create_app
from service.config import Settings
from service.configured_keys import ApiKey
from tests.service.clients import CheckedClient, code_of
from tests.service.conftest import NOWHERE, checked_client

CLUB = "club-key-0123456789"
TABLE = "table-key-0123456789"
OPEN = ["/healthz", "/openapi.yaml", "/openapi.json", "/docs", "/docs/docs.js"]
GUARDED = ["/v1/variants", "/v1/variants/illustrated-beck", "/v1/hands", "/v1/hands/h1", "/v1/unknown", "/x"]


@pytest.fixture
def keyed() -> CheckedClient:
    keys = (ApiKey.of("club", CLUB), ApiKey.of("table-3", TABLE))
    return checked_client(create_app(Settings(redis_url=NOWHERE, api_keys=keys)))


@pytest.mark.parametrize("path", GUARDED)
def test_without_a_key_nothing_is_told(keyed: CheckedClient, path: str) -> None:
    response = keyed.get(path)
    assert code_of(response, 401) == "unauthenticated"
    assert response.headers["WWW-Authenticate"] == 'Bearer realm="trull"'


@pytest.mark.parametrize(
    "authorization",
    [
        "",
        "Bearer",
        "Bearer ",
        f"Bearer {CLUB}x",
        f"Bearer {CLUB[:-1]}",
        CLUB,
        f"Basic {CLUB}",
        f"Bearer {CLUB} x",
        "Bearer \u00e9\u00e8\u00ff",
        f"Bearer {CLUB},{TABLE}",
        "Bearer club",
        f"Bearer club:{CLUB}",
    ],
)
def test_other_credentials_are_no_key(keyed: CheckedClient, authorization: str) -> None:
    response = keyed.get("/v1/variants/illustrated-beck", headers={"Authorization": authorization})
    assert code_of(response, 401) == "unauthenticated"


def test_a_wrong_key_is_told_from_none(keyed: CheckedClient) -> None:
    wrong = keyed.get("/v1/hands", headers={"Authorization": f"Bearer {CLUB}x"})
    assert "This key is none of the service's, or was revoked. Send one" in wrong.text
    assert "revoked" not in keyed.get("/v1/hands").text


@pytest.mark.parametrize("authorization", [f"Bearer {CLUB}", f"bearer  {TABLE}", f"Bearer {TABLE} "])
def test_each_key_opens(keyed: CheckedClient, authorization: str) -> None:
    assert (
        keyed.get("/v1/variants/illustrated-beck", headers={"Authorization": authorization}).status_code
        == 200
    )


@pytest.mark.parametrize("path", OPEN)
def test_health_and_documents_are_open(keyed: CheckedClient, path: str) -> None:
    assert keyed.get(path).status_code == 200


def test_a_write_without_a_key_is_refused_before_its_body_is_read(keyed: CheckedClient) -> None:
    assert code_of(keyed.post("/v1/score", data=b"{", content_type="application/json"), 401)


def test_answers_carry_the_callers_request_id(client: CheckedClient) -> None:
    response = client.get("/healthz", headers={"Request-Id": "till-4.2~x_1"})
    assert response.headers["Request-Id"] == "till-4.2~x_1"


@pytest.mark.parametrize("offered", ["", "a b", "x" * 129, "a\u00e9", '"x"', "a;b"])
def test_an_odd_request_id_is_replaced(client: CheckedClient, offered: str) -> None:
    made = client.get("/v1/nothing", headers={"Request-Id": offered}).headers["Request-Id"]
    assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", made)
