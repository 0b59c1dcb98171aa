"""Hands in the store: submitted once whatever happens, and read back as they were sent."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from threading import Barrier
from typing import Any, cast

import pytest
import redis

from records.hands import HandExists, HandFilters, Hands, StoreUnavailable, Submission, VersionMismatch
from records.log import Stream
from records.record import HandRecord, LoadedEvents
from records.redis_client import connect
from records.redis_keys import SHARDS, due_key
from records.schemas import load_events
from records.sheets import MadeSheet, Sheets
from tests.support.hand_records import PLAYERS, begun, played, record, result, status_of
from tests.support.processes import RedisServer
from tests.support.proxy import Proxy
from trull.variants import VARIANTS

_IN_S = HandFilters(session_id="s")


@pytest.fixture
def hands(redis_client: redis.Redis) -> Hands:
    return Hands(redis_client)


def submit(hands: Hands, hand: HandRecord, tenant: str = "default") -> Submission:
    return hands.submit(tenant, "tester", hand, status_of(hand))


def due(client: redis.Redis) -> list[bytes]:
    marks = [client.zrange(due_key(shard), 0, -1) for shard in range(SHARDS)]
    return [mark for found in cast(list[list[bytes]], marks) for mark in found]


def everything(client: redis.Redis) -> dict[bytes, Any]:
    """All that is stored but the workers' wake-up call."""
    keys = cast(list[bytes], client.keys("{t*"))
    return {key: client.dump(key) for key in keys}


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_whole_hand_comes_back_as_it_was_sent(hands: Hands, variant: str) -> None:
    hand = played(variant, 5, hand_id=f"~{variant}", session_id="s", table=3, labels=["Ü"])
    assert submit(hands, hand) == (f"~{variant}", len(hand.events), True)
    stored = hands.get("default", f"~{variant}")
    assert stored is not None
    assert stored.record == hand
    assert (stored.version, stored.status) == (len(hand.events), "scored")


def test_the_log_of_a_hand(hands: Hands) -> None:
    hand = record(
        hand_id="h",
        events=[
            {"type": "passed", "player": PLAYERS[0], "event_id": "1", "note": "gähnt"},
            {"type": "bid_made", "player": PLAYERS[1], "contract": "solo"},
        ],
    )
    hands.submit("default", "Büro", hand, "incomplete")
    stored = hands.get("default", "h")
    assert stored is not None
    assert [(entry.seq, entry.actor, entry.event) for entry in stored.entries] == [
        (1, "Büro", hand.sent[0]),
        (2, "Büro", hand.sent[1]),
    ]
    for entry in stored.entries:
        assert entry.recorded_at.endswith("Z")
        age = datetime.now(UTC) - datetime.fromisoformat(entry.recorded_at)
        assert -1 < age.total_seconds() < 60


def test_a_hand_that_is_not_there(hands: Hands) -> None:
    submit(hands, result(hand_id="h"))
    assert hands.get("default", "H") is None
    assert hands.get("other", "h") is None
    assert hands.sheet("default", "H") is None


def test_a_complete_hand_is_due_and_one_that_is_begun_is_not(hands: Hands, redis_client: redis.Redis) -> None:
    submit(hands, begun(hand_id="begun"))
    assert due(redis_client) == []
    sheet = hands.sheet("default", "begun")
    assert sheet is not None
    assert (sheet.sheet, sheet.version, sheet.current_version, sheet.due) == (None, None, 2, False)
    submit(hands, result(hand_id="whole"))
    assert due(redis_client) == [b"hand:default:whole"]
    sheet = hands.sheet("default", "whole")
    assert sheet is not None
    assert (sheet.sheet, sheet.version, sheet.current_version, sheet.due) == (None, None, 1, True)


def test_an_id_is_made_where_there_is_none(hands: Hands) -> None:
    first, second = submit(hands, result()), submit(hands, result())
    assert first.created
    assert second.created
    assert first.hand_id < second.hand_id, "in the order of time"
    assert uuid.UUID(first.hand_id).version == 7
    stored = hands.get("default", first.hand_id)
    assert stored is not None
    assert stored.record.hand_id == first.hand_id


