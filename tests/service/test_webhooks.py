"""Webhooks over HTTP: made, changed, tried, deleted; what is refused; and whose they are."""

from __future__ import annotations

import base64
from typing import Any

import pytest
import redis
from rq import Queue
from rq.serializers import JSONSerializer

from records.deliveries import KEPT_DAYS, MOST_KEPT, MOST_WAITING, STATES, Deliveries, Notice
from records.erasure import empty_tenant
from records.queue import DELIVER, WEBHOOKS
from records.webhook_urls import MAX_URL, host_fault, url_fault
from records.webhooks import (
    EVENTS,
    MAX_DESCRIPTION,
    MAX_OLD_SECRET_SECONDS,
    MAX_SECRETS,
    MAX_WEBHOOKS,
    OLD_SECRET_SECONDS,
    Webhooks,
)
from service.app import create_app
from service.config import Settings
from service.config_error import ConfigError
from service.configured_keys import ApiKey
from tests.service.clients import CheckedClient, code_of, faults_of
from tests.service.conftest import checked_client
from tests.service.document import load_document
from workers.courier import PACE, Courier

URL = "https://club.example/trull"
NOBODY = "01934f1e-5d2a-7c41-9d39-6f0a51c2b7e4"
ADMIN, READER, OTHER = "admin-0123456789abc", "reader-0123456789ab", "other"


def made(client: CheckedClient, **wanted: Any) -> dict[str, Any]:
    """Make a webhook; the answer."""
    response = client.post("/v1/webhooks", json={"url": URL, "events": ["hand.scored"], **wanted})
    assert response.status_code == 201, response.get_data(as_text=True)
    assert response.headers["Cache-Control"] == "no-store"
    body: dict[str, Any] = response.get_json()
    assert response.headers["Location"] == f"/v1/webhooks/{body['webhook_id']}"
    return body


def path_of(hook: dict[str, Any]) -> str:
    return f"/v1/webhooks/{hook['webhook_id']}"


@pytest.fixture
def inside(redis_url: str) -> CheckedClient:
    """A client of a service whose operator allows receivers in his own network."""
    return checked_client(create_app(Settings(redis_url=redis_url, webhook_private=True)))


def test_a_secret_is_told_once(stored: CheckedClient) -> None:
    hook = made(stored, description="board")
    assert len(base64.b64decode(hook["secret"].removeprefix("whsec_"))) == 32
    shown = stored.get(path_of(hook)).get_json()
    assert shown == {name: value for name, value in hook.items() if name != "secret"}
    assert (shown["url"], shown["events"], shown["description"]) == (URL, ["hand.scored"], "board")
    assert (shown["enabled"], shown["disabled_reason"], shown["waiting"]) == (True, None, 0)
    assert hook["secret"] not in stored.get("/v1/webhooks").get_data(as_text=True)


def test_events_are_told_once_and_in_order(stored: CheckedClient) -> None:
    hook = made(stored, events=[*reversed(EVENTS)])
    assert hook["events"] == list(EVENTS)
    twice = stored.post("/v1/webhooks", json={"url": URL, "events": ["rescore.done", "rescore.done"]})
    assert twice.get_json()["events"] == ["rescore.done"]


