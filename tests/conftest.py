"""Fixtures that every folder of tests may use. Each xdist process has servers of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from hypothesis import HealthCheck, settings

from tests.support.processes import RedisServer, RunningService

# How fast examples are made is a matter of the machine, and no fault of what is tested.
settings.register_profile("trull", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("trull")


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """A real Redis for the whole session. Use `redis_url` for an empty one; do not stop this one."""
    with RedisServer(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def redis_url(redis_server: RedisServer) -> str:
    """The address of a real and empty Redis."""
    with redis_server.client() as client:
        client.flushall()
        client.script_flush()
    return redis_server.url


@pytest.fixture
def redis_client(redis_server: RedisServer, redis_url: str) -> Iterator[redis.Redis]:
    """A client of a real and empty Redis; answers bytes."""
    with redis_server.client() as client:
        yield client


@pytest.fixture
def spare_redis(tmp_path: Path) -> Iterator[RedisServer]:
    """A real Redis for one test alone, which may stop, kill and start it again."""
    with RedisServer(tmp_path) as server:
        yield server


@pytest.fixture(scope="session")
def running_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """Redis, gunicorn, a worker and the sweeper for the whole session; tests take hand ids of their own."""
    with RunningService(tmp_path_factory.mktemp("service")) as service:
        yield service
