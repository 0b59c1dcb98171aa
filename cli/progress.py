"""How far it is, on a terminal, and what came of it."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Never

from cli.answers import Answers

if TYPE_CHECKING:
    from tqdm import tqdm


class Progress:
    """Counts, and shows a bar where somebody is there to see it."""

    def __init__(self, total: int | None, bar: bool) -> None:
        self.records = 0
        self.refused = 0
        self._begun = time.monotonic()
        self._bar: tqdm[Never] | None = None
        if bar:
            from tqdm import tqdm

            self._bar = tqdm(total=total, unit="B", unit_scale=True, file=sys.stderr, dynamic_ncols=True)

    def add(self, answers: Answers) -> None:
        """A chunk is answered and written."""
        self.records += answers.records
        self.refused += answers.refused
        if self._bar is not None:
            told = f"{self.records:,} hands" + (f", {self.refused:,} refused" if self.refused else "")
            self._bar.set_postfix_str(told, refresh=False)
            self._bar.update(answers.size)

    def close(self) -> None:
        """Leave the bar as it is."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def summary(self, before: int, refused_before: int) -> str:
        """What was done, in a line, by this run and by the one that it goes on with."""
        if before:
            refused = self.refused + refused_before
            return f"{_records(before)} answered before, {self.records:,} now; {refused:,} refused in all"
        seconds = time.monotonic() - self._begun
        rate = f", {self.records / seconds:,.0f} a second" if seconds > 1 else ""
        return f"{_records(self.records)}, {self.refused:,} refused{rate}"


def _records(number: int) -> str:
    return f"{number:,} record" if number == 1 else f"{number:,} records"