def test_lists_in_pages(stored: CheckedClient) -> None:
    ids = [made(stored)["webhook_id"] for _ in range(3)]
    first = stored.get("/v1/webhooks?limit=2")
    second = stored.get(f"/v1/webhooks?limit=2&cursor={first.get_json()['next']}")
    found = [*first.get_json()["webhooks"], *second.get_json()["webhooks"]]
    assert [hook["webhook_id"] for hook in found] == ids
    assert second.get_json()["next"] is None
    assert faults_of(stored.get("/v1/webhooks?cursor=x")) == [("cursor", "invalid-record")]


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({}, ["/events", "/url"]),
        ([], [""]),
        ({"url": URL, "events": []}, ["/events"]),
        ({"url": URL, "events": ["hand.scored", "hand.lost"]}, ["/events/1"]),
        ({"url": URL, "events": ["hand.scored"], "secret": "mine"}, ["/secret"]),
        ({"url": URL, "events": ["hand.scored"], "description": "x" * 501}, ["/description"]),
        ({"url": None, "events": ["hand.scored"]}, ["/url"]),
    ],
)
def test_what_is_no_webhook(stored: CheckedClient, body: Any, where: list[str]) -> None:
    response = stored.post("/v1/webhooks", json=body)
    assert code_of(response, 422) == "invalid-record"
    assert sorted(pointer for pointer, _ in faults_of(response)) == where


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://club.example/", "must begin with https:// (http:// needs TRULL_WEBHOOK_PRIVATE=allow)."),
        ("ftp://club.example/", "must begin with https://."),
        ("club.example", "must begin with https://."),
        ("https://", "must name a host"),
        ("https://a:b@club.example/", "must not hold a user"),
        ("https://user@club.example/", "must not hold a user"),
        ("https://club.example/#part", "must not have a fragment"),
        ("https://club.example:0/", "a port from 1"),
        ("https://club.example:70000/", "no URL"),
        ("https://[::1", "no URL"),
        ("https://clüb.example/", "plain ASCII"),
        ("https://club.example/a b", "plain ASCII"),
        ("https://club.example/\r\nX: y", "plain ASCII"),
        ("https://cl%75b.example/", "must name a host"),
        ("https://" + "x" * 2041, "2048"),
        ("https://localhost/", "no public address"),
        ("https://127.0.0.1/", "no public address"),
        ("https://127.1/", "no public address"),
        ("https://2130706433/", "no public address"),
        ("https://0x7f.0.0.1/", "no public address"),
        ("https://0.0.0.0/", "no public address"),
        ("https://10.1.2.3:8443/", "no public address"),
        ("https://172.16.0.1/", "no public address"),
        ("https://192.168.1.1/", "no public address"),
        ("https://169.254.169.254/latest/meta-data", "no public address"),
        ("https://100.64.0.1/", "no public address"),
        ("https://224.0.0.1/", "no public address"),
        ("https://255.255.255.255/", "no public address"),
        ("https://[::1]/", "no public address"),
        ("https://[::]/", "no public address"),
        ("https://[fe80::1]/", "no public address"),
        ("https://[fc00::1]/", "no public address"),
        ("https://[ff02::1]/", "no public address"),
        ("https://[::ffff:127.0.0.1]/", "stands for another"),
        ("https://[::ffff:8.8.8.8]/", "stands for another"),
        ("https://[64:ff9b::7f00:1]/", "stands for another"),
        ("https://[2002:7f00:1::]/", "stands for another"),
        ("https://192.88.99.1/", "stands for another"),
        ("https://[::7f00:1]/", "no public address"),
        ("https://[::a9fe:a9fe]/", "no public address"),
        ("https://[::ffff:0:7f00:1]/", "no public address"),
        ("https://[fec0::1]/", "no public address"),
        ("https://[200::1]/", "no public address"),
        ("https://[5f00::1]/", "no public address"),
        ("https://x[2606:4700::1111]/", "must name a host"),
        ("https://[v1.fe]/", "must name a host"),
    ],
)
def test_where_none_may_lead(url: str, why: str) -> None:
    found = url_fault(url, private=False) or host_fault(url, 5)
    assert found is not None
    assert why in found


@pytest.mark.parametrize("url", ["http://club.example/", "https://169.254.169.254/latest/meta-data"])
def test_it_is_said_at_once(stored: CheckedClient, url: str) -> None:
    """At creation and where one is changed alike."""
    hook = made(stored)
    for response in (
        stored.post("/v1/webhooks", json={"url": url, "events": ["hand.scored"]}),
        stored.patch(path_of(hook), json={"url": url}),
    ):
        assert code_of(response, 422) == "invalid-record"
        assert faults_of(response) == [("/url", "invalid-record")]
    assert stored.get(path_of(hook)).get_json()["url"] == URL


@pytest.mark.parametrize(
    "url", ["https://8.8.8.8/x", "https://[2606:4700::1111]:8443/", "https://not-there.invalid:444/?a=b"]
)
def test_where_one_may_lead(stored: CheckedClient, url: str) -> None:
    assert made(stored, url=url)["url"] == url


def test_what_an_operator_may_allow(inside: CheckedClient) -> None:
    for url in ("http://localhost:9999/x", "https://10.0.0.7/", "http://[::1]:81/"):
        assert made(inside, url=url)["url"] == url
    refused = inside.post("/v1/webhooks", json={"url": "http://u:p@10.0.0.7/", "events": ["hand.scored"]})
    assert code_of(refused, 422) == "invalid-record"


