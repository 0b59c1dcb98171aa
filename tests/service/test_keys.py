"""Stored keys: made once, good for what they say, revoked for good; and who needs one."""

from __future__ import annotations

import re
import socket
import time
from typing import Any

import pytest
import redis

from records.erasure import empty_tenant
from records.keys import Keys
from records.scopes import PLAYER_SCOPES, SANDBOX, SCOPES
from service.app import create_app
from service.auth import OPEN_ENDPOINTS, STORELESS_ENDPOINTS
from service.config import Settings
from service.configured_keys import ApiKey
from service.keyring import KNOWN_SECONDS, KeyRing
from tests.service.clients import CheckedClient, code_of, faults_of
from tests.service.conftest import NOWHERE, checked_client
from tests.service.document import load_document
from tests.support.processes import RedisServer

RESULT = load_document().raw["components"]["examples"]["ReportedResult"]["value"]
CONFIGURED = "configured-0123456789"


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def made(client: CheckedClient, key: str | None = None, **wanted: Any) -> dict[str, Any]:
    """Make a key over HTTP; the answer."""
    headers = {} if key is None else bearer(key)
    response = client.post("/v1/keys", json={"name": "k", **wanted}, headers=headers)
    assert response.status_code == 201, response.get_data(as_text=True)
    body: dict[str, Any] = response.get_json()
    return body


@pytest.fixture
def keyed(redis_url: str) -> CheckedClient:
    settings = Settings(redis_url=redis_url, api_keys=(ApiKey.of("root", CONFIGURED),))
    return checked_client(create_app(settings))


def test_a_key_is_told_once_and_stored_as_a_digest(keyed: CheckedClient, redis_client: redis.Redis) -> None:
    key = made(keyed, CONFIGURED, name="table-3", scopes=["read", "submit"])
    assert re.fullmatch(rf"trull_{key['key_id']}_[\w-]{{43}}", key["key"])
    shown = keyed.get(f"/v1/keys/{key['key_id']}", headers=bearer(CONFIGURED)).get_json()
    assert shown == {name: value for name, value in key.items() if name != "key"}
    assert (shown["scopes"], shown["tenant"], shown["made_by"]) == (["submit", "read"], "default", "root")
    secret = key["key"].rpartition("_")[2]
    for stored in redis_client.scan_iter():
        assert secret.encode() not in (redis_client.dump(stored) or b"")


def test_keys_differ(keyed: CheckedClient) -> None:
    keys = [made(keyed, CONFIGURED, name="same") for _ in range(20)]
    assert len({key["key"] for key in keys}) == len({key["key_id"] for key in keys}) == 20


def test_it_is_good_for_its_scopes(keyed: CheckedClient) -> None:
    key = made(keyed, CONFIGURED, name="sender", scopes=["submit"])["key"]
    sent = keyed.post("/v1/hands", json=RESULT, headers=bearer(key))
    assert sent.status_code == 202
    assert code_of(keyed.get(sent.headers["Location"], headers=bearer(key)), 403) == "forbidden"
    log = keyed.get(f"{sent.headers['Location']}/events", headers=bearer(CONFIGURED)).get_json()
    assert log["events"][0]["actor"] == "sender"
    for path in ("/v1/keys", "/metrics"):
        assert code_of(keyed.get(path, headers=bearer(key)), 403) == "forbidden"
    assert code_of(keyed.post("/v1/keys", json={"name": "x"}, headers=bearer(key)), 403) == "forbidden"


