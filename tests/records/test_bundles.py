"""A bundle reads back as the entries that went in: times, actors, where each append ended, every field."""

from __future__ import annotations

import uuid
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from records.bundles import bundle, unbundle
from records.codec import Opening, UnknownSchema, read_entry, write_entry, write_restatement
from records.log import StoredEntry
from records.packing import unpack_sent
from records.record import HandRecord
from records.schemas import load_record
from tests.records.strategies import records
from tests.support.hand_records import played, record

ACTORS = ("table-3", "director", "ünïcode")


def entries_of(hand: HandRecord, cuts: list[int], times: list[int], actors: list[str]) -> list[StoredEntry]:
    """The hand as if it had been appended in pieces."""
    made = []
    bounds = [0, *sorted({cut for cut in cuts if 0 < cut < len(hand.events)}), len(hand.events)]
    for at, (start, end) in enumerate(pairwise(bounds)):
        opening = (
            Opening(hand.variant.id, hand.players, hand.session_id, labels=hand.labels) if at == 0 else None
        )
        body = write_entry(actors[at % len(actors)], opening, hand.events[start:end], hand.sent[start:end])
        made.append(StoredEntry(times[at % len(times)], body))
    return made


def by_cards(variant: str) -> HandRecord:
    """A hand that is told card by card."""
    return next(hand for seed in range(20) if len((hand := played(variant, seed)).events) > 45)


def live(hand: HandRecord) -> list[StoredEntry]:
    """One event an append, some seconds apart."""
    times = [1_796_023_931_000 + 4321 * at for at in range(len(hand.events))]
    return entries_of(hand, list(range(len(hand.events))), times, ["table-3"])


def with_ids(hand: HandRecord, ids: list[str]) -> HandRecord:
    events = [{**event, "event_id": id_} for event, id_ in zip(hand.sent, ids, strict=True)]
    return load_record({**hand.as_dict(), "events": events})


def assert_same(read: list[StoredEntry], entries: list[StoredEntry]) -> None:
    assert [entry.recorded for entry in read] == [entry.recorded for entry in entries]
    assert [read_entry(entry.body) for entry in read] == [read_entry(entry.body) for entry in entries]


