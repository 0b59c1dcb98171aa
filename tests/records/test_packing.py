"""What is packed comes out as it went in; and what is stored already can always be read."""

from __future__ import annotations

import random
from typing import Any

import pytest

from records import codec
from records.codec import Opening, UnknownSchema, read_entry, write_entry
from records.packing import pack, unpack_events, unpack_sent
from records.record import HandRecord
from records.schemas import load_events
from tests.support.hand_records import PLAYERS, begun, played, record, result
from trull.cards import CODES
from trull.events import TYPE_NAMES, Event
from trull.variants import VARIANTS

ANNA, BELA, YULIA = PLAYERS
_DECK = random.Random(1).sample([code for code in CODES if code[1:] not in ("5", "6")], 54)

EVENTS: list[dict[str, Any]] = [
    {
        "type": "cards_dealt",
        "hands": {YULIA: _DECK[:16], ANNA: _DECK[16:32], BELA: _DECK[32:48]},
        "talon": _DECK[48:],
    },
    {"type": "passed", "player": ANNA},
    {"type": "bid_made", "player": BELA, "contract": "dreiblatt"},
    {"type": "bid_made", "player": BELA, "contract": "garde_contre"},
    {"type": "bid_accepted", "player": YULIA},
    {"type": "bid_taken_over", "player": ANNA},
    {"type": "bid_held", "player": BELA},
    {"type": "bid_retaken", "player": YULIA},
    {"type": "king_called", "player": YULIA, "card": "SK"},
    {"type": "announced", "player": ANNA, "bonus": "pagat"},
    {"type": "announced", "player": ANNA, "bonus": "slam", "stage": "before_pickup"},
    {"type": "announced", "player": BELA, "bonus": "handful", "cards": ["T21", "F", "T1"]},
    {
        "type": "announced",
        "player": BELA,
        "bonus": "handful",
        "cards": ["T2", "T3"],
        "stage": "after_pickup",
    },
    {"type": "contra_called", "player": YULIA, "target": "game", "level": "contra"},
    {"type": "contra_called", "player": YULIA, "target": "royal_trull", "level": "recontra"},
    {"type": "talon_taken", "player": ANNA, "cards": ["HK", "S9", "D1"]},
    {"type": "cards_discarded", "player": ANNA, "cards": ["C9"]},
    {"type": "card_played", "player": YULIA, "card": "T21"},
    {"type": "trick_played", "cards": ["HK", "H1", "H3"]},
    {"type": "hand_annulled", "reason": "misdeal"},
    {"type": "event_retracted", "seq": 2, "reason": "a slip — увы"},
    {"type": "penalty_assessed", "player": ANNA, "points": -25, "reason": "late"},
]
EXTRAS: list[dict[str, Any]] = [
    {"at": "2026-11-29T20:15:00.5+01:00"},
    {"event_id": "µ-7", "note": "Sküs\nund mehr"},
    {"at": "2026-11-29T20:15:00Z", "event_id": "x", "note": ""},
]
OPENING = Opening("illustrated-beck", PLAYERS)


def load(sent: list[dict[str, Any]]) -> list[Event]:
    return load_events({"events": sent}, PLAYERS).events


def there_and_back(events: list[Event], sent: list[dict[str, Any]]) -> tuple[list[Event], list[Any]]:
    entry = read_entry(write_entry("a club", OPENING, events, sent))
    assert entry.count == len(sent)

    def load_json(raw: list[dict[str, Any]], players: Any) -> list[Event]:
        return load_events({"events": raw}, players).events

    return unpack_events(entry.packed, PLAYERS, load_json), unpack_sent(entry.packed, PLAYERS)


def test_the_list_above_has_every_kind() -> None:
    there = {event["type"] for event in EVENTS} | {"result_reported"}
    assert there == set(TYPE_NAMES.values())


@pytest.mark.parametrize("extra", [{}, *EXTRAS], ids=["plain", "at", "id", "all"])
@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event["type"])
def test_every_kind_of_event(event: dict[str, Any], extra: dict[str, Any]) -> None:
    sent = {**event, **extra}
    assert there_and_back(load([sent]), [sent]) == (load([sent]), [sent])


def test_all_kinds_in_one_entry_in_their_order() -> None:
    sent = [
        {**event, **EXTRAS[at % 3], "event_id": f"e{at}"} if at % 2 else event
        for at, event in enumerate(EVENTS)
    ]
    assert there_and_back(load(sent), sent) == (load(sent), sent)


def test_a_reported_result() -> None:
    hand = result()
    assert there_and_back(hand.events, hand.sent) == (hand.events, hand.sent)


def test_a_field_that_is_null_is_left_out() -> None:
    sent = {"type": "announced", "player": ANNA, "bonus": "pagat", "stage": None, "note": None}
    events, read = there_and_back(load([sent]), [sent])
    assert events == load([sent])
    assert read == [{"type": "announced", "player": ANNA, "bonus": "pagat"}]


