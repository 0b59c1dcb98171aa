"""How long a job looks for more, and how it ends so that nobody who relied on it is left waiting."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

from records.queue import BELIEF_SECONDS, WorkQueue

_RENEW_SECONDS: Final = 1.0


class Stop:
    """Whether this process has been asked to end."""

    requested = False


class Vigil:
    """The rounds of a job that looks for what is due.

    While it is awake nobody wakes a worker. When it has found nothing for ``linger`` seconds it falls asleep,
    but looks on for as long as anybody may still believe it awake. A job that ends earlier, since its
    ``seconds`` are over or for whatever else, puts in another one in its place.
    """

    def __init__(self, queue: WorkQueue, seconds: float, linger: float) -> None:
        self._queue, self._linger = queue, linger
        self._until = time.monotonic() + seconds
        self._found = time.monotonic()
        self._asleep: float | None = None
        self._is_over = False

    def rounds(self) -> Iterator[bool]:
        """Once a look; whether it is time to ask anew for what changes seldom."""
        renewed = float("-inf")
        while (now := time.monotonic()) < self._until and not Stop.requested:
            if self._asleep is None and now - self._found > self._linger:
                self._queue.fall_asleep()
                self._asleep = time.monotonic()
            anew = self._asleep is not None or now - renewed > _RENEW_SECONDS
            if self._asleep is None and anew:
                self._queue.stay_awake()
                renewed = now
            # Taken before the look, which then sees all that came of a belief from before the sleep.
            is_last = self._asleep is not None and time.monotonic() - self._asleep > BELIEF_SECONDS
            yield anew
            if is_last and self._asleep is not None:
                self._is_over = True
                return

    def found(self) -> None:
        """There was something: more may come, and it is awake again if it was asleep."""
        self._found = time.monotonic()
        if self._asleep is not None:
            self._queue.stay_awake()
            self._asleep = None

    def end(self) -> None:
        """The job ends."""
        if not self._is_over:
            self._queue.enqueue()
