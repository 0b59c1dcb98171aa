"""Random legal hands of every variant, dealt and played so that interesting things happen.

`play_out` plays a hand at a `Table` by rules of its own; `told` writes it down as a wire record, in
one of the many ways in which the same hand can be written. Both need only a `random.Random`.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, Final

from tests.support.card_rules import LONG, PACK_54, PACK_78, Card
from tests.support.plans import (
    TAROCK_PLANS,
    TAROT_PLANS,
    Plan,
    Planner,
    lone_petit,
    no_tarock,
    pass_all,
)
from tests.support.tables import Event, Table
from tests.support.tarock_table import BOOKS, TarockTable
from tests.support.tarot_table import TarotTable

VARIANT_IDS: Final = [*BOOKS, "french-tarot-3", "french-tarot-4", "french-tarot-5"]
NAMES: Final = ["Anna", "Béla", "Юлия", "小林", "O'Neill"]
CARDS_EACH: Final = {"illustrated": 16, "3": 24, "4": 18, "5": 15}


# --- How it is dealt and played ------------------------------------------------------------------


def play_out(variant: str, chance: random.Random, plan: Planner | None = None, void: bool = False) -> Table:
    """A hand played to its end, or passed out; with ``void`` one that must be dealt again."""
    tarot = variant.startswith("french")
    while True:
        planned = plan or chance.choice(TAROT_PLANS if tarot else TAROCK_PLANS)
        if void:
            planned = lone_petit if tarot else no_tarock
        seats = int(variant[-1]) if tarot else 3
        made = planned(chance, chance.randrange(seats), seats)
        table = _deal(variant, seats, made, chance)
        if table.void == void:
            break
    while not table.over:
        table.tell(_choose(table, made))
    return table


def trischaken(variant: str, chance: random.Random) -> Table:
    """Beck's Trischaken."""
    return play_out(variant, chance, pass_all)


def _deal(variant: str, seats: int, plan: Plan, chance: random.Random) -> Table:
    tarot = variant.startswith("french")
    each = CARDS_EACH[variant[-1] if tarot else "illustrated"]
    free = list(PACK_78 if tarot else PACK_54)
    chance.shuffle(free)
    wanted: dict[int | str, list[Card]] = {}
    for who, cards in plan.wishes.items():
        size = each if isinstance(who, int) else 3
        wanted[who] = [card for card in cards if card in free][:size]
        free = [card for card in free if card not in wanted[who]]
    hands = []
    for seat in range(seats):
        hand = wanted.get(seat, [])
        while len(hand) < each:
            hand.append(free.pop())
        chance.shuffle(hand)
        hands.append(hand)
    talon = wanted.get("talon", []) + free
    chance.shuffle(talon)
    players = chance.sample(NAMES, seats)
    make = TarotTable if tarot else TarockTable
    return make(variant, players, hands, talon, chance)


def _choose(table: Table, plan: Plan) -> Event:
    """One of the allowed events, as the plan would have it."""
    chance = table.chance
    allowed = table.allowed()
    plays = [event for event in allowed if event["type"] == "card_played"]
    said = [event for event in allowed if event["type"] in ("announced", "contra_called")]
    forward = [event for event in allowed if event not in said]
    said = [event for event in said if event.get("bonus") in plan.say] or said
    if said and chance.random() < (0.12 if plays and not table.nothing_played else 0.5):
        return chance.choice(said)
    if forward[0]["type"] == "passed":
        return _word(table, plan, forward)
    if plays:
        return a_card(table, plan, plays)
    return chance.choice(forward)


def _word(table: Table, plan: Plan, words: list[Event]) -> Event:
    """Pass, accept, or bid: the eager one nearly always bids, the others rarely."""
    chance = table.chance
    quiet = [event for event in words if event["type"] in ("passed", "bid_accepted")]
    loud = [event for event in words if event["type"] in ("bid_taken_over", "bid_held", "bid_retaken")]
    bids = [event for event in words if event["type"] == "bid_made"]
    seat = table.seat_of(words[0])
    appetite = 0.35 if plan.eager is None else 0.9 if seat == plan.eager else 0.08
    if plan.eager == -1:
        appetite = 0.0
    # After a garde contre the hand may go on at once.
    ahead = [event for event in words if event not in quiet and event not in loud and event not in bids]
    if ahead and chance.random() < 0.4:
        ahead_plays = [event for event in ahead if event["type"] == "card_played"]
        return a_card(table, plan, ahead_plays) if ahead_plays else chance.choice(ahead)
    if loud and chance.random() < (0.5 if plan.eager != -1 else 0.0):
        return chance.choice(loud)
    if bids and chance.random() < appetite:
        return chance.choice(bids)
    return chance.choice(quiet)


