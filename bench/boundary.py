"""Section boundary: a body read and checked, against `json.loads` of the same body."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from bench.timing import Line, median_ratio
from records import wire
from records.schemas import load_record

CASES: Final = Path(__file__).parents[1] / "tests" / "cases"
BOUND: Final = 2.5
TAROCK: Final = "illustrated-mayr-sedlaczek-2016"

Record = dict[str, Any]


def lines() -> Iterator[Line]:
    """JSON and Marshmallow together, for the kinds of bodies that are sent most."""
    by_cards = first_hand(TAROCK, lambda events: len(events) >= 54)
    yield _line("a hand by cards", by_cards, BOUND)
    yield _line("a hand by tricks", first_hand(TAROCK, lambda events: len(events) <= 30), BOUND)
    yield _line(
        "a hand of four by cards", first_hand("french-tarot-4", lambda events: len(events) >= 72), BOUND
    )
    yield _line("a hand by cards, each with at and event_id", _live(by_cards))
    yield _line("a result", next(_plain_records(TAROCK, "result")))


def _line(name: str, record: Record, bound: float | None = None) -> Line:
    """The service's way from bytes to events against the standard library's from bytes to dicts."""
    body = wire.dumps(record)
    ratio = median_ratio(lambda: load_record(wire.load(body)), lambda: json.loads(body))
    return Line(f"{name} ({len(record['events'])} events, {len(body)} bytes) / json.loads", ratio, bound)


def first_hand(variant: str, fits: Callable[[list[Record]], bool]) -> Record:
    """The first golden hand that is dealt, played to its end, and has such events."""
    for record in _plain_records(variant, "full"):
        events = record["events"]
        dealt = events[0].get("hands", {})
        kinds = Counter(event["type"] for event in events)
        played = kinds["card_played"] + kinds["trick_played"] * len(dealt)
        if 0 < played == sum(map(len, dealt.values())) and fits(events):
            return record
    raise LookupError(f"No such hand of {variant}")


def _plain_records(variant: str, file: str) -> Iterator[Record]:
    """The golden records whose events have nothing but their own fields."""
    for line in (CASES / variant / f"{file}.jsonl").read_bytes().splitlines():
        record: Record = json.loads(line)["record"]
        if not any(map(_has_extras, record["events"])):
            yield record


def _has_extras(event: Record) -> bool:
    return not event.keys().isdisjoint(("at", "event_id", "note"))


def _live(record: Record) -> Record:
    """The hand as a client tells it that sends each event as it happens."""
    events = [
        event
        | {"at": f"2026-11-29T20:{15 + place // 60}:{place % 60:02}+01:00", "event_id": f"t3-h07-{place}"}
        for place, event in enumerate(record["events"])
    ]
    return record | {"events": events}
