"""What the workers are told by their environment: the Redis to use, and how to log."""

from __future__ import annotations

import logging
import os
import sys
import time
from typing import Final

import redis

from records.logs import UnknownFormat, configure_standard_logs, format_from_env
from records.redis_client import TIMEOUT, connect

_PAUSE: Final = 0.2

_log = logging.getLogger(__name__)


def logs_from_env() -> None:
    """Set up logging as TRULL_LOG_FORMAT says. Ends the process where it is no format."""
    try:
        configure_standard_logs(format_from_env())
    except UnknownFormat as error:
        sys.exit(str(error))


def store_from_env(timeout: float = TIMEOUT) -> redis.Redis:
    """A client of the Redis of ``TRULL_REDIS_URL``. Ends the process where it is not set."""
    url = os.environ.get("TRULL_REDIS_URL")
    if not url:
        sys.exit("TRULL_REDIS_URL is not set: it names the Redis that holds the log and the queue.")
    try:
        return connect(url, timeout)
    except ValueError as error:
        sys.exit(f"TRULL_REDIS_URL is no Redis URL: {error}")


def wait_for(client: redis.Redis) -> None:
    """Return when Redis answers, its data read."""
    told = False
    while True:
        try:
            client.ping()
        except redis.RedisError as error:
            if not told:
                _log.warning("waiting for Redis: %s", error)
                told = True
            time.sleep(_PAUSE)
        else:
            return
