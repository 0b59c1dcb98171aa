"""Sheets come out of the store as they went in."""

from __future__ import annotations

import pytest

from records.codec import UnknownSchema
from records.sheet_codec import SCHEMA, Sheet, is_failed, read_sheet, write_sheet
from tests.support.hand_records import played, result
from trull import replay, score
from trull.variants import VARIANTS


def sheet_of(variant: str, seed: int) -> Sheet:
    hand = played(variant, seed)
    return score(replay(hand.variant, hand.events)).as_dict(hand.players, "h-1", len(hand.events))


@pytest.mark.parametrize("variant", VARIANTS)
def test_sheets_of_whole_hands(variant: str) -> None:
    for seed in range(4):
        sheet = sheet_of(variant, seed)
        stored = write_sheet(sheet)
        again = read_sheet(stored, "h-1", sheet["version"])
        assert again == sheet
        assert list(again) == list(sheet), "in the order of the contract"
        assert not is_failed(stored)
        assert len(stored) < 340


def test_a_failed_sheet_can_be_told_without_unpacking() -> None:
    sheet = {
        "hand_id": "h-1",
        "variant": "house-x",
        "variant_revision": None,
        "version": 3,
        "status": "failed",
    }
    stored = write_sheet(sheet)
    assert is_failed(stored)
    assert read_sheet(stored, "h-1", 3) == sheet


def test_a_later_schema_is_refused() -> None:
    hand = result()
    sheet = score(replay(hand.variant, hand.events)).as_dict(hand.players, "h", 1)
    with pytest.raises(UnknownSchema):
        read_sheet(bytes((SCHEMA + 1,)) + write_sheet(sheet)[1:], "h", 1)


def test_a_stored_sheet_is_still_read() -> None:
    """The dictionary that it is deflated against belongs to what is stored."""
    stored = bytes.fromhex(
        "01000a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0aa362ca70cccb4ba45eeaa04a0c82"
        "9d6465080c68a7c32b7312c1417e61dd85dd17765cecc711b128414f583f5294a0842b00"
    )
    assert read_sheet(stored, "h", 2) == {
        "hand_id": "h",
        "variant": "illustrated-mayr-sedlaczek-2016",
        "variant_revision": "sha256:" + "0a" * 32,
        "version": 2,
        "status": "scored",
        "declarer": "Anna",
        "partner": None,
        "contract": "zweiblatt",
        "stake": "called",
        "outcome": "won",
        "items": [
            {
                "item": "game",
                "base": 5,
                "multiplier": 2,
                "contra": 1,
                "points": {"Anna": 10, "Béla": 0, "Юлия": 0},
                "clause": "IT-9.2",
            }
        ],
        "scores": {"Anna": 10, "Béla": 0, "Юлия": 0},
        "payments": [],
        "notes": [],
    }
