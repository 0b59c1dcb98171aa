"""What boards and tables show, worked out once for all who look at the same thing at the same time."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any, Final

KEPT: Final = 64
"""Things of which the latest look is kept."""

SHARE: Final = 10
"""A look that took a second of the processor is good for so many seconds, if need be: then boards take
a tenth of it at most, however many hands come in."""

LEAST: Final = 0.05
"""Seconds of the processor below which a look is made anew for every change."""


class Looks:
    """The latest look at each thing. Threads may share it."""

    def __init__(self) -> None:
        self._kept: OrderedDict[object, _Look] = OrderedDict()
        self._lock = Lock()

    def at(self, thing: object, position: Callable[[], str], make: Callable[[], Any], age: float = 0) -> Any:
        """What ``make`` answers, or has answered for the same ``position``; then it is the same object.

        Whoever asks in the meantime waits for the one who makes it. Up to an ``age`` in seconds nobody asks
        for the position either, nor for as long as a costly look is good for.
        """
        look = self._look(thing)
        with look.lock:
            now = time.monotonic()
            if look.is_made and now - look.asked < max(age, look.lasts):
                return look.value
            # Before the look: what comes while it is made is found the next time.
            position_now = position()
            look.asked = now
            if not look.is_made or position_now != look.position:
                began = time.thread_time()
                look.value = make()
                cost = time.thread_time() - began
                look.lasts = SHARE * cost if cost >= LEAST else 0.0
                look.position, look.is_made = position_now, True
            return look.value

    def _look(self, thing: object) -> _Look:
        with self._lock:
            look = self._kept.setdefault(thing, _Look())
            self._kept.move_to_end(thing)
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
            return look


class _Look:
    """What was found at a position, and when that was last asked for."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.is_made = False
        self.position = ""
        self.value: Any = None
        self.asked = 0.0
        self.lasts = 0.0
