"""Faults of shape of events, each at its place."""

from __future__ import annotations

from typing import Any

import pytest

from records import limits
from records.schemas import load_record
from tests.records.shapes import (
    DEAL,
    PLAYED,
    RESULT,
    faults_of,
    of_event,
    pointers,
    record,
)


class TestEvents:
    @pytest.mark.parametrize("events", [[], {}, "", 1, True, [PLAYED] * 501])
    def test_are_a_list_of_up_to_500(self, events: object) -> None:
        assert pointers(record(events=events)) == ["/events"]

    def test_500_are_no_fault(self) -> None:
        assert len(load_record(record(events=[PLAYED] * limits.MAX_EVENTS)).events) == 500

    @pytest.mark.parametrize("event", [None, 1, True, "passed", [], ["passed"]])
    def test_are_objects(self, event: object) -> None:
        assert of_event(event) == [""]

    @pytest.mark.parametrize(
        "event",
        [
            {},
            {"player": "Anna"},
            {"type": None},
            {"type": "Passed", "player": "Anna"},
            {"type": "", "player": "Anna"},
            {"type": 1},
            {"type": ["passed"]},
            {"type": {}},
            {"type": "hand_restated", "record": {}, "reason": "x"},
        ],
    )
    def test_types(self, event: object) -> None:
        assert of_event(event) == ["/type"]

    def test_only_the_service_restates(self) -> None:
        (fault,) = faults_of(record(events=[{"type": "hand_restated", "record": {}}]))
        assert "PUT /v1/hands/{id}" in fault.detail

    @pytest.mark.parametrize("kind", limits.EVENT_FIELDS)
    def test_say_what_is_missing_and_what_is_too_much(self, kind: str) -> None:
        required = [f"/{name}" for name in limits.EVENT_FIELDS[kind].required]
        assert of_event({"type": kind}) == required
        assert of_event({"type": kind} | dict.fromkeys(limits.EVENT_FIELDS[kind].required)) == required
        assert of_event({"type": kind, "x/y": 1}) == [*required, "/x~1y"]

    @pytest.mark.parametrize("player", ["anna", "Anna ", "Dora", "", 0, True, ["Anna"], {}])
    def test_players_of_the_record(self, player: object) -> None:
        for kind, own in limits.EVENT_FIELDS.items():
            if "player" in own.required:
                assert "/player" in of_event({"type": kind, "player": player}), kind

    @pytest.mark.parametrize(
        "card", ["t21", "T22", "T0", "H0", "H11", "SÜ", "", " T1", "T1 ", 1, True, ["T1"], {}]
    )
    def test_cards(self, card: object) -> None:
        assert of_event({"type": "card_played", "player": "Anna", "card": card}) == ["/card"]
        assert of_event({"type": "king_called", "player": "Anna", "card": card}) == ["/card"]
        assert of_event({"type": "trick_played", "cards": ["T1", card, "T2"]}) == ["/cards/1"]
        assert of_event({"type": "talon_taken", "player": "Anna", "cards": [card]}) == ["/cards/0"]

    @pytest.mark.parametrize("cards", [[], "T1", "FFF", {"T1": 1, "T2": 2, "T3": 3}, 1, True, ["T1"] * 79])
    def test_lists_of_cards(self, cards: object) -> None:
        assert of_event({"type": "talon_taken", "player": "Anna", "cards": cards}) == ["/cards"]
        assert of_event({"type": "cards_discarded", "player": "Anna", "cards": cards}) == ["/cards"]
        assert of_event({"type": "announced", "player": "Anna", "bonus": "handful", "cards": cards}) == [
            "/cards"
        ]
        assert of_event({"type": "trick_played", "cards": cards}) == ["/cards"]

    def test_a_trick_has_a_card_of_each_player(self) -> None:
        for count in (1, 2, 4, 5):
            assert of_event({"type": "trick_played", "cards": ["T1", "T2", "T3", "T4", "T5"][:count]}) == [
                "/cards"
            ]

    @pytest.mark.parametrize(
        ("change", "expected"),
        [
            ({"hands": []}, ["/hands"]),
            ({"hands": "abc"}, ["/hands"]),
            ({"talon": "T4"}, ["/talon"]),
            ({"talon": ["T4", "X", "Y"]}, ["/talon/1", "/talon/2"]),
            ({"talon": ["T1"] * 79}, ["/talon"]),
            ({"hands": {"Anna": ["T1"], "Béla": ["T2"]}}, ["/hands/Cyril"]),
            ({"hands": {"Anna": ["T1"], "Béla": ["T2"], "Cyril": None}}, ["/hands/Cyril"]),
            ({"hands": {"Anna": [], "Béla": [], "Cyril": [], "Dora": []}}, ["/hands/Dora"]),
            ({"hands": {"Anna": ["T1"], "Béla": ["T2"], "Dora/": []}}, ["/hands/Cyril", "/hands/Dora~1"]),
            ({"hands": {"Anna": "T1", "Béla": ["T2", 3], "Cyril": []}}, ["/hands/Anna", "/hands/Béla/1"]),
        ],
    )
    def test_deals(self, change: dict[str, Any], expected: list[str]) -> None:
        assert of_event(DEAL | change) == expected

    def test_how_many_cards_are_dealt_is_a_matter_of_the_rules(self) -> None:
        hands: dict[str, list[str]] = {"Anna": [], "Béla": ["T1", "T1"], "Cyril": ["S2"]}
        load_record(record(events=[DEAL | {"hands": hands, "talon": []}]))

    @pytest.mark.parametrize(
        ("event", "expected"),
        [
            ({"type": "bid_made", "player": "Anna", "contract": "grand"}, ["/contract"]),
            ({"type": "bid_made", "player": "Anna", "contract": ["solo"]}, ["/contract"]),
            ({"type": "announced", "player": "Anna", "bonus": "schneider"}, ["/bonus"]),
            ({"type": "announced", "player": "Anna", "bonus": {}}, ["/bonus"]),
            ({"type": "announced", "player": "Anna", "bonus": "uhu", "stage": "silent"}, ["/stage"]),
            ({"type": "announced", "player": "Anna", "bonus": "uhu", "cards": ["T1"]}, ["/cards"]),
            ({"type": "announced", "player": "Anna", "bonus": "handful"}, ["/cards"]),
            ({"type": "contra_called", "player": "Anna", "target": "talon", "level": "contra"}, ["/target"]),
            ({"type": "contra_called", "player": "Anna", "target": "game", "level": "none"}, ["/level"]),
            ({"type": "hand_annulled", "reason": "tired"}, ["/reason"]),
            ({"type": "event_retracted", "seq": 0}, ["/seq"]),
            ({"type": "event_retracted", "seq": 501}, ["/seq"]),
            ({"type": "event_retracted", "seq": "1"}, ["/seq"]),
            ({"type": "event_retracted", "seq": True}, ["/seq"]),
            ({"type": "event_retracted", "seq": 1.5}, ["/seq"]),
            ({"type": "event_retracted", "seq": 1, "reason": "x" * 501}, ["/reason"]),
            ({"type": "event_retracted", "seq": 1, "reason": 1}, ["/reason"]),
            ({"type": "penalty_assessed", "player": "Anna", "points": 1_000_001}, ["/points"]),
            ({"type": "penalty_assessed", "player": "Anna", "points": 0.5}, ["/points"]),
            ({"type": "penalty_assessed", "player": "Anna", "points": False}, ["/points"]),
        ],
    )
    def test_own_fields(self, event: dict[str, Any], expected: list[str]) -> None:
        assert of_event(event) == expected

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("note", "x" * 501),
            ("note", 1),
            ("note", "a\x00"),
            ("note", []),
            ("event_id", ""),
            ("event_id", "x" * 129),
            ("event_id", "a b"),
            ("event_id", "a\n"),
            ("event_id", "a\u200b"),
            ("event_id", 7),
            ("at", {}),
            ("seq", 1),
            ("recorded_at", "2026-11-29T20:15:00Z"),
        ],
    )
    def test_common_fields(self, name: str, value: object) -> None:
        for event in (PLAYED, DEAL, RESULT, {"type": "trick_played", "cards": ["T1", "T2", "T3"]}):
            assert of_event(event | {name: value}) == [f"/{name}"]

    def test_an_event_id_is_for_one_event(self) -> None:
        """Whether the two are equal or not: the same event cannot be twice in a hand."""
        bid = {"type": "bid_made", "player": "Anna", "contract": "solo", "event_id": "a"}
        other = {
            "type": "announced",
            "player": "Anna",
            "bonus": "uhu",
            "stage": "before_pickup",
            "event_id": "a",
        }
        data = record(events=[bid, bid, {"type": "passed", "player": "Béla", "event_id": "b"}, other])
        found = faults_of(data)
        assert [fault.pointer for fault in found] == ["/events/1/event_id", "/events/3/event_id"]
        assert all("Event 0" in fault.detail for fault in found)