def a_card(table: Table, plan: Plan, plays: list[Event]) -> Event:
    """A card in the style of the seat, the kept ones last."""
    seat = table.turn
    keep = plan.keep.get(seat, [])
    free = [event for event in plays if event["card"] not in keep]
    if not free:
        return max(plays, key=lambda event: keep.index(event["card"]))
    style = plan.style.get(seat, "any")
    if style == "any":
        return table.chance.choice(free)
    best = max if style == "high" else min
    return best(free, key=lambda event: _force(event["card"]))


def _force(card: Card) -> tuple[bool, int, str]:
    """Roughly how good a card is, whatever the game."""
    if card[0] in "TF":
        return (True, 22 if card == "F" else int(card[1:]), card)
    return (False, LONG.index(card[1:]), card)


# --- How it is written down ----------------------------------------------------------------------


@dataclass(frozen=True)
class Telling:
    """How a hand is written down. ``tricks`` is the share of tricks told in one event."""

    tricks: float = 0.0
    deal: bool = True
    slips: int = 0
    penalties: int = 0
    cut: float = 1.0
    annulled: bool = False


PLAIN: Final = Telling()
"""Card by card, with the deal, as it happened."""


def told(table: Table, chance: random.Random, telling: Telling = PLAIN) -> dict[str, Any]:
    """The wire record of the hand, or of its beginning."""
    events = by_tricks(table, chance, telling.tricks)
    if not telling.deal:
        events = events[1:]
    events = events[: round(telling.cut * len(events))]
    if telling.annulled:
        reason = chance.choice(("director", "misdeal", "redeal"))
        events.append((len(table.story), {"type": "hand_annulled", "reason": reason}))
    for _ in range(telling.penalties):
        place = chance.randint(0, len(events))
        events.insert(place, (-1, penalty(table, chance)))
    sent = with_slips(table, events, chance, telling.slips)
    return record(table, sent)


def record(table: Table, events: list[Event], **fields: Any) -> dict[str, Any]:
    """A wire record of these events at that table."""
    return {"variant": table.variant, "players": table.players, "events": events, **fields}


def penalty(table: Table, chance: random.Random) -> Event:
    """A director's correction."""
    points = chance.choice((-25, -1, 0, 3, 40))
    return {"type": "penalty_assessed", "player": chance.choice(table.players), "points": points}


def by_tricks(table: Table, chance: random.Random, share: float = 1.0) -> list[tuple[int, Event]]:
    """The story with some tricks told in one event, each event with its place in the story."""
    events = list(enumerate(event for _, event in table.story))
    found: list[tuple[int, Event]] = []
    at = in_trick = 0
    while at < len(events):
        trick = events[at : at + table.seats]
        whole = len(trick) == table.seats and all(event["type"] == "card_played" for _, event in trick)
        if whole and not in_trick and chance.random() < share:
            cards = [event["card"] for _, event in trick]
            found.append((at, {"type": "trick_played", "cards": cards}))
            at += table.seats
            continue
        if events[at][1]["type"] == "card_played":
            in_trick = (in_trick + 1) % table.seats
        found.append(events[at])
        at += 1
    return found


def with_slips(
    table: Table, events: list[tuple[int, Event]], chance: random.Random, count: int
) -> list[Event]:
    """The events with wrong ones among them, each retracted at once or a penalty retracted later."""
    slips = sorted(chance.randint(0, len(events)) for _ in range(count))
    sent: list[Event] = []
    late: list[int] = []
    for at in range(len(events) + 1):
        for _ in range(slips.count(at)):
            place = events[at][0] if at < len(events) else -1
            allowed = table.story[place][0] if 0 <= place < len(table.story) else []
            wrong = chance.choice([*allowed, {"type": "hand_annulled", "reason": "director"}])
            ended = any(event["type"] == "hand_annulled" for event in sent)
            if ended or chance.random() < 0.2:
                sent.append(penalty(table, chance))
                late.append(len(sent))
            else:
                sent += [wrong, {"type": "event_retracted", "seq": len(sent) + 1}]
        if at < len(events):
            sent.append(events[at][1])
    return sent + [{"type": "event_retracted", "seq": seq, "reason": "noted twice"} for seq in late]
