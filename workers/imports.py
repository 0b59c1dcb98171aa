"""What the workers do with uploads: store the hands of one chunk after the other."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import islice
from typing import Final

import redis

from records.import_chunks import LEASE, Chunk, ImportChunks
from records.imports import Importer, Outcome
from records.log import StoreUnavailable

BATCH: Final = 600
"""Lines whose hands are stored in one round trip: two of these are a chunk of usual hands."""


class ChunkImporter:
    """Imports chunks. Two at work on the same chunk do no harm."""

    def __init__(
        self, client: redis.Redis, lease: float = LEASE, between: Callable[[], object] = lambda: None
    ) -> None:
        """``between`` is called after each batch of lines, which takes a part of a second."""
        self._chunks = ImportChunks(client)
        self._importer = Importer(client)
        self._lease = lease
        self._between = between

    def waiting(self) -> int:
        """How many chunks nobody is at work on. Raises `StoreUnavailable`."""
        return sum(self._chunks.waiting(stream) for stream in self._chunks.left())

    def is_over(self) -> bool:
        """Whether everything is imported. Raises `StoreUnavailable`."""
        return not self._chunks.left()

    def do_next(self) -> bool:
        """Import a chunk, if one is left that nobody is at work on; whether there was one.

        Raises `StoreUnavailable`: the chunk can be claimed again after the lease.
        """
        streams = self._chunks.left()
        # Not the same one first: each import gets on, whichever was there before.
        random.shuffle(streams)
        for stream in streams:
            chunk = self._chunks.claim(stream, self._lease)
            if chunk is not None:
                self._chunks.finish(chunk, self._outcomes(chunk))
                return True
        return False

    def _outcomes(self, chunk: Chunk) -> Iterator[Outcome]:
        """The outcomes of the chunk's lines. Raises `StoreUnavailable`."""
        lines = chunk.block.lines()
        batches = iter(lambda: list(islice(lines, BATCH)), [])
        instance = f"/v1/imports/{chunk.import_id}"
        taken = self._importer.take_each(chunk.tenant, chunk.by, batches, instance, chunk.since)
        with closing(taken):
            for outcomes in taken:
                if any(outcome.status == 503 for outcome in outcomes):
                    raise StoreUnavailable("the store went away in the middle of a chunk")
                yield from outcomes
                self._between()
