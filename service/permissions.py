"""What a key may put into a hand: corrections need the scope `direct`; a player's key speaks for one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from records.directing import directs
from records.stored_hands import RESTATED, StoredHand
from service.auth import actor, has_scope, player
from service.problems import Problem

Sent = Mapping[str, Any]

_FORBIDDEN: Final = "forbidden"


def check_record(events: Sequence[Sent], prefix: str = "") -> None:
    """Whether the caller may submit a record of these events. Raises Problem (forbidden).

    `prefix` is the pointer of the record within the body.
    """
    if not has_scope("direct"):
        _refuse(
            [(f"{prefix}/events/{at}", why) for at, event in enumerate(events) if (why := directs(event))]
        )


def check_append(hand: StoredHand, events: Sequence[Sent], first: int = 0) -> None:
    """Whether the caller may add these events to the hand. Raises Problem (forbidden).

    `first` is the place of the first one in the body.
    """
    faults: list[tuple[str, str]] = []
    for at, event in enumerate(events, first):
        why = None if has_scope("direct") else directs(event) or _undoes(hand, event)
        if why:
            faults.append((f"/events/{at}", why))
    _refuse(faults)


def check_speaker(events: Sequence[Any]) -> None:
    """Refuse a player's key the events of others. Raises Problem (forbidden).

    ``events`` are as they came: this is asked before anything tells whether the hand has them already,
    or such a key could try out what lies face down until the service knows the event.
    """
    _refuse([(f"/events/{at}", why) for at, event in enumerate(events) if (why := _speaks_for_others(event))])


def check_told_again(hand: StoredHand, is_live: bool, events: Sequence[Sent]) -> None:
    """Whether the caller may learn if the stored hand begins with these events. Raises Problem (forbidden).

    For a player's key, which may not, the answer is the same if it does and if it does not.
    """
    if is_live and any(entry.actor != actor() for entry in hand.entries):
        check_speaker(events)


def _undoes(hand: StoredHand, event: Sent) -> str | None:
    """Whether an event retracts what the caller did not send, or what the director decided."""
    if event["type"] != "event_retracted" or not 0 < event["seq"] <= hand.version:
        return None
    target = hand.entries[event["seq"] - 1]
    if target.actor != actor() or target.event["type"] == RESTATED or directs(target.event):
        return "To retract what another key has sent, or a correction, needs the scope 'direct'."
    return None


def _speaks_for_others(event: Any) -> str | None:
    """Whether a player's key speaks for another one, in an event of any shape.

    Refusals tell whether a card was held and legal: else such a key could learn the others' cards.
    """
    own = player()
    if own is None or has_scope("cards") or not isinstance(event, dict):
        return None
    kind = event.get("type")
    if (kind != "penalty_assessed" and (event.get("player") or own) != own) or kind == "trick_played":
        return f"This key is for the player {own!r}, and can add that player's events only."
    return None


def _refuse(faults: Sequence[tuple[str, str]]) -> None:
    if faults:
        errors = [{"pointer": where, "code": _FORBIDDEN, "detail": why} for where, why in faults]
        raise Problem(_FORBIDDEN, faults[0][1], errors)
