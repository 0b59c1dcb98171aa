"""Records that are none: broken somewhere, at a place that is known."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any, Final

from tests.support.hands import Telling, told
from tests.support.tables import Table

ID_TWICE: Final = "an event_id twice"
_JUNK: Final[tuple[Any, ...]] = (
    *(True, False, 0, -1, 1.5, 2**63, 10**18, 1e300, "", " ", "T22", "t1", "S11", "Nobody", "\u202eAnna"),
    *("\u0000", "x" * 10_000, [], {}, [[]], [{}], {"": None}, [None] * 3, ["T1"] * 79, "nothing", None),
)
"""What is right in no place of a record but those of free text; and there is little of that."""


def cases(table: Table, chance: random.Random) -> Iterator[tuple[Any, ...]]:
    """Name, record, code; the place where it is an event's."""
    right = told(table, chance, Telling(tricks=chance.choice((0.0, 1.0)), cut=chance.choice((1.0, 0.3))))
    if not right["events"]:
        return
    for make in chance.sample(_MAKERS, 4):
        yield make(right, chance)


def _event(
    right: dict[str, Any], chance: random.Random, change: dict[str, Any], name: str
) -> tuple[Any, ...]:
    """The record with one event changed."""
    place = chance.randrange(len(right["events"]))
    changed = {**right["events"][place], **change}
    return name, _with(right, place, changed), "invalid-record", place


def _with(right: dict[str, Any], place: int, event: Any) -> dict[str, Any]:
    events = [*right["events"][:place], event, *right["events"][place + 1 :]]
    return {**right, "events": events}


def _unknown_field(right: dict[str, Any], chance: random.Random) -> tuple[Any, ...]:
    return _event(
        right, chance, {chance.choice(("Player", "tricks", "", "x" * 500, "\u0007")): 1}, "a field too many"
    )


def _field_lost(right: dict[str, Any], chance: random.Random) -> tuple[Any, ...]:
    place = chance.randrange(len(right["events"]))
    event = dict(right["events"][place])
    needed = event.keys() - {"stage", "reason"}
    if event.get("bonus") != "handful" and event["type"] == "announced":
        needed -= {"cards"}
    lost = chance.choice(sorted(needed))
    # To leave a field out and to say that it is null are the same.
    event[lost] = None
    if chance.random() < 0.5:
        del event[lost]
    return "a field too few", _with(right, place, event), "invalid-record", place


def _junk_in_an_event(right: dict[str, Any], chance: random.Random) -> tuple[Any, ...]:
    place = chance.randrange(len(right["events"]))
    event = dict(right["events"][place])
    # A talon without cards has the right shape; how many there must be is for the rules to say.
    event[chance.choice(sorted(event.keys() - {"talon"}))] = chance.choice(_JUNK)
    return "junk in an event", _with(right, place, event), "invalid-record", place


def _no_event(right: dict[str, Any], chance: random.Random) -> tuple[Any, ...]:
    place = chance.randrange(len(right["events"]))
    return "no event", _with(right, place, chance.choice(_JUNK)), "invalid-record", place


def _common_fields(right: dict[str, Any], chance: random.Random) -> tuple[Any, ...]:
    change: dict[str, Any] = chance.choice(
        (
            {"at": chance.choice(("2026-11-29", "2026-02-30T10:00:00Z", "now", 7, "2026-11-29T25:00:00Z"))},
            {"event_id": chance.choice(("", "x y", "x" * 129, 7, "\u0000"))},
            {"note": chance.choice(("x" * 501, 7, "a\u0000b", []))},
        )
    )
    return _event(right, chance, change, "a common field")


def _id_twice(right: dict[str, Any], chance: random.Random) -> tuple[Any, ...]:
    if len(right["events"]) < 2:
        return _unknown_field(right, chance)
    first, second = sorted(chance.sample(range(len(right["events"])), 2))
    events = [dict(event) for event in right["events"]]
    events[first]["event_id"] = events[second]["event_id"] = "same"
    return ID_TWICE, {**right, "events": events}, "invalid-record", second


def _a_field_of_the_record(right: dict[str, Any], chance: random.Random) -> tuple[Any, ...]:
    players = right["players"]
    change: dict[str, Any] = chance.choice(
        (
            {"variant": chance.choice(("tarock", "", 7, None, ["illustrated-beck"]))},
            {
                "players": chance.choice(
                    (players[:2], [*players, *players], players[:1] * len(players), {}, None)
                )
            },
            {"players": [f"{players[0]}\u200b", *players[1:]]},
            {"players": [f" {players[0]}", *players[1:]]},
            {"events": chance.choice(([], {}, None, "x"))},
            {"events": right["events"][:1] * 501},
            {"hand_id": chance.choice(("", "a b", "x" * 129, "ä", 7, "a/b"))},
            {"format": chance.choice((0, 2, "1", True))},
            {"session_id": chance.choice(("", "a b", 7))},
            {"round": chance.choice((0, -1, 1.5, "1", 2**60))},
            {"number": chance.choice((0, True, [], 1_000_001))},
            {"played_at": chance.choice(("yesterday", 7, "2026-13-01T00:00:00Z"))},
            {"labels": chance.choice((["x"] * 17, "x", [7], ["x" * 65], [""]))},
            {"log": []},
            {"status": "scored"},
        )
    )
    return f"the record's {next(iter(change))}", {**right, **change}, "invalid-record"


Maker = Callable[[dict[str, Any], random.Random], tuple[Any, ...]]
_MAKERS: Final[tuple[Maker, ...]] = (
    _unknown_field,
    _field_lost,
    _junk_in_an_event,
    _no_event,
    _common_fields,
    _id_twice,
    _a_field_of_the_record,
)
