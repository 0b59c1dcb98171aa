"""The event log: streams that only ever grow, each append saying what it saw.

A stream is a hand today; sessions, tournaments and house-rule variants are further kinds. The log
knows nothing of what is in an entry. A stream's *version* is the number of its events, so that the
versions of its entries are contiguous. Beside its entries a stream has a *head*: what has to be
known of it without unpacking entries, renewed with each append; and it may have a *view*: what
workers made of its entries up to some version (of a hand, its score sheet).

Every call raises `StoreUnavailable` when the store is away or refuses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol


class StoreUnavailable(Exception):
    """The store is away, too slow, or refuses. A write may have been done when only its answer is lost."""


class VersionMismatch(Exception):
    """The stream has another version than the append expected; nothing was written."""

    def __init__(self, current: int) -> None:
        super().__init__(f"the stream is at version {current}")
        self.current = current


class InvalidCursor(ValueError):
    """The cursor is none that a page gave."""


class Stream(NamedTuple):
    """The name of a stream. ``kind`` and ``tenant`` hold no colon."""

    kind: str
    tenant: str
    id: str


@dataclass(frozen=True, slots=True)
class Append:
    """What one append brings.

    ``body`` is the entry, which holds ``events`` events; ``head`` is the stream's head from then on.
    ``lists`` are those that the stream joins with it, by (name, value): ``("session", "club-7")``; it
    must not be in them yet, and it never leaves one. ``due`` marks that the stream's view has to be
    made anew, after all others if it is not ``urgent``. What is taken over from another store has its
    history: the time ``recorded`` there, and ``earlier`` entries with their times, whose events are counted
    in ``events`` too. Without a time, an entry has that of the append.
    """

    body: bytes
    events: int
    head: bytes = b""
    due: bool = False
    lists: tuple[tuple[str, str], ...] = field(default=())
    urgent: bool = True
    recorded: int | None = None
    earlier: tuple[tuple[int | None, bytes], ...] = field(default=())


class StoredEntry(NamedTuple):
    """An entry, and when the store took it: milliseconds since 1970 by the store's clock."""

    recorded: int
    body: bytes


class View(NamedTuple):
    """What was made of a stream's entries up to ``version``."""

    version: int
    body: bytes


@dataclass(frozen=True, slots=True)
class StoredStream:
    """A stream as it is stored. ``entries`` are all of them, or only the first where asked so.

    ``created`` is the time of the first entry, in milliseconds since 1970. ``parts`` tells how many
    pieces hold the entries: fewer, where they were bundled.
    """

    stream: Stream
    version: int
    created: int
    head: bytes
    view: View | None
    entries: tuple[StoredEntry, ...]
    parts: int = 0


class Listing(Protocol):
    """Walks a list; where it stands can be told at any time."""

    def __iter__(self) -> Iterator[StoredStream]: ...

    @property
    def cursor(self) -> str | None:
        """Where to go on after the stream that came last; None when none is left."""


class EventLog(Protocol):
    """What every log can do."""

    def append(self, stream: Stream, expected: int, append: Append) -> int:
        """Add an entry to a stream of version ``expected`` (0: make it); the new version.

        Whole or not at all, together with its lists and its due mark. Never repeated on its own:
        after `StoreUnavailable` the caller reads what became of it. Raises `VersionMismatch`.
        """

    def read(self, stream: Stream) -> StoredStream | None:
        """The stream with all its entries."""

    def glance(self, streams: Sequence[Stream]) -> list[StoredStream | None]:
        """Streams with no more than their first entry."""

    def members(self, kind: str, tenant: str, by: tuple[str, str]) -> list[StoredStream]:
        """All streams of a list at once, oldest first, with no more than their first entry."""

    def listed(self, kind: str, tenant: str, by: tuple[str, str] | None, after: str | None) -> Listing:
        """The streams of a list, or with ``by=None`` all of the kind, oldest first, from a cursor on."""
