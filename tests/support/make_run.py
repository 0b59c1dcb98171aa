"""`make run` as a process: the launcher, and the programs below it."""

from __future__ import annotations

import sys
from pathlib import Path

import psutil

from service.engine import free_port
from service.up import WAITING
from tests.support.processes import Process, wait_until

PROGRAMS = ("redis-server", "gunicorn", "workers.run", "workers.deliver", "workers.sweep", "supervisord")
SECONDS_TO_REFUSE = 20.0


class MakeRun(Process):
    """What `make run` runs."""

    def __init__(self, folder: Path, name: str = "up", **env: str) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.data = folder / "data"
        settings = {
            "TRULL_BIND": f"127.0.0.1:{port}",
            "TRULL_DATA_DIR": str(self.data),
            "TRULL_WORKERS": "1",
            "TRULL_REDIS_URL": "",
            "TRULL_API_KEYS": "",
        }
        super().__init__(name, [sys.executable, "-m", "service.up"], folder, settings | env)

    def start(self) -> None:
        self.log.unlink(missing_ok=True)
        super().start()

    def start_until_ready(self) -> dict[str, psutil.Process]:
        """Start, wait for the welcome, and answer the programs that run then."""
        self.start()
        wait_until(self._is_ready, "the welcome", 60)
        programs = self.programs()
        assert set(programs) >= {"gunicorn", "workers.run", "workers.deliver", "workers.sweep", "supervisord"}
        return programs

    def _is_ready(self) -> bool:
        assert self.is_running(), self.output()
        return "Trull is ready" in self.output()

    def programs(self) -> dict[str, psutil.Process]:
        """The programs below it, each by the word that tells it, the outermost of several alike."""
        found: dict[str, psutil.Process] = {}
        for process in psutil.Process(self.pid).children(recursive=True):
            try:
                line = " ".join(process.cmdline())
            except psutil.NoSuchProcess:  # gone, or dead and not yet fetched by its parent
                continue
            for word in PROGRAMS:
                if word in line and "service.launch" not in line:
                    found.setdefault(word, process)
        return found

    def refuses(self) -> str:
        """Start, expect a refusal, and answer it."""
        self.start()
        return self.refusal()

    def refusal(self) -> str:
        """The refusal of a start. What a killed run has left is waited for before, and that is said first."""
        code, said = self.wait(SECONDS_TO_REFUSE), self.output()
        assert code == 1, said
        refusal = said.removeprefix(f"{WAITING}\n")
        assert refusal.startswith("trull cannot start: "), said
        assert "Traceback" not in refusal, said
        return refusal


def has_ended(process: psutil.Process) -> bool:
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


def assert_all_end(programs: dict[str, psutil.Process], seconds: float = 30) -> None:
    wait_until(lambda: all(map(has_ended, programs.values())), "the end of all programs", seconds)
