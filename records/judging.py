"""Whether the rules let a stored hand go on so: what is stored and what is to come, judged as one record.

Refusals are `RulesError`s. ``index`` counts the events of the request from 0, ``seq`` names an event
that is stored already and is at fault, and the detail has the players' names in it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from records.codec import Opening, UnknownSchema
from records.reading import Misplaced, Reading, Recorded, Restated, read, standing
from records.record import HandRecord
from trull import Hand, RulesError, ScoreSheet, Variant, replay, score, step
from trull.errors import EventOutOfPlace
from trull.events import CardPlayed, Event, EventRetracted, HandAnnulled, PenaltyAssessed, TrickPlayed
from trull.scoring import unscored
from trull.secrecy import is_live
from trull.sheet import Note

IRREGULAR: Final = "irregular"
"""The status of a hand that breaks a rule and is kept."""

_IN_CHARGE: Final = ("director", "misdeal", "redeal")
"""What an irregular hand may be annulled for: nothing that depends on its play."""


class Judged(NamedTuple):
    """A hand as far as the rules go along with it, and the rule that it breaks there if it is kept so.

    ``kept``: it is read as a hand that breaks a rule as it was written down, healed by now or not.
    """

    reading: Reading
    hand: Hand
    broken: RulesError | None = None
    kept: bool = False

    @property
    def status(self) -> str:
        """How the hand stands."""
        if self.broken is None:
            return self.hand.status
        return "annulled" if self.hand.annulled else IRREGULAR

    @property
    def is_live(self) -> bool:
        """Whether its cards are still secret. An irregular hand is over when all its cards are out."""
        if self.broken is None or not is_live(self.hand):
            return is_live(self.hand)
        game = self.hand.variant.game
        return _cards_out(self.reading.events) < self.hand.seats * game.deals[self.hand.seats].cards_each


def variant_of(name: str, variants: Mapping[str, Variant]) -> Variant:
    """The variant of a stored hand. Raises `UnknownSchema` for one of a later version of this service."""
    if name not in variants:
        raise UnknownSchema(f"no variant {name!r} in this version")
    return variants[name]


def opening_of_record(record: HandRecord) -> Opening:
    """What a record says of its hand beside the events."""
    return Opening(
        record.variant.id,
        record.players,
        record.session_id,
        record.table,
        record.round,
        record.number,
        record.played_at,
        record.labels,
        record.format,
    )


def judge_record(record: HandRecord, *, keep: bool = False) -> Judged:
    """A whole record. ``keep``: even if it breaks a rule. Raises `RulesError`."""
    opening = opening_of_record(record)
    reading = Reading(opening, record.events, record.sent, range(1, len(record.events) + 1))
    try:
        return judge_reading(reading, record.variant)
    except RulesError:
        if not keep:
            raise
    return judge_reading(reading, record.variant, kept=True)


def judge(
    opening: Opening, log: Sequence[Recorded], variants: Mapping[str, Variant], *, kept: bool = False
) -> Judged:
    """A whole log; ``index`` of a refusal is the place in the log, from 0. Raises `RulesError`.

    ``kept``: the log is known to break a rule as it was written down; see `judge_reading`.
    """
    try:
        reading = read(opening, log)
    except Misplaced as wrong:
        clause = variant_of(wrong.variant, variants).game.clauses["retracted"]
        error = EventOutOfPlace(wrong.detail, clause, wrong.path)
        error.index = wrong.seq - 1
        raise error from None
    return judge_reading(reading, variant_of(reading.opening.variant, variants), kept=kept)


def judge_reading(reading: Reading, variant: Variant, *, kept: bool = False) -> Judged:
    """A reading under its variant. Raises `RulesError`, whose ``index`` is the place in the log, from 0.

    Of a ``kept`` hand, only what still stands counts, so that a retraction can heal it; and a rule that
    is broken then is part of what is answered.
    """
    if kept:
        reading = standing(reading)
    try:
        return Judged(reading, replay(variant, reading.events), kept=kept)
    except RulesError as error:
        hand = _until_broken(variant, reading.events, error.index) if kept else None
        _tell(error, reading)
        if hand is None:
            raise
        return Judged(reading, hand, error, kept)


def sheet_of(judged: Judged, target: Variant | None = None, facts: Any = None) -> ScoreSheet:
    """The sheet of a judged hand, under its own variant or another one.

    ``facts`` are those of `trull.scoring.facts_of`, where they are at hand already. A hand that is kept
    though it breaks a rule has no score but penalties, and a note of the rule.
    """
    broken = judged.broken
    if broken is None:
        return score(judged.hand, target, facts)
    detail = broken.discreet if judged.is_live else broken.detail
    notes = [Note(broken.code, detail, broken.seq or broken.index + 1)]
    if judged.hand.annulled:
        notes.append(Note("annulled", f"No score: {judged.hand.annulled}."))
    return unscored(judged.hand, judged.status, notes, target)


def judge_appended(
    opening: Opening,
    log: Sequence[Recorded],
    added: Sequence[Recorded],
    variants: Mapping[str, Variant],
    *,
    kept: bool = False,
) -> Judged:
    """The log with more events, as `judge` judges it. Raises `RulesError` with its place in ``added``."""
    whole = [*log, *added]
    folds = not kept and not _brings_back(log, added)
    if kept:
        judged = judge(opening, whole, variants, kept=True)
        if judged.broken is None or _undecided(whole, len(log)) is None:
            return judged
        before = judge(opening, log, variants, kept=True).broken
        if before is not None:
            raise _plays_on(whole, len(log), before)
    elif folds:
        try:
            return judge(opening, whole, variants)
        except RulesError as error:
            if error.index >= len(log):
                error.index -= len(log)
                raise

    def refusal_at(index: int) -> RulesError | None:
        return _refusal(opening, whole[: len(log) + index + 1], variants, kept)

    if folds:
        # An event exposes a stored one. What is refused once is refused with all that follows.
        index = bisect_left(range(len(added)), True, key=lambda at: refusal_at(at) is not None)
        indices = range(index, index + 1)
    else:
        # What is added may bring back a reading in which its own beginning would be legal: each event has
        # to be, when it comes.
        indices = range(len(added))
    for index in indices:
        refusal = refusal_at(index)
        if refusal is not None:
            raise _placed(refusal, len(log), index, added[index])
    return judge(opening, whole, variants, kept=kept)


def _brings_back(log: Sequence[Recorded], added: Sequence[Recorded]) -> bool:
    """Whether a restatement is retracted, so that the hand reads as it did before. Else it goes on."""
    targets = {made.event.seq for made in added if isinstance(made.event, EventRetracted)}
    return any(isinstance(made.event, Restated) and seq in targets for seq, made in enumerate(log, 1))


def _refusal(
    opening: Opening, log: Sequence[Recorded], variants: Mapping[str, Variant], kept: bool
) -> RulesError | None:
    try:
        return judge(opening, log, variants, kept=kept).broken
    except RulesError as error:
        return error


def _placed(error: RulesError, stored: int, index: int, exposing: Recorded) -> RulesError:
    """The refusal placed among what is added: at the event at fault, or at the one that exposes it."""
    if error.index >= stored:
        error.index -= stored
        return error
    error.seq = error.seq or error.index + 1
    error.index = index
    error.path = ("seq",) if isinstance(exposing.event, EventRetracted) else ()
    return error


def _tell(error: RulesError, reading: Reading) -> None:
    """Have a refusal speak of the log and of players by name."""
    players = reading.opening.players
    error.name(players)
    if error.path[:1] == ("hands",) and len(error.path) > 1:
        error.path = ("hands", players[int(error.path[1])], *error.path[2:])
    if error.seq is not None:
        error.seq = reading.seqs[error.seq - 1]
    if error.without is not None:
        error.without = reading.seqs[error.without - 1]
    error.index = reading.seqs[error.index] - 1


def _until_broken(variant: Variant, events: Sequence[Event], broken: int) -> Hand:
    """The hand up to the event that breaks a rule, and what those in charge have decided since."""
    hand = replay(variant, events[:broken])
    for event in events[broken:]:
        if isinstance(event, PenaltyAssessed | HandAnnulled):
            with suppress(RulesError):
                hand = step(hand, event)
    return hand


def _plays_on(whole: Sequence[Recorded], stored: int, broken: RulesError) -> RulesError:
    """The refusal of what an irregular hand does not take, and what leaves it irregular."""
    index = _undecided(whole, stored)
    assert index is not None
    refusal = EventOutOfPlace(
        f"The hand was kept though it breaks a rule ({broken.code}): it takes penalties and annulments, what"
        f" retracts those, and what heals it. The rule: {broken.discreet}",
        broken.clause,
        ("seq",) if isinstance(whole[stored + index].event, EventRetracted) else (),
    )
    refusal.index, refusal.seq = index, broken.seq or broken.index + 1
    return refusal


def _undecided(whole: Sequence[Recorded], stored: int) -> int | None:
    """The first event added that is no decision of those in charge: these may leave a hand irregular."""
    for index, recorded in enumerate(whole[stored:]):
        event = recorded.event
        before = whole[: stored + index]
        gone = {made.event.seq for made in before if isinstance(made.event, EventRetracted)}
        decided = isinstance(event, PenaltyAssessed)
        if isinstance(event, HandAnnulled):
            annulled = any(
                isinstance(made.event, HandAnnulled) and seq not in gone for seq, made in enumerate(before, 1)
            )
            decided = event.reason in _IN_CHARGE and not annulled
        elif isinstance(event, EventRetracted) and event.seq <= len(before) and event.seq not in gone:
            decided = isinstance(before[event.seq - 1].event, PenaltyAssessed | HandAnnulled | Restated)
        if not decided:
            return index
    return None


def _cards_out(events: Sequence[Event]) -> int:
    """How many cards the record has as played, whether they were legal or not."""
    return sum(
        len(event.cards) if isinstance(event, TrickPlayed) else 1
        for event in events
        if isinstance(event, TrickPlayed | CardPlayed)
    )
