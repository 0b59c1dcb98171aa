"""Chunks of imports: shared by workers, left by those that die, no hindrance for a hand of the moment."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterator

import pytest
import redis
from rq import Queue
from rq.serializers import JSONSerializer

from records.hands import Hands
from records.import_chunks import Chunk, ImportChunks
from records.import_jobs import Imports
from records.import_records import Importing
from records.lines import Block
from records.log import StoreUnavailable, Stream
from records.queue import DRAIN, IMPORT, QUEUE, WorkQueue
from records.redis_keys import due_key, due_name, shard_of
from tests.support.hand_records import result, status_of
from tests.support.processes import RedisServer
from workers.imports import ChunkImporter
from workers.jobs import LINGER_SECONDS, drain_with, import_with
from workers.scoring import Scorer
from workers.sweep import sweep
from workers.turns import PATIENCE

BY = Importing("club")


def line(number: int) -> bytes:
    return json.dumps(result(hand_id=f"h-{number}").as_dict()).encode() + b"\n"


def upload(client: redis.Redis, chunks: int) -> Stream:
    """An import of so many chunks of two hands."""
    imports = Imports(client)
    uploaded = imports.upload("default")
    for number in range(1, 2 * chunks, 2):
        uploaded.add(Block(number, line(number) + line(number + 1)))
    return Stream("import", "default", imports.accept(uploaded, BY))


def jobs(client: redis.Redis) -> list[str | None]:
    return [job.func_name for job in Queue(QUEUE, connection=client, serializer=JSONSerializer).jobs]


def statuses(client: redis.Redis, stream: Stream) -> list[int]:
    imports = Imports(client)
    state = imports.state("default", stream.id)
    assert state is not None
    lines = b"".join(imports.results("default", state)).splitlines()
    assert [json.loads(one)["line"] for one in lines] == list(range(1, len(lines) + 1))
    return [json.loads(one)["status"] for one in lines]


def has_sheet(client: redis.Redis, hand_id: str) -> bool:
    found = Hands(client).sheet("default", hand_id)
    return found is not None and found.sheet is not None


def test_a_hand_that_is_submitted_meanwhile_is_scored_first(redis_client: redis.Redis) -> None:
    upload(redis_client, 3)
    hand = result()
    urgent = Hands(redis_client).submit("default", "t", hand, status_of(hand)).hand_id
    import_with(redis_client, seconds=0)
    assert len(ImportChunks(redis_client).left()) == 1
    assert has_sheet(redis_client, urgent)
    assert not any(has_sheet(redis_client, f"h-{number}") for number in range(1, 7))
    import_with(redis_client)
    drain_with(redis_client)
    assert all(has_sheet(redis_client, f"h-{number}") for number in range(1, 7))


def test_a_drain_gives_way_to_an_import_that_waits(
    redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hands come all the time; the import has its turn all the same, and scores what is urgent."""
    upload(redis_client, 3)
    WorkQueue(redis_client).enqueue(IMPORT)
    hand = result()
    urgent = Hands(redis_client).submit("default", "t", hand, status_of(hand)).hand_id
    waiting = jobs(redis_client)
    scored = Scorer.score_some
    rounds = itertools.count(1)

    def counted(scorer: Scorer, *, later: bool) -> Iterator[int]:
        next(rounds)
        return scored(scorer, later=later)

    monkeypatch.setattr(Scorer, "score_some", counted)
    drain_with(redis_client, seconds=60)
    # After its first round; had it fallen asleep, it would have left no job in its place.
    assert next(rounds) == 2
    assert jobs(redis_client) == [*waiting, DRAIN]
    assert has_sheet(redis_client, urgent)


def test_a_drain_gives_way_to_no_other_drain_while_others_import(redis_client: redis.Redis) -> None:
    """It would put in another one in its place, which gave way to that one, and so on."""
    upload(redis_client, 1)
    WorkQueue(redis_client).enqueue(DRAIN)
    began = time.monotonic()
    drain_with(redis_client, seconds=60)
    assert time.monotonic() - began > LINGER_SECONDS
    assert jobs(redis_client) == [DRAIN]


