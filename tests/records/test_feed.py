"""The feed: whole, in order, once, whatever the clocks and the cursors do."""

from __future__ import annotations

import base64
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast
from zlib import crc32

import pytest
import redis

from records.feed import LATEST, Feed
from records.hands import Hands
from records.log import Append, InvalidCursor, StoreUnavailable, Stream
from records.octets import put_number
from records.redis_client import connect
from records.redis_keys import SHARDS, feed_key, shard_of
from records.redis_log import RedisLog
from records.sheets import Sheets
from records.visibility import EVERYTHING, NOTHING, Viewer
from tests.support.hand_records import begun, played, record, result, status_of
from trull.variants import VARIANTS
from workers.scoring import Scorer, sheet_for

TENANT = "default"


@pytest.fixture
def hands(redis_client: redis.Redis) -> Hands:
    return Hands(redis_client)


@pytest.fixture
def feed(redis_client: redis.Redis) -> Feed:
    return Feed(redis_client)


def submit(hands: Hands, *hand_ids: str) -> None:
    for hand_id in hand_ids:
        time.sleep(0.002)  # of the same millisecond, the order of the shards would decide
        hand = begun(hand_id=hand_id)
        hands.submit(TENANT, "t", hand, status_of(hand))
    time.sleep(0.002)  # what came in this millisecond is not served yet: more may come in it


def pages(feed: Feed, limit: int, cursor: str | None = None) -> Iterator[list[dict[str, Any]]]:
    while True:
        page = feed.page(TENANT, cursor, limit, EVERYTHING)
        yield page.items
        if not page.full:
            return
        cursor = page.next


def whole(feed: Feed, limit: int = 1000) -> list[dict[str, Any]]:
    return [item for page in pages(feed, limit) for item in page]


def named(items: list[dict[str, Any]]) -> list[tuple[str, int]]:
    return [(item["hand_id"], item["seq"]) for item in items]


def test_of_nothing(feed: Feed) -> None:
    page = feed.page(TENANT, None, 10, EVERYTHING)
    assert (page.items, page.full) == ([], False)
    assert feed.page(TENANT, page.next, 10, EVERYTHING).items == []


def test_events_come_as_the_hand_has_them(feed: Feed, hands: Hands) -> None:
    hand = played("french-tarot-4", 3, hand_id="h")
    hands.submit(TENANT, "club", hand, status_of(hand))
    stored = hands.get(TENANT, "h")
    assert stored is not None
    assert whole(feed) == [
        {"type": "hand.event", "hand_id": "h", **entry._asdict()} for entry in stored.entries
    ]


def test_a_hand_just_stored_is_there_at_once(feed: Feed, hands: Hands) -> None:
    cursor = None
    for number in range(100):
        submit(hands, f"h-{number}")
        page = feed.page(TENANT, cursor, 10, EVERYTHING)
        assert named(page.items) == [(f"h-{number}", 1), (f"h-{number}", 2)]
        cursor = page.next


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 64, 1000])
def test_pages_of_any_size_give_the_same(feed: Feed, hands: Hands, limit: int) -> None:
    for number in range(25):
        time.sleep(0.002)
        hand = (
            played("illustrated-beck", number, hand_id=f"h-{number}")
            if number % 3
            else begun(hand_id=f"h-{number}")
        )
        hands.submit(TENANT, "t", hand, status_of(hand))
    found = list(pages(feed, limit))
    assert all(len(page) == limit for page in found[:-1])
    items = [item for page in found for item in page]
    assert items == whole(feed)
    assert [hand_id for hand_id, seq in named(items) if seq == 1] == [f"h-{number}" for number in range(25)]


def test_more_in_one_shard_than_is_read_at_once(feed: Feed, hands: Hands) -> None:
    hand_ids = [f"h-{n}" for n in range(4_000) if shard_of(Stream("hand", TENANT, f"h-{n}")) == 5][:150]
    submit(hands, *hand_ids)
    assert named(whole(feed)) == [(hand_id, seq) for hand_id in hand_ids for seq in (1, 2)]


def test_from_now_on(feed: Feed, hands: Hands) -> None:
    submit(hands, "old")
    page = feed.page(TENANT, LATEST, 10, EVERYTHING)
    assert page.items == []
    submit(hands, "new")
    assert named(feed.page(TENANT, page.next, 10, EVERYTHING).items) == [("new", 1), ("new", 2)]


def test_later_appends_are_told_apart(feed: Feed, hands: Hands, redis_client: redis.Redis) -> None:
    submit(hands, "h", "i")
    log, stream = RedisLog(redis_client), Stream("hand", TENANT, "h")
    found = log.read(stream)
    other = log.read(stream._replace(id="i"))
    assert found is not None
    assert other is not None
    log.append(stream, 2, Append(found.entries[0].body, 2, found.head))
    assert named(whole(feed, 1)) == [("h", 1), ("h", 2), ("i", 1), ("i", 2), ("h", 3), ("h", 4)]


