"""What the workers do with batches: score the hands of one chunk after the other under other rule sets."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import redis

from records.codec import UnknownSchema
from records.facts_codec import Kept, line_up
from records.hand_list import HandFilters, matches
from records.judging import variant_of
from records.kept_hands import kept_hand, replayed
from records.log import StoredStream, StoreUnavailable, Stream
from records.redis_log import RedisLog
from records.rescore_chunks import LEASE, Chunk, RescoreChunks
from records.rescore_results import ChunkResults
from records.stored_hands import opening_of, summary_of
from records.variant_store import VariantStore
from trull import Variant
from trull.briefs import Totals, totals

_BATCH: Final = 100
"""Hands read whole at once."""

_NO_FILTERS: Final = HandFilters()

_log = logging.getLogger(__name__)


class ChunkRescorer:
    """Does chunks of batches. Two at work on the same chunk do no harm."""

    def __init__(
        self, client: redis.Redis, lease: float = LEASE, between: Callable[[], object] = lambda: None
    ) -> None:
        """``between`` is called after each hundred hands that had to be read whole, which takes long."""
        self._chunks = RescoreChunks(client)
        self._log = RedisLog(client)
        self._houses = VariantStore(client)
        self._lease = lease
        self._between = between

    def waiting(self) -> int:
        """How many chunks nobody is at work on. Raises `StoreUnavailable`."""
        return sum(self._chunks.waiting(batch) for batch in self._chunks.left())

    def do_next(self) -> bool:
        """Do a chunk of the batch whose turn it is, if any is left; whether there was one.

        Raises `StoreUnavailable`: the chunk can be claimed again after the lease.
        """
        for batch in self._chunks.left():
            chunk = self._chunks.claim(batch, self._lease)
            if chunk is None:
                continue
            try:
                results = self._results(chunk)
            except UnknownSchema as error:
                # Asked for at a later version of the service, whose workers can do it.
                _log.warning("chunk %d of batch %s left: %s", chunk.number, batch.id, error)
                continue
            self._chunks.finish(chunk, results)
            return True
        return False

    def _results(self, chunk: Chunk) -> ChunkResults:
        """The results of a chunk. Raises `StoreUnavailable`, `UnknownSchema`."""
        variants = self._houses.of(chunk.batch.tenant)
        targets = [variant_of(name, variants) for name in chunk.variants]
        results = ChunkResults([target.revision for target in targets])
        for found, kept in self._hands(chunk, variants):
            if kept is None:
                results.add(found.stream.id, found.version, _players(found), [None] * (len(targets) + 1))
            else:
                stands = _stands(kept, [variants[kept.variant], *targets], found)
                results.add(found.stream.id, found.version, kept.line_up, stands)
        return results

    def _hands(
        self, chunk: Chunk, variants: Mapping[str, Variant]
    ) -> Iterator[tuple[StoredStream, Kept | None]]:
        """The hands that pass the filters, in brief where that could be made. Raises `StoreUnavailable`."""
        if chunk.filters == _NO_FILTERS:
            hands = [found for found in self._log.views(chunk.streams) if found is not None]
        else:
            there = [found for found in self._log.glance(chunk.streams) if found is not None]
            hands = [found for found in there if matches(summary_of(found), chunk.filters)]
        known: dict[Stream, tuple[StoredStream, Kept | None]] = {
            found.stream: (found, kept_hand(found, variants)) for found in hands
        }
        # Not scored by now, or by another version of the rules: these have to be read whole.
        others = [stream for stream, (_, kept) in known.items() if kept is None]
        for first in range(0, len(others), _BATCH):
            some = others[first : first + _BATCH]
            for stream, read in zip(some, self._log.read_many(some), strict=True):
                if read is None:
                    del known[stream]
                else:
                    kept = _kept(read, variants)
                    known[stream] = read if kept is None else replace(read, entries=()), kept
            self._between()
        yield from known.values()


def _kept(found: StoredStream, variants: Mapping[str, Variant]) -> Kept | None:
    """The hand in brief; None where it cannot be read: a fault of ours. Raises `StoreUnavailable`."""
    try:
        return replayed(found, variants).kept
    except StoreUnavailable:
        raise
    except Exception:
        _log.exception("hand %s of %s cannot be scored again", found.stream.id, found.stream.tenant)
        return None


def _players(found: StoredStream) -> bytes:
    """The line-up of a hand that cannot be read, if at least that much of it can."""
    try:
        return line_up(opening_of(found).players)
    except Exception:
        return b""


def _stands(kept: Kept, variants: Sequence[Variant], found: StoredStream) -> list[Totals | None]:
    """How the hand stands under each rule set, the first of which is its own; None is a fault of ours."""
    stands: list[Totals | None] = []
    for variant in variants:
        try:
            stands.append(stands[0] if stands and variant is variants[0] else totals(kept.brief, variant))
        except Exception:
            _log.exception("hand %s of %s failed under %s", found.stream.id, found.stream.tenant, variant.id)
            stands.append(None)
    return stands
