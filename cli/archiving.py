"""What `trull archive` does."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import redis

from cli.store import NoStore, open_store
from records.archive import ArchivedHand, BadArchive, house_rules, read_archive, write_archive
from records.faults import InvalidRecord
from records.log import StoreUnavailable
from records.old_hands import old_hands
from records.shelving import Shelves
from records.variant_store import VariantExists, VariantStore
from trull import Variant

DONE: Final = 0
SOME_LEFT: Final = 1
CANNOT: Final = 2

_TIMEOUT: Final = 30.0
_SAID: Final = {
    "removed": "taken out of Redis",
    "gone": "gone from Redis already",
    "changed": "left in Redis, where it has changed since",
    "restored": "put back",
    "there": "there already",
    "other": "not put back: another hand has its id, or it has gone on since",
}
_WRONG: Final = ("changed", "other")


class _Cannot(Exception):
    """The command cannot be carried out."""


def run(given: argparse.Namespace) -> int:
    """Carry out `trull archive`. Gives the exit code."""
    try:
        if given.action == "write":
            return _write(given)
        hands = _checked(given.file)
        if given.action == "check":
            print(f"{given.file}: {hands:,} hands, whole and readable")
            return DONE
        with open_store(os.environ, _TIMEOUT) as client:
            _make_house_rules(client, given.file)
            return _move(given.file, Shelves(client).restore)
    except (_Cannot, NoStore, BadArchive, StoreUnavailable, redis.RedisError) as error:
        about = f"{given.file}: " if isinstance(error, BadArchive) else ""
        print(f"trull archive: {about}{error}", file=sys.stderr)
        return CANNOT


def _write(given: argparse.Namespace) -> int:
    left = 0
    with open_store(os.environ, _TIMEOUT) as client:
        if given.file.exists():
            print(f"{given.file} is there already: going on with what it holds")
        else:
            before = datetime.now(UTC) - timedelta(days=given.older_than)
            old = old_hands(client, given.tenant, before)
            written = write_archive(given.file, given.tenant, old, VariantStore(client))
            for hand_id, why in written.left:
                print(f"{hand_id}: left in Redis: {why}", file=sys.stderr)
            left = len(written.left)
        variants = VariantStore(client).of(given.tenant)
        print(f"{given.file}: {_checked(given.file, variants):,} hands, whole and readable")
        moved = DONE if given.keep else _move(given.file, Shelves(client).remove)
    return SOME_LEFT if left else moved


def _checked(file: Path, variants: Mapping[str, Variant] | None = None) -> int:
    """How many hands are in a file, all of which was read."""
    return sum(1 for _ in read_archive(file, variants))


def _make_house_rules(client: redis.Redis, file: Path) -> None:
    """See to it that the store has the house rules that the hands of a file need. Raises `_Cannot`."""
    tenant, all_ = house_rules(file)
    houses = VariantStore(client)
    for rules in all_:
        try:
            houses.make(tenant, "archive", houses.load(tenant, rules))
        except VariantExists as error:
            raise _Cannot(f"{error.variant_id} is in the store with other rules than in {file}") from None
        except InvalidRecord as error:
            raise _Cannot(f"{file}: its house rules are none: {error.faults[0].detail}") from None


def _move(file: Path, move: Callable[[ArchivedHand], str]) -> int:
    """Remove or restore every hand of a file that was checked before, and say what became of them."""
    counts: Counter[str] = Counter()
    for hand in read_archive(file):
        became = move(hand)
        counts[became] += 1
        if became in _WRONG:
            print(f"{hand.stream.id}: {_SAID[became]}", file=sys.stderr)
    for became, count in counts.items():
        print(f"{count:,} {_SAID[became]}")
    return SOME_LEFT if any(counts[wrong] for wrong in _WRONG) else DONE
