"""Faults of shape of a score sheet's result; whether its facts can be true is no matter of shape."""

from __future__ import annotations

from typing import Any

import pytest

from records.schemas import load_record
from tests.records.shapes import RESULT, TAROT, TRISCHAKEN, of_event, pointers, record


class TestResults:
    @pytest.mark.parametrize("points", ["37", True, 37.25, 1e300, 10**7, [], {}])
    def test_card_points(self, points: object) -> None:
        assert of_event(RESULT | {"card_points": points}) == ["/card_points"]

    @pytest.mark.parametrize("points", [-1, 0, 36.5, 37.0, 92, 1000])
    def test_what_a_pack_can_give_is_a_matter_of_the_rules(self, points: float) -> None:
        load_record(record(events=[RESULT | {"card_points": points}]))

    @pytest.mark.parametrize(
        ("change", "expected"),
        [
            ({"contract": "grand"}, ["/contract"]),
            ({"contract": None}, ["/contract"]),
            ({"contract": ["solo"]}, ["/contract"]),
            ({"declarer": "Dora"}, ["/declarer"]),
            ({"declarer": None}, ["/declarer"]),
            ({"card_points": None}, ["/card_points"]),
            ({"stake": "won"}, ["/stake"]),
            ({"oudlers": 2}, ["/oudlers"]),
            ({"partner": "Béla"}, ["/partner"]),
            ({"player": "Anna"}, ["/player"]),
            ({"tricks_by_player": {"Anna": 1, "Béla": 1, "Cyril": 1}}, ["/tricks_by_player"]),
            ({"contra": "contra"}, ["/contra"]),
            ({"contra": []}, ["/contra"]),
            ({"contra": {}}, ["/contra/level"]),
            ({"contra": {"level": "subcontra", "stage": "silent"}}, ["/contra/level", "/contra/stage"]),
            ({"contra": {"level": "none", "by": "Béla"}}, ["/contra/by"]),
            ({"bonuses": {}}, ["/bonuses"]),
            ({"bonuses": [1, None, []]}, ["/bonuses/0", "/bonuses/1", "/bonuses/2"]),
            (
                {"bonuses": [{"bonus": "uhu", "player": "Anna", "stage": "silent", "made": True}] * 65},
                ["/bonuses"],
            ),
        ],
    )
    def test_of_a_tarock_sheet(self, change: dict[str, Any], expected: list[str]) -> None:
        assert of_event(RESULT | change) == expected

    @pytest.mark.parametrize(
        ("bonus", "expected"),
        [
            ({}, ["/bonus"]),
            ({"bonus": "schneider"}, ["/bonus"]),
            ({"bonus": ["uhu"]}, ["/bonus"]),
            ({"bonus": "uhu"}, ["/player", "/stage", "/made"]),
            ({"bonus": "uhu", "player": "Dora", "stage": "late", "made": 1}, ["/player", "/stage", "/made"]),
            ({"bonus": "uhu", "player": "Anna", "stage": "silent", "made": True, "contra": {}}, ["/contra"]),
            (
                {"bonus": "uhu", "player": "Anna", "stage": "silent", "made": True, "size": "single"},
                ["/size"],
            ),
            ({"bonus": "petit_au_bout"}, ["/player"]),
            ({"bonus": "petit_au_bout", "player": "Anna", "made": True}, ["/made"]),
            ({"bonus": "handful", "player": "Anna", "size": "huge"}, ["/size"]),
            ({"bonus": "handful", "player": "Anna"}, ["/size"]),
            ({"bonus": "slam", "made": True}, ["/announced"]),
            ({"bonus": "slam", "announced": "yes", "made": None}, ["/made", "/announced"]),
        ],
    )
    def test_bonuses(self, bonus: dict[str, Any], expected: list[str]) -> None:
        assert of_event(RESULT | {"bonuses": [bonus]}) == [f"/bonuses/0{pointer}" for pointer in expected]

    @pytest.mark.parametrize("oudlers", [-1, 4, 1.5, "2", True, None])
    def test_oudlers(self, oudlers: object) -> None:
        assert of_event(TAROT | {"oudlers": oudlers}) == ["/oudlers"]

    def test_a_partner_is_called_by_five(self) -> None:
        five = ["Anna", "Béla", "Cyril", "Dora", "Émile"]
        data = record(variant="french-tarot-5", players=five, events=[TAROT])
        assert pointers(data) == ["/events/0/partner"]
        assert pointers(data | {"events": [TAROT | {"partner": "Fritz"}]}) == ["/events/0/partner"]
        load_record(data | {"events": [TAROT | {"partner": "Anna"}]})
        data = record(variant="french-tarot-4", players=five[:4], events=[TAROT | {"partner": "Béla"}])
        assert pointers(data) == ["/events/0/partner"]
        load_record(data | {"events": [TAROT | {"partner": None}]})

    @pytest.mark.parametrize(
        ("change", "expected"),
        [
            ({"declarer": "Anna"}, ["/declarer"]),
            ({"card_points": 30}, ["/card_points"]),
            ({"card_points_by_player": None}, ["/card_points_by_player"]),
            ({"tricks_by_player": [5, 5, 6]}, ["/tricks_by_player"]),
            ({"tricks_by_player": {"Anna": 5, "Béla": 11}}, ["/tricks_by_player/Cyril"]),
            (
                {"tricks_by_player": {"Anna": 5, "Béla": "5", "Cyril": 1.5}},
                ["/tricks_by_player/Béla", "/tricks_by_player/Cyril"],
            ),
            (
                {"card_points_by_player": {"Anna": 20.5, "Béla": 20, "Cyril": 30, "Dora": 0}},
                ["/card_points_by_player/Anna", "/card_points_by_player/Dora"],
            ),
        ],
    )
    def test_of_trischaken(self, change: dict[str, Any], expected: list[str]) -> None:
        assert of_event(TRISCHAKEN | change) == expected

    def test_what_says_nothing_of_trischaken_is_taken(self) -> None:
        load_record(
            record(events=[TRISCHAKEN | {"stake": "called", "contra": {"level": "none"}, "bonuses": []}])
        )
