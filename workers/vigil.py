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
    but looks on for as long as anybody may still believe it awake. Then it is over, whatever it found
    meanwhile: whoever came after that has put in a job of his own. A job that ends earlier, since its
    ``seconds`` are over or for whatever else, puts in another one in its place; one whose last look was cut
    short sees to it that there is one.
    """

    def __init__(self, queue: WorkQueue, seconds: float, linger: float) -> None:
        self._queue, self._linger = queue, linger
        self._until = time.monotonic() + seconds
        self._found = time.monotonic()
        self._is_over = False
        self._was_cut = False

    def rounds(self) -> Iterator[bool]:
        """Once a look; whether to ask anew for what changes seldom: each second, and for the last look."""
        renewed = float("-inf")
        while (now := time.monotonic()) - self._found <= self._linger:
            if self._has_to_end():
                return
            anew = now - renewed > _RENEW_SECONDS
            if anew:
                self._queue.stay_awake()
                renewed = now
            yield anew
        self._queue.fall_asleep()
        asleep = time.monotonic()
        # The last look begins after that, and so sees all that came of a belief from before the sleep.
        while not self._is_over:
            self._is_over = time.monotonic() - asleep > BELIEF_SECONDS
            yield self._is_over

    def found(self) -> None:
        """There was something: more may come."""
        self._found = time.monotonic()

    def cuts_short(self) -> bool:
        """Whether a look is to be left in its midst, since the job has to end: to be asked only for that."""
        self._was_cut = self._was_cut or self._has_to_end()
        return self._was_cut

    def end(self) -> None:
        """The job ends."""
        if not self._is_over:
            self._queue.enqueue()
        elif self._was_cut:
            self._queue.enqueue_below(1)

    def _has_to_end(self) -> bool:
        return time.monotonic() > self._until or Stop.requested