def test_a_backlog_gives_way_to_an_import_that_comes(
    redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two rounds, though it began when nothing was to be imported."""
    upload(redis_client, 1)
    import_with(redis_client)
    monkeypatch.setattr("workers.jobs.BATCH", 2)
    scored = Scorer.score_some
    rounds = itertools.count(1)

    def then_upload(scorer: Scorer, *, later: bool) -> Iterator[int]:
        yield from scored(scorer, later=later)
        if next(rounds) == 1:
            upload(redis_client, 2)
            WorkQueue(redis_client).enqueue(IMPORT)

    monkeypatch.setattr(Scorer, "score_some", then_upload)
    drain_with(redis_client, seconds=60)
    assert jobs(redis_client)[-2:] == [IMPORT, DRAIN]
    assert next(rounds) == 3
    assert len(ImportChunks(redis_client).left()) == 1


def test_sheets_of_imported_hands_wait_while_a_file_comes_in(redis_client: redis.Redis) -> None:
    upload(redis_client, 1)
    import_with(redis_client)
    imports = Imports(redis_client)
    coming = imports.upload("default")
    coming.add(Block(1, line(3)))
    hand = result()
    urgent = Hands(redis_client).submit("default", "t", hand, status_of(hand)).hand_id
    drain_with(redis_client)
    assert has_sheet(redis_client, urgent)
    assert not has_sheet(redis_client, "h-1")
    assert sweep(redis_client, late=0) == 0
    imports.accept(coming, BY)
    import_with(redis_client)
    drain_with(redis_client)
    assert all(has_sheet(redis_client, f"h-{number}") for number in (1, 2, 3))


@pytest.mark.parametrize("more", [-5, 5])
def test_they_do_not_wait_for_imports_without_end(redis_client: redis.Redis, more: int) -> None:
    """Another tenant may send one file after the other, and there is a limit to waiting for that."""
    upload(redis_client, 1)
    import_with(redis_client)
    for number in (1, 2):
        stream = Stream("hand", "default", f"h-{number}")
        redis_client.zincrby(due_key(shard_of(stream)), -(PATIENCE + more) * 1000, due_name(stream))
    Imports(redis_client).upload("another").add(Block(1, line(3)))
    assert sweep(redis_client, late=0) == (2 if more > 0 else 0)
    drain_with(redis_client)
    assert [has_sheet(redis_client, f"h-{number}") for number in (1, 2)] == [more > 0] * 2


def test_they_wait_no_longer_when_it_is_abandoned(redis_client: redis.Redis) -> None:
    upload(redis_client, 1)
    import_with(redis_client)
    imports = Imports(redis_client)
    coming = imports.upload("default")
    coming.add(Block(1, line(3)))
    imports.abandon(coming)
    assert sweep(redis_client, late=0) == 2
    drain_with(redis_client)
    assert has_sheet(redis_client, "h-1")


def test_they_do_not_wait_for_an_upload_that_takes_long(
    redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    imports = Imports(redis_client)
    coming = imports.upload("default")
    coming.add(Block(1, line(1)))
    assert ImportChunks(redis_client).are_under_way()
    # One that breaks off says so no more.
    marks = [redis_client.pttl(key) for key in redis_client.keys("*:uploading")]
    assert len(marks) == 1
    assert 1_000 < marks[0] <= 2_000
    redis_client.delete(*redis_client.keys("*:uploading"))
    began = time.monotonic()
    monkeypatch.setattr("records.import_jobs.time.monotonic", lambda: began + 10)
    coming.add(Block(2, line(2)))
    assert not ImportChunks(redis_client).are_under_way()


def test_a_backlog_gives_way_in_the_midst_of_a_round(
    redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A round through all shards takes as long as an upload of 20,000 hands."""
    upload(redis_client, 10)
    import_with(redis_client)
    for name in ("workers.jobs.BATCH", "workers.scoring.BATCH"):
        monkeypatch.setattr(name, 1)
    monkeypatch.setattr("workers.scoring.MANY", 0)
    scored = Scorer.score_some
    done = itertools.count()

    def then_upload(scorer: Scorer, *, later: bool) -> Iterator[int]:
        for count in scored(scorer, later=later):
            if next(done) == 1:
                Imports(redis_client).upload("default").add(Block(1, line(99)))
            yield count

    monkeypatch.setattr(Scorer, "score_some", then_upload)
    drain_with(redis_client)
    assert next(done) == 2
    assert sum(has_sheet(redis_client, f"h-{number}") for number in range(1, 21)) == 2


def test_an_upload_that_was_accepted_is_not_thrown_away(redis_client: redis.Redis) -> None:
    """The answer may be lost on its way: who accepted it abandons it then, or accepts it again."""
    imports = Imports(redis_client)
    coming = imports.upload("default")
    coming.add(Block(1, line(1)))
    coming.add(Block(2, line(2)))
    stream = Stream("import", "default", imports.accept(coming, BY))
    imports.abandon(coming)
    ChunkImporter(redis_client).do_next()
    assert imports.accept(coming, BY) == stream.id
    import_with(redis_client)
    assert statuses(redis_client, stream) == [202, 202]
    assert not ImportChunks(redis_client).left()


def test_an_upload_that_was_thrown_away_is_not_accepted(redis_client: redis.Redis) -> None:
    """The call that accepts it may come late: after the one that abandons it, or after an hour."""
    imports = Imports(redis_client)
    coming = imports.upload("default")
    coming.add(Block(1, line(1)))
    imports.abandon(coming)
    with pytest.raises(StoreUnavailable, match="what was stored of the upload is gone"):
        imports.accept(coming, BY)
    assert not ImportChunks(redis_client).are_under_way()
    assert imports.state("default", coming.stream.id) is None


def test_fresh_hands_are_scored_between_the_batches_of_a_chunk(
    redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.imports.BATCH", 1)
    upload(redis_client, 1)
    done: list[int] = []
    ChunkImporter(redis_client, between=lambda: done.append(len(done))).do_next()
    assert done == [0, 1]


@pytest.mark.parametrize("others", [[], [DRAIN], [IMPORT], [DRAIN, IMPORT]], ids=str)
def test_a_worker_asks_for_help_whatever_else_waits(redis_client: redis.Redis, others: list[str]) -> None:
    """Once: a job that waits for its turn is the help that was asked for."""
    upload(redis_client, 4)
    for other in others:
        WorkQueue(redis_client).enqueue(other)
    import_with(redis_client)
    assert ImportChunks(redis_client).left() == []
    assert jobs(redis_client).count(IMPORT) == 1


def test_the_last_chunk_needs_no_help(redis_client: redis.Redis) -> None:
    upload(redis_client, 1)
    import_with(redis_client)
    assert IMPORT not in jobs(redis_client)


def test_a_job_gives_way_and_is_put_in_again(redis_client: redis.Redis) -> None:
    upload(redis_client, 3)
    import_with(redis_client, seconds=0)
    assert IMPORT in jobs(redis_client)
    assert DRAIN not in jobs(redis_client)
    import_with(redis_client)
    assert DRAIN in jobs(redis_client)
    assert ImportChunks(redis_client).left() == []


class TestLeases:
    def test_a_chunk_is_one_workers_own_for_a_time(self, redis_client: redis.Redis) -> None:
        stream = upload(redis_client, 1)
        chunks = ImportChunks(redis_client)
        assert chunks.claim(stream, 0.2) is not None
        assert chunks.claim(stream) is None
        assert not ChunkImporter(redis_client).do_next()

    def test_after_that_another_one_does_it(self, redis_client: redis.Redis) -> None:
        stream = upload(redis_client, 1)
        chunks = ImportChunks(redis_client)
        dead = chunks.claim(stream, 0)
        assert dead is not None
        assert dead.since is None
        # It had stored the first hand.
        ChunkImporter(redis_client)._importer.take("default", BY, [(1, line(1))], "/")
        assert ChunkImporter(redis_client).do_next()
        assert statuses(redis_client, stream) == [202, 202]

    def test_who_comes_late_changes_nothing(self, redis_client: redis.Redis) -> None:
        stream = upload(redis_client, 2)
        chunks, worker = ImportChunks(redis_client), ChunkImporter(redis_client)
        late = chunks.claim(stream, 0)
        assert late is not None
        while worker.do_next():
            pass
        assert chunks.finish(late, worker._outcomes(late)) == -1
        state = Imports(redis_client).state("default", stream.id)
        assert state is not None
        assert (state.status, state.total, state.done, state.created) == ("done", 4, 4, 4)
        assert statuses(redis_client, stream) == [202] * 4

    def test_a_mark_of_a_wrong_clock_can_be_claimed(self, redis_client: redis.Redis) -> None:
        stream = upload(redis_client, 1)
        (left,) = redis_client.keys("*:left")
        seconds, _ = redis_client.time()
        redis_client.zadd(left, {b"0": (seconds + 86_400) * 1000})
        assert isinstance(ImportChunks(redis_client).claim(stream), Chunk)

    def test_the_sweeper_sees_what_is_left(self, redis_client: redis.Redis) -> None:
        upload(redis_client, 1)
        sweep(redis_client, late=0)
        assert jobs(redis_client) == [IMPORT]


def test_the_store_goes_away_in_the_middle(spare_redis: RedisServer) -> None:
    """The chunk is there again after the lease, when the store is back."""
    with spare_redis.client() as client:
        stream = upload(client, 1)
        chunk = ImportChunks(client).claim(stream, 0)
        assert chunk is not None
        spare_redis.kill()
        with pytest.raises(StoreUnavailable):
            list(ChunkImporter(client)._outcomes(chunk))
        spare_redis.start()
    with spare_redis.client() as client:
        assert ChunkImporter(client).do_next()
        assert statuses(client, stream) == [202, 202]
