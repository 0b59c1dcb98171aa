"""Who sees which cards of a hand: the one place that takes them out of what is shown.

While a hand is live its cards are a secret (`trull.secrecy`). In place of those that a viewer may
not see stands how many there are: ``{"hidden": 16}``. When it is over, all opens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from records.judging import Judged
from records.packing import Sent
from records.stored_hands import RESTATED, LoggedEvent
from trull.cards import BIT, CARDS
from trull.events import EventRetracted
from trull.secrecy import face_up, talon_is_open


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who looks: one who may see every card, one player, or one who sees none."""

    all_cards: bool = False
    player: str | None = None


EVERYTHING: Final = Viewer(all_cards=True)
NOTHING: Final = Viewer()


@dataclass(frozen=True, slots=True)
class Exposure:
    """What of a hand is open as it stands, whoever looks."""

    is_live: bool
    talon_is_open: bool
    face_up: int
    """The cards that are seen when they are discarded, as a set."""
    standing: frozenset[int]
    """The numbers of the events that stand: others may show cards that are another player's in truth."""


def exposure_of(judged: Judged) -> Exposure:
    """What is open of a hand as the rules have judged it."""
    reading = judged.reading
    gone = {event.seq - 1 for event in reading.events if isinstance(event, EventRetracted)}
    standing = frozenset(seq for place, seq in enumerate(reading.seqs) if place not in gone)
    return Exposure(judged.is_live, talon_is_open(judged.hand), face_up(judged.hand), standing)


def hide(events: Sequence[LoggedEvent], exposure: Exposure, viewer: Viewer) -> list[LoggedEvent]:
    """The events of one hand as a viewer may see them. ``exposure`` is that of the hand as it stands now."""
    if viewer.all_cards or not exposure.is_live:
        return list(events)
    return [
        logged._replace(event=_hidden(logged.event, logged.seq in exposure.standing, exposure, viewer))
        for logged in events
    ]


def _hidden(event: Sent, stands: bool, exposure: Exposure, viewer: Viewer) -> Sent:
    kind = event["type"]
    own = stands and event.get("player") == viewer.player
    if kind == "cards_dealt":
        hands = {
            player: cards if stands and player == viewer.player else _count(cards)
            for player, cards in event["hands"].items()
        }
        talon = event["talon"]
        open_talon = stands and exposure.talon_is_open
        return {**event, "hands": hands, "talon": talon if open_talon else _count(talon)}
    if kind == "cards_discarded" and not own:
        return {**event, "cards": _discards(event["cards"], exposure.face_up if stands else 0)}
    if kind == "talon_taken" and not stands:
        return {**event, "cards": _count(event["cards"])}
    if kind == RESTATED:
        return {**event, "record": _hidden_record(event["record"], stands, exposure, viewer)}
    return event


def _hidden_record(record: Mapping[str, Any], stands: bool, exposure: Exposure, viewer: Viewer) -> Sent:
    """The record of a restatement, whose retractions count its own events."""
    gone = {event["seq"] for event in record["events"] if event["type"] == "event_retracted"}
    events = [
        _hidden(event, stands and number not in gone, exposure, viewer)
        for number, event in enumerate(record["events"], 1)
    ]
    return {**record, "events": events}


def _discards(cards: Sequence[str], face_up: int) -> dict[str, Any]:
    """The discards of another player: how many lie face down, and those that lie face up."""
    shown = [code for code in cards if BIT[CARDS[code]] & face_up]
    hidden: dict[str, Any] = _count(cards[len(shown) :])
    return {**hidden, "shown": shown} if shown else hidden


def _count(cards: Sequence[str]) -> dict[str, Any]:
    return {"hidden": len(cards)}
