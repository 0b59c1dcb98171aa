"""Records: from JSON to what the rules take, and back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records import limits, wire
from records.checks import Table, without_nulls
from records.event_fields import read_event
from records.faults import InvalidRecord
from records.record import HandRecord
from records.schemas import load_events, load_record
from tests.records.shapes import PLAYERS, VARIANT
from tests.records.strategies import FORMS, events, objects, records
from trull.cards import CARDS
from trull.events import (
    TYPE_NAMES,
    Announced,
    BidAccepted,
    BidMade,
    CardPlayed,
    CardsDealt,
    CardsDiscarded,
    ContraCalled,
    Event,
    EventRetracted,
    HandAnnulled,
    KingCalled,
    Passed,
    PenaltyAssessed,
    ReportedBonus,
    ResultReported,
    TalonTaken,
    TrickPlayed,
)
from trull.variants import VARIANTS


def cards(*codes: str) -> tuple[int, ...]:
    return tuple(CARDS[code] for code in codes)


def loaded(event: dict[str, Any], variant: str = VARIANT, players: list[str] = PLAYERS) -> Event:
    """The event alone, read in a record."""
    record = load_record({"variant": variant, "players": players, "events": [event]})
    return record.events[0]


def same_events(left: list[Event], right: list[Event]) -> bool:
    """Equal, and of the same types: named tuples of different types may be equal."""
    return left == right and list(map(type, left)) == list(map(type, right))


class TestEvents:
    @pytest.mark.parametrize(
        ("sent", "event"),
        [
            ({"type": "passed", "player": "Cyril"}, Passed(2)),
            ({"type": "bid_accepted", "player": "Anna"}, BidAccepted(0)),
            ({"type": "bid_made", "player": "Béla", "contract": "garde_sans"}, BidMade(1, "garde_sans")),
            ({"type": "king_called", "player": "Anna", "card": "HK"}, KingCalled(0, CARDS["HK"])),
            ({"type": "announced", "player": "Anna", "bonus": "uhu"}, Announced(0, "uhu", (), None)),
            (
                {"type": "announced", "player": "Anna", "bonus": "slam", "stage": "after_pickup"},
                Announced(0, "slam", (), "after_pickup"),
            ),
            (
                {"type": "announced", "player": "Anna", "bonus": "handful", "cards": ["T1", "F"]},
                Announced(0, "handful", cards("T1", "F"), None),
            ),
            (
                {"type": "contra_called", "player": "Béla", "target": "game", "level": "recontra"},
                ContraCalled(1, "game", "recontra"),
            ),
            ({"type": "talon_taken", "player": "Béla", "cards": ["D4"]}, TalonTaken(1, cards("D4"))),
            (
                {"type": "cards_discarded", "player": "Béla", "cards": ["D4", "S10"]},
                CardsDiscarded(1, cards("D4", "S10")),
            ),
            ({"type": "card_played", "player": "Cyril", "card": "T21"}, CardPlayed(2, CARDS["T21"])),
            ({"type": "trick_played", "cards": ["C1", "CJ", "CC"]}, TrickPlayed(cards("C1", "CJ", "CC"))),
            ({"type": "hand_annulled", "reason": "petit_sec"}, HandAnnulled("petit_sec")),
            ({"type": "event_retracted", "seq": 3}, EventRetracted(3, None)),
            ({"type": "event_retracted", "seq": 3.0, "reason": "slip"}, EventRetracted(3, "slip")),
            (
                {"type": "penalty_assessed", "player": "Cyril", "points": -20, "reason": "late"},
                PenaltyAssessed(2, -20, "late"),
            ),
        ],
    )
    def test_become_seats_and_numbers(self, sent: dict[str, Any], event: Event) -> None:
        for more in (
            {},
            {"at": "2026-11-29T20:15:00+01:00", "event_id": "e-1", "note": "late"},
            {"note": None},
        ):
            made = loaded({**sent, **more})
            assert made == event
            assert type(made) is type(event)

    def test_deal(self) -> None:
        hands = {"Cyril": ["T3"], "Anna": ["T1", "F"], "Béla": []}
        assert loaded({"type": "cards_dealt", "hands": hands, "talon": ["SK"]}) == CardsDealt(
            (cards("T1", "F"), (), cards("T3")), cards("SK")
        )

    def test_tricks_of_four_and_five(self) -> None:
        players = ["N", "E", "S", "W", "X"]
        codes = ["D1", "T4", "D2", "D9", "DK"]
        for seats in (4, 5):
            trick = loaded(
                {"type": "trick_played", "cards": codes[:seats]}, f"french-tarot-{seats}", players[:seats]
            )
            assert trick == TrickPlayed(cards(*codes[:seats]))

    def test_result_of_a_tarock_sheet(self) -> None:
        sent = {
            "type": "result_reported",
            "declarer": "Béla",
            "contract": "zweiblatt",
            "stake": "held",
            "card_points": 37,
            "contra": {"level": "contra", "stage": "before_pickup"},
            "bonuses": [
                {"bonus": "pagat", "player": "Cyril", "stage": "silent", "made": False, "contra": "recontra"},
                {"bonus": "forty", "player": "Béla", "stage": "after_pickup", "made": True},
            ],
        }
        assert loaded(sent) == ResultReported(
            declarer=1,
            contract="zweiblatt",
            stake="held",
            half_points=74,
            contra_level="contra",
            contra_stage="before_pickup",
            bonuses=(
                ReportedBonus("pagat", 2, "silent", False, "recontra", None, None),
                ReportedBonus("forty", 1, "after_pickup", True, "none", None, None),
            ),
            oudlers=None,
            partner=None,
            points_by_seat=None,
            tricks_by_seat=None,
        )

    def test_result_of_a_tarot_sheet(self) -> None:
        sent = {
            "type": "result_reported",
            "declarer": "E",
            "partner": "X",
            "contract": "garde",
            "card_points": 40.5,
            "oudlers": 2,
            "bonuses": [
                {"bonus": "petit_au_bout", "player": "N"},
                {"bonus": "handful", "player": "E", "size": "double"},
                {"bonus": "slam", "announced": True, "made": False},
            ],
        }
        assert loaded(sent, "french-tarot-5", ["N", "E", "S", "W", "X"]) == ResultReported(
            declarer=1,
            contract="garde",
            stake="called",
            half_points=81,
            contra_level="none",
            contra_stage=None,
            bonuses=(
                ReportedBonus("petit_au_bout", 0, None, None, "none", None, None),
                ReportedBonus("handful", 1, None, None, "none", "double", None),
                ReportedBonus("slam", None, None, False, "none", None, True),
            ),
            oudlers=2,
            partner=4,
            points_by_seat=None,
            tricks_by_seat=None,
        )

    def test_result_of_trischaken(self) -> None:
        sent = {
            "type": "result_reported",
            "contract": "trischaken",
            "card_points_by_player": {"Cyril": 24, "Anna": 20, "Béla": 4.0},
            "tricks_by_player": {"Anna": 5, "Béla": 1, "Cyril": 10},
        }
        result = loaded(sent)
        assert isinstance(result, ResultReported)
        assert (result.declarer, result.half_points, result.bonuses) == (None, None, ())
        assert (result.points_by_seat, result.tricks_by_seat) == ((20, 4, 24), (5, 1, 10))

    def test_the_strategies_know_every_type(self) -> None:
        """So that the laws below hold for all of them."""
        assert (
            {form.partition("/")[0] for form in FORMS} == set(limits.EVENT_FIELDS) == set(TYPE_NAMES.values())
        )

    @given(records())
    def test_both_readers_agree(self, data: dict[str, Any]) -> None:
        """The quick one, which most events go through, and the one that finds every fault."""
        record = load_record(data)
        table = Table({player: seat for seat, player in enumerate(record.players)})
        thorough = [
            read_event(without_nulls(event), index, (), table) for index, event in enumerate(data["events"])
        ]
        assert not table.faults.found
        assert same_events(record.events, thorough)


def plainly_equal(left: HandRecord, right: HandRecord) -> bool:
    return left == right and same_events(left.events, right.events)


class TestRoundTrip:
    @given(records())
    def test_a_record_survives_json(self, data: dict[str, Any]) -> None:
        record = load_record(data)
        again = load_record(wire.load(wire.dumps(record.as_dict())))
        assert plainly_equal(again, record)
        assert again.as_dict() == record.as_dict()

    @given(records())
    def test_what_comes_out_is_what_went_in(self, data: dict[str, Any]) -> None:
        sent = without_nulls(data, levels=6)
        sent.pop("format", None)
        if sent.get("labels") == []:
            del sent["labels"]
        assert load_record(data).as_dict() == sent

    @given(records(), st.data())
    def test_null_is_absent(self, data: dict[str, Any], draw: st.DataObject) -> None:
        clean = without_nulls(data, levels=6)
        filled = json.loads(json.dumps(clean))
        optional = {name: st.none() for name in limits.RECORD_FIELDS.optional if name not in filled}
        filled |= draw.draw(objects({}, optional))
        for event in filled["events"]:
            own = limits.EVENT_FIELDS[event["type"]]
            names = {*own.optional, *limits.COMMON_FIELDS, "made_up"} - event.keys()
            event.update(dict.fromkeys(draw.draw(st.sets(st.sampled_from(sorted(names))))))
        assert plainly_equal(load_record(filled), load_record(clean))

    def test_the_body_is_left_as_it_was(self) -> None:
        data = {
            "variant": VARIANT,
            "players": PLAYERS,
            "events": [{"type": "passed", "player": "Anna", "note": None}],
        }
        copy = json.loads(json.dumps(data))
        assert load_record(data).sent == [{"type": "passed", "player": "Anna"}]
        assert data == copy

    def test_the_place_of_a_hand(self) -> None:
        place = {
            "hand_id": "club-2026.11~1_A",
            "session_id": "club-2026",
            "table": 3,
            "round": 2.0,
            "number": 7,
            "played_at": "2026-11-29T20:15:00+01:00",
            "labels": ["final", "Saal A"],
        }
        record = load_record(
            {
                "variant": VARIANT,
                "players": PLAYERS,
                "events": [{"type": "passed", "player": "Anna"}],
                "format": 1,
                **place,
            }
        )
        assert record.variant is VARIANTS[VARIANT]
        assert record.players == tuple(PLAYERS)
        assert (record.hand_id, record.session_id, record.table) == ("club-2026.11~1_A", "club-2026", 3)
        assert (record.round, record.number, record.format) == (2, 7, 1)
        assert record.played_at == "2026-11-29T20:15:00+01:00"
        assert record.labels == ("final", "Saal A")


class TestBodies:
    def test_events_to_append(self) -> None:
        sent = [{"type": "card_played", "player": "Cyril", "card": "T21", "note": None}]
        appended = load_events({"events": sent}, PLAYERS)
        assert appended.events == [CardPlayed(2, CARDS["T21"])]
        assert appended.sent == [{"type": "card_played", "player": "Cyril", "card": "T21"}]

    @given(st.data())
    def test_events_to_append_are_those_of_records(self, data: st.DataObject) -> None:
        told = [data.draw(events(PLAYERS, index)) for index in range(3)]
        appended = load_events({"events": told}, PLAYERS)
        record = load_record({"variant": VARIANT, "players": PLAYERS, "events": told})
        assert same_events(appended.events, record.events)
        assert appended.sent == record.sent

    def test_a_hand_of_which_nothing_has_happened(self) -> None:
        data = {"variant": VARIANT, "players": PLAYERS, "events": []}
        assert load_record(data, fewest_events=0).events == []
        with pytest.raises(InvalidRecord):
            load_record(data)

    def test_variants_of_ones_own(self) -> None:
        data = {"variant": "house-1", "players": PLAYERS, "events": [{"type": "passed", "player": "Anna"}]}
        assert load_record(data, {"house-1": VARIANTS[VARIANT]}).variant is VARIANTS[VARIANT]
        with pytest.raises(InvalidRecord):
            load_record(data)
