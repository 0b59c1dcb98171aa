"""What was read of a session or a tournament, kept for as long as nothing has been appended since.

Phones at fifty tables ask every two seconds, and hands come every few seconds; to read a tournament with its
hands takes twenty times as long as to ask where the feed ends.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any, Final

KEPT: Final = 64
"""Sessions and tournaments that a process keeps."""


class Looks:
    """What was read last, by what it is of. Threads share it."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, ...], tuple[str, Any]] = OrderedDict()
        self._lock = Lock()

    def of(self, what: tuple[str, ...], position: str, read: Callable[[], Any]) -> Any:
        """What ``read`` gives, or gave at the same position of the feed, which was asked for before."""
        with self._lock:
            kept = self._kept.get(what)
        if kept is not None and kept[0] == position:
            return kept[1]
        found = read()
        with self._lock:
            self._kept[what] = (position, found)
            self._kept.move_to_end(what)
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return found
