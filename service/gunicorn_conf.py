"""How gunicorn serves Trull; each name here is one of gunicorn's settings."""

import os
import signal
import sys
import time
from typing import Any

from records.keys import Keys
from records.log import StoreUnavailable
from records.logs import dict_config
from records.redis_client import connect
from service import counts_folder
from service.config import NO_STORED_KEYS, Settings
from service.config_error import ConfigError
from service.launch import die_with_parent
from service.memory import give_back

try:
    _settings = Settings.from_env()
except ConfigError as error:
    sys.exit(str(error))

bind = _settings.bind
# A thread waits for Redis most of its time, a process is busy with JSON: so both.
workers = max(2, len(os.sched_getaffinity(0)))
worker_class = "service.serving.Worker"
# A listener of the feed holds a thread for as long as it listens; the others answer the rest.
threads = 8 + _settings.max_listeners
# Each process builds its own application: a connection to Redis must not be shared across a fork.
preload_app = False

# A request that waits for its score takes 10 s by itself.
timeout = 60
# What runs is finished after a SIGTERM. Less than the supervisor's patience, which ends in kill -9.
graceful_timeout = 15
# Longer than most clients keep a connection idle, so that it is they who close it.
keepalive = 75

limit_request_line = 8190  # a list's filters and cursor are in its address
limit_request_fields = 100
limit_request_field_size = 8190

# The heartbeat of each process is a file; in memory it cannot be held up by a slow disk.
worker_tmp_dir = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
# A socket for gunicorn's own control program, which nothing here uses.
control_socket_disable = True

# Calls are logged by the application, which knows more of them.
accesslog = None
logger_class = "service.serving.Log"
logconfig_dict = dict_config(_settings.log_format)
proc_name = "trull-api"


def on_starting(server: Any) -> None:
    """Runs once, before the first process starts."""
    give_back()
    counts_folder.make()
    for warning in Settings.unknown_names():
        server.log.warning(warning)
    if _settings.is_open:
        server.log.warning(
            "ACCESS IS OPEN: TRULL_API_KEYS is not set, so every program on this machine may read and write, "
            "until `trull keys make` has made a key."
        )
    elif _settings.stored_keys_only:
        _await_keys(server)


def _await_keys(server: Any) -> None:
    """Nobody is served before there is a key. Ends the process where the store has none."""
    keys = Keys(connect(_settings.redis_url or ""))
    while True:
        try:
            if not keys.are_set():
                sys.exit(NO_STORED_KEYS)
            return
        except StoreUnavailable as error:
            server.log.warning("waiting for Redis: %s", error)
            time.sleep(1)


def on_exit(_server: Any) -> None:
    """Runs once, when the last process has ended."""
    counts_folder.remove()


def post_fork(_server: Any, worker: Any) -> None:
    """Have a process end when its master is killed; from `post_worker_init` on in an orderly way."""
    die_with_parent(signal.SIGUSR2, worker.ppid)


def post_worker_init(worker: Any) -> None:
    """Runs in each process before its first request.

    Who follows the feed is told when it is to end. And the address is let go of when the master is killed,
    then what is in hand is finished: left to itself an orphan finishes its requests first, for as long as
    `graceful_timeout`, and keeps the address all the while: no new master could listen, and who connected
    meanwhile would wait for nobody.
    """
    worker.wsgi.extensions["trull"].lifetime.ending = lambda: not worker.alive

    def let_go(*_: object) -> None:
        worker.alive = False
        worker.set_accept_enabled(False)
        for listener in worker.sockets:
            listener.close()

    signal.signal(signal.SIGUSR2, let_go)
