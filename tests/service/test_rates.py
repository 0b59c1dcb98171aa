"""Rate limits over HTTP: who is counted, and what answers say of it."""

from __future__ import annotations

import pytest

from records.rates import Rate
from service.app import create_app
from service.config import USUAL_RATE, Settings
from service.config_error import ConfigError
from service.configured_keys import ApiKey
from tests.service.clients import CheckedClient, code_of
from tests.service.conftest import NOWHERE, checked_client
from tests.service.document import load_document

THREE = Rate(3, 60)
KEYS = {name: f"{name}-0123456789abcdef" for name in ("club", "table")}
VARIANT = "/v1/variants/illustrated-beck"


def client_for(url: str, rate: Rate | None = THREE, keyed: bool = True) -> CheckedClient:
    keys = tuple(ApiKey.of(name, key) for name, key in KEYS.items()) if keyed else ()
    return checked_client(create_app(Settings(redis_url=url, api_keys=keys, rate_limit=rate)))


def as_key(name: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {KEYS[name]}"}


def test_beyond_the_limit_calls_are_refused(redis_url: str) -> None:
    client = client_for(redis_url)
    answers = [client.get(VARIANT, headers=as_key("club")) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    left = [answer.headers["RateLimit"].partition(";t=")[0] for answer in answers]
    assert left == ['"default";r=2', '"default";r=1', '"default";r=0', '"default";r=0']
    assert {answer.headers["RateLimit-Policy"] for answer in answers} == {'"default";q=3;w=60'}
    assert code_of(answers[-1], 429) == "rate-limited"
    seconds = int(answers[-1].headers["Retry-After"])
    assert 58 <= seconds <= 60
    assert answers[-1].headers["RateLimit"].endswith(f";t={seconds}")
    assert "Retry-After" not in answers[0].headers
    other_process = client_for(redis_url)
    assert other_process.get(VARIANT, headers=as_key("club")).status_code == 429
    assert client.get(VARIANT, headers=as_key("table")).status_code == 200, "another key has calls of its own"


def test_a_refused_write_writes_nothing(redis_url: str) -> None:
    client = client_for(redis_url, Rate(1, 60))
    record = load_document().raw["components"]["examples"]["ReportedResult"]["value"]
    assert client.post("/v1/hands", json=record, headers=as_key("club")).status_code == 202
    again = client.post("/v1/hands", json=record | {"hand_id": "h-2"}, headers=as_key("club"))
    assert code_of(again, 429) == "rate-limited"
    assert code_of(client.get("/v1/hands/h-2", headers=as_key("table")), 404) == "unknown-hand"


def test_what_is_not_counted(redis_url: str) -> None:
    client = client_for(redis_url, Rate(1, 60))
    for path in ("/healthz", "/openapi.json", "/docs"):
        for _ in range(3):
            answer = client.get(path, headers=as_key("club"))
            assert answer.status_code == 200
            assert "RateLimit" not in answer.headers
    assert code_of(client.get(VARIANT), 401) == "unauthenticated"
    assert client.get(VARIANT, headers=as_key("club")).status_code == 200


def test_open_access_has_a_limit_where_one_is_set(redis_url: str) -> None:
    client = client_for(redis_url, Rate(2, 60), keyed=False)
    assert [client.get(VARIANT).status_code for _ in range(3)] == [200, 200, 429]
    free = client_for(redis_url, None, keyed=False)
    assert "RateLimit" not in free.get(VARIANT).headers


def test_without_the_store_nobody_is_stopped() -> None:
    client = client_for(NOWHERE, Rate(1, 60))
    for _ in range(3):
        answer = client.get(VARIANT, headers=as_key("club"))
        assert answer.status_code == 200
        assert "RateLimit" not in answer.headers


def test_settings() -> None:
    keyed = {"TRULL_API_KEYS": f"club:{KEYS['club']}"}
    assert Settings.from_env({}).rate_limit is None
    assert Settings.from_env(keyed).rate_limit == USUAL_RATE
    assert Settings.from_env({"TRULL_API_KEYS": "stored"}).rate_limit == USUAL_RATE
    assert Settings.from_env({"TRULL_RATE_LIMIT": "5/1"}).rate_limit == Rate(5, 1)
    assert Settings.from_env({**keyed, "TRULL_RATE_LIMIT": "off"}).rate_limit is None


@pytest.mark.parametrize("value", ["0/60", "60", "60/0", "60/min", "-1/60", "1/999999", "6e3/60"])
def test_what_is_no_limit(value: str) -> None:
    with pytest.raises(ConfigError, match="TRULL_RATE_LIMIT must be calls/seconds, like 6000/60, or off"):
        Settings.from_env({"TRULL_RATE_LIMIT": value})


def test_the_document_has_the_numbers() -> None:
    prose = " ".join(load_document().raw["info"]["description"].split())
    assert f"may make {USUAL_RATE.calls:,} calls in {USUAL_RATE.seconds} seconds" in prose
