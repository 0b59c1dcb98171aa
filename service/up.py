"""What `make run` runs: Redis, the API, workers, courier and sweeper under one supervisor, in the foreground.

This process stands between the terminal and supervisord: it checks what can go wrong beforehand, passes
the logs on, says when the service is ready, and turns Ctrl-C into one orderly stop, Redis last.
"""

import contextlib
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import IO

from records.keys import Keys
from records.log import StoreUnavailable
from records.redis_client import connect
from records.scopes import SANDBOX, SCOPES
from service import aof, engine
from service.config import NO_STORED_KEYS, Settings
from service.config_error import ConfigError
from service.engine import EngineError
from service.launch import take_lock
from service.run_redis import STARTED
from service.waiting import Waiting

READY_SECONDS = 60.0
# How long the programs of a run that was killed may take to end by themselves.
_LEFTOVER_SECONDS = 30.0
# Seconds until kill -9. Gunicorn's own patience is 15 s; a worker finishes the job in hand.
_STOP_SECONDS = {"api": 20, "sweeper": 20, "courier": 30, "worker": 60, "redis": 60}
# Held by every program that runs on the data folder.
_PROGRAMS_LOCK = "programs.lock"
# Supervisor waits a second longer after each start that came to nothing. On a full disk Redis ends at its
# first write: after an hour of that it would stay away for minutes when there is room. It paces itself.
_STARTED = {"redis": {"startsecs": "0"}}
# Supervisor starts the lowest first and stops it last, one group after another.
_PRIORITY = {"redis": 10, "worker": 20, "courier": 20, "sweeper": 30, "api": 40}

# In the place of Redis's own words, a paragraph that sounds as if nothing would work.
_OVERCOMMIT = (
    b"Redis: where memory runs short its file cannot be rewritten; `sysctl vm.overcommit_memory=1` lets it.\n"
)

EXAMPLE = (
    '{"variant": "illustrated-mayr-sedlaczek-2016", "players": ["Anna", "Béla", "Cyril"], "events": '
    '[{"type": "result_reported", "declarer": "Béla", "contract": "zweiblatt", "card_points": 40, '
    '"bonuses": [], "contra": {"level": "none"}}]}'
)
_SANDBOX = (
    "A key for trying things out, sent as `-H 'Authorization: Bearer <key>'`. Its hands are apart from the "
    "others, and `trull keys sandbox --empty` throws them away:"
)
# Binds to all addresses of the machine, each with the one that it has for itself.
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}