def test_the_same_hand_again_changes_nothing(hands: Hands, redis_client: redis.Redis) -> None:
    hand = played("french-tarot-4", 3, hand_id="h", session_id="s")
    submit(hands, hand)
    before = everything(redis_client)
    stored = hands.get("default", "h")
    again = played("french-tarot-4", 3, hand_id="h", session_id="s")
    assert submit(hands, again) == ("h", len(hand.events), False)
    assert hands.get("default", "h") == stored
    assert everything(redis_client) == before


def test_the_beginning_of_a_stored_hand_changes_nothing(hands: Hands) -> None:
    hand = played("french-tarot-4", 3, hand_id="h")
    submit(hands, hand)
    for events in (1, 5, len(hand.sent) - 1):
        start = record(
            variant="french-tarot-4", players=list(hand.players), hand_id="h", events=hand.sent[:events]
        )
        assert submit(hands, start) == ("h", len(hand.events), False)


@pytest.mark.parametrize(
    "other",
    [
        begun(hand_id="h", table=4),
        begun(hand_id="h", table="5"),
        begun(hand_id="h", labels=["a"]),
        begun(hand_id="h", variant="illustrated-beck", table=5),
        record(hand_id="h", table=5, events=[{"type": "passed", "player": PLAYERS[0], "note": "x"}]),
        record(
            hand_id="h",
            table=5,
            events=[*begun().sent, {"type": "bid_accepted", "player": PLAYERS[2]}],
        ),
    ],
    ids=["table", "table as text", "labels", "variant", "note", "longer"],
)
def test_another_hand_of_that_id_is_refused(hands: Hands, other: HandRecord) -> None:
    hand = begun(hand_id="h", table=5)
    submit(hands, hand)
    with pytest.raises(HandExists) as refused:
        submit(hands, other)
    assert refused.value.hand_id == "h"
    stored = hands.get("default", "h")
    assert stored is not None
    assert stored.record == hand


def test_null_and_absent_are_the_same(hands: Hands) -> None:
    submit(hands, begun(hand_id="h"))
    events = [{**event, "note": None, "at": None} for event in begun().sent]
    again = record(hand_id="h", events=events, session_id=None, table=None, labels=None, format=None)
    assert not submit(hands, again).created


def test_tenants_do_not_see_each_other(hands: Hands) -> None:
    assert submit(hands, result(hand_id="h")).created
    assert submit(hands, begun(hand_id="h"), "other").created
    stored = hands.get("other", "h")
    assert stored is not None
    assert stored.status == "incomplete"


@pytest.mark.parametrize("same", [True, False], ids=["the same hand", "different hands"])
def test_many_submit_one_id_at_once(redis_url: str, same: bool) -> None:
    with connect(redis_url, timeout=10) as client:
        hands = Hands(client)
        start = Barrier(8)

        def one(writer: int) -> Submission | None:
            hand = result(hand_id="h", table=1 if same else writer + 1)
            start.wait()
            try:
                return submit(hands, hand)
            except HandExists:
                return None

        with ThreadPoolExecutor(8) as writers:
            told = list(writers.map(one, range(8)))
        assert [submission.created for submission in told if submission].count(True) == 1
        assert len([submission for submission in told if submission]) == (8 if same else 1)
        stored = hands.get("default", "h")
        assert stored is not None
        assert len(stored.entries) == 1


@pytest.fixture
def proxied(redis_server: RedisServer, redis_url: str) -> Iterator[tuple[Proxy, Hands]]:
    port = redis_server.access.port
    with Proxy(port) as proxy, connect(redis_url.replace(str(port), str(proxy.port))) as client:
        yield proxy, Hands(client)


