"""Score sheets: which hands are due for one, who is at work on them, and the sheets that were made.

What is due is a sorted set in each shard, by the time from which it may be claimed. To claim a hand
is to put that time off by a lease; who dies at work leaves a mark that falls due again. A sheet is
stored only where none of a later version is, and the mark goes when the sheet is of the stream's
latest version: working on a hand twice, at once or later, changes nothing.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, cast

import redis

from records.log import StoredStream, Stream
from records.redis_client import store_errors
from records.redis_keys import KINDS, SHARDS, due_key, due_name, due_stream, feed_key, shard_of, stream_key
from records.redis_log import VERSION
from records.redis_script import QuickScript, Word, Words
from records.sheet_codec import Sheet, read_sheet, write_sheet

LEASE: Final = 5.0
"""Seconds after which a claimed hand may be claimed again. A batch takes some milliseconds."""

MAX_LEASE: Final = 60.0

LATER: Final = 10**12
"""Milliseconds by which marks that are not urgent are set ahead."""

SHEET_STATUSES: Final = ("incomplete", "scored", "annulled", "void", "irregular", "failed")
"""What a sheet can say of its hand. Their numbers are in the store."""

# KEYS: due    ARGV: how many, lease in ms, longest lease in ms, whether marks beyond that count ("1" or "")
# By the clock of the store alone. What lies further ahead than any lease reaches comes last: it is not
# urgent, or it was marked before the clock was set back. Answers names, each with the time of its mark.
_CLAIM: Final = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local count = tonumber(ARGV[1])
local found = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'WITHSCORES', 'LIMIT', 0, count)
local left = count - #found / 2
if left > 0 and ARGV[4] == '1' then
  local ahead = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. now + ARGV[3], '+inf', 'LIMIT', 0, left)
  for _, name in ipairs(ahead) do
    found[#found + 1] = name
    found[#found + 1] = ''
  end
end
for at = 1, #found, 2 do redis.call('ZADD', KEYS[1], now + ARGV[2], found[at]) end
return found
"""

# KEYS: due    ARGV: longest lease in ms, how late in ms, whether marks beyond a lease count ("1" or "")
# Answers how many could have been claimed for that long.
_OVERDUE: Final = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local late = redis.call('ZCOUNT', KEYS[1], '-inf', now - ARGV[2])
if ARGV[3] == '1' then late = late + redis.call('ZCOUNT', KEYS[1], '(' .. now + ARGV[1], '+inf') end
return late
"""

# KEYS: due, then streams of its shard, each with the feed of its tenant
# ARGV: for each of them version, view, name among what is due, number of the status and of the kind
# The first sheet of a hand and one that takes the place of another are told in the feed.
_STORE: Final = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for at = 2, #KEYS, 2 do
  local key, arg = KEYS[at], at / 2 * 5 - 4
  local version, view, name = tonumber(ARGV[arg]), ARGV[arg + 1], ARGV[arg + 2]
  local head = redis.call('LINDEX', key, 0)
  local current, _, place
  if head then
    current, _, place = struct.unpack('>I4I6I4', head)
    local was = redis.call('LINDEX', key, 1)
    local stored = #was > 0 and struct.unpack('>I4', was) or 0
    if version >= stored and was ~= view then
      redis.call('LSET', key, 1, view)
      local what = ARGV[arg + 4] + (#was > 0 and 32 or 16)
      redis.call('RPUSH', KEYS[at + 1], struct.pack('>BI6I4I3I2', what, now, place, version, ARGV[arg + 3]))
    end
  end
  if not head or version >= current then redis.call('ZREM', KEYS[1], name) end
end
return now
"""


class Claimed(NamedTuple):
    """A hand that is to be scored now, and since when (ms by the store's clock); None if it is not urgent."""

    stream: Stream
    since: int | None


class MadeSheet(NamedTuple):
    """A sheet that was made of a stream up to a version, and what is kept beside (`records.facts_codec`)."""

    stream: Stream
    version: int
    sheet: Sheet
    facts: bytes = b""


@dataclass(frozen=True, slots=True)
class StoredSheet:
    """The latest sheet of a hand, if there is one, and whether it is still to be made of what came later.

    ``version`` is the version that the sheet is of, ``current_version`` that of the hand.
    """

    sheet: Sheet | None
    version: int | None
    current_version: int
    due: bool