class StartError(RuntimeError):
    """The service cannot start; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Program:
    """One program for supervisord."""

    name: str
    command: list[str]
    copies: int = 1


def main() -> int:
    """Run until told to stop. Answers the exit code."""
    try:
        settings = Settings.from_env()
        return run(settings)
    except (ConfigError, EngineError, StartError) as error:
        print(f"trull cannot start: {error}", file=sys.stderr)
        return 1


def run(settings: Settings) -> int:
    """Start all in this data folder, and wait for the end."""
    data_dir = settings.data_dir
    os.umask(0o077)  # what any of the programs writes is for the owner alone
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = take_lock(data_dir / "up.lock")
    except OSError as error:
        raise StartError(f"TRULL_DATA_DIR: {data_dir} cannot be used: {error.strerror}.") from error
    if lock is None:
        raise StartError(f"Trull runs on {data_dir} already; another one needs another TRULL_DATA_DIR.")
    _await_leftovers(data_dir)
    if not engine.is_free(settings.host, settings.port):
        raise StartError(f"{settings.bind} is in use; choose another address with TRULL_BIND.")
    redis_url, programs = _programs(settings)
    (data_dir / "supervisord.conf").write_text(supervisor_config(programs))
    return _Run(settings, redis_url).wait()


def _await_leftovers(data_dir: Path) -> None:
    """Wait for the programs of a killed run, which end by themselves.

    Two Redis on the same files would spoil them, and the old API may still have the address.
    """
    until = time.monotonic() + _LEFTOVER_SECONDS
    told = False
    while (handle := take_lock(data_dir / _PROGRAMS_LOCK)) is None:
        if time.monotonic() > until:
            pid_file = data_dir / "redis.pid"
            redis = f" (its Redis is process {pid_file.read_text().strip()})" if pid_file.exists() else ""
            raise StartError(f"What an earlier run on {data_dir} has started does not end{redis}.")
        if not told:
            _say("Waiting for what an earlier run has left behind to end.")
            told = True
        time.sleep(0.1)
    os.close(handle)


def _programs(settings: Settings) -> tuple[str, list[Program]]:
    """The address of Redis, and what is to be run; prepares the engine if it is to be ours."""
    python = [sys.executable, "-P", "-m"]
    programs = [
        Program("worker", [*python, "workers.run"], settings.workers),
        Program("courier", [*python, "workers.deliver"]),
        Program("sweeper", [*python, "workers.sweep"]),
        Program(
            "api", [*python, "gunicorn", "-c", "python:service.gunicorn_conf", "service.app:create_app()"]
        ),
    ]
    if settings.redis_url:
        return settings.redis_url, programs
    found = engine.find_engine(settings.data_dir)
    if (mended := aof.make_ready(found.path, settings.data_dir)) is not None:
        _say(mended)
    access = engine.access(settings.data_dir)
    config = engine.write_config(settings.data_dir, access)
    engine.mark_data(settings.data_dir, found.version)
    print(
        f"Redis {found.version} ({found.path}) on port {access.port}, data in {settings.data_dir}", flush=True
    )
    (settings.data_dir / STARTED).unlink(missing_ok=True)
    command = [*python, "service.run_redis", str(found.path), config.name]
    return access.url, [Program("redis", command), *programs]


def supervisor_config(programs: Iterable[Program]) -> str:
    """The text of supervisord.conf. Paths in it are relative to the data folder, where supervisord runs."""
    sections = {"supervisord": _supervisord_section()}
    for program in programs:
        command = [sys.executable, "-P", "-m", "service.launch", "--lock", _PROGRAMS_LOCK]
        sections[f"program:{program.name}"] = {
            "command": " ".join(_quoted(word) for word in [*command, *program.command]),
            "process_name": "%(program_name)s-%(process_num)d",
            "numprocs": str(program.copies),
            "priority": str(_PRIORITY[program.name]),
            "autorestart": "true",
            # An RQ worker ends when its Redis is away, and may have to be started often until it is back.
            "startretries": "1000000",
            **_STARTED.get(program.name, {}),
            "stopwaitsecs": str(_STOP_SECONDS[program.name]),
            "killasgroup": "true",
            "redirect_stderr": "true",
            # Straight on to supervisord's own output, unbuffered and without files to rotate.
            "stdout_logfile": "/dev/fd/1",
            "stdout_logfile_maxbytes": "0",
        }
    return "\n".join(
        f"[{name}]\n" + "".join(f"{key} = {value}\n" for key, value in section.items())
        for name, section in sections.items()
    )


def _supervisord_section() -> dict[str, str]:
    section = {
        "nodaemon": "true",
        "logfile": "/dev/null",  # in the foreground it tells the terminal all the same
        "logfile_maxbytes": "0",
        "loglevel": "warn",
        "pidfile": "supervisord.pid",
        "nocleanup": "true",  # no tidying of log files in /tmp, which it never makes here
    }
    if os.geteuid() == 0:
        section["user"] = "root"  # said outright, it is not warned of
    return section


def _quoted(word: str) -> str:
    """A word of a command as supervisord reads it: a shell's quotes, % doubled, and no comment begun."""
    return shlex.quote(word).replace("%", "%%").replace(" ;", " '';").replace(" #", " ''#")


