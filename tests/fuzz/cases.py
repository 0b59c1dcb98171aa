"""Records that are right, or wrong in a way that is known because they were made so."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from tests.fuzz import deals, handfuls, results, shapes, tricks
from tests.laws.lawbook import KINDS, table_of
from tests.laws.wrongs import wrongs
from tests.support.hands import Telling, penalty, record, told
from tests.support.tables import Event, Table
from tests.support.tarock_table import TarockTable

PLACE: Final = "event-out-of-place"


class Case(NamedTuple):
    """A wire record and what must come of it.

    ``code`` is that of the refusal, None where the record is right. ``place`` is the faulty event, from 0;
    where it is None, it is known only that there is a fault.
    """

    name: str
    record: dict[str, Any]
    code: str | None = None
    place: int | None = None
    scores: dict[str, int] | None = None
    """What the players must have, where that is known."""


def cases(seed: int) -> Iterator[Case]:
    """What is made of one hand; the same of the same seed."""
    chance = random.Random(seed)
    table = table_of(chance.choice(KINDS), seed)
    for make in MAKERS:
        yield from make(table, chance)


def _told_rightly(table: Table, chance: random.Random) -> Iterator[Case]:
    """The same hand in one of the many ways in which it can be written down."""
    for _ in range(2):
        telling = Telling(
            tricks=chance.choice((0.0, 0.5, 1.0)),
            deal=chance.random() < 0.7,
            slips=chance.choice((0, 0, 3)),
            penalties=chance.choice((0, 0, 2)),
            cut=chance.choice((1.0, 1.0, chance.random())),
            annulled=chance.random() < 0.1,
        )
        made = told(table, chance, telling)
        if made["events"]:
            yield Case("told rightly", made)


def _wrong_events(table: Table, chance: random.Random) -> Iterator[Case]:
    """An event that must not come at its place; what follows makes no difference."""
    story = [event for _, event in table.story]
    early = [at for at in range(1, len(story)) if story[at]["type"] != "card_played"]
    for place in {chance.randint(1, len(story)), *chance.sample(early, min(2, len(early)))}:
        known = wrongs(table.upto(place))
        for wrong in chance.sample(known, min(len(known), 4)):
            rest = story[place:] if chance.random() < 0.5 else []
            made = record(table, [*story[:place], wrong.event, *rest])
            yield Case(f"wrong {wrong.event['type']}", made, wrong.code, place)


def _after_the_end(table: Table, chance: random.Random) -> Iterator[Case]:
    """Nothing of the game follows an annulment, and no second one."""
    story = [event for _, event in table.story]
    place = chance.randint(1, len(story) - 1) if len(story) > 1 else 1
    off = {"type": "hand_annulled", "reason": chance.choice(("director", "misdeal", "redeal"))}
    fine = [penalty(table, chance)] * chance.randint(0, 1)
    again = chance.choice([off, {"type": "hand_annulled", "reason": "all_passed"}, *story[place : place + 1]])
    events = [*story[:place], off, *fine, again]
    yield Case("after an annulment", record(table, events), PLACE, len(events) - 1)


def _wrong_stages(table: Table, chance: random.Random) -> Iterator[Case]:
    """A stage that is given has to agree with the place (contract, section 1)."""
    story = [event for _, event in table.story]
    places = [at for at, event in enumerate(story) if event["type"] == "announced"]
    if not places:
        return
    place = chance.choice(places)
    bonus = (table.seat_of(story[place]), story[place]["bonus"])
    before = isinstance(table, TarockTable) and not table.solo and table.stages[bonus] == "before_pickup"
    right, wrong = "before_pickup", "after_pickup"
    if not before:
        right, wrong = wrong, right
    for stage, code in ((right, None), (wrong, "illegal-announcement")):
        told_so = [*story[:place], {**story[place], "stage": stage}, *story[place + 1 :]]
        yield Case("a stage", record(table, told_so), code, None if code is None else place)


def _retractions(table: Table, chance: random.Random) -> Iterator[Case]:
    """What cannot be undone, and what others stand on."""
    story = [event for _, event in table.story]
    fine = penalty(table, chance)

    def case(name: str, *events: Event, code: str | None = PLACE) -> Case:
        return Case(name, record(table, [*story, *events]), code, len(story) + len(events) - 1)

    def undo(seq: int) -> Event:
        return {"type": "event_retracted", "seq": seq}

    end = len(story)
    yield case("an event that is not there", undo(chance.choice((end + 1, end + 2, 500))))
    yield case("a retraction undone", fine, undo(end + 1), undo(end + 2))
    yield case("undone twice", fine, undo(end + 1), undo(end + 1))
    played = [
        at
        for at in range(end - 1)
        if story[at]["type"] == story[at + 1]["type"] == "card_played"
        and story[at]["player"] != story[at + 1]["player"]
    ]
    if played:
        yield case("a card that others followed", undo(chance.choice(played) + 1), code="wrong-turn")


Maker = Callable[[Table, random.Random], Iterator[Case]]


def _of(made: Callable[[Table, random.Random], Iterator[tuple[Any, ...]]]) -> Maker:
    """A maker of cases from one of their parts: the modules for them know nothing of this one."""

    def maker(table: Table, chance: random.Random) -> Iterator[Case]:
        for parts in made(table, chance):
            yield Case(*parts)

    return maker


MAKERS: Final[tuple[Maker, ...]] = (
    _told_rightly,
    _wrong_events,
    _after_the_end,
    _wrong_stages,
    _retractions,
    _of(deals.cases),
    _of(tricks.cases),
    _of(handfuls.cases),
    _of(results.cases),
    _of(shapes.cases),
)