class Sheets:
    """The sheets of all hands, and what is due."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        self._claim = QuickScript(client, _CLAIM)
        self._overdue = QuickScript(client, _OVERDUE)
        self._store = QuickScript(client, _STORE)

    def due(self, *, later: bool = True) -> list[int]:
        """How many hands are due in each shard, claimed by somebody or not.

        ``later``: also those that are not urgent.
        """
        most = "+inf" if later else _later_than_any()
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            for shard in range(SHARDS):
                pipe.zcount(due_key(shard), "-inf", most)
            return cast(list[int], pipe.execute())

    def longest_wait(self) -> float:
        """For how many seconds the oldest hand waits of those that are not urgent; 0 if there is none."""
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            seconds, micros = self._redis.time()
            for shard in range(SHARDS):
                pipe.zrangebyscore(due_key(shard), _later_than_any(), "+inf", 0, 1, withscores=True)
            found: list[list[tuple[bytes, float]]] = pipe.execute()
        now = seconds * 1000 + micros / 1000
        return max((now + LATER - at for marks in found for _, at in marks), default=0) / 1000

    def overdue(self, seconds: float = 0, *, later: bool = True) -> int:
        """How many hands nobody is at work on, though they could have been claimed ``seconds`` ago.

        ``later``: also those that are not urgent.
        """
        arguments = [_ms(MAX_LEASE), _ms(seconds), "1" if later else ""]
        # In most shards nothing is due.
        shards = [shard for shard, count in enumerate(self.due(later=later)) if count]
        with store_errors():
            return sum(self._overdue.each(_for_each(shards, arguments)))

    def claim(
        self, shards: Sequence[int], count: int, lease: float = LEASE, *, later: bool = True
    ) -> list[Claimed]:
        """Up to ``count`` due hands of each shard, nobody else's for ``lease`` seconds (at most MAX_LEASE).

        Those that are not urgent come last, and only if ``later``.
        """
        arguments = [count, _ms(lease), _ms(MAX_LEASE), "1" if later else ""]
        with store_errors():
            answers = self._claim.each(_for_each(shards, arguments))
        found: list[bytes] = [part for answer in answers for part in answer]
        marks = zip(found[::2], found[1::2], strict=True)
        return [Claimed(due_stream(name), int(float(at)) if at else None) for name, at in marks]

    def store(self, made: Iterable[MadeSheet]) -> int:
        """Keep sheets, each only where none of a later version is; when, in ms by the store's clock."""
        by_shard: dict[int, list[MadeSheet]] = {}
        for one in made:
            by_shard.setdefault(shard_of(one.stream), []).append(one)
        calls: list[Words] = []
        for shard, some in by_shard.items():
            keys = [due_key(shard)]
            arguments: list[Word] = []
            for stream, version, sheet, facts in some:
                keys += [stream_key(stream), feed_key(shard, stream.tenant)]
                arguments += [version, VERSION.pack(version) + write_sheet(sheet, facts), due_name(stream)]
                arguments += [SHEET_STATUSES.index(sheet["status"]), KINDS.index(stream.kind)]
            calls.append((keys, arguments))
        with store_errors():
            times: list[int] = self._store.each(calls)
        return max(times, default=0)

    def forget(self, streams: Sequence[Stream]) -> None:
        """Take away the marks of hands that are not there."""
        with store_errors(), self._redis.pipeline(transaction=False) as pipe:
            for stream in streams:
                pipe.zrem(due_key(shard_of(stream)), due_name(stream))
            pipe.execute()


def sheet_of(found: StoredStream, wanted: bool) -> StoredSheet:
    """The sheet of a stored hand. ``wanted``: its last append made one fall due."""
    view = found.view
    sheet = read_sheet(view.body, found.stream.id, view.version) if view else None
    version = view.version if view else None
    return StoredSheet(sheet, version, found.version, wanted and (version or 0) < found.version)


def _later_than_any() -> int:
    """What lies beyond every urgent mark, and before those that are not.

    Years lie between the two kinds, so that it does not matter whose clock tells them apart.
    """
    return round(time.time() * 1000) + LATER // 2


def _for_each(shards: Iterable[int], arguments: Sequence[Word]) -> list[Words]:
    return [([due_key(shard)], arguments) for shard in shards]


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
