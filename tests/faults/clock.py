"""A Redis whose clock can be set while it runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest


class Clock:
    """The clock that one program sees. Skips the test where libfaketime is not installed."""

    def __init__(self, folder: Path) -> None:
        libraries = sorted(Path("/usr").glob("lib*/**/faketime/libfaketime.so.1"))
        if not libraries:
            pytest.skip("needs libfaketime: apt-get install libfaketime")
        self._file = folder / "clock"
        self.env: Mapping[str, str] = {
            "LD_PRELOAD": str(libraries[0]),
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_NO_CACHE": "1",
            # Timeouts within the program go on: only the time of day is wrong.
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
        """For the environment of the program."""
        self.set_wrong_by(0)

    def set_wrong_by(self, hours: int) -> None:
        """From now on the clock is ahead by so many hours, or behind."""
        fresh = self._file.with_name("clock.new")
        fresh.write_text(f"{hours:+}h\n")
        fresh.replace(self._file)
