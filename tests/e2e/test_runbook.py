"""What docs/operations.md says of backups and of moving, done with real servers."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from records.hands import Hands
from records.log import Stream
from records.redis_log import RedisLog
from records.stored_hands import KIND
from tests.support.hand_records import played
from tests.support.processes import RedisServer, wait_until
from workers.scoring import Scorer

VARIANT = "french-tarot-4"


def store(client: redis.Redis, first: int, count: int) -> None:
    """Hands with their sheets."""
    hands = Hands(client)
    for number in range(first, first + count):
        hands.submit("default", "test", played(VARIANT, number % 7, hand_id=f"h-{number}"), "scored")
    scorer = Scorer(client)
    while sum(scorer.score_some()):
        pass


def kept(client: redis.Redis, count: int) -> list[Any]:
    """All that is stored of these hands, sheets and times too."""
    return RedisLog(client).read_many([Stream(KIND, "default", f"h-{number}") for number in range(count)])


def persistence(client: redis.Redis) -> dict[str, Any]:
    found: Any = client.info("persistence")
    return dict(found)


@pytest.fixture
def old(tmp_path: Path) -> Iterator[RedisServer]:
    (tmp_path / "old").mkdir()
    with RedisServer(tmp_path / "old") as server:
        yield server


@pytest.fixture
def new_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "new"
    folder.mkdir()
    return folder


def test_a_backup_made_while_it_runs_is_restored(old: RedisServer, new_folder: Path) -> None:
    with old.client() as client:
        store(client, 0, 30)
        client.bgrewriteaof()
        wait_until(lambda: not persistence(client)["aof_rewrite_in_progress"], "the rewrite is done")
        store(client, 30, 10)  # appended after the rewrite
        shutil.copytree(old.folder / "redis", new_folder / "redis")
        before = kept(client, 40)
        store(client, 40, 5)  # comes after the backup
    old.kill()
    with RedisServer(new_folder) as new, new.client() as client:
        assert kept(client, 40) == before
        assert all(hand is not None and hand.view is not None for hand in before)
        assert kept(client, 45)[40:] == [None] * 5
        store(client, 40, 5)  # clients send again what came after
        assert None not in kept(client, 45)


def test_another_redis_takes_over(old: RedisServer, new_folder: Path) -> None:
    with RedisServer(new_folder) as new, old.client() as client, new.client() as moved:
        store(client, 0, 30)
        moved.config_set("masterauth", old.access.password)
        moved.replicaof("127.0.0.1", old.access.port)

        def replication(of: redis.Redis) -> dict[str, Any]:
            found: Any = of.info("replication")
            return dict(found)

        wait_until(lambda: replication(moved)["master_link_status"] == "up", "the copy is made")
        store(client, 30, 10)  # while both run
        before = kept(client, 40)
        offset = replication(client)["master_repl_offset"]
        wait_until(lambda: replication(moved)["master_repl_offset"] >= offset, "the rest has come")
        moved.execute_command("REPLICAOF", "NO", "ONE")
        old.stop()
        assert kept(moved, 40) == before
        store(moved, 40, 5)
        assert None not in kept(moved, 45)
