"""Laws of what may be said and played: as the table has it, tried exhaustively."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any

from hypothesis import given

from records.schemas import load_events
from tests.laws.lawbook import SEEDS, each_kind, hand_of, law, state, table_of
from tests.support.hands import record
from tests.support.tables import Event, Table
from trull import Hand, RulesError, may_act, step
from trull.cards import CODES
from trull.events import BONUSES, CONTRACTS, TYPE_NAMES

WORDS = ("passed", "bid_accepted", "bid_taken_over", "bid_held", "bid_retaken")


def everything(table: Table) -> Iterator[Event]:
    """Every event that any player could think of; of handfuls and discards, some."""
    for seat in range(table.seats):
        yield from _said(table, seat)
        for card in CODES:
            yield table.event("king_called", seat, card=card)
            yield table.event("card_played", seat, card=card)
        for size in (1, 2, 3, 6):
            for cards in combinations(table.talon, size):
                yield table.event("talon_taken", seat, cards=list(cards))
        if table.hands[seat]:
            yield table.event("cards_discarded", seat, cards=table.hands[seat][:3])
            yield table.event("announced", seat, bonus="handful", cards=table.hands[seat][:10])


def _said(table: Table, seat: int) -> Iterator[Event]:
    for kind in WORDS:
        yield table.event(kind, seat)
    for contract in CONTRACTS:
        if contract != "trischaken":  # no word of the auction
            yield table.event("bid_made", seat, contract=contract)
    for bonus in BONUSES:
        if bonus != "handful":
            yield table.event("announced", seat, bonus=bonus)
    for target in ("game", *BONUSES):
        for level in ("contra", "recontra"):
            yield table.event("contra_called", seat, target=target, level=level)


def key(event: Event) -> tuple[Any, ...]:
    """What makes two events the same; the talon is a set of cards."""
    cards = event.get("cards")
    named = tuple(sorted(cards)) if cards else event.get("card")
    what = tuple(event.get(name) for name in ("contract", "bonus", "target", "level"))
    return event["type"], event["player"], named, *what


def many_forms(event: Event) -> bool:
    """Whether of such events only some are listed."""
    return event["type"] == "cards_discarded" or event.get("bonus") == "handful"


def accepted(hand: Hand, table: Table, events: Iterable[Event]) -> list[Event]:
    """Those that the rules take."""
    sent = list(events)
    loaded = [
        event
        for at in range(0, len(sent), 500)
        for event in load_events({"events": sent[at : at + 500]}, table.players).events
    ]
    found = []
    for event, given_event in zip(loaded, sent, strict=True):
        try:
            step(hand, event)
        except RulesError:
            continue
        found.append(given_event)
    return found


def by_seat(events: Iterable[Event], table: Table) -> dict[int, set[str]]:
    found: dict[int, set[str]] = defaultdict(set)
    for event in events:
        found[table.seat_of(event)].add(event["type"])
    return dict(found)


def places(table: Table, seed: int) -> list[int]:
    """Some places in the story: those before the tricks are worth more than those within them."""
    chance = random.Random(seed)
    early = [at for at, (_, event) in enumerate(table.story) if event["type"] != "card_played" and at]
    late = range(1, len(table.story) + 1)
    return sorted({*chance.sample(early, min(2, len(early))), *chance.sample(late, 1)})


@each_kind
@law(11)
@given(SEEDS)
def test_the_rules_take_what_the_table_allows_and_nothing_else(kind: str, seed: int) -> None:
    whole = table_of(kind, seed)
    for place in places(whole, seed):
        table = whole.upto(place)
        hand = hand_of(record(table, [event for _, event in table.story]))
        before = state(hand.copy())
        listed = table.allowed()
        taken = accepted(hand, table, [*everything(table), *listed])
        assert {key(event) for event in taken if not many_forms(event)} == {
            key(event) for event in listed if not many_forms(event)
        }
        assert by_seat(taken, table) == by_seat(listed, table)
        assert {seat: set(types) for seat, types in may_act(hand).items()} == by_seat(listed, table)
        assert state(hand) == before, "asking changes nothing"


@each_kind
@law(6)
@given(SEEDS)
def test_a_card_is_taken_where_the_table_lets_it_be_played(kind: str, seed: int) -> None:
    """Every card of the pack from every seat, all through the hand."""
    table = table_of(kind, seed)
    again = table.upto(1)
    for place in range(1, len(table.story)):
        event = table.story[place][1]
        if event["type"] == "card_played" and again.phase == "play" and (place + seed) % 5 == 0:
            hand = hand_of(record(again, [event for _, event in again.story]))
            tried = [
                again.event("card_played", seat, card=card) for seat in range(again.seats) for card in CODES
            ]
            taken = accepted(hand, again, tried)
            assert {again.seat_of(play) for play in taken} == {again.turn}
            assert sorted(play["card"] for play in taken) == sorted(again.playable())
        again.tell(event)


@each_kind
@law(8)
@given(SEEDS)
def test_without_the_deal_may_act_lists_what_is_taken(kind: str, seed: int) -> None:
    whole = table_of(kind, seed)
    for place in places(whole, seed):
        table = whole.upto(place)
        events = [event for _, event in table.story[1:]]
        hand = hand_of(record(table, events))
        unseen = [card for card in table.talon if card not in table.taken]
        tried = [*everything(table), *table.allowed()]
        if unseen and table.declarer is not None:
            tried.append(table.event("talon_taken", table.declarer, cards=unseen[:1]))
        taken = accepted(hand, table, tried)
        listed = may_act(hand)
        # A handful of an unknown hand may be of any trumps, of which not all are tried here.
        for seat, types in by_seat(taken, table).items():
            assert types <= set(listed[seat])
        for seat, names in listed.items():
            assert set(names) - by_seat(taken, table).get(seat, set()) <= {"announced"}


@each_kind
@law(12)
@given(SEEDS)
def test_may_act_lists_seats_and_types_in_order(kind: str, seed: int) -> None:
    table = table_of(kind, seed)
    for place in places(table, seed):
        some = table.upto(place)
        listed = may_act(hand_of(record(some, [event for _, event in some.story])))
        assert list(listed) == sorted(listed)
        for types in listed.values():
            assert types
            assert types == sorted(set(types))
            assert set(types) <= set(TYPE_NAMES.values())


@each_kind
@law(30)
@given(SEEDS)
def test_every_discard_of_the_table_is_taken(kind: str, seed: int) -> None:
    """And so is every handful: the forms too many to list."""
    table = table_of(kind, seed)
    for place, (_, told) in enumerate(table.story):
        if many_forms(told):
            for again in range(3):
                before = table.upto(place)
                before.chance = random.Random(again)
                hand = hand_of(record(before, [event for _, event in before.story]))
                forms = [event for event in before.allowed() if many_forms(event)]
                assert accepted(hand, before, forms) == forms