def test_a_lost_answer_is_no_second_hand(proxied: tuple[Proxy, Hands], redis_client: redis.Redis) -> None:
    proxy, hands = proxied
    submit(hands, result(hand_id="first"))
    proxy.drop_when = b"second"
    assert submit(hands, result(hand_id="second", session_id="s")).hand_id == "second"
    assert proxy.dropped == 1
    proxy.drop_when = b"EVALSHA"
    unnamed = submit(hands, result(session_id="s"))
    assert proxy.dropped == 2
    others = Hands(redis_client)
    for hand_id in ("second", unnamed.hand_id):
        stored = others.get("default", hand_id)
        assert stored is not None
        assert len(stored.entries) == 1
    assert len(due(redis_client)) == 3
    assert [hand["hand_id"] for hand in others.page("default", _IN_S, None, 10).items] == [
        "second",
        unnamed.hand_id,
    ]


def more(*events: dict[str, Any]) -> LoadedEvents:
    return load_events({"events": list(events)}, PLAYERS)


def test_a_change_that_came_too_late_is_not_taken_for_another(
    proxied: tuple[Proxy, Hands], redis_client: redis.Redis
) -> None:
    """Its answer was lost, and what stands in its place is not its own."""
    proxy, hands = proxied
    submit(hands, begun(hand_id="h"))
    read = hands.get("default", "h")
    assert read is not None
    late = hands.appended(read, more({"type": "hand_annulled", "reason": "misdeal"}))
    faster = hands.appended(read, more({"type": "hand_annulled", "reason": "misdeal", "note": "faster"}))
    assert Hands(redis_client).append("default", "tester", read, faster) == 3
    proxy.drop_when = b"EVALSHA"
    with pytest.raises(VersionMismatch):
        hands.append("default", "tester", read, late)
    assert proxy.dropped == 1
    stored = hands.get("default", "h")
    assert stored is not None
    assert (stored.version, stored.entries[2].event["note"]) == (3, "faster")


def test_a_store_that_is_away_is_told_within_two_seconds(spare_redis: RedisServer) -> None:
    with connect(spare_redis.url) as client:
        hands = Hands(client)
        submit(hands, result(hand_id="h"))
        with spare_redis.client() as other:
            other.client_pause(10_000)
        started = time.monotonic()
        with pytest.raises(StoreUnavailable):
            submit(hands, result(hand_id="i"))
        # A second for the connection or the answer, and one more try: a busy machine makes that longer.
        assert time.monotonic() - started < 4
        spare_redis.kill()
        started = time.monotonic()
        for call in (
            lambda: submit(hands, result(hand_id="i")),
            lambda: hands.get("default", "h"),
            lambda: hands.sheet("default", "h"),
            lambda: hands.wait_for_sheet("default", "h", 1, 5),
            lambda: hands.page("default", _IN_S, None, 10),
        ):
            with pytest.raises(StoreUnavailable):
                call()
        assert time.monotonic() - started < 2
        assert not hands.ready().redis
        spare_redis.start()
        assert submit(hands, result(hand_id="i")).created
        assert hands.ready().redis


def test_waiting_for_a_sheet(hands: Hands, redis_client: redis.Redis) -> None:
    submit(hands, result(hand_id="h"))
    started = time.monotonic()
    assert hands.wait_for_sheet("default", "h", 1, 0.2) is None
    assert time.monotonic() - started >= 0.2
    stream = Stream("hand", "default", "h")
    sheet = {"hand_id": "h", "variant": "x", "variant_revision": "y", "version": 1, "status": "scored"}
    with ThreadPoolExecutor(1) as worker:
        waiting = worker.submit(hands.wait_for_sheet, "default", "h", 1, 5)
        time.sleep(0.1)
        Sheets(redis_client).store([MadeSheet(stream, 1, sheet)])
        found = waiting.result()
    assert found is not None
    assert (found.sheet, found.version, found.current_version, found.due) == (sheet, 1, 1, False)
    assert hands.wait_for_sheet("default", "h", 2, 0) is None


def test_readiness(hands: Hands, redis_client: redis.Redis) -> None:
    ready = hands.ready()
    assert (ready.redis, ready.aof, ready.workers) == (True, "ok", 0)


def test_a_store_without_an_append_only_file_is_told(spare_redis: RedisServer) -> None:
    with spare_redis.client() as client:
        client.config_set("appendonly", "no")
        assert Hands(client).ready().aof == "off"
