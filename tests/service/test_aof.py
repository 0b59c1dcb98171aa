"""A file that was cut off is told from one that is damaged, whichever byte it is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import redis

from records.log import Append, Stream
from records.redis_keys import shard_of
from records.redis_log import RedisLog
from service import aof
from service.engine import EngineError, find_engine
from service.launch import take_lock
from tests.support.processes import ROOT, RedisServer

HANDS = 30
FILE = Path("redis", "appendonly.aof")


def append(client: redis.Redis, number: int) -> None:
    log = RedisLog(client)
    lists = (("player", "Anna"), ("session", f"s{number}"))
    log.append(Stream("hand", "default", f"h{number}"), 0, Append(os.urandom(200), 1, b"ab", True, lists))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, int]:
    """What Redis wrote for some hands, and where the last of them begins."""
    folder = tmp_path_factory.mktemp("written")
    with RedisServer(folder) as server, server.client() as client:
        if not (folder / FILE).exists():
            pytest.skip("this Redis keeps its append-only file in a folder of several")
        for number in range(HANDS - 1):
            append(client, number)
        before = (folder / FILE).stat().st_size
        append(client, HANDS - 1)
    return (folder / FILE).read_bytes(), before


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "redis").mkdir()
    return tmp_path


@pytest.fixture(scope="module")
def program() -> Path:
    return find_engine(Path("nowhere")).path


def lenient_redis(folder: Path) -> RedisServer:
    """A Redis that reads torn files, as it does unless it is told not to."""
    server = RedisServer(folder)
    config = folder / "redis.conf"
    config.write_text(config.read_text().replace("aof-load-truncated no", "aof-load-truncated yes"))
    return server


def hands_after_a_start(folder: Path) -> int:
    with RedisServer(folder) as server, server.client() as client:
        log = RedisLog(client)
        return sum(log.read(Stream("hand", "default", f"h{number}")) is not None for number in range(HANDS))


def test_a_whole_file_and_none_are_no_damage(program: Path, data: Path, written: tuple[bytes, int]) -> None:
    assert aof.find_fault(program, data) is None
    (data / FILE).write_bytes(b"")
    assert aof.find_fault(program, data) is None
    (data / FILE).write_bytes(written[0])
    assert aof.find_fault(program, data) is None
    assert "nothing was done" in aof.repair(program, data)
    assert (data / FILE).read_bytes() == written[0]


def test_a_last_append_that_was_cut_off_anywhere_is_torn(
    program: Path, data: Path, written: tuple[bytes, int]
) -> None:
    whole, last = written
    for end in (
        *range(last, last + 40),
        *range(last + 40, len(whole), 23),
        *range(len(whole) - 20, len(whole)),
    ):
        (data / FILE).write_bytes(whole[:end])
        mended = aof.make_ready(program, data)
        assert (mended is None) == (end == last), f"cut off at {end} of {len(whole)}"
        assert (data / FILE).read_bytes() == whole[:last]
    assert hands_after_a_start(data) == HANDS - 1


@pytest.mark.parametrize("where", ["first", "middle", "last but one"])
@pytest.mark.parametrize(
    ("sound", "broken"),
    [
        (b"$5\r\nRPUSH", b"$9\r\nRPUSH"),
        (b"$5\r\nRPUSH", b"$99999999\r\nRPUSH"),
        (b"$5\r\nRPUSH", b"\x005\r\nRPUSH"),
        (b"*1\r\n$5\r\nMULTI", b"*9\r\n$5\r\nMULTI"),
        (b"*1\r\n$4\r\nexec", b"*1\r\n$4\r\nexex"),
        (b"*1\r\n$4\r\nexec\r\n", bytes(14)),
        (b"\r\n*1\r\n$4\r\nexec", b""),
    ],
    ids=["length", "long length", "mark", "count", "exec", "zeros", "a hole"],
)
def test_damage_before_the_last_append_is_no_tear(
    program: Path, data: Path, written: tuple[bytes, int], where: str, sound: bytes, broken: bytes
) -> None:
    whole, last = written
    assert sound in whole or sound.upper() in whole
    sound = sound if sound in whole else sound.upper()
    starts = [at for at in range(last) if whole.startswith(sound, at)]
    at = {"first": starts[0], "middle": starts[len(starts) // 2], "last but one": starts[-1]}[where]
    (data / FILE).write_bytes(whole[:at] + broken + whole[at + len(sound) :])
    damage = aof.find_fault(program, data)
    assert damage is not None
    assert not damage.torn
    assert damage.sound <= at < damage.size
    assert damage.appends >= 1, "the last one follows"
    with pytest.raises(aof.DamagedData, match=rf"at byte {damage.sound} of.*make repair"):
        aof.make_ready(program, data)


def test_what_redis_by_itself_would_make_of_a_torn_append(
    program: Path, data: Path, written: tuple[bytes, int]
) -> None:
    """Why it is cut off before: Redis leaves the first half in its file, and at the next start it is done."""
    whole, last = written
    # In the command that adds the hand's id to those of its shard; the hand itself comes before it.
    within = whole.index(b"RPUSH", whole.index(b"RPUSH", last) + 5)
    (data / FILE).write_bytes(whole[:within])
    half = Stream("hand", "default", f"h{HANDS - 1}")
    for number, time in enumerate(("first", "second")):
        with lenient_redis(data) as server, server.client() as client:
            ids = client.lrange(f"{{t{shard_of(half):02}}}:hands:default", 0, -1)
            assert half.id.encode() not in ids
            assert (RedisLog(client).read(half) is not None) == (time == "second")
            append(client, HANDS + number)


def test_what_redis_by_itself_would_make_of_a_wrong_length(data: Path, written: tuple[bytes, int]) -> None:
    """Why there is a check: it starts, with half of the hands, and all the others are gone from its file."""
    whole, _ = written
    at = whole.index(b"$5\r\nRPUSH", len(whole) // 2)
    (data / FILE).write_bytes(whole[:at] + b"$99999999" + whole[at + 2 :])
    with lenient_redis(data) as server, server.client() as client:
        log = RedisLog(client)
        kept = sum(log.read(Stream("hand", "default", f"h{number}")) is not None for number in range(HANDS))
    assert 0 < kept < HANDS
    assert (data / FILE).stat().st_size <= at


class TestRepair:
    """By the command that the refusal names."""

    @staticmethod
    def run(data: Path) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, "TRULL_DATA_DIR": str(data)}
        command = [sys.executable, "-m", "service.repair"]
        return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)

    def test_the_file_is_cut_off_and_kept_as_it_was(
        self, program: Path, data: Path, written: tuple[bytes, int]
    ) -> None:
        whole, last = written
        at = whole.rindex(b"$5\r\nRPUSH", 0, last)
        broken = whole[:at] + b"$7" + whole[at + 2 :]
        (data / FILE).write_bytes(broken)
        done = self.run(data)
        assert (done.returncode, done.stderr) == (0, "")
        assert "(1)" in done.stdout, "the append after the damaged one"
        copies = list((data / "redis").glob("*.damaged-*"))
        assert [copy.read_bytes() for copy in copies] == [broken]
        assert aof.find_fault(program, data) is None
        assert hands_after_a_start(data) == HANDS - 2

    def test_what_cannot_be_mended_is_left_alone(self, data: Path, written: tuple[bytes, int]) -> None:
        (data / FILE).write_bytes(b"?" + written[0])
        done = self.run(data)
        assert done.returncode == 1
        assert "put back a backup" in done.stderr
        assert (data / FILE).read_bytes() == b"?" + written[0]

    def test_not_while_trull_runs_on_the_data(self, data: Path, written: tuple[bytes, int]) -> None:
        (data / FILE).write_bytes(written[0])
        handle = take_lock(data / "programs.lock", shared=True)
        assert handle is not None
        done = self.run(data)
        os.close(handle)
        assert done.returncode == 1
        assert "stop it first" in done.stderr


def test_data_rewritten_by_redis_is_checked_to_its_checksum(program: Path, tmp_path: Path) -> None:
    with RedisServer(tmp_path) as server, server.client() as client:
        for number in range(HANDS):
            append(client, number)
        client.bgrewriteaof()
        while client.info("persistence")["aof_rewrite_in_progress"]:
            pass
        append(client, HANDS)
    assert aof.find_fault(program, tmp_path) is None
    file = tmp_path / FILE
    whole = file.read_bytes()
    assert whole.startswith(b"REDIS")
    middle = whole.index(b"MULTI") // 2
    file.write_bytes(whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :])
    with pytest.raises(EngineError, match="damaged at byte 0"):
        aof.make_ready(program, tmp_path)
