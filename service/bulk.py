"""Hands imported at once: lines in, and a line for each of them out, as it goes.

The client may send everything before it reads anything. If the service waited until it reads, both
would wait for ever; so what the client does not take yet is put by, beyond a little in a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from tempfile import SpooledTemporaryFile
from typing import Final

from records.import_records import Importing
from records.imports import Importer, Outcome
from records.lines import blocks
from records.problems import Refused
from service.peer import Peer
from service.problems import Problem

MAX_LINES: Final = 10_000
SMALL_PIECE: Final = 16_384
"""About how much is read at once of a body that is made as it is sent: what comes slowly is not waited for
much longer than needed."""

_BATCH: Final = 200
_SMALL: Final = 4_096
"""What a socket that takes anything takes without waiting."""
_LARGE: Final = 65_536
_IN_MEMORY: Final = 262_144


class Backlog:
    """Bytes that are put by, first in, first out; in a file where there are many."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115  # closed by whoever makes it
        self._taken = self._added = 0

    def __bool__(self) -> bool:
        return self._taken < self._added

    def add(self, data: bytes) -> None:
        """Put bytes by."""
        self._file.seek(self._added)
        self._added += self._file.write(data)

    def take(self, most: int) -> bytes:
        """The next bytes, at most so many."""
        self._file.seek(self._taken)
        data = self._file.read(min(most, self._added - self._taken))
        self._taken += len(data)
        return data

    def close(self) -> None:
        """Let go of what is left."""
        self._file.close()


def import_lines(
    importer: Importer, tenant: str, by: Importing, body: Iterable[bytes], peer: Peer, instance: str
) -> Iterator[bytes]:
    """The outcomes of the lines of a body, as lines."""
    backlog = Backlog()
    try:
        for outcomes in _outcomes(importer, tenant, by, body, instance):
            backlog.add(b"".join(outcome.as_line() for outcome in outcomes))
            while backlog and peer.takes_within(0):
                yield backlog.take(_SMALL)
        while backlog:
            yield backlog.take(_LARGE)
    finally:
        backlog.close()


def _outcomes(
    importer: Importer, tenant: str, by: Importing, body: Iterable[bytes], instance: str
) -> Iterator[list[Outcome]]:
    """The outcomes of some lines after the others; of a body that ends too soon, at last of that."""
    left = MAX_LINES
    last = 0
    try:
        for block in blocks(body, 1):
            lines = block.lines()
            while batch := list(islice(lines, min(_BATCH, left + 1))):
                last = batch[-1][0]
                if len(batch) > left:
                    yield importer.take(tenant, by, batch[:left], instance)
                    yield [importer.refuse(last, _TOO_MANY, instance)]
                    return
                left -= len(batch)
                yield importer.take(tenant, by, batch, instance)
    except Problem as problem:
        yield [importer.refuse(last + 1, Refused(problem.code, problem.detail), instance)]


_TOO_MANY: Final = Refused(
    "body-too-large",
    f"At most {MAX_LINES:,} lines are imported at once, and nothing was read from here on; "
    "POST /v1/imports takes any number.",
)