def test_the_setting_is_checked() -> None:
    assert Settings.from_env({"TRULL_WEBHOOK_PRIVATE": "allow"}).webhook_private
    assert not Settings.from_env({"TRULL_WEBHOOK_PRIVATE": ""}).webhook_private
    with pytest.raises(ConfigError, match="TRULL_WEBHOOK_PRIVATE must be allow"):
        Settings.from_env({"TRULL_WEBHOOK_PRIVATE": "yes"})


def test_there_are_twenty_at_most(stored: CheckedClient) -> None:
    first, *_ = [made(stored) for _ in range(MAX_WEBHOOKS)]
    more = stored.post("/v1/webhooks", json={"url": URL, "events": ["hand.scored"]})
    assert code_of(more, 409) == "too-many-webhooks"
    assert stored.delete(path_of(first)).status_code == 204
    made(stored)


def test_changes(stored: CheckedClient) -> None:
    hook = made(stored, description="board")
    path = path_of(hook)
    changed = stored.patch(path, json={"url": URL + "/2", "events": ["rescore.done"], "enabled": None})
    assert changed.get_json() == {
        **{name: value for name, value in hook.items() if name != "secret"},
        "url": URL + "/2",
        "events": ["rescore.done"],
    }
    assert stored.patch(path, json={}).get_json() == changed.get_json()
    assert stored.patch(path, json={"description": None}).get_json()["description"] is None
    assert stored.get(path).get_json()["description"] is None


@pytest.mark.parametrize(
    ("body", "where"),
    [({"enabled": 1}, "/enabled"), ({"enabled": "true"}, "/enabled"), ({"events": []}, "/events"), ([], "")],
)
def test_what_is_no_change(stored: CheckedClient, body: Any, where: str) -> None:
    response = stored.patch(path_of(made(stored)), json=body)
    assert code_of(response, 422) == "invalid-record"
    assert faults_of(response) == [(where, "invalid-record")]


def test_disabled_what_waits_has_failed(stored: CheckedClient, redis_client: redis.Redis) -> None:
    hook = made(stored)
    path = path_of(hook)
    delivery = stored.post(f"{path}:test").get_json()
    assert (delivery["state"], stored.get(path).get_json()["waiting"]) == ("waiting", 1)
    disabled = stored.patch(path, json={"enabled": False}).get_json()
    assert (disabled["enabled"], disabled["disabled_reason"], disabled["waiting"]) == (False, "asked", 0)
    assert disabled["disabled_at"] is not None
    (listed,) = stored.get(f"{path}/deliveries").get_json()["deliveries"]
    assert (listed["state"], listed["attempts"], listed["next_attempt_at"]) == ("failed", [], None)
    enabled = stored.patch(path, json={"enabled": True}).get_json()
    assert (enabled["enabled"], enabled["disabled_reason"], enabled["disabled_at"]) == (True, None, None)


def test_a_new_secret(stored: CheckedClient) -> None:
    hook = made(stored)
    path = path_of(hook)
    first = stored.post(f"{path}:rotate")
    assert first.headers["Cache-Control"] == "no-store"
    told = first.get_json()
    assert told["secret"] != hook["secret"]
    new, old = told["secrets"]
    assert (new["valid_until"], old["created_at"]) == (None, hook["secrets"][0]["created_at"])
    assert old["valid_until"][:10] > new["created_at"][:10], "valid for a day"
    assert stored.get(path).get_json()["secrets"] == told["secrets"]
    at_once = stored.post(f"{path}:rotate", json={"old_valid_seconds": 0}).get_json()
    assert len(at_once["secrets"]) == 1


def test_an_old_secret_stays_no_longer_than_it_would_have(stored: CheckedClient) -> None:
    path = path_of(made(stored))
    hour = stored.post(f"{path}:rotate", json={"old_valid_seconds": 3600}).get_json()["secrets"][1]
    week = stored.post(f"{path}:rotate", json={"old_valid_seconds": 604_800}).get_json()["secrets"]
    assert week[2] == hour
    for _ in range(MAX_SECRETS):
        told = stored.post(f"{path}:rotate").get_json()
    assert len(told["secrets"]) == MAX_SECRETS


