"""The usual shapes of events, read at once.

A whole hand has some sixty events, nearly all of them of a few plain shapes. They are looked up in
tables made beforehand; what is not found there, or is of another type, raises, and the event goes
to `records.event_fields`, which finds out what it is and notes its faults.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any, Final

from records.checks import Table, without_nulls
from records.event_fields import read_event
from records.faults import Path
from records.limits import MAX_CARDS, MAX_NOTE, MAX_PLAYERS
from records.names import event_id_fault, text_fault
from records.times import time_fault
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

_SEATS: Final = range(MAX_PLAYERS)

# An event is a value, so that all hands may share it: every card played by every seat is made once.
_PLAYED: Final = [{code: CardPlayed(seat, card) for code, card in CARDS.items()} for seat in _SEATS]
_CALLED: Final = [{code: KingCalled(seat, card) for code, card in CARDS.items()} for seat in _SEATS]
_BID: Final = [{contract: BidMade(seat, contract) for contract in CONTRACTS} for seat in _SEATS]
_ANNOUNCED: Final = [
    {bonus: Announced(seat, bonus, (), None) for bonus in BONUSES if bonus != "handful"} for seat in _SEATS
]
_CONTRA: Final = [
    {
        (target, level): ContraCalled(seat, target, level)
        for target in ("game", *BONUSES)
        for level in CONTRA_LEVELS[1:]
    }
    for seat in _SEATS
]
_SAID: Final[Mapping[str, list[Event]]] = {
    "passed": [Passed(seat) for seat in _SEATS],
    "bid_accepted": [BidAccepted(seat) for seat in _SEATS],
    "bid_taken_over": [BidTakenOver(seat) for seat in _SEATS],
    "bid_held": [BidHeld(seat) for seat in _SEATS],
    "bid_retaken": [BidRetaken(seat) for seat in _SEATS],
}
_card: Final = CARDS.__getitem__
_new: Final = tuple.__new__
"""Makes a named tuple at half the cost of its constructor."""


class _Unusual(Exception):
    """The event is to be read thoroughly."""


# A function for each number of players is quicker than a loop over three cards.
def _trick_of_three(a: str, b: str, c: str) -> TrickPlayed:
    return _new(TrickPlayed, ((CARDS[a], CARDS[b], CARDS[c]),))


def _trick_of_four(a: str, b: str, c: str, d: str) -> TrickPlayed:
    return _new(TrickPlayed, ((CARDS[a], CARDS[b], CARDS[c], CARDS[d]),))


def _trick_of_five(a: str, b: str, c: str, d: str, e: str) -> TrickPlayed:
    return _new(TrickPlayed, ((CARDS[a], CARDS[b], CARDS[c], CARDS[d], CARDS[e]),))


def _no_trick(*cards: str) -> TrickPlayed:
    raise _Unusual


_TRICKS: Final[Mapping[int, Callable[..., TrickPlayed]]] = {
    3: _trick_of_three,
    4: _trick_of_four,
    5: _trick_of_five,
}


def read_events(values: list[Any], path: Path, table: Table) -> tuple[list[Event], list[dict[str, Any]]]:
    """The events, and the same as sent but without nulls. Where a fault was noted they are not whole."""
    seats = table.seats or {}
    played = {name: _PLAYED[seat] for name, seat in seats.items()}
    trick_of = _TRICKS.get(len(seats), _no_trick)
    made: list[Event] = []
    sent = values
    for value in values:
        try:
            kind = value["type"]
            event: Event
            # These two are nearly all of a hand, so that they are told apart first and cost one call at most.
            if kind == "card_played":
                event = played[value["player"]][value["card"]]
                size = 3
            elif kind == "trick_played":
                cards = value["cards"]
                if type(cards) is not list:
                    raise _Unusual
                event = trick_of(*cards)
                size = 2
            else:
                event, size = _other(kind, value, seats)
            if len(value) != size and len(value) != size + _common_fields(value, len(made), table):
                raise _Unusual
        except (_Unusual, KeyError, TypeError):
            index = len(made)
            plain = without_nulls(value)
            event = read_event(plain, index, (*path, index), table)
            if plain != value:
                sent = values.copy() if sent is values else sent
                sent[index] = plain
        made.append(event)
    return made, sent


def _other(kind: str, value: Mapping[str, Any], seats: Mapping[str, int]) -> tuple[Event, int]:
    """The event of the other usual types, and how many fields it has with its type."""
    if kind in _SAID:
        return _SAID[kind][seats[value["player"]]], 2
    if kind == "cards_dealt":
        return _dealt(value, seats), 3
    seat = seats[value["player"]]
    if kind == "bid_made":
        return _BID[seat][value["contract"]], 3
    if kind == "announced":
        return _ANNOUNCED[seat][value["bonus"]], 3
    if kind == "contra_called":
        return _CONTRA[seat][value["target"], value["level"]], 4
    if kind == "talon_taken":
        return TalonTaken(seat, _pile(value["cards"], 1)), 3
    if kind == "cards_discarded":
        return CardsDiscarded(seat, _pile(value["cards"], 1)), 3
    if kind == "king_called":
        return _CALLED[seat][value["card"]], 3
    raise _Unusual


def _dealt(value: Mapping[str, Any], seats: Mapping[str, int]) -> CardsDealt:
    hands = value["hands"]
    if len(hands) != len(seats):
        raise _Unusual
    return _new(CardsDealt, (tuple([_pile(hands[name]) for name in seats]), _pile(value["talon"])))


def _pile(cards: Any, fewest: int = 0) -> tuple[int, ...]:
    if type(cards) is not list or not fewest <= len(cards) <= MAX_CARDS:
        raise _Unusual
    if len(cards) < 2:
        return tuple(map(_card, cards))
    numbers: tuple[int, ...] = itemgetter(*cards)(CARDS)  # half the cost of looking up one by one
    return numbers


def _common_fields(value: Mapping[str, Any], index: int, table: Table) -> int:
    """How many of the fields that every event may carry are there and without a fault."""
    found = 0
    at, event_id, note = value.get("at"), value.get("event_id"), value.get("note")
    if type(at) is str and time_fault(at) is None:
        found += 1
    if type(event_id) is str and event_id_fault(event_id) is None:
        found += table.event_ids.setdefault(event_id, index) == index
    if type(note) is str and text_fault(note, MAX_NOTE, "A note") is None:
        found += 1
    return found
