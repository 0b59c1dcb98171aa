"""Ratios of running times on a machine that does other things too.

Clock speed and load change from one second to the next, so that times of different moments cannot be
compared. Here the measured function and its reference take turns, many times a second; each turn
gives a ratio, and the median of them is told.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Final, Literal, NamedTuple

ROUNDS: Final = 150
_TURN: Final = 0.002
"""Seconds that a turn of the reference takes at least."""


class Line(NamedTuple):
    """A line of the table: what was measured, and the bound that it has to keep.

    ``value`` is a ratio unless ``unit`` names something else. A line without a bound is told for
    information.
    """

    name: str
    value: float
    bound: float | None = None
    kept: Literal["at most", "at least"] = "at most"
    unit: str = ""

    @property
    def passed(self) -> bool:
        """Whether the bound is kept."""
        if self.bound is None:
            return True
        return self.value <= self.bound if self.kept == "at most" else self.value >= self.bound


def median_ratio(
    measured: Callable[[], object], reference: Callable[[], object], rounds: int = ROUNDS
) -> float:
    """The median, over interleaved rounds, of the time of a function divided by that of its reference."""
    times = _calls_a_turn(reference)
    for function in (measured, reference):
        _turn(function, times)
    return statistics.median(_turn(measured, times) / _turn(reference, times) for _ in range(rounds))


def _turn(function: Callable[[], object], times: int) -> float:
    start = time.perf_counter()
    for _ in range(times):
        function()
    return time.perf_counter() - start


def _calls_a_turn(function: Callable[[], object]) -> int:
    """So many calls that the clock's resolution and a single interruption do not count."""
    times = 1
    while _turn(function, times) < _TURN:
        times *= 2
    return times
