"""Hand records for tests that are not about the rules: made up, or played out by chance."""

from __future__ import annotations

import random
from typing import Any

from records.record import HandRecord
from records.schemas import load_record
from trull import Hand, RulesError, Variant, replay, step
from trull.cards import CODES, cards_of
from trull.events import TYPE_NAMES, CardPlayed, CardsDealt, Event, TrickPlayed
from trull.options import options
from trull.state import ANNULLED, AUCTION, DEAL, FINISHED, PASSED_OUT, PLAY
from trull.variants import VARIANTS

VARIANT = "illustrated-mayr-sedlaczek-2016"
PLAYERS = ("Anna", "Béla", "Юлия")


def result(**changes: Any) -> HandRecord:
    """A hand as its score sheet tells it: one event, complete."""
    event = {
        "type": "result_reported",
        "declarer": PLAYERS[0],
        "contract": "zweiblatt",
        "card_points": 37,
        "bonuses": [
            {"bonus": "pagat", "player": PLAYERS[0], "stage": "after_pickup", "made": False, "contra": "none"}
        ],
    }
    return record(events=[event], **changes)


def begun(players: tuple[str, ...] = PLAYERS, **changes: Any) -> HandRecord:
    """A hand of which only the first calls are there."""
    events = [
        {"type": "passed", "player": players[0]},
        {"type": "bid_made", "player": players[1], "contract": "zweiblatt"},
    ]
    return record(players=list(players), events=events, **changes)


def record(**fields: Any) -> HandRecord:
    """A record of these fields, read as the service reads it."""
    return load_record({"variant": VARIANT, "players": list(PLAYERS), **fields})


def status_of(hand: HandRecord) -> str:
    """How the rules say that it stands."""
    return replay(hand.variant, hand.events).status


def played(variant_id: str, seed: int, players: tuple[str, ...] = (), **fields: Any) -> HandRecord:
    """A whole legal hand, card by card or by tricks, that only chance has played."""
    chance = random.Random(seed)
    variant = VARIANTS[variant_id]
    players = players or ("Anna", "Béla", "Cyril", "Юлия", "Ève")[: variant.players]
    while (hand := _play(variant, chance)).phase != FINISHED:
        pass
    events = _by_tricks(hand.events, variant.players) if chance.random() < 0.5 else hand.events
    sent = [wire(event, players) for event in events]
    return load_record({"variant": variant_id, "players": list(players), "events": sent, **fields})


def wire(event: Event, players: tuple[str, ...]) -> dict[str, Any]:
    """A played event as a client would send it."""
    sent: dict[str, Any] = {"type": TYPE_NAMES[type(event)]}
    for name, value in event._asdict().items():
        if name == "seat":
            sent["player"] = players[value]
        elif name == "hands":
            sent["hands"] = {
                player: [CODES[card] for card in cards] for player, cards in zip(players, value, strict=True)
            }
        elif name == "card":
            sent["card"] = CODES[value]
        elif name in ("cards", "talon"):
            if value or name == "talon":
                sent[name] = [CODES[card] for card in value]
        elif value is not None:
            sent[name] = value
    return sent


def _play(variant: Variant, chance: random.Random) -> Hand:
    """A hand that is at its end, one way or another."""
    deck = list(cards_of(variant.game.pack.cards))
    chance.shuffle(deck)
    seats = variant.players
    talon = {3: 6, 4: 6, 5: 3}[seats]
    each = (len(deck) - talon) // seats
    hands = tuple(tuple(deck[seat * each : (seat + 1) * each]) for seat in range(seats))
    try:
        hand = replay(variant, [CardsDealt(hands, tuple(deck[seats * each :]))])
        while hand.phase not in (FINISHED, ANNULLED, PASSED_OUT) and not hand.void:
            hand = _one_more(hand, chance)
    except RulesError:  # a deal that no play may follow
        return replay(variant, [])
    return hand


def _one_more(hand: Hand, chance: random.Random) -> Hand:
    if hand.phase == PLAY and chance.random() < 0.95:
        assert hand.held is not None
        plays = [CardPlayed(seat, card) for seat, held in enumerate(hand.held) for card in cards_of(held)]
        chance.shuffle(plays)
        for play in plays:
            try:
                return step(hand, play)
            except RulesError:
                continue
    possible = list(options(hand))
    if hand.phase in (DEAL, AUCTION) and chance.random() < 0.5:
        possible = [event for event in possible if "bid" in TYPE_NAMES[type(event)]] or possible
    return step(hand, chance.choice(possible))


def _by_tricks(events: list[Event], seats: int) -> list[Event]:
    """The same hand with each trick in one event where nothing was said within it."""
    told: list[Event] = []
    at = 0
    in_trick = 0
    while at < len(events):
        trick = events[at : at + seats]
        if in_trick == 0 and len(trick) == seats and all(isinstance(event, CardPlayed) for event in trick):
            told.append(TrickPlayed(tuple(event.card for event in trick if isinstance(event, CardPlayed))))
            at += seats
            continue
        if isinstance(events[at], CardPlayed):
            in_trick = (in_trick + 1) % seats
        told.append(events[at])
        at += 1
    return told
