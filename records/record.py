"""A hand record: who sat where, under which rule set, and what happened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from records.limits import RECORD_FORMAT
from trull.events import Event
from trull.variants import Variant

PLACE: Final = ("session_id", "table", "round", "number", "played_at")
"""Where and when a hand was played."""


@dataclass(slots=True)
class HandRecord:
    """A hand as a client wrote it, its shape checked.

    ``events`` and ``sent`` run side by side: the events as the rules take them, with seats and card
    numbers, and as they were sent, without the fields that were null. ``sent`` belongs to the record:
    do not change it.
    """

    hand_id: str | None
    variant: Variant
    players: tuple[str, ...]
    """Player keys in order of play, forehand first; a player's place is the seat of the events."""
    events: list[Event]
    sent: list[dict[str, Any]]
    session_id: str | None = None
    table: str | int | None = None
    round: int | None = None
    number: int | None = None
    played_at: str | None = None
    """RFC 3339 with the client's offset, as sent; `records.times.instant` makes it comparable."""
    labels: tuple[str, ...] = field(default=())
    format: int = RECORD_FORMAT

    def as_dict(self) -> dict[str, Any]:
        """The record as JSON again, without what is absent or says nothing."""
        names = ("format", *PLACE, "labels")
        said = {name: getattr(self, name) for name in names}
        about = {"variant": self.variant.id, "players": self.players, **said}
        return record_dict(self.hand_id, about, self.sent)


def record_dict(hand_id: str | None, about: Mapping[str, Any], sent: list[dict[str, Any]]) -> dict[str, Any]:
    """A record as JSON from what it says about the hand and its events."""
    made: dict[str, Any] = {} if hand_id is None else {"hand_id": hand_id}
    made |= {"variant": about["variant"], "players": list(about["players"]), "events": sent}
    if about["format"] != RECORD_FORMAT:
        made["format"] = about["format"]
    made |= {name: about[name] for name in PLACE if about[name] is not None}
    if about["labels"]:
        made["labels"] = list(about["labels"])
    return made


@dataclass(slots=True)
class LoadedEvents:
    """Events to append, their shape checked: as the rules take them, and as sent."""

    events: list[Event]
    sent: list[dict[str, Any]]