def test_a_word_that_has_no_number_is_kept() -> None:
    sent = {"type": "bid_made", "player": ANNA, "contract": "grand_solo"}
    plain = load([{**sent, "contract": "solo"}])[0]
    packed, has_json = pack([plain._replace(contract="grand_solo")], [sent])  # type: ignore[call-arg]
    assert has_json
    assert unpack_sent(packed, PLAYERS) == [sent]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("variant", VARIANTS)
def test_whole_hands(variant: str, seed: int) -> None:
    hand = played(variant, seed)
    entry = read_entry(write_entry("default", None, hand.events, hand.sent))

    def no_json(*_: object) -> list[Event]:
        raise AssertionError("a played hand needs no JSON")

    assert unpack_events(entry.packed, hand.players, no_json) == hand.events
    assert unpack_sent(entry.packed, hand.players) == hand.sent
    assert len(entry.packed) <= 2 * 78 + 78 + 40


@pytest.mark.parametrize(
    "hand",
    [
        begun(),
        record(
            events=[EVENTS[1]],
            session_id="club~7",
            table="Tisch Ü",
            round=1,
            number=1000000,
            played_at="2026-11-29T20:15:00+01:00",
            labels=["liga", "Финал"],
        ),
        record(events=[EVENTS[1]], table=4, number=7),
        record(events=[EVENTS[1]], labels=["liga"]),
    ],
    ids=["bare", "full", "number", "labels"],
)
def test_the_opening(hand: HandRecord) -> None:
    opening = Opening(
        hand.variant.id,
        hand.players,
        hand.session_id,
        hand.table,
        hand.round,
        hand.number,
        hand.played_at,
        hand.labels,
        hand.format,
    )
    entry = read_entry(write_entry("Büro", opening, hand.events, hand.sent))
    assert (entry.actor, entry.opening) == ("Büro", opening)


def test_an_entry_without_an_opening() -> None:
    assert read_entry(write_entry("x", None, [], [])).opening is None


def test_a_later_schema_is_refused_and_not_misread() -> None:
    data = bytearray(write_entry("x", None, [], []))
    data[0] = codec.SCHEMA + 1
    with pytest.raises(UnknownSchema, match="schema 3"):
        read_entry(bytes(data))


STORED = [
    ("00", EVENTS[1]),
    ("2900", EVENTS[2]),
    ("2908", EVENTS[3]),
    ("0a", EVENTS[4]),
    ("10", EVENTS[5]),
    ("19", EVENTS[6]),
    ("22", EVENTS[7]),
    ("320d", EVENTS[8]),
    ("380009ff", EVENTS[9]),
    ("38001519", EVENTS[10]),
    ("39034c4d3814ff", EVENTS[11]),
    ("3902393a141a", EVENTS[12]),
    ("421617", EVENTS[13]),
    ("421018", EVENTS[14]),
    ("48031b081c", EVENTS[15]),
    ("500132", EVENTS[16]),
    ("5a4c", EVENTS[17]),
    ("631b0e10", EVENTS[18]),
    ("f00d7b226e6f7465223a22c2a7227d5a4c", {**EVENTS[17], "note": "§"}),
    (
        "f82b7b2274797065223a2268616e645f616e6e756c6c6564222c22726561736f6e223a226d69736465616c227d",
        EVENTS[19],
    ),
]
"""What the first version stored: it must never be read otherwise."""


@pytest.mark.parametrize(("stored", "sent"), STORED, ids=[stored for stored, _ in STORED])
def test_what_is_stored_is_still_read(stored: str, sent: dict[str, Any]) -> None:
    assert unpack_sent(bytes.fromhex(stored), PLAYERS) == [sent]


def test_a_stored_entry_is_still_read() -> None:
    stored = bytes.fromhex(
        "01010542c3bc726f425b22696c6c75737472617465642d6265636b222c5b22416e6e61222c2242c3a96c61222c22d0aed0"
        "bbd0b8d18f225d2c22636c75627e37222c342c6e756c6c2c375d0400290029080a"
    )
    entry = read_entry(stored)
    assert (entry.actor, entry.count) == ("Büro", 4)
    assert entry.opening == Opening("illustrated-beck", PLAYERS, "club~7", 4, None, 7)
    assert unpack_sent(entry.packed, PLAYERS) == EVENTS[1:5]


def test_a_stored_result_is_still_read() -> None:
    """Deflated: the dictionary belongs to what is stored."""
    stored = bytes.fromhex("0102017801fbb18d91b8a070cccb4bc41d1c18be27ca8f5033c9f0676c2d00")
    assert unpack_sent(read_entry(stored).packed, PLAYERS) == result().sent
