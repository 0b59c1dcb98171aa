"""Batches at work: each sheet once whoever dies, the workers shared, and fresh hands not held up."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import redis
from rq import Queue
from rq.serializers import JSONSerializer

from records.changes import lists_of
from records.codec import write_entry
from records.facts_codec import Kept, line_up, read_facts, write_facts
from records.hand_list import HandFilters
from records.hands import Hands
from records.judging import opening_of_record
from records.kept_hands import Replayed, replayed
from records.log import Append, StoredStream, Stream
from records.queue import DRAIN, QUEUE, RESCORE, WorkQueue
from records.record import HandRecord
from records.redis_client import connect
from records.redis_log import RedisLog
from records.rescore_chunks import RescoreChunks
from records.rescore_keys import KIND
from records.rescore_results import Result, results_in
from records.rescores import Rescores, RescoreState
from records.schemas import load_events
from records.selections import Selection
from records.stored_hands import KIND as HAND
from records.stored_hands import write_head
from tests.support.hand_records import begun, played, result, status_of
from tests.support.processes import Process, RedisServer, wait_until
from trull import Variant, replay
from trull.briefs import brief_of
from trull.variants import VARIANTS
from workers.jobs import rescore_with
from workers.rescores import ChunkRescorer
from workers.scoring import Scorer
from workers.sweep import sweep
from workers.vigil import Stop

OWN, BECK, LOEW = "illustrated-mayr-sedlaczek-2016", "illustrated-beck", "illustrated-loew-1954"
THREE = (OWN, BECK, LOEW)

# A worker whose every hand takes a while, and whose leases are short.
SLOW = """
import functools, sys, time
import workers.jobs, workers.rescores, workers.run

replayed = workers.rescores.replayed

def slowly(*arguments):
    time.sleep(float(sys.argv[1]))
    return replayed(*arguments)

workers.rescores.replayed = slowly
workers.jobs.ChunkRescorer = functools.partial(workers.rescores.ChunkRescorer, lease=2.0)
workers.run.main()
"""
# One that dies when it stores its first chunk.
DYING = """
import os, signal
import records.rescore_chunks, workers.run

records.rescore_chunks.RescoreChunks.finish = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
workers.run.main()
"""
SWEEPING = "import workers.sweep; workers.sweep.main(0.25)"


def store_hands(client: redis.Redis, count: int, name: str = "h", session_id: str | None = None) -> None:
    """Hands that have their sheets, as far as anybody knows."""
    hand = result(session_id=session_id)
    opening = opening_of_record(hand)
    body = write_entry("t", opening, hand.events, hand.sent)
    append = Append(body, 1, write_head("scored", due=False), lists=lists_of(opening))
    planned = [(Stream(HAND, "default", f"{name}{number}"), 0, append) for number in range(count)]
    RedisLog(client).append_many(planned)


class Batch:
    """A batch in a store."""

    def __init__(self, client: redis.Redis, *variants: str, selection: Selection | None = None) -> None:
        self.rescores = Rescores(client)
        self.id = self.rescores.start("default", selection or Selection(), variants or THREE)
        self.stream = Stream(KIND, "default", self.id)

    @property
    def state(self) -> RescoreState:
        state = self.rescores.state("default", self.id)
        assert state is not None
        return state

    def is_over(self) -> bool:
        return self.state.finished is not None

    def check(self, hands: int) -> None:
        """Fail unless it is done, and has each sheet once."""
        state = self.state
        assert (state.status, state.failed) == ("done", 0)
        assert state.total == state.done == hands * len(state.variants)
        found = [
            (line.hand_id, line.variant)
            for chunk in self.rescores.results("default", state)
            for line in results_in(chunk)
        ]
        assert len(found) == len(set(found)) == state.total


class TestChunks:
    def test_of_all_shards_in_a_stable_order(self, redis_client: redis.Redis) -> None:
        store_hands(redis_client, 300)
        first = Batch(redis_client)
        rescore_with(redis_client, seconds=60)
        first.check(300)
        store_hands(redis_client, 40, "later")
        second = Batch(redis_client)
        rescore_with(redis_client, seconds=60)
        second.check(340)
        orders = [
            [
                line.hand_id
                for chunk in batch.rescores.results("default", batch.state)
                for line in results_in(chunk)
                if not line.variant and not line.hand_id.startswith("later")
            ]
            for batch in (first, second)
        ]
        assert orders[0] == orders[1]

    def test_a_list_in_two_parts(self, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> None:
        """The first places of a session's hands are kept apart from those that follow."""
        monkeypatch.setattr("records.rescores.CHUNK", 7)
        store_hands(redis_client, 900, session_id="s")
        batch = Batch(redis_client, selection=Selection(HandFilters(session_id="s")))
        rescore_with(redis_client, seconds=60)
        batch.check(900)

    def test_done_twice_they_count_once(self, redis_client: redis.Redis) -> None:
        store_hands(redis_client, 50)
        batch = Batch(redis_client)
        chunks = RescoreChunks(redis_client)
        work = ChunkRescorer(redis_client)
        while (chunk := chunks.claim(batch.stream)) is not None:
            results = work._results(chunk)
            assert chunks.finish(chunk, results)
            assert not chunks.finish(chunk, results)
        batch.check(50)

    def test_what_is_claimed_is_claimed_again_after_the_lease(self, redis_client: redis.Redis) -> None:
        store_hands(redis_client, 1)
        batch = Batch(redis_client)
        chunks = RescoreChunks(redis_client)
        assert chunks.claim(batch.stream, 0.3) is not None
        assert chunks.claim(batch.stream, 0.3) is None
        assert chunks.waiting(batch.stream) == 0
        wait_until(lambda: chunks.waiting(batch.stream) == 1, "the lease", 2)
        assert chunks.claim(batch.stream) is not None

    def test_one_that_is_never_done_is_given_up(self, redis_client: redis.Redis) -> None:
        store_hands(redis_client, 20)
        batch = Batch(redis_client)
        chunks = RescoreChunks(redis_client)
        rescore_with(redis_client, seconds=0)
        claims = 0
        while (chunk := chunks.claim(batch.stream, 0)) is not None:
            claims += 1
            time.sleep(0.002)
        state = batch.state
        assert (state.status, claims > 20) == ("failed", True)
        assert 0 < state.done < state.total
        assert chunk is None
        assert chunks.left() == []
        assert list(batch.rescores.results("default", state)), "what is done can be read"

    def test_of_a_later_version_are_left_to_it(self, redis_client: redis.Redis) -> None:
        store_hands(redis_client, 1)
        batch = Batch(redis_client, "french-tarot-9")
        assert not ChunkRescorer(redis_client).do_next()
        assert batch.state.status == "running"

    def test_a_cancelled_one_takes_nothing_more(self, redis_client: redis.Redis) -> None:
        store_hands(redis_client, 1)
        batch = Batch(redis_client)
        chunks = RescoreChunks(redis_client)
        chunk = chunks.claim(batch.stream)
        assert chunk is not None
        results = ChunkRescorer(redis_client)._results(chunk)
        assert batch.rescores.cancel("default", batch.id)
        assert not chunks.finish(chunk, results)
        assert (batch.state.status, batch.state.done) == ("cancelled", 0)