def test_tenants_see_their_own(feed: Feed, hands: Hands) -> None:
    hands.submit("other", "t", begun(hand_id="theirs"), "incomplete")
    submit(hands, "ours")
    assert named(whole(feed)) == [("ours", 1), ("ours", 2)]
    cursor = feed.page(TENANT, None, 10, EVERYTHING).next
    with pytest.raises(InvalidCursor):
        feed.page("other", cursor, 10, EVERYTHING)


def test_what_a_reader_may_not_see(feed: Feed, hands: Hands) -> None:
    """Of a live hand; once it is over, all that was hidden is open."""
    deal = played("illustrated-beck", 1).sent[0]
    players = ("Anna", "Béla", "Cyril")
    begun_hand = record(variant="illustrated-beck", players=list(players), events=[deal], hand_id="h")
    hands.submit(TENANT, "t", begun_hand, status_of(begun_hand))
    over = played("illustrated-beck", 2, hand_id="i")
    hands.submit(TENANT, "t", over, status_of(over))

    def dealt(viewer: Viewer) -> list[dict[str, Any]]:
        items = feed.page(TENANT, None, 1000, viewer).items
        return [item["event"] for item in items if item["seq"] == 1]

    assert dealt(EVERYTHING) == [deal, over.sent[0]]
    hidden = {player: {"hidden": 16} for player in players}
    assert dealt(NOTHING) == [{**deal, "hands": hidden, "talon": {"hidden": 6}}, over.sent[0]]
    own = {**hidden, "Béla": deal["hands"]["Béla"]}
    assert dealt(Viewer(player="Béla"))[0]["hands"] == own


class TestSheets:
    def test_the_first_and_later_ones(self, feed: Feed, hands: Hands, redis_client: redis.Redis) -> None:
        hands.submit(TENANT, "t", result(hand_id="h"), "scored")
        assert sum(Scorer(redis_client).score_some()) == 1
        cursor = feed.page(TENANT, None, 10, EVERYTHING).next
        assert [item["type"] for item in whole(feed)] == ["hand.event", "hand.scored"]
        found = RedisLog(redis_client).read(Stream("hand", TENANT, "h"))
        assert found is not None
        made = sheet_for(found, VARIANTS)
        sheets = Sheets(redis_client)
        sheets.store([made])
        assert feed.page(TENANT, cursor, 10, EVERYTHING).items == [], "the same sheet again is no news"
        sheets.store([made._replace(sheet={**made.sheet, "status": "annulled"})])
        (item,) = feed.page(TENANT, cursor, 10, EVERYTHING).items
        assert item.pop("recorded_at").endswith("Z")
        assert item == {"type": "hand.corrected", "hand_id": "h", "version": 1, "status": "annulled"}

    def test_a_sheet_comes_after_its_events(
        self, feed: Feed, hands: Hands, redis_client: redis.Redis
    ) -> None:
        for number in range(60):
            hands.submit(TENANT, "t", result(hand_id=f"h-{number}"), "scored")
        while sum(Scorer(redis_client).score_some()):
            pass
        seen: set[str] = set()
        for item in whole(feed, 7):
            assert (item["type"] == "hand.scored") == (item["hand_id"] in seen)
            seen.add(item["hand_id"])
        assert len(seen) == 60