class _Run:
    """A supervisord that runs."""

    def __init__(self, settings: Settings, redis_url: str) -> None:
        self._settings = settings
        self._keys = Keys(connect(redis_url))
        self._stopping = False
        environ = os.environ | {
            # The addresses hold passwords, so they travel in the environment and not in a file.
            "TRULL_REDIS_URL": redis_url,
            "TRULL_DATA_DIR": str(settings.data_dir),
            "PYTHONUNBUFFERED": "1",
        }
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)
        self._process = _start_supervisord(settings.data_dir, environ)
        assert self._process.stdout is not None
        self._pump = threading.Thread(target=_pass_on, args=(self._process.stdout,))
        self._pump.start()

    def wait(self) -> int:
        """Announce the service when it is ready, and wait for the end of it."""
        ready = self._await_ready()
        if not ready and self._lacks_keys():
            _say(f"trull cannot start: {NO_STORED_KEYS}")
            self._process.terminate()
        elif ready and not self._stopping:
            _say(self._welcome())
        elif not self._stopping and self._process.poll() is None:
            _say(f"trull was not ready within {READY_SECONDS:.0f} seconds; stopping.")
            self._process.terminate()
        self._process.wait()
        self._pump.join()
        if self._stopping:
            _say("Stopped.")
            return 0
        _say("trull ended by itself; the log above says why.")
        return 1

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        if not self._stopping:
            self._stopping = True
            _say("\nStopping: requests and jobs in hand are finished first.")
        self._process.terminate()

    def _await_ready(self) -> bool:
        own = local(self._settings)
        waiting = Waiting(own.host, own.port, self._settings.redis_url, _say)
        until = time.monotonic() + READY_SECONDS
        while self._process.poll() is None and not self._stopping and time.monotonic() < until:
            if waiting.is_over():
                return True
            if self._lacks_keys():
                return False
            time.sleep(0.1)
        return False

    def _lacks_keys(self) -> bool:
        """Whether the API refuses to serve for want of any key."""
        try:
            return self._settings.stored_keys_only and not self._keys.are_set()
        except StoreUnavailable:
            return False

    def _welcome(self) -> str:
        is_open = self._settings.is_open and not self._keys.are_set()
        key = "" if is_open else " -H 'Authorization: Bearer YOUR-KEY'"
        url = f"http://{local(self._settings).bind}"
        sandbox = f"\n{_SANDBOX}\n{self._sandbox_key()}\n" if is_open else ""
        return (
            f"\n{ready_line(self._settings)}\n"
            "Post a hand and read its score:\n\n"
            f"curl -s '{url}/v1/hands' -H 'Content-Type: application/json' -H 'Prefer: wait=5'{key} "
            f"-d '{EXAMPLE}'\n{sandbox}"
        )

    def _sandbox_key(self) -> str:
        """The key for trying things out, the same at each start. It is for this machine alone."""
        kept = self._settings.data_dir / "sandbox-key"
        with contextlib.suppress(OSError):
            key = kept.read_text().strip()
            if self._keys.find(key) is not None:
                return key
        scopes = [scope for scope in SCOPES if scope != "admin"]
        _, key = self._keys.make("sandbox", SANDBOX, scopes, None, "make-run")
        kept.touch(mode=0o600)
        kept.write_text(f"{key}\n")
        return key


def local(settings: Settings) -> Settings:
    """The settings with the address by which a program on this machine reaches the service."""
    return replace(settings, host=_EVERYWHERE.get(settings.host, settings.host))


def ready_line(settings: Settings) -> str:
    """Where the service is, for who started it."""
    url = f"http://{local(settings).bind}"
    line = f"Trull is ready: {url} (documentation at {url}/docs)."
    if settings.host in _EVERYWHERE:
        line += f" Other machines call it by the name or address of this one, at port {settings.port}."
    return f"{line} Ctrl-C stops it."


def _start_supervisord(data_dir: Path, environ: Mapping[str, str]) -> subprocess.Popen[bytes]:
    supervisord = [sys.executable, "-P", "-m", "supervisor.supervisord", "-c", "supervisord.conf"]
    return subprocess.Popen(
        # Through launch, so that it stops when this process is killed.
        [sys.executable, "-P", "-m", "service.launch", "--lock", _PROGRAMS_LOCK, *supervisord],
        cwd=data_dir,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        # Ctrl-C in the terminal reaches the whole foreground group; only this process is to have it.
        start_new_session=True,
    )


def _pass_on(logs: IO[bytes]) -> None:
    """Copy the logs to the terminal; when nobody reads there any more, keep the programs from blocking."""
    with logs:
        for line in logs:
            _write(_OVERCOMMIT if b"overcommit_memory" in line else line)


def _say(text: str) -> None:
    _write(f"{text}\n".encode())


def _write(line: bytes) -> None:
    """Straight to the terminal, also from a signal handler; one that is closed is no reason to fail."""
    with contextlib.suppress(OSError):
        os.write(1, line)


if __name__ == "__main__":
    sys.exit(main())
