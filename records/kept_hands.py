"""Stored hands in brief, to be scored under many rule sets: as kept beside their sheets, or replayed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from records.facts_codec import Kept, line_up, read_facts
from records.judging import Judged, judge_reading, variant_of
from records.log import StoredStream
from records.sheet_codec import facts_in
from records.stored_hands import is_kept, replayable
from trull import Variant, replay
from trull.briefs import brief_of
from trull.secrecy import seen_from_outside


class Replayed(NamedTuple):
    """A stored hand as it now reads, and the same in brief."""

    judged: Judged
    kept: Kept


def replayed(found: StoredStream, variants: Mapping[str, Variant]) -> Replayed:
    """A hand that was read whole. Raises `UnknownSchema`, and whatever is wrong with it."""
    reading = replayable(found)
    variant = variant_of(reading.opening.variant, variants)
    if is_kept(found):
        judged = judge_reading(reading, variant, kept=True)
    else:
        judged = Judged(reading, replay(variant, reading.events))
    # Who reads a batch may be one who sees no cards: the deal of a live hand decides nothing there.
    hand = seen_from_outside(judged.hand) if judged.is_live else judged.hand
    brief = brief_of(hand, None if judged.broken is None else judged.status)
    return Replayed(judged, Kept(variant.id, line_up(reading.opening.players), brief))


def kept_hand(found: StoredStream, variants: Mapping[str, Variant]) -> Kept | None:
    """A hand as its last sheet kept it; None where that is of another version, of the hand or of the rules.

    Needs no entries of the stream.
    """
    view = found.view
    if view is None or view.version != found.version:
        return None
    return read_facts(facts_in(view.body), variants)
