"""What was corrected in the hands of a session: when, by whom, and what it made of the scores.

Nothing of this is stored: a hand's log has all its readings. Scores are those of the rules as they are now.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from records.codec import UnknownSchema, count_of, read_entry
from records.judging import judge, sheet_of
from records.log import StoredStream
from records.redis_log import RedisLog
from records.stored_hands import KIND, RESTATED, LoggedEvent, StoredHand, hand_of
from records.tallies import Tally, points
from trull import Variant

_CORRECTIVE: Final = ("event_retracted", RESTATED, "penalty_assessed", "hand_annulled")
"""What corrects a hand that was there before; what follows it, such as another result, belongs to it."""

State = dict[str, Any]


def corrections_of(
    log: RedisLog, tenant: str, session_id: str, variants: Mapping[str, Variant]
) -> list[dict[str, Any]]:
    """The corrections of a session's hands as JSON, the oldest first; those of hands that have left it, too.

    Raises `StoreUnavailable`.
    """
    members = log.members(KIND, tenant, ("session", session_id))
    streams = [found.stream for found in members if _went_on(found)]
    made: list[dict[str, Any]] = []
    for found in log.read_many(streams):
        try:
            hand = None if found is None else hand_of(found, variants)
        except UnknownSchema:  # of a later version, which will tell
            continue
        if hand is not None:
            made += _corrections(hand, session_id, variants)
    return sorted(made, key=lambda one: str(one["recorded_at"]))


def _went_on(found: StoredStream) -> bool:
    """Whether anything was appended to the hand after its first append."""
    return count_of(read_entry(found.entries[0].body)) < found.version


def _corrections(
    hand: StoredHand, session_id: str, variants: Mapping[str, Variant]
) -> Iterator[dict[str, Any]]:
    """Each append that changed what the hand gives, from the first corrective one on."""
    before: State | None = None
    for start, end in pairwise(hand.ends):
        entries = hand.entries[start:end]
        if before is None:
            if not any(entry.event["type"] in _CORRECTIVE for entry in entries):
                continue
            before = _state(hand, start, variants)
        after = _state(hand, end, variants)
        if after != before and session_id in (before["session_id"], after["session_id"]):
            yield _told(hand, entries, session_id, before, after)
        before = after


def _state(hand: StoredHand, version: int, variants: Mapping[str, Variant]) -> State:
    """What the hand gave when it had that version."""
    judged = judge(hand.first, hand.log[:version], variants, kept=hand.is_kept)
    opening = judged.reading.opening
    sheet = sheet_of(judged).as_dict(opening.players, hand.record.hand_id, version)
    tally = Tally("", version, opening, judged.status, due=False, sheet=sheet, recorded_at="", arrival=0)
    return {
        "status": judged.status,
        "variant": opening.variant,
        "session_id": opening.session_id,
        "table": opening.table,
        "round": opening.round,
        "number": opening.number,
        "scores": {player: points(score) for player, score in tally.scores.items()},
        "penalties": {player: points(penalty) for player, penalty in tally.penalties.items()},
    }


def _told(
    hand: StoredHand, entries: Sequence[LoggedEvent], session_id: str, before: State, after: State
) -> dict[str, Any]:
    then, now = (_gives(state, session_id) for state in (before, after))
    reasons = [entry.event["reason"] for entry in entries if entry.event.get("reason")]
    return {
        "hand_id": hand.record.hand_id,
        "version": entries[-1].seq,
        "recorded_at": entries[-1].recorded_at,
        "actor": entries[-1].actor,
        "events": [entry.event["type"] for entry in entries],
        "reason": reasons[0] if reasons else None,
        "before": before,
        "after": after,
        "difference": {player: now.get(player, 0) - then.get(player, 0) for player in {**then, **now}},
    }


def _gives(state: State, session_id: str) -> dict[str, Any]:
    """The scores that the hand gives to the session, penalties aside."""
    scores: dict[str, Any] = state["scores"]
    if state["session_id"] != session_id:
        return dict.fromkeys(scores, 0)
    return scores
