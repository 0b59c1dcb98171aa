"""Section boundary: a body read and checked, against `json.loads` of the same body."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
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
    by_cards = whole_hand(TAROCK, "card_played")
    yield _line("a hand by cards", by_cards, BOUND)
    yield _line("a hand by tricks", whole_hand(TAROCK, "trick_played"), BOUND)
    yield _line("a hand of four by cards", whole_hand("french-tarot-4", "card_played"), BOUND)
    yield _line("a hand by cards, each with at and event_id", _live(by_cards))
    yield _line("a result", next(_plain_records(TAROCK, "result")))


def _line(name: str, record: Record, bound: float | None = None) -> Line:
    """The service's way from bytes to events against the standard library's from bytes to dicts."""
    body = wire.dumps(record)
    ratio = median_ratio(lambda: load_record(wire.load(body)), lambda: json.loads(body))
    return Line(f"{name} ({len(record['events'])} events, {len(body)} bytes) / json.loads", ratio, bound)


def whole_hand(variant: str, told_by: str) -> Record:
    """The first golden hand with its deal, played to the end in events of this type alone."""
    for record in _plain_records(variant, "full"):
        kinds = Counter(event["type"] for event in record["events"])
        cards = kinds["card_played"] + kinds["trick_played"] * len(record["players"])
        dealt = record["events"][0].get("hands", {record["players"][0]: []})
        if (
            cards
            and cards == sum(map(len, dealt.values()))
            and kinds[told_by] in (cards, cards // len(dealt))
        ):
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
