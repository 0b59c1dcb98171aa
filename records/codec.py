"""How an entry of a hand's log is packed into bytes, and read again.

A hand posted whole is some 3 KB of JSON and 0.3 KB packed, which is less than zlib makes of the
JSON and takes a fifth of its time; and it unpacks straight into what the rules replay.

An entry begins with the number of its schema. A later schema gets a reader beside this one, and
what is read is always today's `Entry`. Within a schema what is stored never changes its meaning
(docs/adr/0020-event-log-in-redis.md).
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import orjson

from records.octets import get_bytes, get_number, put_bytes, put_number
from records.packing import Sent, pack
from trull.events import Event

SCHEMA: Final = 2
"""The latest schema: 1 is an append of events, 2 a hand that is told anew (`write_restatement`)."""

_EVENTS, _RESTATED = 1, 2
_OPENED, _DEFLATED = 1, 2

# What the JSON in an entry usually looks like: zlib refers to it instead of repeating it.
_DICTIONARY: Final = (
    b'{"type":"hand_restated","record":{"variant":"{"type":"hand_annulled","reason":"petit_sec","misdeal",'
    b'"redeal","director","all_passed"}{"type":"event_retracted","seq":1,"reason":"'
    b'{"type":"penalty_assessed","player":"","points":-{"event_id":"{"note":"{"at":"2026-11-29T20:15:00+01:00"}'
    b'"size":"single","double","triple","announced":false,"announced":true,"stage":"before_pickup"'
    b'"card_points_by_player":{"tricks_by_player":{"garde_contre","garde_sans","garde","prise","solo",'
    b'"einblatt","dreiblatt","taken_over","held","retaken","level":"recontra","level":"contra","oudlers":1,'
    b'"partner":"bonuses":[{"bonus":"petit_au_bout","player":"{"bonus":"handful","{"bonus":"slam",'
    b'{"bonus":"without_trull","{"bonus":"without_kings","{"bonus":"tarock_trull","{"bonus":"royal_trull",'
    b'{"bonus":"two_honours","{"bonus":"valat","{"bonus":"fifty","{"bonus":"forty","{"bonus":"uhu",'
    b'{"type":"result_reported","declarer":"","contract":"zweiblatt","stake":"called","card_points":37,'
    b'"contra":{"level":"none"},"bonuses":[{"bonus":"pagat","player":"","stage":"after_pickup",'
    b'"made":false,"contra":"none"},{"stage":"silent","made":true,"contra":"none"}]}'
)


class UnknownSchema(ValueError):
    """What is stored was written by a later version than this one."""


class Opening(NamedTuple):
    """What a hand says about itself beside its events."""

    variant: str
    players: tuple[str, ...]
    session_id: str | None = None
    table: str | int | None = None
    round: int | None = None
    number: int | None = None
    played_at: str | None = None
    labels: tuple[str, ...] = ()
    format: int = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """One append: who made it, the hand's opening if it is the first, and its events.

    ``packed`` holds ``count`` events for `records.packing` to unpack. With a ``reason`` they are the
    record of one event, ``hand_restated``, and the opening is that record's.
    """

    actor: str
    opening: Opening | None
    count: int
    packed: bytes
    reason: str | None = None


def count_of(entry: Entry) -> int:
    """How many events of the log an entry is: a restatement is one, whatever its record holds."""
    return entry.count if entry.reason is None else 1


def write_entry(actor: str, opening: Opening | None, events: Sequence[Event], sent: Sequence[Sent]) -> bytes:
    """An entry as bytes. ``sent`` are the same events as they came."""
    return _write(_EVENTS, actor, opening, None, events, sent)


def write_restatement(
    actor: str, opening: Opening, reason: str, events: Sequence[Event], sent: Sequence[Sent]
) -> bytes:
    """The entry of a hand that is told anew: the opening and the events are those of its record."""
    return _write(_RESTATED, actor, opening, reason, events, sent)


def _write(
    schema: int,
    actor: str,
    opening: Opening | None,
    reason: str | None,
    events: Sequence[Event],
    sent: Sequence[Sent],
) -> bytes:
    packed, has_json = pack(events, sent)
    flags = _OPENED if opening else 0
    if has_json:
        deflated = _deflate(packed)
        if len(deflated) < len(packed):
            packed, flags = deflated, flags | _DEFLATED
    out = bytearray((schema, flags))
    put_bytes(out, actor.encode())
    if opening:
        put_bytes(out, write_opening(opening))
    if reason is not None:
        put_bytes(out, reason.encode())
    put_number(out, len(events))
    out += packed
    return bytes(out)


class _Front(NamedTuple):
    """What an entry says before its packed events, which begin at ``ends``."""

    flags: int
    actor: bytes
    opening: bytes | None
    reason: bytes | None
    events: int
    ends: int


def _front(data: bytes) -> _Front:
    if not _EVENTS <= data[0] <= SCHEMA:
        raise UnknownSchema(f"a log entry of schema {data[0]}: this version knows up to {SCHEMA}")
    opening = reason = None
    flags = data[1]
    actor, at = get_bytes(data, 2)
    if flags & _OPENED:
        opening, at = get_bytes(data, at)
    if data[0] == _RESTATED:
        reason, at = get_bytes(data, at)
    count, at = get_number(data, at)
    return _Front(flags, actor, opening, reason, count, at)


def read_entry(data: bytes) -> Entry:
    """The entry of these bytes. Raises `UnknownSchema`."""
    front = _front(data)
    packed = data[front.ends :]
    return Entry(
        front.actor.decode(),
        None if front.opening is None else read_opening(front.opening),
        front.events,
        _inflate(packed) if front.flags & _DEFLATED else packed,
        None if front.reason is None else front.reason.decode(),
    )


def write_opening(opening: Opening) -> bytes:
    """An opening as bytes: a JSON list of its fields in order, up to the last one that says anything."""
    values: list[Any] = list(opening)
    defaults = Opening._field_defaults
    for name in reversed(Opening._fields):
        if name not in defaults or values[-1] != defaults[name]:
            break
        values.pop()
    return orjson.dumps(values)


def read_opening(written: bytes) -> Opening:
    """The opening of these bytes."""
    values: dict[str, Any] = dict(zip(Opening._fields, orjson.loads(written), strict=False))
    for name in ("players", "labels"):
        values[name] = tuple(values.get(name, ()))
    return Opening(**values)


def _deflate(data: bytes) -> bytes:
    # Raw (the negative window): the header and checksum of zlib would be a tenth of it.
    packer = zlib.compressobj(6, zlib.DEFLATED, -12, 9, zlib.Z_DEFAULT_STRATEGY, _DICTIONARY)
    return packer.compress(data) + packer.flush()


def _inflate(data: bytes) -> bytes:
    return zlib.decompressobj(-12, _DICTIONARY).decompress(data)


def split_entry(data: bytes) -> tuple[bytes, bytes]:
    """What comes before the packed events of an entry, and the events, which are not deflated.

    The two joined are the same entry. Raises `UnknownSchema`.
    """
    front = _front(data)
    if not front.flags & _DEFLATED:
        return data[: front.ends], data[front.ends :]
    told = bytes((data[0], front.flags & ~_DEFLATED)) + data[2 : front.ends]
    return told, _inflate(data[front.ends :])


def deflate(data: bytes) -> bytes:
    """Bytes as short as the JSON that entries usually hold makes them."""
    return _deflate(data)


def inflate(data: bytes) -> bytes:
    """What was deflated."""
    return _inflate(data)
