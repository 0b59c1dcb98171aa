"""`trull keys` as a command, against a real Redis."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import redis

from records.keys import Keys
from records.scopes import SCOPES
from tests.support.processes import ROOT, RedisServer


def keys(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cli", "keys", *arguments]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=60)


def listed(url: str, *arguments: str) -> list[dict[str, Any]]:
    lines = keys("list", "--json", *arguments, TRULL_REDIS_URL=url).stdout.splitlines()
    return [json.loads(line) for line in lines]


def test_a_key_from_its_making_to_its_end(redis_url: str, redis_client: redis.Redis) -> None:
    made = keys("make", "table-3", "--scopes", "read,submit", "--tenant", "graz", TRULL_REDIS_URL=redis_url)
    assert made.returncode == 0, made.stderr
    key = made.stdout.removesuffix("\n")
    found = Keys(redis_client).find(key)
    assert found is not None
    assert (found.name, found.tenant, found.scopes) == ("table-3", "graz", frozenset(("read", "submit")))
    assert found.key_id in made.stderr
    player = keys("make", "anna", "--player", "Anna", TRULL_REDIS_URL=redis_url)
    keys("make", "all", TRULL_REDIS_URL=redis_url)
    rows = {row["name"]: row for row in listed(redis_url)}
    assert [row["scopes"] for row in rows.values()] == ["submit+read", "submit+read", "+".join(SCOPES)]
    assert rows["anna"]["player"] == "Anna"
    assert [row["name"] for row in listed(redis_url, "--tenant", "graz")] == ["table-3"]
    table = keys("list", TRULL_REDIS_URL=redis_url).stdout
    assert [line.split()[1] for line in table.splitlines()] == ["name", *rows]
    assert player.stdout.strip().rpartition("_")[2] not in table
    revoked = keys("revoke", found.key_id, TRULL_REDIS_URL=redis_url)
    assert revoked.returncode == 0
    assert Keys(redis_client).find(key) is None
    assert listed(redis_url, "--tenant", "graz")[0]["revoked"] is not None


def test_the_sandbox(redis_url: str, redis_client: redis.Redis) -> None:
    key = keys("sandbox", TRULL_REDIS_URL=redis_url).stdout.strip()
    found = Keys(redis_client).find(key)
    assert found is not None
    assert found.tenant == "sandbox"
    assert "admin" not in found.scopes
    assert not Keys(redis_client).are_set()
    redis_client.set("{t00}:hand:sandbox:h", b"x")
    emptied = keys("sandbox", "--empty", TRULL_REDIS_URL=redis_url)
    assert (emptied.returncode, emptied.stdout) == (0, "")
    assert not redis_client.exists("{t00}:hand:sandbox:h")
    assert Keys(redis_client).find(key) is not None


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("make", "Table 3"), "'Table 3' is no name"),
        (("make", "k", "--scopes", "read,all"), "scopes are submit, read"),
        (("make", "k", "--tenant", "a:b"), "'a:b' is no name"),
        (("make", "k", "--player", " Anna"), "A player key"),
        (("revoke", "aaaaaaaaaaaa"), "no key has the id 'aaaaaaaaaaaa'"),
        ((), "ACTION"),
    ],
)
def test_what_cannot_be_done(redis_url: str, arguments: tuple[str, ...], says: str) -> None:
    done = keys(*arguments, TRULL_REDIS_URL=redis_url)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stdout == ""


def test_a_store_that_cannot_be_reached(tmp_path: Path) -> None:
    for env, says in (
        ({"TRULL_DATA_DIR": str(tmp_path)}, "has no Redis of `make run`"),
        ({"TRULL_REDIS_URL": "redis://:hush-hush@127.0.0.1:1/0"}, "does Trull run?"),
        ({"TRULL_REDIS_URL": "http://:hush-hush@h"}, "no address of a Redis"),
    ):
        done = keys("list", **env)
        assert done.returncode == 2
        assert says in done.stderr
        assert "hush-hush" not in done.stderr


def test_the_store_of_make_run_is_found(spare_redis: RedisServer) -> None:
    access = {"port": spare_redis.access.port, "password": spare_redis.access.password}
    (spare_redis.folder / "redis-access.json").write_text(json.dumps(access))
    done = keys("make", "club", TRULL_DATA_DIR=str(spare_redis.folder))
    assert done.returncode == 0, done.stderr
    with spare_redis.client() as client:
        assert Keys(client).are_set()
