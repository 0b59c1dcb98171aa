"""The log and all that is built on it, on a Redis Cluster of three nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import redis
from redis.crc import key_slot

from records.archive import read_archive, write_archive
from records.feed import Feed
from records.hands import HandFilters, Hands
from records.idempotency import Call, Idempotency, KeptAnswer
from records.import_jobs import Imports
from records.import_records import Importing
from records.imports import Importer
from records.lines import Block
from records.log import Append, StoreUnavailable, Stream, VersionMismatch
from records.meters import LagNotes, Meters
from records.old_hands import old_hands
from records.queue import WorkQueue
from records.redis_client import connect
from records.redis_keys import SHARDS, tag_of
from records.redis_log import RedisLog
from records.sheets import Sheets
from records.shelving import Shelves
from records.variant_store import VariantStore
from records.visibility import EVERYTHING
from records.wire import dumps
from tests.records.event_log_contract import EventLogContract
from tests.records.test_archive import soon
from tests.records.test_compaction import play_live
from tests.support.cluster import ThreeNodes
from tests.support.hand_records import begun, played, result
from tests.support.offices import Office, at_work
from tests.support.processes import RedisServer, wait_until
from tests.support.receivers import Receiver
from workers.jobs import drain_with, import_with
from workers.sweep import sweep


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ThreeNodes]:
    with ThreeNodes(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.fixture
def store(cluster: ThreeNodes) -> Iterator[redis.Redis]:
    """A client of an empty cluster."""
    cluster.flush()
    with cluster.client() as client:
        yield client


@pytest.fixture
def log(store: redis.Redis) -> RedisLog:
    return RedisLog(store)


class TestRedisLogOnACluster(EventLogContract):
    """All of the contract."""


@pytest.fixture
def hands(store: redis.Redis, redis_client: redis.Redis) -> Hands:
    return Hands(store, queue=redis_client)


def test_the_shards_lie_on_all_nodes(store: redis.Redis, hands: Hands, cluster: ThreeNodes) -> None:
    for number in range(40):
        hands.submit("default", "t", result(hand_id=f"h-{number}"), "scored")
    streams = []
    for node in cluster.nodes:
        with node.client() as client:
            streams.append(len(client.keys("*:hand:*")))
    assert sum(streams) == 40
    assert min(streams) > 4


def test_many_appends_each_by_itself(log: RedisLog) -> None:
    streams = [Stream("hand", "default", f"h-{number}") for number in range(50)]
    plans = [(stream, 0, Append(b"x", 2)) for stream in streams]
    assert log.append_many(plans) == [2] * 50
    again = [(stream, 2 if number % 2 else 1, Append(b"y", 1)) for number, (stream, _, _) in enumerate(plans)]
    answers = log.append_many(again)
    assert [type(answer) for answer in answers] == [VersionMismatch, int] * 25
    assert [found and found.version for found in log.read_many(streams)] == [2, 3] * 25


def test_from_the_first_event_to_the_shelf(
    store: redis.Redis, redis_client: redis.Redis, hands: Hands, tmp_path: Path
) -> None:
    """Posted and live hands, sheets, lists, the feed, compaction, the archive; the queue is elsewhere."""
    for number in range(20):
        hand = played("french-tarot-4", number % 5, hand_id=f"h-{number}", session_id="evening")
        hands.submit("default", "t", hand, "scored")
    live = play_live(store)
    WorkQueue(redis_client).fall_asleep()
    assert sum(Sheets(store).due()) == 21
    drain_with(store, queue_client=redis_client)
    assert sum(Sheets(store).due()) == 0
    sheet = hands.sheet("default", "h")
    assert sheet is not None
    assert sheet.version == len(live.events)
    found = RedisLog(store).read(Stream("hand", "default", "h"))
    assert found is not None
    assert found.parts == 1, "it was bundled"
    evening = hands.page("default", HandFilters(session_id="evening"), None, 100)
    assert {hand["status"] for hand in evening.items} == {"scored"}
    assert len(evening.items) == 20
    told = fed(store)
    assert Counter(item["type"] for item in told)["hand.scored"] == 21
    file = tmp_path / "old.gz"
    assert (
        write_archive(file, "default", old_hands(store, "default", soon()), VariantStore(store)).hands == 21
    )
    shelves = Shelves(store)
    assert {shelves.remove(hand) for hand in read_archive(file)} == {"removed"}
    assert fed(store) == hands.page("default", HandFilters(), None, 100).items == []
    assert {shelves.restore(hand) for hand in read_archive(file)} == {"restored"}
    assert fed(store) == told
    assert hands.page("default", HandFilters(session_id="evening"), None, 100) == evening


def test_webhooks(store: redis.Redis, redis_client: redis.Redis) -> None:
    """Every script of theirs keeps to one slot."""
    office = Office(store, redis_client)
    with Receiver() as receiver, at_work(office):
        hooks = [office.hook(receiver.url, tenant=tenant) for tenant in ("default", "graz", "linz")]
        for hook in hooks:
            office.score(2, hook.tenant)
        wait_until(lambda: all(office.states(hook) == ["delivered"] * 2 for hook in hooks), "all are told")
        assert office.webhooks.rotate("graz", hooks[1].webhook_id, 60) is not None
        assert office.webhooks.change("graz", hooks[1].webhook_id, {"enabled": False}) is not None
        assert office.webhooks.delete("linz", hooks[2].webhook_id)
    assert sorted(office.webhooks.tenants()) == ["default", "graz"]
    assert sum(Meters(store, redis_client).read(["default"]).attempts.values()) == 6


def fed(client: redis.Redis) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    cursor = None
    while True:
        page = Feed(client).page("default", cursor, 100, EVERYTHING)
        items += page.items
        if not page.full:
            return items
        cursor = page.next


def test_who_is_left_is_swept_up(store: redis.Redis, redis_client: redis.Redis, hands: Hands) -> None:
    """The job was lost with the queue; the marks were not."""
    hands.submit("default", "t", result(hand_id="h"), "scored")
    redis_client.flushall()
    assert sweep(store, late=0, queue_client=redis_client) == 1
    assert redis_client.llen("rq:queue:trull") == 1
    drain_with(store, queue_client=redis_client)
    assert sweep(store, late=0, queue_client=redis_client) == 0


def test_an_import(store: redis.Redis, redis_client: redis.Redis, hands: Hands) -> None:
    hand = played("french-tarot-4", 1).as_dict()
    lines = [{**hand, "hand_id": f"h-{number}"} for number in range(300)]
    importer = Importer(store)
    outcomes = importer.take("default", Importing("t"), [(1, dumps(lines[0]))], "/v1/hands:import")
    assert [outcome.status for outcome in outcomes] == [202]
    imports = Imports(store)
    upload = imports.upload("default")
    for first in (0, 150):
        upload.add(Block(first + 1, b"\n".join(map(dumps, lines[first : first + 150])) + b"\n"))
    import_id = imports.accept(upload, Importing("t"))
    assert sweep(store, late=0, queue_client=redis_client) == 0
    import_with(store, seconds=60, queue_client=redis_client)
    state = imports.state("default", import_id)
    assert state is not None
    assert (state.status, state.created, state.existing, state.failed) == ("done", 299, 1, 0)
    drain_with(store, queue_client=redis_client)
    assert len(hands.page("default", HandFilters(status="scored"), None, 1000).items) == 300


def test_idempotency_keys(store: redis.Redis) -> None:
    once = Idempotency(store)
    answer = KeptAnswer(200, [("X", "y")], b"{}")
    for number in range(20):
        call = Call("default", ("POST", "/v1/hands"), f"key-{number}", (b"body",))
        claim = once.begin(call)
        assert not isinstance(claim, KeptAnswer)
        once.settle(claim, answer)
        assert once.begin(call) == answer


def test_readiness(hands: Hands, store: redis.Redis, cluster: ThreeNodes) -> None:
    assert (hands.ready().redis, hands.ready().aof) == (True, "ok")
    with cluster.nodes[2].client() as client:
        client.config_set("appendonly", "no")
        try:
            assert hands.ready().aof == "off"
        finally:
            client.config_set("appendonly", "yes")
    away = Hands(store, queue=connect("redis://127.0.0.1:1/0")).ready()
    assert (away.redis, away.workers) == (True, None)
    assert away.queue == "Redis cannot be reached."


def test_measures(store: redis.Redis, redis_client: redis.Redis, hands: Hands, cluster: ThreeNodes) -> None:
    """Of all nodes together, and of the queue where that is."""
    for number in range(20):
        hands.submit("default", "t", result(hand_id=f"h-{number}"), "scored")
    meters = Meters(store, redis_client)
    reading = meters.read(["default"])
    assert (reading.appended, reading.due, reading.jobs["queued"]) == (20, 20, 1)
    assert reading.info["aof_last_write_status"] == "ok"
    with cluster.nodes[0].client() as client:
        alone: Any = client.info()
    assert reading.info["used_memory"] > 2 * alone["used_memory"]
    drain_with(store, queue_client=redis_client)
    LagNotes(store).pass_on()
    reading = meters.read(["default"])
    assert (reading.due, sum(reading.lags.counts)) == (0, 20)


def test_a_single_redis_becomes_a_cluster(tmp_path: Path, redis_client: redis.Redis) -> None:
    """Its data starts as the first node, and shards move to others while clients go on."""
    with RedisServer(tmp_path) as single, single.client() as client:
        for number in range(40):
            Hands(client, queue=redis_client).submit("default", "t", result(hand_id=f"h-{number}"), "scored")
        told = fed(client)
    with ThreeNodes(tmp_path / "more", data=tmp_path) as cluster, cluster.client() as client:
        hands = Hands(client, queue=redis_client)
        stop = Event()

        def submit() -> Counter[str]:
            answers: Counter[str] = Counter()
            for number in count():
                if stop.is_set():
                    return answers
                try:
                    hands.submit("default", "t", result(hand_id=f"new-{number}"), "scored")
                    answers["stored"] += 1
                except StoreUnavailable:
                    answers["away"] += 1
            raise AssertionError

        with ThreadPoolExecutor(1) as threads:
            answers = threads.submit(submit)
            try:
                for shard in range(1, SHARDS):
                    slot = key_slot(tag_of(shard).encode())
                    if shard % 3:
                        cluster.move(slot, cluster.nodes[0], cluster.nodes[shard % 3])
            finally:
                stop.set()
        assert answers.result()["stored"] > 0
        assert fed(client)[: len(told)] == told
        drain_with(client, queue_client=redis_client)
        listed = [
            hand["hand_id"] for hand in hands.page("default", HandFilters(status="scored"), None, 1000).items
        ]
        assert sum(id_.startswith("h-") for id_ in listed) == 40
        assert len(set(listed)) == len(listed) >= 40 + answers.result()["stored"]
        for node in cluster.nodes:
            assert node.ask("KEYS", "*:hand:*"), "hands are on every node"


def test_a_cluster_that_is_away() -> None:
    """It is not looked for before it is needed, and then it is an ordinary store that is away."""
    hands = Hands(connect("redis+cluster://127.0.0.1:1,127.0.0.1:2"), queue=connect("redis://127.0.0.1:1"))
    with pytest.raises(StoreUnavailable):
        hands.get("default", "h")
    with pytest.raises(StoreUnavailable):
        hands.submit("default", "t", begun(hand_id="h"), "incomplete")
    assert hands.ready().detail == "Redis cannot be reached."


@pytest.mark.parametrize(
    "url",
    ["redis+cluster://", "redis+cluster://h:x", "redis+cluster://h,", "redis+cluster://h:1/2"],
)
def test_a_url_that_is_none(url: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        connect(url)
