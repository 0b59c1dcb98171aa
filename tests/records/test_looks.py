"""What is kept of sessions and tournaments while nothing is appended."""

from __future__ import annotations

from itertools import count

from records.looks import KEPT, Looks


def test_read_again_only_where_something_was_appended() -> None:
    looks, reads = Looks(), count()
    assert looks.of(("default", "session", "s"), "p1", lambda: next(reads)) == 0
    assert looks.of(("default", "session", "s"), "p1", lambda: next(reads)) == 0
    assert looks.of(("other", "session", "s"), "p1", lambda: next(reads)) == 1
    assert looks.of(("default", "session", "s"), "p2", lambda: next(reads)) == 2
    assert looks.of(("default", "session", "s"), "p1", lambda: next(reads)) == 3, (
        "another one is not an older one"
    )


def test_only_so_many_are_kept() -> None:
    looks, reads = Looks(), count()
    for number in range(KEPT + 1):
        looks.of((str(number),), "p", lambda: next(reads))
    assert looks.of((str(KEPT),), "p", lambda: next(reads)) == KEPT
    assert looks.of(("0",), "p", lambda: next(reads)) == KEPT + 1
