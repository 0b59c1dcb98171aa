"""From the records of a chunk to the lines that answer them: what each process does."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, Final, NamedTuple

import orjson

from cli.problems import Refused, problem_of
from records.house_schemas import load_house
from records.limits import MAX_BODY
from records.schemas import load_record
from records.wire import MalformedJson, dumps, load
from trull import Variant, facts_of, replay, score
from trull.variants import VARIANTS

BLANK: Final = b" \t\r\n"


_TOO_LARGE: Final = (
    f"A record, or a file that is one JSON text, may have {MAX_BODY:,} bytes; write one record a line."
)


_SEVERAL: Final = MalformedJson(
    "The file holds several JSON texts over many lines: write each record on a line of its own, as"
    " `jq -c . FILE` does, or put them into one list."
)


class Order(NamedTuple):
    """What is to be done, as plain values that go to another process.

    ``targets`` are the ids of the variants to score under; without any each record is scored under its own.
    ``houses`` are the bodies of house-rule variants, ``names`` the files' where there are several.
    """

    targets: tuple[str, ...] = ()
    houses: tuple[dict[str, Any], ...] = ()
    names: tuple[str, ...] | None = None
    apart: bool = False
    """Whether refusals go to a file of their own."""
    remembered: bool = False
    """Whether the digests of the records are asked for."""


class Chunk(NamedTuple):
    """Some records of a file: whole lines, or a whole JSON document.

    ``first`` is the number of its first line. Of a ``document`` that is a list, the records are counted
    from 1, and the first ``skip`` of them are left out. ``several`` of a document: it is no JSON because it
    is more than one. ``size`` are the bytes of the file that it took.
    """

    source: int
    first: int
    data: bytes
    size: int
    document: bool = False
    skip: int = 0
    several: bool = False


class Answers(NamedTuple):
    """The lines for a chunk, ends of line included.

    ``records`` counts all of them, ``refused`` those without a sheet. ``digests`` has that of each record
    where they are asked for.
    """

    sheets: bytes
    refusals: bytes
    records: int
    refused: int
    size: int
    digests: bytes = b""


DIGEST: Final = 8
"""Bytes of a digest: one of a million changed records is overlooked once in ten million million times."""


def digest_of(record: Any) -> bytes:
    """What tells a record from the one that it was: the bytes of a line, or a value out of a document."""
    data = record.strip(BLANK) if type(record) is bytes else orjson.dumps(record)
    return blake2b(data, digest_size=DIGEST).digest()


class Scorer:
    """Scores records as an order says."""

    def __init__(self, order: Order) -> None:
        self._names = order.names
        self._apart = order.apart
        self._remembered = order.remembered
        self._variants = known_variants(order.houses)
        self._targets: list[Variant | None] = [self._variants[name] for name in order.targets] or [None]

    def answer(self, chunk: Chunk) -> Answers:
        """The lines for all records of the chunk, in their order."""
        sheets: list[bytes] = []
        refusals: list[bytes] = []
        digests = bytearray()
        records = refused = 0
        for line, record in self._records(chunk):
            records += 1
            if self._remembered:
                digests += digest_of(record)
            try:
                sheets += self._sheets(record)
            except Exception as error:  # a fault of ours in one record does not stop the rest either
                refused += 1
                there = refusals if self._apart else sheets
                there.append(self._refusal(chunk, line, record, error))
                _forget_frames(error)
        end = [b""]
        return Answers(
            b"\n".join(sheets + end if sheets else end),
            b"\n".join(refusals + end if refusals else end),
            records,
            refused,
            chunk.size,
            bytes(digests),
        )

    def _records(self, chunk: Chunk) -> list[tuple[int, Any]]:
        """The records with their numbers: the bytes of a line, or a value out of a document."""
        if not chunk.document:
            lines = enumerate(chunk.data.split(b"\n"), chunk.first)
            return [(number, line) for number, line in lines if line.strip(BLANK)]
        try:
            value = load(chunk.data)
        except MalformedJson:
            return [(chunk.first, chunk.data)]
        if not isinstance(value, list):
            return [(chunk.first, chunk.data)]
        return [*enumerate(value, 1)][chunk.skip :]

    def _sheets(self, record: Any) -> list[bytes]:
        """The sheets of a record, as lines without their end."""
        if type(record) is bytes:
            if len(record) > MAX_BODY:
                raise Refused("body-too-large", _TOO_LARGE)
            record = load(record)
        hand_record = load_record(record, self._variants)
        hand = replay(hand_record.variant, hand_record.events)
        facts = facts_of(hand) if hand.status == "scored" else None
        players, hand_id, version = hand_record.players, hand_record.hand_id, len(hand_record.events)
        return [
            dumps(score(hand, target, facts).as_dict(players, hand_id, version)) for target in self._targets
        ]

    def _refusal(self, chunk: Chunk, line: int, record: Any, error: Exception) -> bytes:
        """The line of a record without a sheet, without its end."""
        if isinstance(error, MalformedJson):
            error = _SEVERAL if chunk.several else error.in_a("file" if chunk.document else "line")
        value = record
        if type(record) is bytes:
            try:
                value = load(record) if len(record) <= MAX_BODY else None
            except MalformedJson:
                value = None
        fields = value if isinstance(value, dict) else {}
        hand_id = fields.get("hand_id")
        status, problem = problem_of(error, fields)
        told: dict[str, object] = {"line": line}
        if self._names is not None:
            told["file"] = self._names[chunk.source]
        told["hand_id"] = hand_id if isinstance(hand_id, str) else None
        return dumps({**told, "status": status, "problem": problem})


def _forget_frames(error: BaseException) -> None:
    """Part an error from the frames that it went through.

    Some of them hold the error in turn, and through their callers the whole chunk: a circle that would stay
    in memory until somebody looks for circles.
    """
    at: BaseException | None = error
    while at is not None:
        at.__traceback__ = None
        at = at.__context__


def known_variants(houses: tuple[dict[str, Any], ...]) -> dict[str, Variant]:
    """The built-in variants and those of these bodies. Raises `InvalidRecord`.

    A house may be based on one before it.
    """
    variants = dict(VARIANTS)
    for body in houses:
        house = load_house(body, variants)
        variants[house.variant.id] = house.variant
    return variants
