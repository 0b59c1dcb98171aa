"""Sheets are made of what is stored, and of a hand that cannot be scored as well."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import cast

import pytest
import redis
from rq.timeouts import JobTimeoutException, UnixSignalDeathPenalty

from records.codec import SCHEMA, write_entry
from records.hands import Hands, StoredSheet
from records.judging import Judged, sheet_of
from records.log import Append, Stream
from records.record import HandRecord
from records.redis_keys import SHARDS, due_key, due_name, shard_of, stream_key
from records.redis_log import RedisLog
from records.sheets import Sheets
from records.stored_hands import write_head
from tests.support.hand_records import played, record, result, status_of
from trull import ScoreSheet, replay, score
from trull.variants import VARIANTS
from workers import scoring
from workers.scoring import BATCH, Scorer


@pytest.fixture
def hands(redis_client: redis.Redis) -> Hands:
    return Hands(redis_client)


@pytest.fixture
def scorer(redis_client: redis.Redis) -> Scorer:
    return Scorer(redis_client)


def submit(hands: Hands, hand: HandRecord) -> str:
    return hands.submit("default", "tester", hand, status_of(hand)).hand_id


def sheet(hands: Hands, hand_id: str) -> StoredSheet:
    found = hands.sheet("default", hand_id)
    assert found is not None
    return found


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_stored_hand_scores_like_its_record(hands: Hands, scorer: Scorer, variant: str) -> None:
    records = {hand_id: played(variant, seed, hand_id=hand_id) for seed, hand_id in enumerate("abc")}
    for hand in records.values():
        submit(hands, hand)
    assert sum(scorer.score_some()) == 3
    for hand_id, hand in records.items():
        expected = score(replay(hand.variant, hand.events)).as_dict(hand.players, hand_id, len(hand.events))
        assert sheet(hands, hand_id) == StoredSheet(expected, len(hand.events), len(hand.events), due=False)
    assert list(scorer.score_some()) == []


def test_a_reported_result_and_an_annulled_hand(hands: Hands, scorer: Scorer) -> None:
    submit(hands, result(hand_id="told"))
    submit(hands, record(hand_id="off", events=[{"type": "hand_annulled", "reason": "misdeal"}]))
    assert sum(scorer.score_some()) == 2
    told, off = sheet(hands, "told").sheet, sheet(hands, "off").sheet
    assert told is not None
    assert off is not None
    assert (told["status"], off["status"]) == ("scored", "annulled")
    assert told["declarer"] == "Anna"


def test_more_than_a_batch(hands: Hands, scorer: Scorer) -> None:
    ids = [submit(hands, result()) for _ in range(SHARDS * 10)]
    assert sum(scorer.score_some()) == len(ids) < SHARDS * BATCH
    assert not any(sheet(hands, hand_id).due for hand_id in ids)


def test_scoring_again_changes_nothing(hands: Hands, scorer: Scorer, redis_client: redis.Redis) -> None:
    """As when a worker was thought dead and was not."""
    submit(hands, result(hand_id="h"))
    stream = Stream("hand", "default", "h")
    assert sum(scorer.score_some()) == 1
    before = redis_client.dump(stream_key(stream))
    redis_client.zadd(due_key(shard_of(stream)), {due_name(stream): 0})
    assert sum(scorer.score_some()) == 1
    assert redis_client.dump(stream_key(stream)) == before
    assert sum(Sheets(redis_client).due()) == 0


def fail_at_zweiblatt(how: Callable[[], None]) -> Callable[..., ScoreSheet]:
    """`records.judging.sheet_of`, but for the hands of one contract."""

    def faulty(judged: Judged, facts: object) -> ScoreSheet:
        made = sheet_of(judged, facts=facts)
        if made.draft.contract == "zweiblatt":
            how()
        return made

    return faulty


def explode() -> None:
    raise ZeroDivisionError("a fault of ours")


def hang() -> None:
    time.sleep(30)


def solo(hand_id: str) -> HandRecord:
    event = {**result().sent[0], "contract": "solo"}
    return record(hand_id=hand_id, events=[event])


def test_a_hand_that_cannot_be_scored_gets_a_sheet_that_says_so(
    hands: Hands, scorer: Scorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        submit(hands, result(hand_id=f"bad{number}"))
        submit(hands, solo(f"good{number}"))
    monkeypatch.setattr(scoring, "sheet_of", fail_at_zweiblatt(explode))
    assert sum(scorer.score_some()) == 40
    for number in range(20):
        good, bad = sheet(hands, f"good{number}"), sheet(hands, f"bad{number}")
        assert good.sheet is not None
        assert good.sheet["status"] == "scored"
        assert (bad.version, bad.due) == (1, False)
        assert bad.sheet is not None
        assert bad.sheet["status"] == "failed"
        assert bad.sheet["scores"] == {"Anna": 0, "Béla": 0, "Юлия": 0}
        assert bad.sheet["problem"]["type"] == "urn:trull:problem:internal-error"
        assert "ZeroDivisionError" in bad.sheet["problem"]["detail"]
        assert "a fault of ours" not in str(bad.sheet), "details are for the log"
    assert sum(scorer.score_some()) == 0, "not tried for ever"


def test_a_hand_that_would_take_for_ever_fails_and_the_others_are_scored(
    hands: Hands, scorer: Scorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit(hands, result(hand_id="bad"))
    for number in range(40):
        submit(hands, solo(f"good{number}"))
    monkeypatch.setattr(scoring, "sheet_of", fail_at_zweiblatt(hang))
    # As RQ ends a job that is over its time.
    with UnixSignalDeathPenalty(1, JobTimeoutException):  # type: ignore[no-untyped-call]
        assert sum(scorer.score_some()) == 41
    bad = sheet(hands, "bad").sheet
    assert bad is not None
    assert bad["status"] == "failed"


@pytest.mark.parametrize("what", ["schema", "schema of a later entry", "variant"])
def test_a_hand_of_a_later_version_is_left_to_its_workers(
    hands: Hands, redis_client: redis.Redis, what: str
) -> None:
    submit(hands, result(hand_id="h"))
    stream = Stream("hand", "default", "h")
    if what != "variant":
        RedisLog(redis_client).append(
            stream, 1, Append(write_entry("x", None, [], []), 0, write_head("scored", due=True))
        )
        place = 2 if what == "schema" else 3
        entry = bytearray(cast(bytes, redis_client.lindex(stream_key(stream), place)))
        entry[6] = SCHEMA + 1  # after its time
        redis_client.lset(stream_key(stream), place, bytes(entry))  # type: ignore[arg-type]  # bytes will do
    older = Scorer(redis_client, {} if what == "variant" else VARIANTS, lease=0.1)
    assert sum(older.score_some()) == 1
    found = RedisLog(redis_client).read(stream)
    assert found is not None
    assert found.view is None
    time.sleep(0.15)
    assert Sheets(redis_client).overdue() == 1
    if what == "variant":
        assert sum(Scorer(redis_client).score_some()) == 1
        assert sheet(hands, "h").version == 1


@pytest.mark.parametrize("end", [30, -60, -2], ids=["in its opening", "in its events", "before the last"])
def test_a_hand_that_cannot_be_read_holds_up_no_other(
    hands: Hands, scorer: Scorer, redis_client: redis.Redis, end: int
) -> None:
    """What is stored was damaged: an entry is cut off."""
    hand = played("french-tarot-4", 2)
    for number in range(40):
        hands.submit("default", "tester", replace(hand, hand_id=f"h{number}"), "scored")
    key = stream_key(Stream("hand", "default", "h7"))
    entry = cast(bytes, redis_client.lindex(key, 2))
    redis_client.lset(key, 2, entry[:end])  # type: ignore[arg-type]  # bytes will do
    assert sum(scorer.score_some()) == 40
    if end == 30:
        found = RedisLog(redis_client).read(Stream("hand", "default", "h7"))
        assert found is not None
        assert found.view is None, "there is nothing to make even a failed sheet of"
    for number in range(40):
        if number != 7 or end != 30:
            made = sheet(hands, f"h{number}").sheet
            assert made is not None
            assert made["status"] == ("failed" if number == 7 else "scored")


def test_a_mark_without_a_hand_goes(scorer: Scorer, redis_client: redis.Redis) -> None:
    stream = Stream("hand", "default", "gone")
    redis_client.zadd(due_key(shard_of(stream)), {due_name(stream): 0})
    assert sum(scorer.score_some()) == 1
    assert redis_client.keys() == []
