"""The archive: old hands leave Redis for a file with all that was known of them, and come back from it.

An archive is gzipped NDJSON: a line that says what it is, a line a hand, and a last one with their number
and the SHA-256 of all before it. A hand's line has it twice: readable, as the service told it (record,
events with time and actor, sheet), and as the elements of its Redis list and its entries in the feed, from
which it is put back byte for byte. That the two agree is seen to before a hand leaves Redis.

Which hands are old enough for it is said in `records.old_hands`. A hand leaves Redis only where it is still
what the file holds, in one step each (`records.shelving`).
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import os
import struct
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

from records.codec import UnknownSchema
from records.log import StoredStream, Stream
from records.redis_log import stored
from records.sheet_codec import read_sheet
from records.stored_hands import KIND, hand_of, openings_of
from records.variant_store import VariantStore
from trull import Variant

FORMAT: Final = 1
_LEVEL: Final = 6
_PUT_BACK: Final = ("stored", "fed")
"""The fields of a hand's line that are not to be read, but to be put back."""


class BadArchive(ValueError):
    """The file is no archive, is not whole, or was changed. Says where."""


class ArchivedHand(NamedTuple):
    """A hand of an archive: its stream, the elements of its Redis list, and its entries in the shard's feed.

    The latter have their positions there, which never change.
    """

    stream: Stream
    parts: tuple[bytes, ...]
    fed: tuple[tuple[int, bytes], ...] = ()

    @property
    def found(self) -> StoredStream:
        """The stream as the log reads it."""
        found = stored(self.stream, self.parts)
        assert found is not None
        return found


class Written(NamedTuple):
    """What became of writing an archive: hands in it, and old ones that are not, each with the reason."""

    hands: int
    left: list[tuple[str, str]]


def write_archive(file: Path, tenant: str, hands: Iterable[ArchivedHand], houses: VariantStore) -> Written:
    """Write hands to a new file, which is there whole and on the disk or not at all.

    The house rules of the tenant are in it too, since hands may be played by them. A hand that this version
    cannot read is left out. Raises `StoreUnavailable`, FileExistsError, OSError.
    """
    if file.exists():
        raise FileExistsError(17, "it is there already", str(file))
    partial = file.with_name(file.name + ".partial")
    count, left = 0, []
    # For the owner alone: it holds names.
    handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as raw, gzip.GzipFile(file.name, "wb", _LEVEL, raw) as packed:
        digest = hashlib.sha256()

        def put(line: Mapping[str, Any]) -> None:
            written = orjson.dumps(line) + b"\n"
            digest.update(written)
            packed.write(written)

        rules = [rules.as_dict() for rules in houses.all(tenant)]
        now = _rfc3339(time.time())
        put({"trull_archive": FORMAT, "tenant": tenant, "written_at": now, "house_rules": rules})
        variants = houses.of(tenant)
        for hand in hands:
            try:
                put({**readable(hand, variants), **_to_put_back(hand)})
                count += 1
            except UnknownSchema as error:
                left.append((hand.stream.id, str(error)))
        put({"hands": count, "sha256": digest.hexdigest()})
    _keep(partial, file)
    return Written(count, left)


def readable(hand: ArchivedHand, variants: Mapping[str, Variant]) -> dict[str, Any]:
    """What the service told of a hand: its record, its log and its sheet. Raises `UnknownSchema`."""
    found = hand.found
    whole = hand_of(found, variants)
    view = found.view
    assert view is not None, f"{found.stream}: an archived hand has a sheet"
    return {
        "hand_id": found.stream.id,
        "version": found.version,
        "status": whole.status,
        "record": whole.record.as_dict(),
        "log": [entry._asdict() for entry in whole.entries],
        "sheet": read_sheet(view.body, found.stream.id, view.version),
    }


def house_rules(file: Path) -> tuple[str, list[dict[str, Any]]]:
    """The tenant of an archive, and its house rules as they were made, each after those that it builds on.

    Raises `BadArchive`, OSError.
    """
    for _, line in _lines(file):
        return _tenant_of(line), line["house_rules"]
    raise BadArchive("it is empty")


def read_archive(file: Path, variants: Mapping[str, Variant] | None = None) -> Iterator[ArchivedHand]:
    """The hands of a file, in its order. Raises `BadArchive` where it is not what was written, and OSError.

    Whether it is whole is known at the end: a reader that must not act on a part reads it twice.
    With ``variants``, each hand has to read as the file tells it. A later version may tell it in other words.
    """
    digest = hashlib.sha256()
    tenant, count, ended = None, 0, False
    for number, (written, line) in enumerate(_lines(file), 1):
        if ended:
            raise BadArchive(f"line {number}: something follows the last line")
        if tenant is None:
            tenant = _tenant_of(line)
        elif "sha256" in line:
            ended = True
            if line != {"hands": count, "sha256": digest.hexdigest()}:
                raise BadArchive(f"line {number}: the checksum differs: the file was changed")
        else:
            count += 1
            hand = _hand_of(line, tenant, number)
            told = {name: value for name, value in line.items() if name not in _PUT_BACK}
            if variants is not None and told != readable(hand, variants):
                raise BadArchive(f"line {number}: what it tells is not what it has stored")
            yield hand
        digest.update(written)
    if not ended:
        raise BadArchive("its last line is missing: it is not whole")


def _lines(file: Path) -> Iterator[tuple[bytes, dict[str, Any]]]:
    try:
        with gzip.open(file, "rb") as lines:
            for number, line in enumerate(lines, 1):
                read: Any = orjson.loads(line)
                if not isinstance(read, dict):
                    raise BadArchive(f"line {number}: no JSON object")
                yield line, read
    except (gzip.BadGzipFile, EOFError, orjson.JSONDecodeError, zlib.error) as error:
        raise BadArchive(f"it cannot be read to its end: {error}") from None


def _tenant_of(line: Mapping[str, Any]) -> str:
    kinds = (line.get("trull_archive"), type(line.get("tenant")), type(line.get("house_rules")))
    if kinds != (FORMAT, str, list):
        raise BadArchive(f"line 1: no archive of format {FORMAT}")
    tenant: str = line["tenant"]
    return tenant


def _to_put_back(hand: ArchivedHand) -> dict[str, Any]:
    return {
        "stored": [_base64(part) for part in hand.parts],
        "fed": [[position, _base64(entry)] for position, entry in hand.fed],
    }


def _hand_of(line: Mapping[str, Any], tenant: str, number: int) -> ArchivedHand:
    """The hand of a line."""
    try:
        parts = tuple(base64.b64decode(part, validate=True) for part in line["stored"])
        fed = tuple((int(at), base64.b64decode(entry, validate=True)) for at, entry in line["fed"])
        hand = ArchivedHand(Stream(KIND, tenant, line["hand_id"]), parts, fed)
        openings_of(hand.found)
        assert hand.found.view is not None, "it has no sheet"
    except (AssertionError, LookupError, TypeError, ValueError, struct.error, zlib.error) as error:
        raise BadArchive(f"line {number}: no hand can be read there: {error!r}") from None
    return hand


def _keep(partial: Path, file: Path) -> None:
    """Give a file its name once all of it is on the disk."""
    _sync(partial)
    partial.rename(file)
    _sync(file.parent)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _rfc3339(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
