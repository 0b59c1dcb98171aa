"""What holds for all bodies: golden records load, and anything else is read or refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from records import wire
from records.faults import Fault, InvalidRecord
from records.schemas import load_record
from tests.records.shapes import PLAYERS, VARIANT
from tests.records.strategies import JSON, records
from tests.support.processes import ROOT


def golden() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted((ROOT / "tests" / "cases").rglob("*.jsonl")):
        for number, line in enumerate(path.read_bytes().splitlines(), 1):
            yield f"{path.parent.name}/{path.name}:{number}", json.loads(line)["record"]


def test_golden_records_have_the_right_shape() -> None:
    """Those with a broken rule too: what is wrong with them is no matter of shape."""
    count = 0
    for name, data in golden():
        record = load_record(wire.load(wire.dumps(data)))
        assert record.as_dict() == data, name
        count += 1
    assert count == 1357


def pointed_at(body: Any, pointer: str) -> bool:
    """Whether the pointer leads to a value of the body, or to where a missing field would be."""
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    for place, step in enumerate(steps):
        if isinstance(body, list) and step.isdigit() and int(step) < len(body):
            body = body[int(step)]
        elif isinstance(body, dict) and step in body:
            body = body[step]
        else:
            return isinstance(body, dict) and place == len(steps) - 1
    return True


def faults_of(data: Any) -> list[Fault]:
    try:
        load_record(data)
    except InvalidRecord as refusal:
        return refusal.faults
    return []


class TestAnythingElse:
    def check(self, data: Any) -> None:
        """It loads, or every fault says where it is and what would be right."""
        for fault in faults_of(data):
            assert fault.code == "invalid-record"
            assert fault.detail
            assert pointed_at(data, fault.pointer), fault

    @given(JSON)
    def test_any_json_is_read_or_refused(self, data: Any) -> None:
        self.check(data)
        self.check({"variant": VARIANT, "players": PLAYERS, "events": data})
        self.check({"variant": VARIANT, "players": PLAYERS, "events": [data]})
        self.check({"variant": VARIANT, "players": data, "events": [{"type": "passed", "player": "Anna"}]})
        self.check({"variant": data, "players": PLAYERS, "events": [], "labels": data, "table": data})

    @given(records(), st.data())
    def test_a_spoilt_record_is_read_or_refused(self, data: dict[str, Any], draw: st.DataObject) -> None:
        for _ in range(draw.draw(st.integers(1, 3))):
            spoil(data, draw)
        self.check(data)


def spoil(body: Any, draw: st.DataObject) -> None:
    """Somewhere in the body, put any JSON in the place of a value, or take a value out or in."""
    at: Any = body
    while True:
        places = list(at) if isinstance(at, dict) else list(range(len(at)))
        if not places:
            return
        place = draw.draw(st.sampled_from(places))
        if isinstance(at[place], dict | list) and at[place] and draw.draw(st.booleans()):
            at = at[place]
            continue
        break
    match draw.draw(st.sampled_from(["change", "remove", "add"])):
        case "change":
            at[place] = draw.draw(JSON)
        case "remove":
            del at[place]
        case _ if isinstance(at, dict):
            at[draw.draw(st.sampled_from(["cards", "player", "x/y~z", "stage", "Anna"]))] = draw.draw(JSON)
        case _:
            at.append(draw.draw(JSON))
