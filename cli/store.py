"""The store that a command works in: that of TRULL_REDIS_URL, or that of `make run`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import redis

from records.redis_client import TIMEOUT, connect


class NoStore(Exception):
    """There is nothing that says which Redis is meant, or it cannot be read; the message says why."""


def open_store(environ: Mapping[str, str], timeout: float = TIMEOUT) -> redis.Redis:
    """A client of the Redis of TRULL_REDIS_URL, or else of the one that `make run` has in TRULL_DATA_DIR.

    ``timeout``: seconds to wait for an answer. Raises `NoStore`.
    """
    url = environ.get("TRULL_REDIS_URL") or _url_of_make_run(environ.get("TRULL_DATA_DIR") or "data")
    try:
        return connect(url, timeout)
    except ValueError:  # its words may hold the password
        raise NoStore("TRULL_REDIS_URL is no address of a Redis.") from None


def _url_of_make_run(data_dir: str) -> str:
    folder = Path(data_dir).absolute()
    try:
        access = json.loads((folder / "redis-access.json").read_text())
        return f"redis://:{access['password']}@127.0.0.1:{access['port']}/0"
    except (OSError, ValueError, LookupError, TypeError):
        raise NoStore(
            f"{folder} has no Redis of `make run`: set TRULL_DATA_DIR, or TRULL_REDIS_URL."
        ) from None
