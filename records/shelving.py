"""Taking archived hands out of Redis, and putting them back: one step a hand, each time.

Places in the lists of a shard never change, since lists, feed and cursors count on them. So a hand that is
removed leaves a tombstone at its place among the ids, keeps its places in the lists of its sessions and
players, and leaves gaps in the feed: empty elements, two bytes each. A tombstone is no legal id. It is made
of the hand's name and beginning, so that the same hand finds its place again, and no other takes it
(docs/adr/0058-compaction-and-archive.md).
"""

from __future__ import annotations

import hashlib
from typing import Final, Literal

import redis

from records.archive import ArchivedHand
from records.changes import lists_of
from records.feed_entries import ENTRY
from records.redis_client import store_errors
from records.redis_keys import (
    KINDS,
    TOMBSTONE,
    due_key,
    due_name,
    feed_key,
    ids_key,
    list_name,
    shard_of,
    stream_key,
)
from records.redis_log import HEAD
from records.sheet_codec import read_sheet
from records.sheets import SHEET_STATUSES
from records.stored_hands import openings_of

# KEYS: stream, due, ids, feed
# ARGV: name among what is due, tombstone, how many elements, these, position and entry of each in the feed
_REMOVE: Final = """
local found, count = redis.call('LRANGE', KEYS[1], 0, -1), tonumber(ARGV[3])
if #found == 0 then return 'gone' end
if #found ~= count then return 'changed' end
for at = 1, count do
  if found[at] ~= ARGV[at + 3] then return 'changed' end
end
local _, _, place = struct.unpack('>I4I6I4', found[1])
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('LSET', KEYS[3], place, ARGV[2])
for at = count + 4, #ARGV, 2 do
  local position, entry = ARGV[at], ARGV[at + 1]
  if redis.call('LINDEX', KEYS[4], position) == entry then redis.call('LSET', KEYS[4], position, '') end
end
return 'removed'
"""

# KEYS: stream, ids, short lists, feed, then a long list for each list that the hand has joined
# ARGV: id, place, tombstone, two entries for the feed of another store, how many elements, these, how many
# lists, their names, then position and entry of each in the feed that it was taken from
# The head, which is the first element, ends its fixed part with the place.
_RESTORE: Final = """
local count = tonumber(ARGV[6])
local found = redis.call('LRANGE', KEYS[1], 0, -1)
if #found > 0 then
  for at = 2, math.max(#found, count) do
    if found[at] ~= ARGV[at + 6] then return 'other' end
  end
  return 'there'
end
local place, names = tonumber(ARGV[2]), count + 7
local fed = names + tonumber(ARGV[names]) + 1
if redis.call('LINDEX', KEYS[2], place) == ARGV[3] then
  redis.call('LSET', KEYS[2], place, ARGV[1])
  for at = fed, #ARGV, 2 do
    local position, entry = ARGV[at], ARGV[at + 1]
    if redis.call('LINDEX', KEYS[4], position) == '' then redis.call('LSET', KEYS[4], position, entry) end
  end
else
  place = redis.call('RPUSH', KEYS[2], ARGV[1]) - 1
  for list = 5, #KEYS do
    local name = ARGV[names + list - 4]
    local short = redis.call('HGET', KEYS[3], name)
    if short and #short >= 56 then redis.call('RPUSH', KEYS[list], place)
    else redis.call('HSET', KEYS[3], name, (short and short .. ' ' or '') .. place) end
  end
  local time = redis.call('TIME')
  local now = struct.pack('>I6I4', time[1] * 1000 + math.floor(time[2] / 1000), place)
  for at = 4, 5 do
    redis.call('RPUSH', KEYS[4], string.sub(ARGV[at], 1, 1) .. now .. string.sub(ARGV[at], 12))
  end
end
local version, created = struct.unpack('>I4I6', ARGV[7])
redis.call('RPUSH', KEYS[1], struct.pack('>I4I6I4', version, created, place) .. string.sub(ARGV[7], 15))
for at = 2, count do redis.call('RPUSH', KEYS[1], ARGV[at + 6]) end
return 'restored'
"""

Removed = Literal["removed", "changed", "gone"]
Restored = Literal["restored", "there", "other"]


class Shelves:
    """Moves hands between Redis and an archive that was read."""

    def __init__(self, client: redis.Redis) -> None:
        self._remove = client.register_script(_REMOVE)
        self._restore = client.register_script(_RESTORE)

    def remove(self, hand: ArchivedHand) -> Removed:
        """Take a hand out of Redis where it is still as archived. Raises `StoreUnavailable`."""
        stream, shard = hand.stream, shard_of(hand.stream)
        ids, feed = ids_key(shard, stream.kind, stream.tenant), feed_key(shard, stream.tenant)
        arguments = [due_name(stream), _tombstone(hand), len(hand.parts), *hand.parts, *_flat(hand.fed)]
        with store_errors():
            answer: bytes = self._remove([stream_key(stream), due_key(shard), ids, feed], arguments)
        return answer.decode()  # type: ignore[return-value]  # one of the words above

    def restore(self, hand: ArchivedHand) -> Restored:
        """Put a hand back, at its old place where it was removed here. Raises `StoreUnavailable`.

        Elsewhere it is new: it joins its lists and the feed at their ends. ``there``: it had not left, or is
        back already; ``other``: its id has been given to another hand, or it has gone on since.
        """
        stream, shard = hand.stream, shard_of(hand.stream)
        lists = dict.fromkeys(by for opening in openings_of(hand.found) for by in lists_of(opening))
        names = [list_name(by) for by in lists]
        ids = ids_key(shard, stream.kind, stream.tenant)
        keys = [stream_key(stream), ids, f"{ids}:lists", feed_key(shard, stream.tenant)]
        keys += [f"{ids}:{name}" for name in names]
        _, _, place = HEAD.unpack_from(hand.parts[0])
        arguments = [stream.id, place, _tombstone(hand), *_news(hand), len(hand.parts), *hand.parts]
        arguments += [len(names), *names, *_flat(hand.fed)]
        with store_errors():
            answer: bytes = self._restore(keys, arguments)
        return answer.decode()  # type: ignore[return-value]  # one of the words above


def _news(hand: ArchivedHand) -> tuple[bytes, bytes]:
    """What the feed of another store tells: all events, and the sheet. Time and place are left open."""
    found, kind = hand.found, KINDS.index(hand.stream.kind)
    assert found.view is not None, f"{hand.stream}: reading the archive sees to that"
    sheet = read_sheet(found.view.body, hand.stream.id, found.view.version)
    status = SHEET_STATUSES.index(sheet["status"])
    open_, version = bytes(6), found.version.to_bytes(3)
    return (
        ENTRY.pack(kind, open_, 0, version, found.version),
        ENTRY.pack(kind + 16, open_, 0, version, status),
    )


def _flat(fed: tuple[tuple[int, bytes], ...]) -> list[int | bytes]:
    return [value for pair in fed for value in pair]


def _tombstone(hand: ArchivedHand) -> str:
    stream = hand.stream
    name = f"{stream.kind}:{stream.tenant}:{stream.id}:{hand.found.created}"
    return TOMBSTONE + hashlib.blake2b(name.encode(), digest_size=6).hexdigest()
