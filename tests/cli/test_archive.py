"""`trull archive`, as whoever runs the service types it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
import redis

from records.hands import Hands
from records.house_schemas import load_house
from records.variant_store import VariantStore
from tests.cli.command import COMMAND, run
from tests.records.test_archive import evening, everything, listed
from tests.records.test_variant_store import rules
from tests.support.hand_records import result
from tests.support.processes import ROOT, RedisServer
from workers.scoring import Scorer


@pytest.fixture
def store(redis_url: str, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> redis.Redis:
    """A store that the command is told of."""
    monkeypatch.setenv("TRULL_REDIS_URL", redis_url)
    return redis_client


def test_out_and_back(store: redis.Redis, tmp_path: Path) -> None:
    evening(store)
    before = everything(store)
    file = tmp_path / "old.jsonl.gz"
    done = run("archive", "write", file, "--older-than", "0")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == f"{file}: 30 hands, whole and readable\n30 taken out of Redis\n"
    assert listed(store) == []
    done = run("archive", "check", file)
    assert (done.returncode, done.stdout.decode()) == (0, f"{file}: 30 hands, whole and readable\n")
    done = run("archive", "restore", file)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"30 put back\n", b"")
    assert everything(store) == before
    done = run("archive", "restore", file)
    assert (done.returncode, done.stdout) == (0, b"30 there already\n")


def test_what_is_younger_stays_and_keep_takes_nothing(store: redis.Redis, tmp_path: Path) -> None:
    evening(store, 3)
    before = everything(store)
    done = run("archive", "write", tmp_path / "young.gz", "--older-than", "0.01")
    assert (done.returncode, done.stdout.splitlines()) == (
        0,
        [f"{tmp_path / 'young.gz'}: 0 hands, whole and readable".encode()],
    )
    done = run("archive", "write", tmp_path / "kept.gz", "--older-than", "0", "--keep")
    assert done.returncode == 0
    assert b": 3 hands" in done.stdout
    assert everything(store) == before


def test_what_changed_meanwhile_is_named(store: redis.Redis, tmp_path: Path) -> None:
    evening(store, 3)
    file = tmp_path / "a.gz"
    run("archive", "write", file, "--older-than", "0", "--keep")
    [key] = cast(list[bytes], store.keys("*:hand:default:e-1"))
    store.lset(key, 1, "another sheet")
    done = run("archive", "write", file, "--older-than", "0")
    assert done.returncode == 1
    assert done.stderr == b"e-1: left in Redis, where it has changed since\n"
    assert b"going on with what it holds" in done.stdout
    assert b"2 taken out of Redis" in done.stdout
    assert listed(store) == ["e-1"]


def test_house_rules_go_with_their_hands(store: redis.Redis, tmp_path: Path) -> None:
    """Into a store that does not know them; one that has others under the same id takes none of it."""
    houses = VariantStore(store)
    below = rules(id="house-below")
    houses.make("default", "club", below)
    above = load_house({**rules(id="house-above").as_dict(), "base": "house-below"}, houses.of("default"))
    houses.make("default", "club", above)
    hand = result(hand_id="h")
    Hands(store).submit("default", "t", replace(hand, variant=above.variant), "scored")
    while sum(Scorer(store).score_some()):
        pass
    hands = Hands(store, houses.of("default"))
    told, sheet = hands.get("default", "h"), hands.sheet("default", "h")
    file = tmp_path / "a.gz"
    assert run("archive", "write", file, "--older-than", "0").returncode == 0
    store.flushall()
    assert run("archive", "check", file).returncode == 0
    assert run("archive", "restore", file).stdout == b"1 put back\n"
    there = Hands(store, VariantStore(store).of("default"))
    assert (there.get("default", "h"), there.sheet("default", "h")) == (told, sheet)
    store.flushall()
    VariantStore(store).make("default", "club", rules(id="house-below", name="Another"))
    done = run("archive", "restore", file)
    assert done.returncode == 2
    assert b"house-below is in the store with other rules" in done.stderr
    assert listed(store) == []


@pytest.mark.parametrize("after", [0.8, 1.2])
def test_killed_on_the_way_it_goes_on(store: redis.Redis, tmp_path: Path, after: float) -> None:
    evening(store, 150)
    file = tmp_path / "a.gz"
    command = [*COMMAND, "archive", "write", str(file), "--older-than", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) as process:
        time.sleep(after)
        process.send_signal(signal.SIGKILL)
    assert len(listed(store)) == 150 or file.exists(), "nothing leaves before the file is there"
    done = run("archive", "write", file, "--older-than", "0")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"150 hands" in done.stdout
    assert listed(store) == []
    run("archive", "restore", file)
    assert len(listed(store, session_id="evening")) == 150


def test_the_store_of_make_run_is_found(
    spare_redis: RedisServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("TRULL_REDIS_URL", raising=False)
    monkeypatch.setenv("TRULL_DATA_DIR", str(tmp_path))
    access = {"port": spare_redis.access.port, "password": spare_redis.access.password}
    (tmp_path / "redis-access.json").write_text(json.dumps(access))
    with spare_redis.client() as client:
        evening(client, 2)
    done = run("archive", "write", tmp_path / "a.gz", "--older-than", "0")
    assert done.returncode == 0
    assert b"2 taken out of Redis" in done.stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("archive",), "ACTION"),
        (("archive", "write", "x.gz"), "--older-than"),
        (("archive", "write", "x.gz", "--older-than", "-1"), "no number of days"),
        (("archive", "write", "x.gz", "--older-than", "many"), "no number of days"),
        (("archive", "write", "x.gz", "--older-than", "1"), "has no Redis of `make run`"),
        (("archive", "check", "nowhere.gz"), "nowhere.gz: No such file"),
        (("archive", "check", "pyproject.toml"), "pyproject.toml: it cannot be read to its end"),
        (("archive", "restore", "pyproject.toml"), "pyproject.toml: it cannot be read to its end"),
    ],
    ids=str,
)
def test_what_cannot_be_done(monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], says: str) -> None:
    monkeypatch.delenv("TRULL_REDIS_URL", raising=False)
    monkeypatch.setenv("TRULL_DATA_DIR", os.devnull)
    done = run(*words)
    assert done.returncode == 2
    assert done.stdout == b""
    assert says in done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_an_address_that_is_none_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slash in the password ends the host too early, and what is before it is taken for the port."""
    monkeypatch.setenv("TRULL_REDIS_URL", "redis://:hush-hush/x@127.0.0.1:1/0")
    done = run("archive", "write", "x.gz", "--older-than", "1")
    assert done.returncode == 2
    assert b"TRULL_REDIS_URL is no address of a Redis" in done.stderr
    assert b"hush" not in done.stderr


def test_a_store_that_is_away(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TRULL_REDIS_URL", "redis://127.0.0.1:1/0")
    done = run("archive", "write", tmp_path / "a.gz", "--older-than", "1")
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert not (tmp_path / "a.gz").exists()
