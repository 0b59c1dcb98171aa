"""Compaction: a finished hand's many appends become one element of its Redis list.

The worker that makes the sheet bundles the entries first. The script puts the bundle in their place only
where the stream still has the version that was read: an append meanwhile leaves the stream as it
is, and its own sheet brings the next chance. Whoever dies before the script leaves everything
as it was and the hand due; whoever comes second finds one element and nothing to do.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Final

import redis

from records.bundles import bundle, unbundle
from records.codec import Entry, read_entry
from records.log import StoredEntry, StoredStream
from records.redis_client import store_errors
from records.redis_keys import shard_of, stream_key
from records.redis_log import bundle_part
from records.redis_script import QuickScript, Words

# KEYS: streams of one shard    ARGV: for each of them version, bundle
# The head and the view stay as they are. Of an unchanged version the entries are the same, bundled or not.
_COMPACT: Final = """
for at = 1, #KEYS do
  local head, version = redis.call('LINDEX', KEYS[at], 0), tonumber(ARGV[2 * at - 1])
  if head and struct.unpack('>I4', head) == version and redis.call('LLEN', KEYS[at]) > 3 then
    redis.call('LTRIM', KEYS[at], 0, 1)
    redis.call('RPUSH', KEYS[at], ARGV[2 * at])
  end
end
"""

_log = logging.getLogger(__name__)


class Compaction:
    """Makes streams smaller without changing what is read from them."""

    def __init__(self, client: redis.Redis) -> None:
        self._compact = QuickScript(client, _COMPACT)

    def compact(self, streams: Iterable[StoredStream]) -> None:
        """Bundle the entries of those that have several. Raises `StoreUnavailable`."""
        by_shard: dict[int, list[tuple[str, int, bytes]]] = {}
        for found in streams:
            body = _checked_bundle(found) if found.parts > 1 else None
            if body is not None:
                part = bundle_part(found.entries[0].recorded, body)
                shard = by_shard.setdefault(shard_of(found.stream), [])
                shard.append((stream_key(found.stream), found.version, part))
        calls: list[Words] = [
            ([key for key, _, _ in some], [word for _, version, part in some for word in (version, part)])
            for some in by_shard.values()
        ]
        with store_errors():
            self._compact.each(calls)


def _checked_bundle(found: StoredStream) -> bytes | None:
    """The bundle of a stream's entries; None where it is no use, or would not read as they do.

    It takes the place of the only copy of them. A fault in making it costs memory, and must not cost a
    sheet, or an event.
    """
    try:
        body = bundle(found.entries)
        if body is None or _read(unbundle(found.entries[0].recorded, body)) == _read(found.entries):
            return body
        _log.error("%s is left as it is: its bundle reads otherwise", found.stream)
    except Exception:
        _log.exception("%s is left as it is: it cannot be bundled", found.stream)
    return None


def _read(entries: Sequence[StoredEntry]) -> list[tuple[int, Entry]]:
    """What entries say: a bundle does not keep which of them were deflated."""
    return [(recorded, read_entry(body)) for recorded, body in entries]
