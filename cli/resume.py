"""Going on where an earlier run stopped: what its files hold, and which records that answers.

The files themselves are the memory, with a file of digests beside them that tells a record from what it was
when it was answered. A record is answered by one sheet for each variant or by one refusal, in
the order of the records; refusals in a file of their own name their lines, and are written before the sheets
that follow them. What a run left unfinished at the end of a file is cut off.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO, Final, NamedTuple

import orjson

from cli.answers import BLANK, DIGEST, Chunk, digest_of
from trull import Variant

_REFUSAL: Final = b'{"line":'
_SHEET: Final = b'{"hand_id":'
_REVISION: Final = b'"variant_revision":"sha256:'
_BEFORE_REVISION: Final = 500
"""Bytes of a sheet within which its revision begins: ids are short."""

Place = tuple[int, str | None]
"""A line, and the file's name where there are several."""


class CannotGoOn(Exception):
    """The files are of no earlier run of this command, or the records have changed since."""


class OtherAnswers(CannotGoOn):
    """The files hold other answers than those asked for."""

    def __init__(self, why: str) -> None:
        super().__init__(f"{why}; choose another --out, or delete it")


class Past(NamedTuple):
    """What an earlier run wrote: records with sheets, refusals among them, the bytes that count.

    ``last`` is the last record's sheet if that has one.
    """

    good: int = 0
    refused: int = 0
    end: int = 0
    last: Mapping[str, Any] | None = None


def past_of(out: BinaryIO, targets: Sequence[str], variants: Mapping[str, Variant]) -> Past:
    """What the file of sheets holds, from its beginning. Raises `CannotGoOn`."""
    each = len(targets) or 1
    good = refused = end = offset = 0
    group: list[bytes] = []
    newest: list[bytes] = []
    last_is_sheet = False
    for line in out:
        whole = line.endswith(b"\n")
        sheet = _begins(line, _SHEET)
        ours = sheet or (_begins(line, _REFUSAL) and not group)
        if not ours or (sheet and whole and _REVISION not in line[:_BEFORE_REVISION]):
            raise OtherAnswers("it holds something else than the answers to these records")
        if not whole:
            break
        offset += len(line)
        if sheet:
            group.append(line)
            if len(group) < each:
                continue
            good += 1
            newest, group = group, []
        else:
            refused += 1
        last_is_sheet, end = sheet, offset
    last = _last_sheet(newest, targets, variants)
    return Past(good, refused, end, last if last_is_sheet else None)


def _begins(line: bytes, with_: bytes) -> bool:
    """Whether a line, perhaps torn, begins so."""
    return line[: len(with_)] == with_[: len(line)]


def _last_sheet(
    lines: Sequence[bytes], targets: Sequence[str], variants: Mapping[str, Variant]
) -> Mapping[str, Any] | None:
    """The last of a record's sheets, if they are all by the rules asked for."""
    sheets = [orjson.loads(line) for line in lines]
    for place, sheet in enumerate(sheets):
        variant = variants.get(sheet["variant"])
        if targets and sheet["variant"] != targets[place]:
            raise OtherAnswers(f"it has sheets under {sheet['variant']}, where {targets[place]} is asked for")
        if variant is None or variant.revision != sheet["variant_revision"]:
            raise OtherAnswers(f"the rules of {sheet['variant']} have changed since it was written")
    return sheets[-1] if sheets else None


class Walk:
    """The walk past the records that are answered already.

    ``bad`` is the file of refusals, and ``digests`` that of the digests of the records that were answered,
    both at their beginning.
    """

    def __init__(
        self,
        past: Past = Past(),  # noqa: B008  # a value that cannot change
        bad: BinaryIO | None = None,
        names: Sequence[str] | None = None,
        digests: BinaryIO | None = None,
    ) -> None:
        self._left = past.good + past.refused
        self._last = past.last
        self._names = names
        self._bad_file = bad
        self._bad = iter(()) if bad is None else _places(bad)
        self._next_bad = next(self._bad, None)
        self.refused = past.refused
        """Records refused by the earlier run, as far as the walk has come."""
        self.answered = 0
        """Records answered by the earlier run, as far as the walk has come."""
        self._bad_end = 0
        self._digests = digests
        self.done = False
        if not self._left and self._next_bad is None:
            self.end()

    def rest_of(self, chunk: Chunk) -> Chunk | None:
        """What is left of the chunk to answer, if anything is."""
        if chunk.document:
            return self._rest_of_document(chunk)
        offset = 0
        for number, line in enumerate(chunk.data.split(b"\n"), chunk.first):
            if line.strip(BLANK) and not self._answered(chunk.source, number, line):
                return chunk._replace(first=number, data=chunk.data[offset:])
            offset += len(line) + 1
        return None

    def _rest_of_document(self, chunk: Chunk) -> Chunk | None:
        try:
            value = orjson.loads(chunk.data)
        except orjson.JSONDecodeError:
            value = None
        if not isinstance(value, list):
            return None if self._answered(chunk.source, chunk.first, chunk.data) else chunk
        for place, record in enumerate(value):
            if not self._answered(chunk.source, place + 1, record):
                return chunk._replace(skip=place)
        return None

    def _answered(self, source: int, number: int, record: Any) -> bool:
        """Whether the record is answered already. Raises `OtherAnswers` where the answer is another one's."""
        name = None if self._names is None else self._names[source]
        if self._next_bad is not None and self._next_bad[0] == (number, name):
            self._bad_end = self._next_bad[1]
            self._next_bad = next(self._bad, None)
            self._recognise(number, record)
            self.refused += 1
            return True
        if not self._left:
            self.end()
            return False
        self._left -= 1
        self._recognise(number, record)
        if not self._left and self._last is not None and _hand_id(record) != self._last["hand_id"]:
            raise OtherAnswers(f"line {number} holds another hand than the one that was answered last")
        return True

    def _recognise(self, number: int, record: Any) -> None:
        """Count the record as answered. Raises `OtherAnswers` where it was another one then."""
        self.answered += 1
        if self._digests is None:
            return
        known = self._digests.read(DIGEST)
        if len(known) < DIGEST:
            raise OtherAnswers("the .answered file beside it does not tell which records it answers")
        if known != digest_of(record):
            raise OtherAnswers(f"line {number} is not as it was when it was answered")

    def end(self) -> None:
        """All that was answered is behind: refusals that came before their sheets are written again."""
        if self._left:
            raise OtherAnswers("it has answers to more records than there are")
        if not self.done and self._bad_file is not None:
            self._bad_file.truncate(self._bad_end)
            self._bad_file.seek(self._bad_end)
        if not self.done and self._digests is not None:
            self._digests.truncate(self.answered * DIGEST)
            self._digests.seek(self.answered * DIGEST)
        self.done = True


def _places(refusals: BinaryIO) -> Iterator[tuple[Place, int]]:
    """Where the refused records were, and the end of each refusal in the file. Raises `CannotGoOn`."""
    offset = 0
    for line in refusals:
        if not _begins(line, _REFUSAL):
            raise CannotGoOn("the file for errors holds something else")
        if not line.endswith(b"\n"):
            return
        offset += len(line)
        told = orjson.loads(line)
        yield (told["line"], told.get("file")), offset


def _hand_id(record: Any) -> object:
    if isinstance(record, bytes):
        try:
            record = orjson.loads(record)
        except orjson.JSONDecodeError:
            return None
    return record.get("hand_id") if isinstance(record, dict) else None
