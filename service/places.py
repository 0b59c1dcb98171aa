"""Places for calls that take long: so many at once in each process, and no more."""

from __future__ import annotations

from collections.abc import Iterator
from threading import BoundedSemaphore, Lock

from flask import Response


class Place:
    """A place that somebody has taken."""

    def __init__(self, free: BoundedSemaphore) -> None:
        self._free = free
        self._lock = Lock()
        self._is_taken = True

    def leave(self) -> None:
        """Free the place; done again, it does nothing."""
        with self._lock:
            if self._is_taken:
                self._is_taken = False
                self._free.release()

    def held_by(self, response: Response) -> Response:
        """The same answer, which frees the place when it has been sent, or is not sent any further."""
        response.response = self._until_left(response.response)
        response.call_on_close(self.leave)  # also where it was never begun
        return response

    def _until_left(self, body: object) -> Iterator[bytes]:
        try:
            yield from body  # type: ignore[misc]  # an answer's body may be of many types
        finally:
            self.leave()


class Places:
    """The places of one kind."""

    def __init__(self, count: int) -> None:
        self._free = BoundedSemaphore(count)

    def take(self) -> Place | None:
        """A place, or None where all are taken."""
        return Place(self._free) if self._free.acquire(blocking=False) else None