@pytest.mark.parametrize("seconds", [-1, 604_801, "60", 1.5, True])
def test_how_long_an_old_secret_may_stay(stored: CheckedClient, seconds: Any) -> None:
    response = stored.post(f"{path_of(made(stored))}:rotate", json={"old_valid_seconds": seconds})
    assert code_of(response, 422) == "invalid-record"
    assert faults_of(response) == [("/old_valid_seconds", "invalid-record")]


def test_a_try_wakes_a_courier(stored: CheckedClient, redis_client: redis.Redis) -> None:
    path = path_of(made(stored))
    tried = stored.post(f"{path}:test")
    assert tried.status_code == 202
    assert stored.get(tried.headers["Location"]).get_json() == tried.get_json()
    jobs = Queue(WEBHOOKS, connection=redis_client, serializer=JSONSerializer).jobs
    assert [job.func_name for job in jobs] == [DELIVER]


def test_only_so_many_tries_wait(stored: CheckedClient, redis_client: redis.Redis) -> None:
    hook = made(stored)
    stored_hook = Webhooks(redis_client).get("default", hook["webhook_id"])
    assert stored_hook is not None
    notices = [Notice("hand.scored", "2026-11-29T20:14:07.113Z", {})] * MOST_WAITING
    assert Deliveries(redis_client).record(stored_hook, notices, stored_hook.cursor)
    refused = stored.post(f"{path_of(hook)}:test")
    assert code_of(refused, 429) == "rate-limited"
    assert refused.headers["Retry-After"] == "10"


def test_deliveries_in_pages(stored: CheckedClient) -> None:
    path = path_of(made(stored))
    ids = [stored.post(f"{path}:test").get_json()["delivery_id"] for _ in range(5)]
    found: list[str] = []
    page = stored.get(f"{path}/deliveries?limit=2")
    while True:
        found += [one["delivery_id"] for one in page.get_json()["deliveries"]]
        if page.get_json()["next"] is None:
            break
        page = stored.get(f"{path}/deliveries?limit=2&cursor={page.get_json()['next']}")
    assert found == ids[::-1]
    assert faults_of(stored.get(f"{path}/deliveries?cursor=abc")) == [("cursor", "invalid-record")]


def test_sent_again(inside: CheckedClient, redis_client: redis.Redis) -> None:
    """Whatever became of it; here a test whose receiver was not there."""
    path = path_of(made(inside, url="http://127.0.0.1:1/"))
    where = inside.post(f"{path}:test").headers["Location"]
    courier = Courier(redis_client, private=True)
    courier.look()
    courier.close()
    failed = inside.get(where).get_json()
    assert (failed["state"], len(failed["attempts"])) == ("failed", 1)
    assert failed["attempts"][0]["error"].startswith("No connection:")
    resent = inside.post(f"{where}:resend")
    assert (resent.status_code, resent.get_json()["state"]) == (202, "waiting")
    assert resent.headers["Location"] == where
    assert resent.get_json()["attempts"] == failed["attempts"]
    assert inside.get(path).get_json()["waiting"] == 1


def test_what_is_not_there(stored: CheckedClient) -> None:
    path = path_of(made(stored))
    for call in (
        stored.get(f"/v1/webhooks/{NOBODY}"),
        stored.patch(f"/v1/webhooks/{NOBODY}", json={}),
        stored.delete(f"/v1/webhooks/{NOBODY}"),
        stored.post(f"/v1/webhooks/{NOBODY}:rotate"),
        stored.post(f"/v1/webhooks/{NOBODY}:test"),
        stored.get(f"/v1/webhooks/{NOBODY}/deliveries"),
        stored.get(f"/v1/webhooks/{NOBODY}/deliveries/{NOBODY}"),
        stored.post(f"/v1/webhooks/{NOBODY}/deliveries/{NOBODY}:resend"),
    ):
        assert code_of(call, 404) == "unknown-webhook"
    assert code_of(stored.get(f"{path}/deliveries/{NOBODY}"), 404) == "unknown-delivery"
    assert code_of(stored.post(f"{path}/deliveries/{NOBODY}:resend"), 404) == "unknown-delivery"


def test_deleted_nothing_is_left(stored: CheckedClient, redis_client: redis.Redis) -> None:
    hook = made(stored)
    stored.post(f"{path_of(hook)}:test")
    assert stored.delete(path_of(hook)).status_code == 204
    assert [key for key in redis_client.scan_iter() if b"webhooks" in key and b"{t" in key] == []


