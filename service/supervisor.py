"""The supervisord of `make run`: what it is told to run, and how it is started."""

import os
import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

# Seconds until kill -9. Gunicorn's own patience is 15 s; a worker finishes the job in hand.
_STOP_SECONDS = {"api": 20, "sweeper": 20, "courier": 30, "worker": 60, "redis": 60}
# Held by every program that runs on the data folder.
PROGRAMS_LOCK = "programs.lock"
# Supervisor waits a second longer after each start that came to nothing. On a full disk Redis ends at its
# first write: after an hour of that it would stay away for minutes when there is room. It paces itself.
_STARTED = {"redis": {"startsecs": "0"}}
# Supervisor starts the lowest first and stops it last, one group after another.
_PRIORITY = {"redis": 10, "worker": 20, "courier": 20, "sweeper": 30, "api": 40}


@dataclass(frozen=True, slots=True)
class Program:
    """One program for supervisord."""

    name: str
    command: list[str]
    copies: int = 1


def supervisor_config(programs: Iterable[Program]) -> str:
    """The text of supervisord.conf. Paths in it are relative to the data folder, where supervisord runs."""
    sections = {"supervisord": _supervisord_section()}
    for program in programs:
        command = [sys.executable, "-P", "-m", "service.launch", "--lock", PROGRAMS_LOCK]
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


def start_supervisord(data_dir: Path, environ: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start it on the data folder's `supervisord.conf`. What it and its programs say is its `stdout`."""
    supervisord = [sys.executable, "-P", "-m", "supervisor.supervisord", "-c", "supervisord.conf"]
    return subprocess.Popen(
        # Through launch, so that it stops when this process is killed.
        [sys.executable, "-P", "-m", "service.launch", "--lock", PROGRAMS_LOCK, *supervisord],
        cwd=data_dir,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        # Ctrl-C in the terminal reaches the whole foreground group; only this process is to have it.
        start_new_session=True,
    )
