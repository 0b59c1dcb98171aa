"""What the list of a shard's feed holds: its entries, and what is told of each."""

from __future__ import annotations

import struct
from typing import Any, Final, NamedTuple

from records import session_log, variant_store
from records.log import Stream
from records.redis_keys import KINDS
from records.rescore_keys import ENDINGS
from records.sheets import SHEET_STATUSES
from records.stored_hands import rfc3339

ENTRY: Final = struct.Struct(">B6sI3sH")
"""What happened, when, the stream's place among its shard's ids, its version, number of events or status."""

_SHEETS: Final = {1: "hand.scored", 2: "hand.corrected"}
GAP: Final = 3
ENDED: Final = 4


class Entry(NamedTuple):
    """What is in the list of a shard: an append of ``events`` events up to ``version``, or a sheet, or the
    end of a batch.

    ``place`` is that of the stream among its shard's. Of the latter, ``events`` is the number of the status.
    Or a gap of ``span`` entries, whose hands were archived (`records.shelving`).
    """

    time: int
    shard: int
    what: int
    kind: str
    place: int
    version: int
    events: int
    span: int = 1
    """How many elements of the list it stands for."""


def read_entry(stored: bytes, shard: int) -> Entry:
    """An element of a shard's list, if it is none that stands for what was archived."""
    what, recorded, place, version, events = ENTRY.unpack(stored)
    kind = KINDS[what & 15]
    return Entry(int.from_bytes(recorded), shard, what >> 4, kind, place, int.from_bytes(version), events)


def tells_events(entry: Entry) -> bool:
    """Whether the entry tells of events one by one; a house-rule variant is told as a whole."""
    return not entry.what and entry.kind != variant_store.KIND


def stream_item(entry: Entry, stream: Stream) -> dict[str, Any]:
    """What is told of streams that are made at once and never change."""
    return {
        "type": f"{stream.kind}.made",
        f"{stream.kind}_id": stream.id,
        "recorded_at": rfc3339(entry.time),
    }


def sheet_item(entry: Entry, stream: Stream) -> dict[str, Any]:
    """What is told of a sheet that is there."""
    return {
        "type": _SHEETS[entry.what],
        "hand_id": stream.id,
        "version": entry.version,
        "status": SHEET_STATUSES[entry.events],
        "recorded_at": rfc3339(entry.time),
    }


def ended_item(entry: Entry, stream: Stream) -> dict[str, Any]:
    """What is told of a batch that has ended."""
    return {
        "type": "rescore.done",
        "rescore_id": stream.id,
        "status": ENDINGS[entry.events],
        "recorded_at": rfc3339(entry.time),
    }


def is_notice(entry: Entry) -> bool:
    """Whether the entry may be more than an event of a hand or of a tournament."""
    return bool(entry.what) or entry.kind == session_log.KIND