class TestJobs:
    def test_two_batches_take_turns(self, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("records.rescores.CHUNK", 5)
        store_hands(redis_client, 400)
        first = Batch(redis_client)
        work = ChunkRescorer(redis_client)
        for _ in range(20):
            assert work.do_next()
        before = first.state.done
        second = Batch(redis_client)
        for _ in range(40):
            assert work.do_next()
        shares = first.state.done - before, second.state.done
        assert sum(shares) > 0
        assert 0.8 < shares[0] / shares[1] < 1.25

    def test_gives_way_and_goes_on(self, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("records.rescores.CHUNK", 5)
        store_hands(redis_client, 100)
        batch = Batch(redis_client)
        rescore_with(redis_client, seconds=0)
        assert 0 < batch.state.done < batch.state.total
        assert redis_client.llen(f"rq:queue:{QUEUE}") == 2, "for another worker, and its own"
        rescore_with(redis_client, seconds=60)
        assert redis_client.llen(f"rq:queue:{QUEUE}") == 2, "nothing is left to do"
        batch.check(100)

    def test_asks_for_help_whatever_else_waits(
        self, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("records.rescores.CHUNK", 5)
        store_hands(redis_client, 100)
        Batch(redis_client)
        WorkQueue(redis_client).enqueue(DRAIN)
        rescore_with(redis_client, seconds=60)
        waiting = Queue(QUEUE, connection=redis_client, serializer=JSONSerializer).jobs
        assert [job.func_name for job in waiting] == [DRAIN, RESCORE]

    def test_ends_when_the_worker_is_to_end(
        self, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store_hands(redis_client, 1)
        batch = Batch(redis_client)
        monkeypatch.setattr(Stop, "requested", True)
        rescore_with(redis_client)
        assert batch.state.done == 0

    def test_the_sweeper_finds_what_woke_nobody(self, redis_client: redis.Redis) -> None:
        store_hands(redis_client, 1)
        Batch(redis_client)
        queue = WorkQueue(redis_client)
        redis_client.delete(f"rq:queue:{QUEUE}")
        for _ in range(3):
            sweep(redis_client, 0)
        assert redis_client.llen(f"rq:queue:{QUEUE}") == 2
        assert queue.enqueue_below(3, RESCORE)


class Crew:
    """A Redis, and workers on it."""

    def __init__(self, server: RedisServer, client: redis.Redis, folder: Path) -> None:
        self.server, self.client, self.folder = server, client, folder
        self.started: list[Process] = []

    def start(self, *command: str) -> Process:
        name = f"process{len(self.started)}"
        process = Process(name, [sys.executable, *command], self.folder, {"TRULL_REDIS_URL": self.server.url})
        process.start()
        self.started.append(process)
        return process

    def workers(self, count: int, seconds_a_hand: float) -> list[Process]:
        found = [self.start("-c", SLOW, str(seconds_a_hand)) for _ in range(count)]
        wait_until(lambda: Hands(self.client).ready().workers == count, "they are seen")
        return found


@pytest.fixture
def crew(spare_redis: RedisServer, tmp_path: Path) -> Iterator[Crew]:
    with connect(spare_redis.url) as client:
        crew = Crew(spare_redis, client, tmp_path)
        try:
            yield crew
        finally:
            for process in crew.started:
                process.stop()


class TestKills:
    def test_workers_and_redis_are_killed_again_and_again(self, crew: Crew) -> None:
        store_hands(crew.client, 1_500)
        crew.start("-c", SWEEPING)
        batch = Batch(crew.client)
        WorkQueue(crew.client).notify_rescore()
        for seen in (1, 2, 3):
            (worker,) = crew.workers(1, 0.001)
            wait_until(lambda: batch.state.done > seen * 600, "it gets on")  # noqa: B023
            if seen == 2:
                crew.server.kill()
                time.sleep(0.3)
                crew.server.start()
                wait_until(lambda: batch.state.done > seen * 600 + 150, "it goes on")  # noqa: B023
            worker.kill()
            keys = crew.client.keys("rq:worker*")
            assert isinstance(keys, list)
            crew.client.delete(*keys)
        assert batch.state.done < batch.state.total
        crew.start("-m", "workers.run")
        wait_until(batch.is_over, "the batch", 40)
        batch.check(1_500)

    def test_a_worker_dies_before_it_stores(self, crew: Crew) -> None:
        store_hands(crew.client, 200)
        batch = Batch(crew.client)
        WorkQueue(crew.client).notify_rescore()
        dying = crew.start("-c", DYING)
        assert dying.wait() == -9
        assert batch.state.done == 0
        crew.start("-m", "workers.run")
        crew.start("-c", SWEEPING)
        wait_until(batch.is_over, "the batch")
        batch.check(200)


class TestSharing:
    def test_a_fresh_hand_is_scored_in_the_midst_of_a_chunk(self, redis_client: redis.Redis) -> None:
        """On a busy machine a chunk of hands that are read whole takes as long as a sheet may."""
        store_hands(redis_client, 250)
        Batch(redis_client)
        hands = Hands(redis_client)
        hand = played("french-tarot-4", 1)
        submitted = hands.submit("default", "t", hand, status_of(hand))
        scorer = Scorer(redis_client)
        seen: list[int] = []

        def look() -> None:
            seen.extend(scorer.score_some(later=False))

        assert ChunkRescorer(redis_client, between=look).do_next()
        assert seen == [1]
        assert hands.wait_for_sheet("default", submitted.hand_id, 1, 0) is not None

    def test_a_fresh_hand_is_scored_within_a_second(self, crew: Crew) -> None:
        """While both workers are at work on a batch, and more of it waits."""
        store_hands(crew.client, 12_000)
        batch = Batch(crew.client)
        WorkQueue(crew.client).notify_rescore()
        crew.workers(2, 0.0005)
        wait_until(lambda: batch.state.done > 0, "it gets on")
        hands = Hands(crew.client)
        waits = []
        hand = played("french-tarot-4", 1)
        for _ in range(6):
            began = time.monotonic()
            submitted = hands.submit("default", "t", hand, status_of(hand))
            assert hands.wait_for_sheet("default", submitted.hand_id, 1, 5) is not None
            waits.append(time.monotonic() - began)
            time.sleep(0.3)
        assert not batch.is_over()
        assert max(waits) < 1.0, waits

    def test_a_small_batch_does_not_wait_for_a_large_one(self, crew: Crew) -> None:
        store_hands(crew.client, 3_000)
        large = Batch(crew.client)
        WorkQueue(crew.client).notify_rescore()
        crew.workers(2, 0.001)
        wait_until(lambda: large.state.done > 0, "it gets on")
        small = Batch(crew.client, BECK, selection=Selection(hand_ids=tuple(f"h{n}" for n in range(100))))
        WorkQueue(crew.client).notify_rescore()
        wait_until(small.is_over, "the small one")
        assert not large.is_over()
        small.check(100)

    def test_cancelled_within_a_second(self, crew: Crew) -> None:
        store_hands(crew.client, 3_000)
        batch = Batch(crew.client)
        WorkQueue(crew.client).notify_rescore()
        crew.workers(2, 0.001)
        wait_until(lambda: batch.state.done > 0, "it gets on")
        began = time.monotonic()
        batch.rescores.cancel("default", batch.id)
        state = batch.state
        assert time.monotonic() - began < 1
        time.sleep(1)
        assert (batch.state.status, batch.state.done) == ("cancelled", state.done)
        assert RescoreChunks(crew.client).left() == []


class TestKept:
    """What stands beside a sheet, so that a hand need not be replayed."""

    @pytest.fixture
    def scored(self, redis_client: redis.Redis) -> list[HandRecord]:
        """Hands of all variants that workers have scored."""
        found = [played(variant, 3, hand_id=variant) for variant in VARIANTS]
        found.append(result(hand_id="result"))
        found.append(begun(hand_id="begun"))
        for hand in found:
            Hands(redis_client).submit("default", "t", hand, status_of(hand))
        assert sum(Scorer(redis_client).score_some()) == len(found) - 1
        return found

    def replays(self, client: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], list[Result]]:
        """The hands that a batch over all of them replays, and its results."""
        seen: list[str] = []

        def noted(found: StoredStream, variants: Mapping[str, Variant]) -> Replayed:
            seen.append(found.stream.id)
            return replayed(found, variants)

        monkeypatch.setattr("workers.rescores.replayed", noted)
        batch = Batch(client, *VARIANTS)
        work = ChunkRescorer(client)
        while work.do_next():
            pass
        state = batch.state
        assert (state.status, state.failed) == ("done", 0)
        chunks = batch.rescores.results("default", state)
        return seen, [line for chunk in chunks for line in results_in(chunk)]

    def test_serves_for_the_same_results(
        self, redis_client: redis.Redis, scored: list[HandRecord], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seen, lines = self.replays(redis_client, monkeypatch)
        assert seen == ["begun"], "it has no sheet"
        monkeypatch.setattr("workers.rescores.kept_hand", lambda *_: None)
        all_seen, replayed_lines = self.replays(redis_client, monkeypatch)
        assert sorted(all_seen) == sorted(str(hand.hand_id) for hand in scored)
        assert lines == replayed_lines

    @pytest.mark.usefixtures("scored")
    def test_of_other_rules_is_made_again(
        self, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("records.facts_codec.MARK", b"\x01other")
        seen, _ = self.replays(redis_client, monkeypatch)
        assert len(seen) == len(VARIANTS) + 2

    @pytest.mark.usefixtures("scored")
    def test_of_an_earlier_version_of_the_hand_is_not_used(
        self, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        hands = Hands(redis_client)
        hand = hands.get("default", "result")
        assert hand is not None
        penalty = {
            "type": "penalty_assessed",
            "player": hand.record.players[0],
            "points": -7,
            "reason": "late",
        }
        loaded = load_events({"events": [penalty]}, hand.record.players)
        hands.append("default", "t", hand, hands.appended(hand, loaded))
        seen, lines = self.replays(redis_client, monkeypatch)
        assert sorted(seen) == ["begun", "result"]
        assert {line.version for line in lines if line.hand_id == "result"} == {2}

    def test_is_small(self) -> None:
        for variant in VARIANTS.values():
            for seed in range(5):
                hand = played(variant.id, seed)
                brief = brief_of(replay(variant, hand.events))
                names = line_up(hand.players)
                assert len(write_facts(Kept(variant.id, names, brief))) - len(names) <= 40

    def test_of_a_word_that_has_no_number_is_nothing(self) -> None:
        """A rule set of a later version may have a contract of another name."""
        hand = played(OWN, 1)
        brief = brief_of(replay(hand.variant, hand.events))
        brief.contract = "fünfblatt"
        assert write_facts(Kept(OWN, line_up(hand.players), brief)) == b""
        assert read_facts(b"", VARIANTS) is None

    def test_of_a_variant_that_is_unknown_is_nothing(self) -> None:
        hand = played(OWN, 1)
        brief = brief_of(replay(hand.variant, hand.events))
        assert read_facts(write_facts(Kept("house-x", b"A", brief)), VARIANTS) is None


def test_memory_stays_flat(crew: Crew) -> None:
    """The most that a worker ever had over 5,000 hands, against 500; `make bench` has more of them."""
    peaks = []
    for first, count in ((0, 500), (500, 4_500)):
        store_hands(crew.client, count, f"h{first}-")
        worker = crew.start("-m", "workers.run")
        batch = Batch(crew.client)
        WorkQueue(crew.client).notify_rescore()
        wait_until(batch.is_over, "the batch", 60)
        batch.check(first + count)
        status = Path(f"/proc/{worker.pid}/status").read_text()
        peaks.append(int(status.partition("VmHWM:")[2].split()[0]))
        worker.stop()
    assert peaks[1] / peaks[0] < 1.2, peaks
