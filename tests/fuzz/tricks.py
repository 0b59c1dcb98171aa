"""Cards that are not to be played or laid away so, in hands that go on to their end all the same.

With the deal the rule is broken at once; without it the hand is refused when it is whole, at the same
event (IT-3.4, FT-2.10).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from tests.support.card_rules import HONOURS, KINGS
from tests.support.hands import record
from tests.support.tables import Event, Table


def cases(table: Table, chance: random.Random) -> Iterator[tuple[Any, ...]]:
    """Name, record, code and place of a broken rule of play."""
    story = [event for _, event in table.story]
    plays = [at for at, event in enumerate(story) if event["type"] == "card_played"]
    if not plays:
        return
    yield from _revoked(table, chance, plays)
    yield from _badly_discarded(table, chance, story)
    place = chance.choice(plays)
    out = {event["card"] for event in story[:place] if event["type"] == "card_played"}
    if out:
        again = {**story[place], "card": chance.choice(sorted(out))}
        yield from _both(table, "a card again", story, place, again, ("card-not-held", "duplicate-card"))
    if table.variant.startswith("illustrated"):
        foreign = {**story[place], "card": chance.choice(("S2", "D10", "C5"))}
        yield from _both(table, "a card of the other pack", story, place, foreign, ("card-not-held",) * 2)
    if table.taken and place + 1 < len(story):
        other = chance.choice([at for at in plays if table.seat_of(story[at]) != table.declarer])
        left = sorted(
            set(table.taken) - {story[at]["card"] for at in plays if at < other} - {*table.discarded}
        )
        if left:
            theirs = {**story[other], "card": left[0]}
            yield from _both(table, "a card that was taken", story, other, theirs, ("card-not-held",) * 2)


def _both(
    table: Table, name: str, story: list[Event], place: int, wrong: Event, codes: tuple[str, ...]
) -> Iterator[tuple[Any, ...]]:
    """The wrong event in place of another one, with the deal and without it."""
    events = [*story[:place], wrong, *story[place + 1 :]]
    yield name, record(table, events), codes[0], place
    yield f"{name}, no deal", record(table, events[1:]), codes[1], place - 1


def _revoked(table: Table, chance: random.Random, plays: list[int]) -> Iterator[tuple[Any, ...]]:
    """A held card that is not legal."""
    for place in chance.sample(plays, min(len(plays), 6)):
        then = table.upto(place)
        if then.phase != "play":
            continue  # a bid that ended the auction at once has left that to the first card
        bad = [card for card in then.hands[then.turn] if card not in then.playable()]
        if bad:
            wrong = then.event("card_played", then.turn, card=chance.choice(bad))
            yield from _played_on(then, chance, "a revoke", wrong, "illegal-play")
            return


def _badly_discarded(table: Table, chance: random.Random, story: list[Event]) -> Iterator[tuple[Any, ...]]:
    """A King, an honour, or a tarock without need."""
    place = next((at for at, event in enumerate(story) if event["type"] == "cards_discarded"), None)
    if place is None:
        return
    laid = story[place]["cards"]
    then = table.upto(place)
    assert then.declarer is not None
    hand = then.hands[then.declarer]
    needless = not any(card[0] == "T" for card in laid)
    never = [card for card in hand if card in KINGS or card in HONOURS or (needless and card[0] == "T")]
    if never:
        wrong = {**story[place], "cards": [*laid[:-1], chance.choice(never)]}
        yield from _played_on(then, chance, "a bad discard", wrong, "illegal-discard")


def _played_on(
    then: Table, chance: random.Random, name: str, wrong: Event, code: str
) -> Iterator[tuple[Any, ...]]:
    """The hand with the wrong event, played to its end as if nothing had been."""
    place = len(then.story)
    then._tell(wrong)
    then.story.append(([], wrong))
    while not then.over:
        plays = [event for event in then.allowed() if event["type"] == "card_played"]
        then.tell(chance.choice(plays))
    events = [event for _, event in then.story]
    yield name, record(then, events), code, place
    yield f"{name}, no deal", record(then, events[1:]), code, place - 1
    if code == "illegal-play":
        yield f"{name}, not whole", record(then, events[1:-1])
