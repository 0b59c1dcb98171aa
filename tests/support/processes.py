"""Starting and stopping the real programs that the tests talk to."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.engine import Access, Engine, find_engine, free_port, write_config

ROOT = Path(__file__).parents[2]
_PATIENCE = 20.0


def wait_until(ready: Callable[[], bool], what: str, seconds: float = _PATIENCE) -> None:
    """Poll until `ready`; fails with `what` after the time."""
    until = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > until:
            raise AssertionError(f"{what}: not within {seconds:.0f} s")
        time.sleep(0.02)


class Process:
    """A program with its output in a file, stopped for certain when the block ends."""

    def __init__(self, name: str, command: list[str], folder: Path, env: Mapping[str, str] = {}) -> None:
        self.name = name
        self.command = command
        self.folder = folder
        self.env: dict[str, str] = {**os.environ, **env}
        self.log = folder / f"{name}.log"
        self._running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        assert self._running is None, f"{self.name} runs already"
        with self.log.open("ab") as log:
            self._running = subprocess.Popen(
                self.command,
                cwd=ROOT,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # A group of its own: what it starts can be ended with it, and Ctrl-C in the terminal is ours.
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        assert self._running is not None, f"{self.name} does not run"
        return self._running.pid

    def is_running(self) -> bool:
        return self._running is not None and self._running.poll() is None

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def wait(self, seconds: float = _PATIENCE) -> int:
        """Wait for the end, and answer the exit code."""
        assert self._running is not None, f"{self.name} does not run"
        code = self._running.wait(seconds)
        self._running = None
        return code

    def stop(self) -> None:
        """End it in its own time; by force when that is not enough."""
        if self._running is None:
            return
        if self.is_running():
            self.signal(signal.SIGTERM)
        try:
            self.wait()
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """kill -9, also for what it started."""
        if self._running is None:
            return
        os.killpg(self.pid, signal.SIGKILL)
        self.wait()

    def kill_alone(self) -> None:
        """kill -9 for this process only, as the kernel does when memory runs out."""
        os.kill(self.pid, signal.SIGKILL)
        self.wait()

    def output(self) -> str:
        return self.log.read_text(errors="replace")

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


class RedisServer(Process):
    """A real redis-server, set up as `make run` does it, in a folder of its own."""

    def __init__(self, folder: Path, engine: Engine | None = None, env: Mapping[str, str] = {}) -> None:
        self.engine = engine or find_engine(folder)
        self.access = Access(free_port(), "test-password")
        config = write_config(folder, self.access)
        super().__init__("redis", [str(self.engine.path), str(config)], folder, env)

    @property
    def url(self) -> str:
        return self.access.url

    def client(self) -> redis.Redis:
        """A client that never repeats a command by itself; close it after use."""
        return redis.Redis.from_url(self.url, retry=Retry(NoBackoff(), 0), socket_timeout=10)

    def start(self) -> None:
        super().start()
        wait_until(self._answers, f"redis-server at {self.access.port}")

    def _answers(self) -> bool:
        assert self.is_running(), f"redis-server ended:\n{self.output()}"
        with self.client() as client:
            try:
                return bool(client.ping())
            except redis.RedisError:
                return False


class RunningService:
    """Redis, gunicorn, one worker and the sweeper, each a process of its own."""

    def __init__(self, folder: Path, env: Mapping[str, str] = {}, redis_env: Mapping[str, str] = {}) -> None:
        self.redis = RedisServer(folder, env=redis_env)
        port = free_port()
        self.base_url = f"http://127.0.0.1:{port}"
        shared = {
            "TRULL_REDIS_URL": self.redis.url,
            "TRULL_BIND": f"127.0.0.1:{port}",
            "TRULL_WORKERS": "1",
            "TRULL_DATA_DIR": str(folder),
            "TRULL_API_KEYS": "",
            **env,
        }
        python = [sys.executable, "-m"]
        gunicorn = [*python, "gunicorn", "-c", "python:service.gunicorn_conf", "service.app:create_app()"]
        self.api = Process("api", gunicorn, folder, shared)
        self.worker = Process("worker", [*python, "workers.run"], folder, shared)
        self.sweeper = Process("sweeper", [*python, "workers.sweep"], folder, shared)

    @property
    def redis_url(self) -> str:
        return self.redis.url

    def __enter__(self) -> Self:
        try:
            self.redis.start()
            for process in (self.worker, self.sweeper, self.api):
                process.start()
            wait_until(self._is_ready, f"the service at {self.base_url}", 60)
        except BaseException:
            self._stop()
            raise
        return self

    def _is_ready(self) -> bool:
        for process in (self.redis, self.worker, self.sweeper, self.api):
            assert process.is_running(), f"{process.name} ended:\n{process.output()}"
        try:
            return httpx.get(f"{self.base_url}/readyz", trust_env=False).status_code == 200
        except httpx.TransportError:
            return False

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def _stop(self) -> None:
        for process in (self.api, self.sweeper, self.worker, self.redis):
            process.stop()
