"""The usual shapes of events, read at once.

A whole hand has some sixty events, nearly all of them of a few plain shapes. Their readers do no
more than look every value up: what is not found, or is of another type, raises, and the event goes
to `records.event_fields`, which finds out what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from records.checks import Table, without_nulls
from records.event_fields import COMMON_CHECKS, read_event
from records.faults import Path, shown
from records.limits import MAX_CARDS
from trull.cards import CARDS
from trull.events import (
    BONUSES,
    CONTRA_LEVELS,
    CONTRACTS,
    Announced,
    BidAccepted,
    BidHeld,
    BidMade,
    BidRetaken,
    BidTakenOver,
    CardPlayed,
    CardsDealt,
    CardsDiscarded,
    ContraCalled,
    Event,
    KingCalled,
    Passed,
    TalonTaken,
    TrickPlayed,
)

Reader = Callable[[Mapping[str, Any], Mapping[str, int]], Event]

# A named tuple made this way costs half of what its own constructor does.
_new: Final = tuple.__new__
_card: Final = CARDS.__getitem__
_contract: Final = {name: name for name in CONTRACTS}.__getitem__
_bonus: Final = {name: name for name in BONUSES if name != "handful"}.__getitem__
_target: Final = {name: name for name in ("game", *BONUSES)}.__getitem__
_level: Final = {name: name for name in CONTRA_LEVELS[1:]}.__getitem__


def _pile(cards: Any) -> tuple[int, ...]:
    if type(cards) is not list or len(cards) > MAX_CARDS:
        raise TypeError
    return tuple(map(_card, cards))


def _some(cards: Any) -> tuple[int, ...]:
    if type(cards) is not list or not 0 < len(cards) <= MAX_CARDS:
        raise TypeError
    return tuple(map(_card, cards))


def _dealt(event: Mapping[str, Any], seats: Mapping[str, int]) -> Event:
    hands = event["hands"]
    if len(hands) != len(seats):
        raise KeyError
    return _new(CardsDealt, (tuple([_pile(hands[name]) for name in seats]), _pile(event["talon"])))


def _trick(event: Mapping[str, Any], seats: Mapping[str, int]) -> Event:
    cards = event["cards"]
    if type(cards) is not list or len(cards) != len(seats):
        raise TypeError
    return _new(TrickPlayed, (tuple(map(_card, cards)),))


def _call(kind: type[Passed | BidAccepted | BidTakenOver | BidHeld | BidRetaken]) -> tuple[Reader, int]:
    return lambda event, seats: _new(kind, (seats[event["player"]],)), 2


QUICK: Final[Mapping[str, tuple[Reader, int]]] = {
    "cards_dealt": (_dealt, 3),
    "passed": _call(Passed),
    "bid_made": (
        lambda event, seats: _new(BidMade, (seats[event["player"]], _contract(event["contract"]))),
        3,
    ),
    "bid_accepted": _call(BidAccepted),
    "bid_taken_over": _call(BidTakenOver),
    "bid_held": _call(BidHeld),
    "bid_retaken": _call(BidRetaken),
    "king_called": (lambda event, seats: _new(KingCalled, (seats[event["player"]], _card(event["card"]))), 3),
    "announced": (
        lambda event, seats: _new(Announced, (seats[event["player"]], _bonus(event["bonus"]), (), None)),
        3,
    ),
    "contra_called": (
        lambda event, seats: _new(
            ContraCalled, (seats[event["player"]], _target(event["target"]), _level(event["level"]))
        ),
        4,
    ),
    "talon_taken": (
        lambda event, seats: _new(TalonTaken, (seats[event["player"]], _some(event["cards"]))),
        3,
    ),
    "cards_discarded": (
        lambda event, seats: _new(CardsDiscarded, (seats[event["player"]], _some(event["cards"]))),
        3,
    ),
    "trick_played": (_trick, 2),
}
"""A reader of each usual type, and how many fields an event of it has, ``type`` included."""


def read_events(values: list[Any], path: Path, table: Table) -> tuple[list[Event], list[dict[str, Any]]]:
    """The events, and the same as sent but without nulls. Where a fault was noted they are not whole."""
    seats = table.seats
    made: list[Event] = []
    sent = values
    for index, value in enumerate(values):
        try:
            kind = value["type"]
            if kind == "card_played":  # most events are, so that they are spared a call
                event: Event = _new(CardPlayed, (seats[value["player"]], _card(value["card"])))  # type: ignore[index]
                size = 3
            else:
                read, size = QUICK[kind]
                event = read(value, seats)  # type: ignore[arg-type]
            if len(value) == size or _has_common(value, size, index, table):
                made.append(event)
                continue
        except (KeyError, TypeError):
            pass  # not of a usual shape
        if not isinstance(value, dict):
            table.faults.add((*path, index), f"An event is an object, not {shown(value)}.")
            continue
        plain = without_nulls(value)
        thorough = read_event(plain, index, (*path, index), table)
        if thorough is not None:
            made.append(thorough)
        if len(plain) != len(value) or plain != value:
            sent = values.copy() if sent is values else sent
            sent[index] = plain
    return made, sent


def _has_common(value: Mapping[str, Any], size: int, index: int, table: Table) -> bool:
    """Whether all fields beyond the event's own are common ones without a fault."""
    probe = Table(table.seats)
    for name, check in COMMON_CHECKS.items():
        if name in value:
            size += 1
            check(value[name], (), probe)
    event_id = value.get("event_id")
    if size != len(value) or probe.faults:
        return False
    return event_id is None or table.event_ids.setdefault(event_id, index) == index
