"""Readiness: what is needed, and what is only to be known."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
import rq

from service.app import create_app
from service.config import Settings
from tests.service.clients import CheckedClient, code_of
from tests.service.conftest import checked_client
from tests.support.hand_records import result
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


def _reasons(client: CheckedClient) -> dict[str, str]:
    response = client.get("/readyz")
    assert code_of(response, 503) == "store-unavailable"
    problem = response.get_json(force=True)
    assert problem["detail"] == " ".join(fault["detail"] for fault in problem["errors"])
    return {fault["check"]: fault["detail"] for fault in problem["errors"]}


def test_it_says_why_redis_is_of_no_use(spare_redis: RedisServer) -> None:
    client = checked_client(create_app(Settings(redis_url=spare_redis.url)))
    wrong = checked_client(create_app(Settings(redis_url=spare_redis.url.replace("test-", "no-"))))
    assert _reasons(wrong)["redis"] == "Redis refuses the password of TRULL_REDIS_URL."
    with spare_redis.client() as connection:
        connection.client_pause(3_000)
        assert _reasons(client)["redis"] == "Redis does not answer in time."
    spare_redis.kill()
    assert _reasons(client)["redis"] == "Redis cannot be reached."


@pytest.mark.parametrize(
    ("free", "check", "warnings"), [(999_999, "disk", 0), (1_000_000, None, 1), (256_000_000, None, 0)]
)
def test_the_disk_of_our_own_redis(
    spare_redis: RedisServer, monkeypatch: pytest.MonkeyPatch, free: int, check: str | None, warnings: int
) -> None:
    """The size alone is made up; `tests/faults/test_full_disk.py` fills one."""
    monkeypatch.setattr("service.health.shutil.disk_usage", lambda _: SimpleNamespace(free=free))
    settings = Settings(redis_url=spare_redis.url, data_dir=spare_redis.folder)
    client = checked_client(create_app(settings))
    with spare_redis.client() as connection:
        rq.Worker(["trull"], connection=connection, worker_ttl=20).register_birth()  # type: ignore[no-untyped-call]  # RQ leaves it untyped
    assert client.get("/readyz").get_json() == {"status": "ready", "warnings": []}, "somebody else's disk"
    access = {"port": spare_redis.access.port, "password": spare_redis.access.password}
    (spare_redis.folder / "redis-access.json").write_text(json.dumps(access))
    if check:
        assert list(_reasons(client)) == [check]
    else:
        assert len(client.get("/readyz").get_json()["warnings"]) == warnings


def test_a_queue_of_its_own_that_is_away(redis_url: str) -> None:
    """Hands are taken all the same; but without it none gets its sheet."""
    client = checked_client(create_app(Settings(redis_url=redis_url, queue_url="redis://127.0.0.1:1/0")))
    reasons = _reasons(client)
    assert set(reasons) == {"queue"}
    assert "Redis cannot be reached." in reasons["queue"]
    assert client.post("/v1/hands", json=result().as_dict()).status_code == 202


def test_a_queue_with_another_password(redis_url: str, redis_server: RedisServer) -> None:
    wrong = redis_server.url.replace("test-", "no-")
    client = checked_client(create_app(Settings(redis_url=redis_url, queue_url=wrong)))
    assert "password of TRULL_QUEUE_URL" in _reasons(client)["queue"]
