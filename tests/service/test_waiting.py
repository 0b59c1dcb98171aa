"""What is told to one who waits; `tests/e2e/test_make_run.py` waits for real."""

from __future__ import annotations

import pytest

from service.waiting import without_secrets


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://club:hush@db.example:6380/0", "db.example:6380"),
        ("rediss://:hush@db.example/0?ssl_keyfile=hush", "db.example:6379"),
        ("redis://[::1]:7000/hush", "[::1]:7000"),
        ("unix://hush:hush@/run/redis.sock?db=1", "/run/redis.sock"),
    ],
)
def test_which_redis_is_meant(url: str, shown: str) -> None:
    assert without_secrets(url) == shown
