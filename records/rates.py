"""How many calls a key may make in a while, counted in the store for all processes together.

A process takes calls from the store in lots of a hundredth of the limit: one small script for so many calls,
each of which waits for the disk. So the limit is never passed; a key whose calls are spread over the
processes may be stopped a few lots before it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Final, NamedTuple, cast

import redis

from records.log import StoreUnavailable
from records.redis_client import store_errors

_LOTS: Final = 100
_MOST: Final = 10_000

# KEYS: the count    ARGV: limit, milliseconds of a window, calls wanted
# The window begins with its first call. Answers the calls granted, those left, and how long the window lasts.
_TAKE: Final = """
local used = tonumber(redis.call('GET', KEYS[1]) or '0')
local granted = math.max(0, math.min(tonumber(ARGV[3]), tonumber(ARGV[1]) - used))
if granted > 0 then
  redis.call('INCRBY', KEYS[1], granted)
  if used == 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
end
return {granted, math.max(0, tonumber(ARGV[1]) - used - granted), redis.call('PTTL', KEYS[1])}
"""


class Rate(NamedTuple):
    """So many calls in so many seconds."""

    calls: int
    seconds: int


class Standing(NamedTuple):
    """How a key stands: whether this call is granted, how many are left, and for how many seconds."""

    granted: bool
    left: int
    seconds: int


@dataclass(slots=True)
class _Lot:
    """What a process holds of a window: calls taken, those left in the store then, and its end."""

    taken: int = 0
    left: int = 0
    ends: float = 0.0


class Rates:
    """The calls of all keys under one limit; threads share it."""

    def __init__(self, client: redis.Redis, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self._take = client.register_script(_TAKE)
        self._rate = rate
        self._clock = clock
        self._lots: dict[str, _Lot] = {}
        self._lock = Lock()

    def call(self, name: str) -> Standing | None:
        """Count a call of that key. None while the store is away: then nobody is stopped for it."""
        with self._lock:
            lot = self._lots.get(name)
            now = self._clock()
            if lot is not None and now < lot.ends and (lot.taken or not lot.left):
                return self._spend(lot, now)
        try:
            with store_errors():
                found = self._take(
                    [f"rate:{name}"],
                    [self._rate.calls, self._rate.seconds * 1000, max(1, self._rate.calls // _LOTS)],
                )
        except StoreUnavailable:
            return None
        granted, left, milliseconds = cast(list[int], found)
        with self._lock:
            if len(self._lots) >= _MOST:
                self._lots.clear()
            lot = self._lots.setdefault(name, _Lot())
            if now >= lot.ends:
                lot.taken = 0
            lot.taken += granted
            lot.left, lot.ends = left, now + milliseconds / 1000
            return self._spend(lot, now)

    def _spend(self, lot: _Lot, now: float) -> Standing:
        granted = lot.taken > 0
        if granted:
            lot.taken -= 1
        return Standing(granted, lot.taken + lot.left, max(1, math.ceil(lot.ends - now)))