@pytest.mark.parametrize(
    ("wanted", "scopes", "player"),
    [
        ({}, SCOPES, None),
        ({"scopes": None, "player": None, "tenant": None}, SCOPES, None),
        ({"player": "Béla"}, PLAYER_SCOPES, "Béla"),
        ({"player": "Anna", "scopes": ["read"]}, ("read",), "Anna"),
    ],
)
def test_what_is_not_said(
    keyed: CheckedClient, wanted: dict[str, Any], scopes: tuple[str, ...], player: str | None
) -> None:
    key = made(keyed, CONFIGURED, **wanted)
    assert (key["scopes"], key["player"], key["tenant"]) == (list(scopes), player, "default")


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({}, ["/name"]),
        ({"name": "Table 3", "scopes": [], "tenant": "a:b"}, ["/name", "/scopes", "/tenant"]),
        ({"name": "k", "scopes": ["read", "all"]}, ["/scopes/1"]),
        ({"name": "k", "player": " Anna"}, ["/player"]),
        ({"name": "k\n"}, ["/name"]),
        ({"name": "k", "secret": "mine"}, ["/secret"]),
        ([], [""]),
    ],
)
def test_what_is_no_key(keyed: CheckedClient, body: Any, where: list[str]) -> None:
    response = keyed.post("/v1/keys", json=body, headers=bearer(CONFIGURED))
    assert code_of(response, 422) == "invalid-record"
    assert sorted(pointer for pointer, _ in faults_of(response)) == where


def test_a_wrong_secret_is_no_key(keyed: CheckedClient) -> None:
    key = made(keyed, CONFIGURED)["key"]
    other = made(keyed, CONFIGURED)
    wrong = [key[:-1], key + "x", key.swapcase(), key[:-3] + "xyz", f"trull_{other['key_id']}_{key[-43:]}"]
    for offered in (*wrong, f"trull_aaaaaaaaaaaa_{key[-43:]}", "trull__", "trull_"):
        assert code_of(keyed.get("/v1/hands", headers=bearer(offered)), 401) == "unauthenticated", offered
    assert keyed.get("/v1/hands", headers=bearer(key)).status_code == 200


def test_revoked_it_is_good_for_nothing(keyed: CheckedClient, redis_url: str) -> None:
    key = made(keyed, CONFIGURED)
    path = f"/v1/keys/{key['key_id']}"
    assert keyed.get("/v1/hands", headers=bearer(key["key"])).status_code == 200
    first = keyed.delete(path, headers=bearer(CONFIGURED))
    assert first.get_json()["revoked_at"] is not None
    assert keyed.delete(path, headers=bearer(CONFIGURED)).get_json() == first.get_json()
    elsewhere = checked_client(create_app(Settings(redis_url=redis_url, stored_keys_only=True)))
    assert code_of(elsewhere.get("/v1/hands", headers=bearer(key["key"])), 401) == "unauthenticated"
    time.sleep(KNOWN_SECONDS)
    assert code_of(keyed.get("/v1/hands", headers=bearer(key["key"])), 401) == "unauthenticated"


def test_the_last_use_is_known_by_the_hour(keyed: CheckedClient, monkeypatch: pytest.MonkeyPatch) -> None:
    key = made(keyed, CONFIGURED)
    keyed.get("/v1/hands", headers=bearer(key["key"]))
    path = f"/v1/keys/{key['key_id']}"
    used = keyed.get(path, headers=bearer(CONFIGURED)).get_json()["last_used_at"]
    assert used.endswith(":00:00.000Z")
    assert used[:11] >= key["created_at"][:11] or used[:13] == key["created_at"][:13]
    later = time.time() + 7200
    monkeypatch.setattr("service.keyring.time.time", lambda: later)
    time.sleep(KNOWN_SECONDS)
    keyed.get("/v1/hands", headers=bearer(key["key"]))
    assert keyed.get(path, headers=bearer(CONFIGURED)).get_json()["last_used_at"] > used


def test_lists_in_pages(keyed: CheckedClient) -> None:
    names = [made(keyed, CONFIGURED, name=f"k-{number}")["name"] for number in range(5)]
    found: list[str] = []
    path = "/v1/keys?limit=2"
    while path:
        response = keyed.get(path, headers=bearer(CONFIGURED))
        found += [key["name"] for key in response.get_json()["keys"]]
        following = response.get_json()["next"]
        path = "" if following is None else f"/v1/keys?limit=2&cursor={following}"
    assert sorted(found) == names
    wrong = keyed.get("/v1/keys?cursor=nothing", headers=bearer(CONFIGURED))
    assert faults_of(wrong) == [("cursor", "invalid-record")]
    unknown = keyed.get("/v1/keys/aaaaaaaaaaaa", headers=bearer(CONFIGURED))
    assert code_of(unknown, 404) == "unknown-key"


