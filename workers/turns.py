"""When sheets that are not urgent have their turn: those of imported hands, which nobody waits for."""

from __future__ import annotations

from typing import Final

import redis

from records.import_chunks import ImportChunks
from records.sheets import Sheets

PATIENCE: Final = 900.0
"""Seconds that such a sheet waits for imports at most: a million hands take two minutes to import, but files
may come one after the other for hours."""


class Turn:
    """The turn of sheets that are not urgent. Makes no connection before it is used."""

    def __init__(self, client: redis.Redis) -> None:
        self._imports = ImportChunks(client)
        self._sheets = Sheets(client)

    def has_come(self) -> bool:
        """Whether they are made now: nothing is imported, or the oldest has waited for so long.

        Who makes them is in the way of imports, and of posts beside. But whoever imports without end, of one
        tenant or of many, holds nobody's sheets up for longer than that. Raises `StoreUnavailable`.
        """
        return not self._imports.are_under_way() or self._sheets.longest_wait() > PATIENCE
