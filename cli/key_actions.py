"""What `trull keys` does, in the store of a service that runs."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

import redis

from cli.keys import CannotReach
from cli.store import NoStore, open_store
from records.erasure import empty_tenant
from records.keys import Keys, StoredKey
from records.log import StoreUnavailable
from records.scopes import PLAYER_SCOPES, SANDBOX, SCOPES

BY: Final = "command-line"
"""Who made a key that nobody made over HTTP."""


def act(given: argparse.Namespace) -> None:
    """Carry out the command. Raises `CannotReach`."""
    try:
        client = open_store(os.environ)
    except NoStore as error:
        raise CannotReach(str(error)) from None
    try:
        _ACTIONS[given.act](given, client)
    except StoreUnavailable as error:
        raise CannotReach(f"Redis cannot be used ({error}): does Trull run?") from None
    finally:
        client.close()


def _make(given: argparse.Namespace, client: redis.Redis) -> None:
    scopes = given.scopes or (SCOPES if given.player is None else PLAYER_SCOPES)
    made, key = Keys(client).make(given.name, given.tenant, scopes, given.player, BY)
    _tell(made, key)


def _sandbox(given: argparse.Namespace, client: redis.Redis) -> None:
    if given.empty:
        gone = empty_tenant(client, SANDBOX)
        print(f"The sandbox is empty; {gone} keys of the store went.", file=sys.stderr)
        return
    scopes = [scope for scope in SCOPES if scope != "admin"]
    _tell(*Keys(client).make("sandbox", SANDBOX, scopes, None, BY))


def _tell(made: StoredKey, key: str) -> None:
    """The key alone on the standard output, so that a script can take it."""
    print(key)
    print(f"Keep it: it is not shown again. Its id is {made.bearer.key_id}.", file=sys.stderr)


def _list(given: argparse.Namespace, client: redis.Redis) -> None:
    keys = [_shown(key) for key in Keys(client).all(given.tenant)]
    if given.json:
        for shown in keys:
            print(json.dumps(shown, ensure_ascii=False))
        return
    columns = ("key_id", "name", "tenant", "scopes", "player", "made", "used", "revoked")
    rows = [columns, *(tuple(str(shown[name] or "-") for name in columns) for shown in keys)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(columns))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _revoke(given: argparse.Namespace, client: redis.Redis) -> None:
    revoked = Keys(client).revoke(given.id)
    if revoked is None:
        raise CannotReach(f"no key has the id {given.id!r}; `trull keys list` shows them.")
    print(f"{revoked.bearer.name} ({given.id}) is revoked.", file=sys.stderr)


def _shown(key: StoredKey) -> dict[str, Any]:
    return {
        "key_id": key.bearer.key_id,
        "name": key.bearer.name,
        "tenant": key.bearer.tenant,
        "scopes": "+".join(scope for scope in SCOPES if scope in key.bearer.scopes),
        "player": key.bearer.player,
        "made": _time(key.created),
        "used": _time(key.used),
        "revoked": _time(key.revoked),
    }


def _time(milliseconds: int | None) -> str | None:
    if milliseconds is None:
        return None
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%dT%H:%MZ")


_ACTIONS: Final[Mapping[str, Callable[[argparse.Namespace, redis.Redis], None]]] = {
    "make": _make,
    "list": _list,
    "revoke": _revoke,
    "sandbox": _sandbox,
}
