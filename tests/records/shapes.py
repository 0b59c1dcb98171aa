"""Small bodies with and without faults of shape, and where their faults are found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from records.faults import Fault, InvalidRecord
from records.schemas import load_record
from tests.support.sentences import is_sentence

VARIANT = "illustrated-mayr-sedlaczek-2016"
PLAYERS = ["Anna", "Béla", "Cyril"]
RESULT = {"type": "result_reported", "declarer": "Anna", "contract": "zweiblatt", "card_points": 37}
TAROT = {"type": "result_reported", "declarer": "Anna", "contract": "garde", "card_points": 41, "oudlers": 2}
TRISCHAKEN = {
    "type": "result_reported",
    "contract": "trischaken",
    "card_points_by_player": {"Anna": 20, "Béla": 20, "Cyril": 30},
    "tricks_by_player": {"Anna": 5, "Béla": 5, "Cyril": 6},
}
PLAYED = {"type": "card_played", "player": "Anna", "card": "T21"}
DEAL = {"type": "cards_dealt", "hands": {"Anna": ["T1"], "Béla": ["T2"], "Cyril": ["T3"]}, "talon": ["T4"]}


def record(**fields: Any) -> dict[str, Any]:
    """A sound record with these fields in the place of its own."""
    return {
        "variant": VARIANT,
        "players": PLAYERS,
        "events": [{"type": "passed", "player": "Anna"}],
    } | fields


def faults_of(data: object, load: Callable[[Any], object] = load_record) -> list[Fault]:
    with pytest.raises(InvalidRecord) as refusal:
        load(data)
    for fault in refusal.value.faults:
        assert fault.code == "invalid-record"
        assert is_sentence(fault.detail), fault.detail
    return refusal.value.faults


def pointers(data: object) -> list[str]:
    return [fault.pointer for fault in faults_of(data)]


def of_event(event: Any) -> list[str]:
    """The pointers of the faults of the event alone, without their common beginning."""
    found = pointers(record(events=[{"type": "passed", "player": "Anna"}, event]))
    assert all(pointer.startswith("/events/1") for pointer in found)
    return [pointer.removeprefix("/events/1") for pointer in found]
