"""What the workers are told by their environment: the Redis of the log and of the queue, and how to log."""

from __future__ import annotations

import logging
import os
import sys
import time
from typing import Final, NamedTuple

import redis
from redis.exceptions import RedisClusterException

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


class Clients(NamedTuple):
    """A client of the log, and one of the queue: the same, unless ``TRULL_QUEUE_URL`` names another Redis."""

    log: redis.Redis
    queue: redis.Redis


def clients_from_env(queue_timeout: float = TIMEOUT) -> Clients:
    """Clients of ``TRULL_REDIS_URL`` and ``TRULL_QUEUE_URL``. Ends the process where the first is not set.

    ``queue_timeout``: seconds to wait for an answer of the queue.
    """
    url, queue_url = os.environ.get("TRULL_REDIS_URL"), os.environ.get("TRULL_QUEUE_URL")
    if not url:
        sys.exit("TRULL_REDIS_URL is not set: it names the Redis that holds the log and the queue.")
    if not queue_url:
        client = _connect("TRULL_REDIS_URL", url, queue_timeout)
        return Clients(client, client)
    return Clients(
        _connect("TRULL_REDIS_URL", url, TIMEOUT), _connect("TRULL_QUEUE_URL", queue_url, queue_timeout)
    )


def _connect(name: str, url: str, timeout: float) -> redis.Redis:
    try:
        return connect(url, timeout)
    except ValueError:  # its words may hold the password
        sys.exit(f"{name} is no address of a Redis.")


def wait_for(client: redis.Redis) -> None:
    """Return when Redis answers, its data read."""
    told = False
    while True:
        try:
            client.ping()
        except (redis.RedisError, RedisClusterException) as error:
            if not told:
                _log.warning("waiting for Redis: %s", error)
                told = True
            time.sleep(_PAUSE)
        else:
            return