class TestOwners:
    @pytest.fixture
    def keyed(self, redis_url: str) -> CheckedClient:
        keys = (ApiKey.of("root", ADMIN), ApiKey.of("reader", READER, scopes=("read", "submit", "direct")))
        return checked_client(create_app(Settings(redis_url=redis_url, api_keys=keys)))

    def call(self, client: CheckedClient, key: str, method: str, path: str, **options: Any) -> Any:
        return client.open(path, method=method, headers={"Authorization": f"Bearer {key}"}, **options)

    def test_it_takes_an_admin(self, keyed: CheckedClient) -> None:
        paths = [
            (operation.method, operation.path.format(webhook_id=NOBODY, delivery_id=NOBODY))
            for operation in load_document().operations()
            if operation.path.startswith("/v1/webhooks")
        ]
        assert len(paths) == 10
        for method, path in paths:
            assert code_of(self.call(keyed, READER, method.upper(), path, json={}), 403) == "forbidden"

    def test_tenants_are_apart(self, keyed: CheckedClient, redis_client: redis.Redis) -> None:
        wanted = {"name": OTHER, "tenant": "graz"}
        other = self.call(keyed, ADMIN, "POST", "/v1/keys", json=wanted).get_json()["key"]
        body = {"url": URL, "events": ["hand.scored"]}
        own = self.call(keyed, ADMIN, "POST", "/v1/webhooks", json=body).get_json()
        theirs = self.call(keyed, other, "POST", "/v1/webhooks", json=body).get_json()
        for key, hook in ((ADMIN, theirs), (other, own)):
            path = path_of(hook)
            assert code_of(self.call(keyed, key, "GET", path), 404) == "unknown-webhook"
            assert code_of(self.call(keyed, key, "DELETE", path), 404) == "unknown-webhook"
            assert code_of(self.call(keyed, key, "POST", f"{path}:test"), 404) == "unknown-webhook"
            assert len(self.call(keyed, key, "GET", "/v1/webhooks").get_json()["webhooks"]) == 1
        empty_tenant(redis_client, "graz")
        assert self.call(keyed, other, "GET", "/v1/webhooks").get_json()["webhooks"] == []
        assert Webhooks(redis_client).tenants() == ["default"]


class TestDocument:
    """The numbers that the document promises."""

    def test_limits(self) -> None:
        schemas = load_document().raw["components"]["schemas"]
        url, events = schemas["WebhookUrl"], schemas["WebhookEvents"]
        assert url["maxLength"] == MAX_URL
        assert (events["items"]["enum"], events["maxItems"]) == (list(EVENTS), len(EVENTS))
        assert schemas["WebhookDescription"]["maxLength"] == MAX_DESCRIPTION
        assert (
            schemas["SecretRotation"]["properties"]["old_valid_seconds"]["maximum"] == MAX_OLD_SECRET_SECONDS
        )
        assert schemas["Delivery"]["properties"]["state"]["enum"] == list(STATES)

    def test_prose(self) -> None:
        paths = load_document().raw["paths"]
        made, rotated = (
            " ".join(paths[path]["post"]["description"].split())
            for path in ("/v1/webhooks", "/v1/webhooks/{webhook_id}:rotate")
        )
        assert f"at most {MAX_WEBHOOKS} webhooks" in made
        assert f"within {PACE.timeout:.0f} seconds" in made
        assert "5 and 30 seconds, 2, 10 and 30 minutes, 1, 2, 4, 8 and 8 hours" in made
        assert [*PACE.delays] == [5, 30, 120, 600, 1800, 3600, 7200, 14400, 28800, 28800]
        assert f"Up to {MOST_WAITING:,} messages wait" in made
        assert OLD_SECRET_SECONDS == 86_400
        assert "a day unless given, seven at most" in rotated
        assert MAX_OLD_SECRET_SECONDS == 7 * 86_400
        assert MAX_SECRETS == 5
        assert "At most five secrets" in rotated
        listed = " ".join(paths["/v1/webhooks/{webhook_id}/deliveries"]["get"]["description"].split())
        assert f"the last {MOST_KEPT:,} are kept, until there was none for {KEPT_DAYS} days" in listed
