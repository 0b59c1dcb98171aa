"""Readiness: what is needed, and what is only to be known."""

from __future__ import annotations

import rq

from service.app import create_app
from service.config import Settings
from tests.service.clients import CheckedClient, code_of
from tests.service.conftest import checked_client
from tests.support.processes import RedisServer


def test_without_workers_it_is_not_ready(stored: CheckedClient) -> None:
    response = stored.get("/readyz")
    assert code_of(response, 503) == "store-unavailable"
    assert [fault["check"] for fault in response.get_json(force=True)["errors"]] == ["workers"]


def test_without_append_only_file_it_is_ready_and_warns(spare_redis: RedisServer) -> None:
    client = checked_client(create_app(Settings(redis_url=spare_redis.url)))
    with spare_redis.client() as connection:
        rq.Worker(["trull"], connection=connection, worker_ttl=20).register_birth()  # type: ignore[no-untyped-call]  # RQ leaves it untyped
        assert client.get("/readyz").get_json() == {"status": "ready", "warnings": []}
        connection.config_set("appendonly", "no")
        [warning] = client.get("/readyz").get_json()["warnings"]
        assert "append-only" in warning


def test_without_redis_it_is_not_ready(client: CheckedClient) -> None:
    response = client.get("/readyz")
    assert code_of(response, 503) == "store-unavailable"
    assert [fault["check"] for fault in response.get_json(force=True)["errors"]] == ["redis"]
    assert client.get("/healthz").get_json() == {"status": "ok"}
