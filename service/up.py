"""What `make run` runs: Redis, the API, workers, courier and sweeper under one supervisor, in the foreground.

This process stands between the terminal and supervisord: it checks what can go wrong beforehand, passes
the logs on, says when the service is ready, and turns Ctrl-C into one orderly stop, Redis last.
"""

import contextlib
import os
import signal
import sys
import threading
import time
from dataclasses import replace
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
from service.supervisor import PROGRAMS_LOCK, Program, start_supervisord, supervisor_config
from service.waiting import Waiting

READY_SECONDS = 60.0
# How long the programs of a run that was killed may take to end by themselves.
_LEFTOVER_SECONDS = 30.0
WAITING = "Waiting for what an earlier run has left behind to end."

# In the place of Redis's own words, a paragraph that sounds as if nothing would work.
_OVERCOMMIT = (
    b"Redis: where memory runs short its file cannot be rewritten; `sysctl vm.overcommit_memory=1` lets it.\n"
)

EXAMPLE = (
    '{"variant": "illustrated-mayr-sedlaczek-2016", "players": ["Anna", "Béla", "Cyril"], "events": '
    '[{"type": "result_reported", "declarer": "Béla", "contract": "zweiblatt", "card_points": 40, '
    '"bonuses": []}]}'
)
_SANDBOX = (
    "A key for trying things out, sent as `-H 'Authorization: Bearer <key>'`. Its hands are apart from the "
    "others, and `{command} keys sandbox --empty` throws them away:"
)
# Binds to all addresses of the machine, each with the one that it has for itself.
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}


class StartError(RuntimeError):
    """The service cannot start; the message says why and what to do."""


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
    while (handle := take_lock(data_dir / PROGRAMS_LOCK)) is None:
        if time.monotonic() > until:
            pid_file = data_dir / "redis.pid"
            redis = f" (its Redis is process {pid_file.read_text().strip()})" if pid_file.exists() else ""
            raise StartError(f"What an earlier run on {data_dir} has started does not end{redis}.")
        if not told:
            _say(WAITING)
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
        self._process = start_supervisord(settings.data_dir, environ)
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
        told = _SANDBOX.format(command=own_command())
        sandbox = f"\n{told}\n{self._sandbox_key()}\n" if is_open else ""
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


def own_command() -> str:
    """The command `trull` of this installation, which is seldom on the path: as it is called from here."""
    command = Path(sys.executable).with_name("trull")
    here = Path.cwd()
    return str(command.relative_to(here) if command.is_relative_to(here) else command)


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
