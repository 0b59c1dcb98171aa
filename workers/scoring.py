"""What the workers do: make the sheets of the hands that are due."""

from __future__ import annotations

import logging
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import redis

from records.codec import UnknownSchema
from records.compaction import Compaction
from records.facts_codec import write_facts
from records.judging import sheet_of, variant_of
from records.kept_hands import replayed
from records.log import StoredStream, StoreUnavailable, Stream
from records.meters import LagNotes
from records.redis_log import RedisLog
from records.sheet_codec import Sheet
from records.sheets import LEASE, Claimed, MadeSheet, Sheets
from records.stored_hands import opening_of
from records.variant_store import VariantStore
from trull import Variant

BATCH: Final = 100
"""Hands of a shard claimed at once: some milliseconds of work, against two waits for the disk."""

MANY: Final = 4 * BATCH
"""Where more hands are due than that, they are no longer those that just came one by one, but a backlog."""

_log = logging.getLogger(__name__)


class Scorer:
    """Makes and stores sheets. Two at work on the same hand do no harm.

    Without ``variants`` each tenant's are those of its house too.
    """

    def __init__(
        self, client: redis.Redis, variants: Mapping[str, Variant] | None = None, lease: float = LEASE
    ) -> None:
        self._log = RedisLog(client)
        self._sheets = Sheets(client)
        self._compaction = Compaction(client)
        self._houses = VariantStore(client)
        self.lags = LagNotes(client)
        self._variants = variants
        self._lease = lease

    def score_some(self, *, later: bool = True) -> Iterator[int]:
        """Score up to a batch of the due hands of each shard; the number of hands, each time some are done.

        ``later``: also those that are not urgent. Raises `StoreUnavailable`: what is claimed by then falls
        due again after the lease.
        """
        due = self._sheets.due(later=later)
        shards = [shard for shard, count in enumerate(due) if count]
        # Not the same one first: workers that start together would meet in every shard.
        random.shuffle(shards)
        # A few hands are done at once, whichever shards they are in: what they cost is the round trips.
        for some in [shards] if 0 < sum(due) <= MANY else [[shard] for shard in shards]:
            claimed = self._sheets.claim(some, BATCH, self._lease, later=later)
            if claimed:
                self._score(claimed)
                yield len(claimed)

    def _score(self, claimed: list[Claimed]) -> None:
        made: list[MadeSheet] = []
        read: list[StoredStream] = []
        gone: list[Stream] = []
        streams = [one.stream for one in claimed]
        for stream, found in zip(streams, self._log.read_many(streams), strict=True):
            if found is None:
                gone.append(stream)
                continue
            try:
                variants = self._houses.of(stream.tenant) if self._variants is None else self._variants
                made.append(sheet_for(found, variants))
                read.append(found)
            except StoreUnavailable:
                raise
            except UnknownSchema as error:
                # Written by a later version, whose workers will score it. The mark stays.
                _log.warning("hand %s of %s left: %s", stream.id, stream.tenant, error)
            except Exception:
                # What is stored cannot be read. The others must not wait for it; the mark stays.
                _log.exception("hand %s of %s cannot be read", stream.id, stream.tenant)
        # Before the sheet is there and the hand no longer due: whoever dies in between comes back to it.
        self._compaction.compact(read)
        now = self._sheets.store(made)
        since = dict(claimed)
        times = [since[one.stream] for one in made]
        self.lags.add(max(0, now - at) / 1000 for at in times if at is not None)
        if gone:
            _log.error("due hands that are not there: %s", gone)
            self._sheets.forget(gone)


def sheet_for(found: StoredStream, variants: Mapping[str, Variant]) -> MadeSheet:
    """The sheet of a stored hand; a ``failed`` one if there is a fault in making it.

    A stored hand breaks no rule but where that is known. So whatever is raised is a fault of ours, and
    it would be raised again: the hand gets a sheet that says so, and is not tried for ever. Raises
    `UnknownSchema`, and `StoreUnavailable` where the variants have to be asked for.
    """
    stream, version = found.stream, found.version
    try:
        judged, kept = replayed(found, variants)
        sheet = sheet_of(judged, facts=kept.brief.facts)
        told = sheet.as_dict(judged.reading.opening.players, stream.id, version)
        return MadeSheet(stream, version, told, write_facts(kept))
    except (UnknownSchema, StoreUnavailable):
        raise
    except Exception as error:
        _log.exception("hand %s of %s could not be scored", stream.id, stream.tenant)
        opening = opening_of(found)
        variant = variant_of(opening.variant, variants)
        return MadeSheet(stream, version, _failed_sheet(found, variant, opening.players, error))


def _failed_sheet(found: StoredStream, variant: Variant, players: Sequence[str], error: Exception) -> Sheet:
    nothing = ("declarer", "partner", "contract", "stake", "outcome", "card_points", "card_points_exact")
    return {
        "hand_id": found.stream.id,
        "variant": variant.id,
        "variant_revision": variant.revision,
        "version": found.version,
        "status": "failed",
        **dict.fromkeys(nothing),
        "items": [],
        "scores": dict.fromkeys(players, 0),
        "payments": [],
        "notes": [],
        "problem": {
            "type": "urn:trull:problem:internal-error",
            "title": "A fault of the service",
            "status": 500,
            "detail": f"The sheet could not be made ({type(error).__name__}). The workers' log knows more.",
            "instance": f"/v1/hands/{found.stream.id}/score",
        },
    }