class TestOpenAccess:
    def test_it_ends_with_the_first_key(self, stored: CheckedClient, redis_url: str) -> None:
        """And not with one for the sandbox. To revoke the key opens nothing."""
        sandbox = made(stored, tenant=SANDBOX)
        other = checked_client(create_app(Settings(redis_url=redis_url)))
        for client in (stored, other):
            assert client.get("/v1/hands").status_code == 200
            assert client.get("/v1/hands", headers=bearer(sandbox["key"])).status_code == 200
        key = made(stored)
        time.sleep(KNOWN_SECONDS)
        for client in (stored, other):
            assert code_of(client.get("/v1/hands"), 401) == "unauthenticated"
            assert client.get("/v1/hands", headers=bearer(key["key"])).status_code == 200
            assert client.get("/healthz").status_code == 200
        stored.delete(f"/v1/keys/{key['key_id']}", headers=bearer(key["key"]))
        for client in (stored, checked_client(create_app(Settings(redis_url=redis_url)))):
            assert code_of(client.get("/v1/hands"), 401) == "unauthenticated"

    def test_a_wrong_key_is_refused_all_the_same(self, stored: CheckedClient) -> None:
        assert code_of(stored.get("/v1/hands", headers=bearer("x" * 20)), 401) == "unauthenticated"

    @pytest.mark.parametrize(
        "host",
        ["localhost", "LOCALHOST:8000", "127.0.0.1:8000", "127.1.2.3", "[::1]:8000", "trull.localhost", None],
    )
    def test_names_of_this_machine(self, stored: CheckedClient, host: str | None) -> None:
        environ = {"HTTP_HOST": host} if host else {}
        assert stored.get("/v1/hands", environ_overrides=environ).status_code == 200

    @pytest.mark.parametrize(
        "host",
        ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1",
         "0.0.0.0", "[::1", "", "evil.example@127.0.0.1.nip.io", "[fe80::1]"],
    )  # fmt: skip
    def test_other_names_are_refused(self, stored: CheckedClient, redis_url: str, host: str) -> None:
        for method, path in (("GET", "/v1/hands"), ("POST", "/v1/keys"), ("GET", "/metrics")):
            response = stored.open(path, method=method, environ_overrides={"HTTP_HOST": host})
            assert code_of(response, 421) == "misdirected"
        key = made(stored, tenant=SANDBOX)["key"]
        with_key = stored.get("/v1/hands", headers=bearer(key), environ_overrides={"HTTP_HOST": host})
        assert with_key.status_code == 200

    def test_nothing_stored_is_shown_while_it_is_not_known(self, spare_redis: RedisServer) -> None:
        with spare_redis.client() as connection:
            Keys(connection).make("k", "default", ("read",), None, "test")
        client = checked_client(create_app(Settings(redis_url=spare_redis.url)))
        spare_redis.stop()
        assert client.get("/v1/variants/illustrated-beck").status_code == 200, "this needs no store"
        assert code_of(client.get("/v1/hands"), 503) == "store-unavailable"
        spare_redis.start()
        assert code_of(client.get("/v1/hands"), 401) == "unauthenticated"

    def test_a_house_is_asked_for_anew_when_it_is_named(self, spare_redis: RedisServer) -> None:
        """A call without a key that needs no store does not know yet that the store is back, and has keys."""
        with spare_redis.client() as connection:
            Keys(connection).make("k", "default", ("read",), None, "test")
        client = checked_client(create_app(Settings(redis_url=spare_redis.url)))
        spare_redis.stop()
        assert client.get("/v1/variants/illustrated-beck").status_code == 200
        assert code_of(client.get("/v1/variants/house-ours"), 503) == "store-unavailable"
        spare_redis.start()
        assert client.get("/v1/variants/illustrated-beck").status_code == 200
        assert code_of(client.get("/v1/variants/house-ours"), 401) == "unauthenticated"

    def test_a_store_that_does_not_answer_is_waited_for_once(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            settings = Settings(redis_url=f"redis://127.0.0.1:{silent.getsockname()[1]}/0")
            client = checked_client(create_app(settings))
            for _ in range(5):
                assert client.get("/v1/variants/illustrated-beck").status_code == 200
            silent.setblocking(False)
            silent.accept()[0].close()
            with pytest.raises(BlockingIOError):
                silent.accept()


def test_a_known_key_is_known_while_the_store_is_away(spare_redis: RedisServer) -> None:
    client = checked_client(create_app(Settings(redis_url=spare_redis.url, stored_keys_only=True)))
    with spare_redis.client() as connection:
        key = Keys(connection).make("k", "default", SCOPES, None, "test")[1]
        other = Keys(connection).make("k", "default", SCOPES, None, "test")[1]
    assert client.get("/v1/hands", headers=bearer(key)).status_code == 200
    time.sleep(KNOWN_SECONDS)
    spare_redis.stop()
    assert client.get("/v1/variants/illustrated-beck", headers=bearer(key)).status_code == 200
    assert (
        code_of(client.get("/v1/variants/illustrated-beck", headers=bearer(other)), 503)
        == "store-unavailable"
    )


def test_what_needs_no_key_or_no_store_is_there() -> None:
    views = create_app(Settings(redis_url=NOWHERE)).view_functions
    assert set(views) >= OPEN_ENDPOINTS | STORELESS_ENDPOINTS


def test_so_many_keys_are_known_at_once(redis_url: str, redis_client: redis.Redis) -> None:
    keys = Keys(redis_client)
    ring = KeyRing(Settings(redis_url=redis_url), keys)
    texts = [keys.make("k", "default", SCOPES, None, "test")[1] for _ in range(5)]
    ring.most = 2
    assert [found and found.name for found in map(ring.bearer_of, texts * 2)] == ["k"] * 10
    assert len(ring._known) <= 2


def test_without_the_store_no_stored_key_is_known() -> None:
    client = checked_client(create_app(Settings(redis_url=NOWHERE, stored_keys_only=True)))
    key = "trull_" + "a" * 12 + "_" + "b" * 43
    assert (
        code_of(client.get("/v1/variants/illustrated-beck", headers=bearer(key)), 503) == "store-unavailable"
    )
    assert (
        code_of(client.get("/v1/variants/illustrated-beck", headers=bearer("b" * 43)), 401)
        == "unauthenticated"
    )


def test_the_sandbox_is_emptied_and_nothing_else(stored: CheckedClient, redis_client: redis.Redis) -> None:
    sandbox = bearer(made(stored, tenant=SANDBOX)["key"])
    lookalike = bearer(made(stored, tenant="sandbox-2")["key"])
    time.sleep(KNOWN_SECONDS)
    for headers in (sandbox, lookalike):
        for number in range(20):
            hand = RESULT | {"hand_id": f"h-{number}", "session_id": "s"}
            once = headers | {"Idempotency-Key": f"k-{number}"}
            assert stored.post("/v1/hands", json=hand, headers=once).status_code == 202
        stored.post("/v1/imports", data=b"{}\n", content_type="application/x-ndjson", headers=headers)
    before = {key for key in redis_client.scan_iter() if b"sandbox-2" in key}
    assert empty_tenant(redis_client, SANDBOX) > 60
    assert {key for key in redis_client.scan_iter() if b"sandbox-2" in key} == before
    assert not [key for key in redis_client.scan_iter() if b":sandbox:" in key or key.endswith(b":sandbox")]
    assert empty_tenant(redis_client, SANDBOX) == 0
    assert stored.get("/v1/hands", headers=sandbox).get_json()["hands"] == []
    assert len(stored.get("/v1/hands", headers=lookalike).get_json()["hands"]) == 20
    marks = [mark for shard in redis_client.scan_iter("*:due") for mark in redis_client.zrange(shard, 0, -1)]
    assert len(marks) == 20
    imports = [
        name for key in redis_client.scan_iter("*:imports") for name in redis_client.zrange(key, 0, -1)
    ]
    assert len(imports) == 1
    once = sandbox | {"Idempotency-Key": "k-1"}
    again = stored.post("/v1/hands", json=RESULT | {"hand_id": "h-1", "session_id": "s"}, headers=once)
    assert again.status_code == 202
    assert "Idempotent-Replayed" not in again.headers
