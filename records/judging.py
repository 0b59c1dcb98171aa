"""Whether the rules let a stored hand go on so: what is stored and what is to come, judged as one record.

Refusals are `RulesError`s. ``index`` counts the events of the request from 0, ``seq`` names an event
that is stored already and is at fault, and the detail has the players' names in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from records.codec import Opening, UnknownSchema
from records.reading import Misplaced, Reading, Recorded, Restated, read
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
    """A hand as far as the rules go along with it, and the rule that it breaks there if it is kept so."""

    reading: Reading
    hand: Hand
    broken: RulesError | None = None

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
    return judge_reading(reading, record.variant, keep=keep)


def judge(
    opening: Opening, log: Sequence[Recorded], variants: Mapping[str, Variant], *, keep: bool = False
) -> Judged:
    """A whole log; ``index`` of a refusal is the place in the log, from 0. Raises `RulesError`."""
    try:
        reading = read(opening, log)
    except Misplaced as wrong:
        clause = variant_of(wrong.variant, variants).game.clauses["retracted"]
        error = EventOutOfPlace(wrong.detail, clause, wrong.path)
        error.index = wrong.seq - 1
        raise error from None
    return judge_reading(reading, variant_of(reading.opening.variant, variants), keep=keep)


def sheet_of(judged: Judged, target: Variant | None = None) -> ScoreSheet:
    """The sheet of a judged hand, under its own variant or another one.

    A hand that is kept though it breaks a rule has no score but penalties, and a note of the rule.
    """
    broken = judged.broken
    if broken is None:
        return score(judged.hand, target)
    detail = broken.discreet if judged.is_live else broken.detail
    notes = [Note(broken.code, detail, broken.seq or broken.index + 1)]
    if judged.hand.annulled:
        notes.append(Note("annulled", f"no score: {judged.hand.annulled}"))
    return unscored(judged.hand, judged.status, notes, target)


def judge_appended(
    opening: Opening,
    log: Sequence[Recorded],
    added: Sequence[Recorded],
    variants: Mapping[str, Variant],
    broken: RulesError | None,
) -> Judged:
    """The log with more events. ``broken`` is the rule that the stored hand is known to break.

    Raises `RulesError` with its place in ``added``.
    """
    whole = [*log, *added]
    if broken is not None:
        judged = judge(opening, whole, variants, keep=True)
        if judged.broken is not None:
            _refuse_play_on(whole, len(log), broken)
        return judged
    try:
        if any(isinstance(recorded.event, Restated) for recorded in log):
            # What is added may bring back another reading, under which its own beginning would be legal.
            for count in range(1, len(added)):
                judge(opening, whole[: len(log) + count], variants)
        return judge(opening, whole, variants)
    except RulesError as error:
        if error.index >= len(log):
            error.index -= len(log)
            raise
    raise _exposed(opening, log, added, variants)


def judge_reading(reading: Reading, variant: Variant, *, keep: bool = False) -> Judged:
    """A reading under its variant. Raises `RulesError`, whose ``index`` is the place in the log, from 0."""
    try:
        return Judged(reading, replay(variant, reading.events))
    except RulesError as error:
        place = error.index
        hand = _until_broken(variant, reading.events, place) if keep else None
        _tell(error, reading)
        if hand is None:
            raise
        return Judged(reading, hand, error)


def _tell(error: RulesError, reading: Reading) -> None:
    """Have a refusal speak of the log and of players by name."""
    players = reading.opening.players
    error.detail, error.discreet = error.told(players), error.told(players, discreetly=True)
    if error.path[:1] == ("hands",) and len(error.path) > 1:
        error.path = ("hands", players[int(error.path[1])], *error.path[2:])
    if error.seq is not None:
        error.seq = reading.seqs[error.seq - 1]
    error.index = reading.seqs[error.index] - 1


def _until_broken(variant: Variant, events: Sequence[Event], broken: int) -> Hand:
    """The hand up to the event that breaks a rule, and what those in charge have decided since."""
    hand = replay(variant, events[:broken])
    gone = {event.seq - 1 for event in events[broken:] if isinstance(event, EventRetracted)}
    for place, event in enumerate(events[broken:], broken):
        decided = isinstance(event, PenaltyAssessed | HandAnnulled) and place not in gone
        undone = isinstance(event, EventRetracted) and event.seq <= broken
        if decided or undone:
            with suppress(RulesError):
                hand = step(hand, event)
    return hand


def _refuse_play_on(whole: Sequence[Recorded], stored: int, broken: RulesError) -> None:
    """An irregular hand takes what those in charge decide of it, and nothing else that leaves it so."""
    at_fault = broken.seq or broken.index + 1
    for index, recorded in enumerate(whole[stored:]):
        event = recorded.event
        allowed = isinstance(event, PenaltyAssessed)
        if isinstance(event, HandAnnulled):
            allowed = event.reason in _IN_CHARGE and not _is_annulled(whole[: stored + index])
        path: tuple[str, ...] = ()
        if isinstance(event, EventRetracted):
            path = ("seq",)
            target = whole[event.seq - 1].event if event.seq <= stored + index else None
            allowed = isinstance(target, PenaltyAssessed | HandAnnulled)
        if not allowed:
            refusal = EventOutOfPlace(
                f"the hand breaks a rule and was kept so ({broken.code}: {broken.discreet}): it takes"
                " penalties and annulments, what retracts those, and what heals it",
                broken.clause,
                path,
            )
            refusal.index, refusal.seq = index, at_fault
            raise refusal


def _is_annulled(log: Sequence[Recorded]) -> bool:
    gone = {recorded.event.seq for recorded in log if isinstance(recorded.event, EventRetracted)}
    return any(isinstance(made.event, HandAnnulled) and seq not in gone for seq, made in enumerate(log, 1))


def _exposed(
    opening: Opening, log: Sequence[Recorded], added: Sequence[Recorded], variants: Mapping[str, Variant]
) -> RulesError:
    """The refusal of an event that is stored already, placed at the first one added that exposes it."""
    for index, recorded in enumerate(added):
        try:
            judge(opening, [*log, *added[: index + 1]], variants)
        except RulesError as error:
            if error.index >= len(log):
                error.index -= len(log)
                return error
            error.seq = error.seq or error.index + 1
            error.index = index
            error.path = ("seq",) if isinstance(recorded.event, EventRetracted) else ()
            return error
    raise AssertionError("the whole was refused, and so is one of its beginnings")


def _cards_out(events: Sequence[Event]) -> int:
    """How many cards the record has as played, whether they were legal or not."""
    return sum(
        len(event.cards) if isinstance(event, TrickPlayed) else 1
        for event in events
        if isinstance(event, TrickPlayed | CardPlayed)
    )