class TestOrder:
    def test_readers_at_the_same_time_as_writers_read_the_same(self, redis_url: str) -> None:
        """Nothing is missed or twice, and what one reader reads is what everybody reads later."""
        done = threading.Event()
        with connect(redis_url, timeout=10) as client:
            hands, feed = Hands(client), Feed(client)

            def write(writer: int) -> None:
                submit(hands, *(f"w{writer}-{number}" for number in range(150)))

            def read(limit: int) -> list[tuple[str, int]]:
                walk = feed.follow(TENANT, None, EVERYTHING)
                found: list[dict[str, Any]] = []
                while not done.is_set():
                    found += walk.some(limit)
                for page in pages(feed, limit, walk.cursor):
                    found += page
                return named(found)

            with ThreadPoolExecutor(8) as threads:
                readers = [threads.submit(read, limit) for limit in (1, 17, 1000)]
                list(threads.map(write, range(4)))
                done.set()
                read_by = [reader.result() for reader in readers]
            later = named(whole(feed))
        assert len(later) == len(set(later)) == 4 * 150 * 2
        assert read_by == [later] * 3

    def entry(self, recorded: int, place: int) -> bytes:
        return bytes([0]) + recorded.to_bytes(6) + place.to_bytes(4) + (2).to_bytes(3) + (2).to_bytes(2)

    def test_a_clock_that_was_set_back_costs_nothing(
        self, feed: Feed, hands: Hands, redis_client: redis.Redis
    ) -> None:
        """Entries of an hour ahead, and within an append at that."""
        submit(hands, "ahead", "later")
        shard = shard_of(Stream("hand", TENANT, "ahead"))
        ahead = (redis_client.time()[0] + 3600) * 1000
        cast(Any, redis_client).lset(feed_key(shard, TENANT), 0, self.entry(ahead, 0))
        first = feed.page(TENANT, None, 3, EVERYTHING)
        assert named(first.items) == [("later", 1), ("later", 2), ("ahead", 1)]
        submit(hands, "last")
        rest = feed.page(TENANT, first.next, 10, EVERYTHING)
        assert named(rest.items) == [("ahead", 2), ("last", 1), ("last", 2)]

    def test_what_is_a_little_ahead_is_waited_for(
        self, feed: Feed, hands: Hands, redis_client: redis.Redis
    ) -> None:
        """As on a cluster, where one node's clock is ahead: others may still append something earlier."""
        submit(hands, "ahead", "later")
        shard = shard_of(Stream("hand", TENANT, "ahead"))
        ahead = redis_client.time()[0] * 1000 + 2_000
        cast(Any, redis_client).lset(feed_key(shard, TENANT), 0, self.entry(ahead, 0))
        walk = feed.follow(TENANT, None, EVERYTHING)
        assert named(walk.some(10)) == [("later", 1), ("later", 2)]
        assert walk.held_back

    def test_a_hand_that_is_gone_is_passed_over(
        self, feed: Feed, hands: Hands, redis_client: redis.Redis
    ) -> None:
        submit(hands, "a", "b", "c")
        first = feed.page(TENANT, None, 3, EVERYTHING)
        stream = Stream("hand", TENANT, "b")
        redis_client.delete(f"{{t{shard_of(stream):02}}}:hand:{TENANT}:b")
        assert named(whole(feed)) == [("a", 1), ("a", 2), ("c", 1), ("c", 2)]
        assert named(feed.page(TENANT, first.next, 3, EVERYTHING).items) == [("c", 1), ("c", 2)]


@pytest.mark.parametrize(
    "damage",
    [
        lambda cursor: "latest!",
        lambda cursor: "é",
        lambda cursor: cursor[:-3],
        lambda cursor: cursor[1:],
        lambda cursor: cursor[:7] + ("A" if cursor[7] != "A" else "B") + cursor[8:],
        lambda cursor: base64.urlsafe_b64encode(b"\xff" * 40).decode(),
        lambda cursor: "W10",
    ],
)
def test_a_cursor_that_no_page_gave(feed: Feed, hands: Hands, damage: Any) -> None:
    submit(hands, "h")
    cursor = feed.page(TENANT, None, 1, EVERYTHING).next
    with pytest.raises(InvalidCursor):
        feed.page(TENANT, damage(cursor), 1, EVERYTHING)


@pytest.mark.parametrize("number", [1 << 41, 1 << 63, 1 << 70])
def test_a_cursor_that_was_made_up_with_care(feed: Feed, number: int) -> None:
    """Its checksum is right, but no list is as long, and Redis takes no such number."""
    for damaged in (2, 5, 17):
        out = bytearray()
        for place in range(SHARDS + 2):
            put_number(out, number if place == damaged else 0)
        check = crc32(out, crc32(f"feed {TENANT}".encode())).to_bytes(4)
        with pytest.raises(InvalidCursor):
            feed.page(TENANT, base64.urlsafe_b64encode(check + out).decode(), 1, EVERYTHING)


def test_a_cursor_stays_short(feed: Feed, redis_client: redis.Redis) -> None:
    """It travels in addresses and headers, and may be as old as the service."""
    for shard in range(SHARDS):
        redis_client.rpush(feed_key(shard, TENANT), *[TestOrder().entry(1, 0)] * 200_000)
    assert len(feed.page(TENANT, LATEST, 1, EVERYTHING).next) < 100


def test_an_append_costs_the_feed_few_bytes(redis_client: redis.Redis) -> None:
    key = feed_key(0, TENANT)
    redis_client.rpush(key, *(TestOrder().entry(1_800_000_000_000 + n, n) for n in range(10_000)))
    used = redis_client.memory_usage(key, samples=0)
    assert used is not None
    assert used < 10_000 * 20


def test_nobody_there() -> None:
    feed = Feed(connect("redis://127.0.0.1:1/0"))
    with pytest.raises(StoreUnavailable):
        feed.page(TENANT, None, 1, EVERYTHING)
    with pytest.raises(StoreUnavailable):
        feed.follow(TENANT, LATEST, EVERYTHING)