@settings(max_examples=150, deadline=None)
@given(
    records(),
    st.lists(st.integers(0, 30), max_size=30),
    st.lists(st.integers(0, 2**47 - 1), min_size=1, max_size=30),
    st.lists(st.sampled_from(ACTORS), min_size=1, max_size=5),
    st.none() | st.text(min_size=1, max_size=500),
)
def test_whatever_was_appended_reads_back(
    body: dict[str, Any], cuts: list[int], times: list[int], actors: list[str], reason: str | None
) -> None:
    hand = load_record(body)
    entries = entries_of(hand, cuts, times, actors)
    if reason is not None:
        opening = Opening(hand.variant.id, hand.players, hand.session_id, labels=hand.labels)
        told = write_restatement("director", opening, reason, hand.events, hand.sent)
        entries.insert(1 + len(entries) // 2, StoredEntry(times[0], told))
    made = bundle(entries)
    if made is not None:
        assert_same(unbundle(entries[0].recorded, made), entries)


@pytest.mark.parametrize("variant", ["french-tarot-4", "illustrated-beck"])
def test_a_live_hand_takes_little_more_than_one_that_is_posted_whole(variant: str) -> None:
    hand = by_cards(variant)
    entries = live(hand)
    made = bundle(entries)
    assert made is not None
    assert_same(unbundle(entries[0].recorded, made), entries)
    whole = entries_of(hand, [], [0], ["table-3"])[0].body
    assert len(made) < len(whole) + 2.5 * len(entries), "the times take two bytes each"
    assert len(made) < sum(len(entry.body) for entry in entries) / 2


def test_a_bundle_of_bundled_entries_and_later_ones() -> None:
    entries = live(by_cards("french-tarot-4"))
    made = bundle(entries[:-3])
    assert made is not None
    again = bundle([*unbundle(entries[0].recorded, made), *entries[-3:]])
    assert again == bundle(entries)


def test_random_ids_take_sixteen_bytes() -> None:
    hand = by_cards("french-tarot-4")
    count = len(hand.events)
    plain = bundle(live(hand))
    ids = [str(uuid.UUID(int=(7 << 120) + number * 0x9E3779B97F4A7C15 % 2**122)) for number in range(count)]
    entries = live(with_ids(hand, ids))
    made = bundle(entries)
    assert plain is not None
    assert made is not None
    assert_same(unbundle(entries[0].recorded, made), entries)
    assert len(made) < len(plain) + 18 * count


@pytest.mark.parametrize(
    "id_",
    [
        "0190B8A2-0000-7000-8000-000000000000",
        "0190b8a20000700080000000000000000000",
        "{0190b8a2-0000-7000-8000-000000000000}",
        "0190b8a2-0000-7000-8000-000000000000-1",
        "\u0001",
    ],
)
def test_what_only_looks_like_a_uuid_stays_as_it_is(id_: str) -> None:
    hand = by_cards("french-tarot-4")
    ids = [id_, *(str(uuid.uuid5(uuid.NAMESPACE_OID, str(at))) for at in range(1, len(hand.events)))]
    events = [{**event, "event_id": name} for event, name in zip(hand.sent, ids, strict=True)]
    hand.sent[:] = events
    entries = live(hand)
    made = bundle(entries)
    assert made is not None
    assert_same(unbundle(entries[0].recorded, made), entries)


def test_packed_cards_that_look_like_a_taken_id() -> None:
    """An event whose packed bytes are those that stand for an id: then ids stay where they are."""
    hand = by_cards("french-tarot-4")
    ids = [str(uuid.uuid5(uuid.NAMESPACE_OID, str(at))) for at in range(len(hand.events))]
    entries = live(with_ids(hand, ids))
    body = write_entry('x"\x01"x', None, hand.events[1:2], hand.sent[1:2])
    odd = StoredEntry(1, body + b'"\x01"')
    made = bundle([*entries, odd])
    assert made is not None
    read = unbundle(entries[0].recorded, made)
    assert_same(read[:-1], entries)
    assert read[-1] == odd


def test_what_would_not_get_smaller_is_left() -> None:
    hand = record(events=[{"type": "passed", "player": "Anna"}], players=["Anna", "B", "C"])
    assert bundle(entries_of(hand, [], [5], ["a"])) is None


def test_entries_and_bundles_of_a_later_version() -> None:
    entries = live(by_cards("french-tarot-4"))
    assert bundle([*entries, StoredEntry(0, b"\xc8" + entries[0].body[1:])]) is None
    made = bundle(entries)
    assert made is not None
    with pytest.raises(UnknownSchema):
        unbundle(0, b"\x02" + made[1:])


def test_what_is_stored_can_be_read_for_ever() -> None:
    """These bytes are in stores. They may become unusual, and never unreadable."""
    stored = bytes.fromhex(PINNED)
    entries = unbundle(1_796_023_931_000, stored)
    assert [entry.recorded - 1_796_023_931_000 for entry in entries] == [0, 1500, 1400, 61_400]
    read = [read_entry(entry.body) for entry in entries]
    assert [(entry.actor, entry.count) for entry in read] == [("a", 1), ("a", 2), ("b", 1), ("a", 1)]
    assert read[0].opening == Opening("illustrated-beck", ("Anna", "Béla", "Cyril"), "s")
    assert [entry.opening for entry in read[1:]] == [None] * 3
    sent = [event for entry in read for event in unpack_sent(entry.packed, ("Anna", "Béla", "Cyril"))]
    assert sent == [
        {"type": "passed", "player": "Anna", "event_id": "0190b8a2-0000-7000-8000-00000000000a"},
        {"type": "passed", "player": "Béla"},
        {"type": "bid_made", "player": "Cyril", "contract": "solo", "note": "ü"},
        {"type": "card_played", "player": "Cyril", "card": "T21", "event_id": _SECOND},
        {"type": "card_played", "player": "Anna", "card": "F"},
    ]


_SECOND = "0190b8a2-0000-7000-8000-00000000000b"
PINNED = (
    "0103200190b8a200007000800000000000000a0190b8a200007000800000000000000b63d9217e9cf1c04a7616734646"
    "c644c368a5cc9c9cd262a01a6058e826a526672be9442b39e6e581d296d3e1953920dab9b22833472916e840a5584656"
    "4606c6442610990461033113b3999039d3076394accda854cbc0f881179ec30fef51aad562c65414e513e10b00"
)
