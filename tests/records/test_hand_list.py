"""Lists of hands: what narrows them, and pages that miss nothing and give nothing twice."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import redis

from records.hands import HandFilters, Hands, InvalidCursor
from records.log import Stream
from records.sheets import MadeSheet, Sheets
from tests.support.hand_records import PLAYERS, begun, result, status_of

_EVENING = datetime(2026, 11, 29, 19, 0, tzinfo=UTC)

_HANDS = (
    result(hand_id="a", session_id="s1", table=1, round=2, number=3, labels=["liga"]),
    begun(hand_id="b", session_id="s1", played_at="2026-11-29T20:00:00+01:00", labels=["liga", "Ü"]),
    result(hand_id="c", session_id="s2", played_at="2026-11-29T19:30:00Z"),
    begun(("Anna", "Dora", "Юлия"), hand_id="d", played_at="2026-11-30T00:30:00+02:00"),
    result(hand_id="e", variant="illustrated-beck"),
)
"""They are whole but ``b`` and ``d``."""


@pytest.fixture
def hands(redis_client: redis.Redis) -> Hands:
    """The five hands, of which ``e`` could not be scored."""
    hands = Hands(redis_client)
    for hand in _HANDS:
        hands.submit("default", "tester", hand, status_of(hand))
        time.sleep(0.002)  # the order within a millisecond is open
    failed = {"variant": "illustrated-beck", "variant_revision": None, "version": 1, "status": "failed"}
    Sheets(redis_client).store([MadeSheet(Stream("hand", "default", "e"), 1, failed)])
    return hands


def found(hands: Hands, limit: int = 100, **filters: Any) -> str:
    """The ids of the hands of a list, read page by page."""
    ids = ""
    cursor = None
    while True:
        page = hands.page("default", HandFilters(**filters), cursor, limit)
        assert len(page.items) <= limit
        ids += "".join(item["hand_id"] for item in page.items)
        if page.next is None:
            return ids
        cursor = page.next


@pytest.mark.parametrize(
    ("filters", "ids"),
    [
        ({}, "abcde"),
        ({"session_id": "s1"}, "ab"),
        ({"session_id": "s"}, ""),
        ({"player": "Anna"}, "abcde"),
        ({"player": "Béla"}, "abce"),
        ({"player": "Dora"}, "d"),
        ({"player": "anna"}, ""),
        ({"session_id": "s1", "player": "Dora"}, ""),
        ({"session_id": "s2", "player": "Юлия"}, "c"),
        ({"variant": "illustrated-beck"}, "e"),
        ({"status": "scored"}, "ac"),
        ({"status": "incomplete"}, "bd"),
        ({"status": "failed"}, "e"),
        ({"label": "liga"}, "ab"),
        ({"label": "Ü"}, "b"),
        ({"label": "lig"}, ""),
        ({"player": "Béla", "label": "liga", "status": "scored"}, "a"),
        ({"played_from": _EVENING}, "bcd"),
        ({"played_from": _EVENING + timedelta(seconds=1)}, "cd"),
        ({"played_to": _EVENING + timedelta(minutes=30)}, "b"),
        ({"played_from": _EVENING, "played_to": _EVENING + timedelta(hours=3, minutes=30)}, "bc"),
    ],
    ids=str,
)
def test_filters(hands: Hands, filters: dict[str, Any], ids: str) -> None:
    assert found(hands, **filters) == ids
    assert found(hands, limit=1, **filters) == ids
    assert found(hands, limit=2, **filters) == ids


def test_a_summary(hands: Hands) -> None:
    first = hands.page("default", HandFilters(), None, 1).items[0]
    recorded = datetime.fromisoformat(first.pop("recorded_at"))
    assert abs(datetime.now(UTC) - recorded) < timedelta(minutes=1)
    assert first == {
        "hand_id": "a",
        "variant": _HANDS[0].variant.id,
        "players": list(PLAYERS),
        "status": "scored",
        "version": 1,
        "session_id": "s1",
        "table": 1,
        "round": 2,
        "number": 3,
        "played_at": None,
        "labels": ["liga"],
    }


def test_the_last_page_has_no_next(hands: Hands) -> None:
    assert hands.page("default", HandFilters(), None, 5).next is None
    assert hands.page("default", HandFilters(), None, 4).next is not None


def test_another_tenant_sees_nothing(hands: Hands) -> None:
    assert hands.page("other", HandFilters(), None, 10) == ([], None)
    assert hands.page("other", HandFilters(session_id="s1"), None, 10) == ([], None)


def test_a_cursor_for_other_filters(hands: Hands) -> None:
    cursor = hands.page("default", HandFilters(session_id="s1"), None, 1).next
    assert cursor is not None
    with pytest.raises(InvalidCursor):
        hands.page("default", HandFilters(session_id="s2"), cursor, 1)


def test_a_rare_label_holds_up_no_call(redis_client: redis.Redis) -> None:
    """A page reads at most a hundred hands for each that it may give, and says where to go on."""
    hands = Hands(redis_client)
    for number in range(230):
        hand = begun(hand_id=f"h{number}", labels=["rare"] if number == 229 else [])
        hands.submit("default", "tester", hand, "incomplete")
    cursor = None
    pages = []
    while True:
        page = hands.page("default", HandFilters(label="rare"), cursor, 1)
        pages.append("".join(item["hand_id"] for item in page.items))
        cursor = page.next
        if cursor is None:
            break
    assert pages[:2] == ["", ""]
    assert "".join(pages) == "h229"
    assert len(pages) <= 4
