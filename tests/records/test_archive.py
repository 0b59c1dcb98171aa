"""Old hands leave Redis for a file with everything, and come back as they were."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest
import redis

from records.archive import ArchivedHand, BadArchive, read_archive, write_archive
from records.changes import restated
from records.codec import write_entry
from records.feed import Feed
from records.hand_list import HandFilters
from records.hands import Hands
from records.log import Append, Stream
from records.old_hands import old_hands
from records.record import HandRecord
from records.redis_keys import SHARDS, TOMBSTONE, feed_key, ids_key, shard_of, stream_key
from records.redis_log import RedisLog
from records.schemas import load_events
from records.session_log import About
from records.sessions import Sessions
from records.shelving import Shelves
from records.tournaments import Tournaments
from records.variant_store import VariantStore
from records.visibility import EVERYTHING
from tests.records.test_compaction import STREAM, play_live
from tests.support.hand_records import begun, played, result, status_of
from trull.variants import VARIANTS
from workers.scoring import Scorer


@cache
def hands() -> list[HandRecord]:
    return [played("french-tarot-4", seed) for seed in range(5)]


def soon() -> datetime:
    return datetime.now(UTC) + timedelta(seconds=1)


def submit(client: redis.Redis, *hands: HandRecord, tenant: str = "default") -> None:
    for hand in hands:
        Hands(client).submit(tenant, "tester", hand, status_of(hand))


def score(client: redis.Redis) -> None:
    while sum(Scorer(client).score_some()):
        pass


def evening(client: redis.Redis, count: int = 30) -> list[str]:
    """Hands of one session, scored, their ids in order."""
    ids = [f"e-{number}" for number in range(count)]
    for number, id_ in enumerate(ids):
        hand = replace(hands()[number % 5], hand_id=id_, session_id="evening", number=number + 1)
        Hands(client).submit("default", "tester", hand, "scored")
    score(client)
    return ids


def penalize(client: redis.Redis, stream: Stream, players: tuple[str, ...]) -> None:
    found = RedisLog(client).read(stream)
    assert found is not None
    event = {"type": "penalty_assessed", "player": players[0], "points": -1}
    loaded = load_events({"events": [event]}, players)
    body = write_entry("director", None, loaded.events, loaded.sent)
    RedisLog(client).append(stream, found.version, Append(body, 1, found.head, due=True))


def everything(client: redis.Redis) -> dict[bytes, Any]:
    keys = cast(list[bytes], client.keys("{t*"))
    return {key: client.dump(key) for key in keys}


def archived(client: redis.Redis, file: Path, before: datetime | None = None) -> list[ArchivedHand]:
    write_archive(file, "default", old_hands(client, "default", before or soon()), VariantStore(client))
    return list(read_archive(file))


def lines_of(file: Path) -> list[str]:
    with gzip.open(file, "rt") as lines:
        return list(lines)


def listed(client: redis.Redis, **filters: Any) -> list[str]:
    page = Hands(client).page("default", HandFilters(**filters), None, 1000)
    return [hand["hand_id"] for hand in page.items]


def test_what_is_taken_out_comes_back_as_it_was(redis_client: redis.Redis, tmp_path: Path) -> None:
    """The whole store, byte by byte: entries, times, actors, sheets, and its place in every list."""
    ids = evening(redis_client)
    play_live(redis_client)
    score(redis_client)
    before = everything(redis_client)
    told = {id_: Hands(redis_client).get("default", id_) for id_ in (*ids, "h")}
    shelved = archived(redis_client, tmp_path / "a.gz")
    shelves = Shelves(redis_client)
    assert {shelves.remove(hand) for hand in shelved} == {"removed"}
    assert listed(redis_client) == listed(redis_client, session_id="evening") == []
    assert not list(redis_client.scan_iter("*:hand:*"))
    assert {shelves.restore(hand) for hand in shelved} == {"restored"}
    assert everything(redis_client) == before
    assert {id_: Hands(redis_client).get("default", id_) for id_ in (*ids, "h")} == told


def test_what_is_left_of_a_hand_is_small(redis_client: redis.Redis, tmp_path: Path) -> None:
    evening(redis_client, 300)
    full = used(redis_client)
    for hand in archived(redis_client, tmp_path / "a.gz"):
        Shelves(redis_client).remove(hand)
    assert full - used(redis_client) > 300 * 600


def test_nor_does_a_live_hand_leave_its_appends_in_the_feed(
    redis_client: redis.Redis, tmp_path: Path
) -> None:
    hand = play_live(redis_client)
    score(redis_client)
    key = feed_key(shard_of(STREAM), "default")
    full = cast(int, redis_client.memory_usage(key, samples=0))
    [shelved] = archived(redis_client, tmp_path / "a.gz")
    assert len(shelved.fed) == len(hand.events) + 1
    Shelves(redis_client).remove(shelved)
    left = cast(int, redis_client.memory_usage(key, samples=0))
    assert full - left > 14 * len(hand.events)


def used(client: redis.Redis) -> int:
    known: Any = client.info("memory")
    return int(known["used_memory"])


def fed(client: redis.Redis, limit: int = 1000, cursor: str | None = None) -> list[tuple[str, str, int]]:
    """What the feed tells from a cursor on, read in pages: type, hand, number or version."""
    found: list[tuple[str, str, int]] = []
    while True:
        page = Feed(client).page("default", cursor, limit, EVERYTHING)
        found += [(item["type"], item["hand_id"], item.get("seq") or item["version"]) for item in page.items]
        if not page.full:
            return found
        cursor = page.next


@pytest.mark.parametrize("limit", [1, 7, 1000])
def test_the_feed_passes_over_what_was_taken_out(
    redis_client: redis.Redis, tmp_path: Path, limit: int
) -> None:
    """Whoever is in the middle of it goes on, and all comes back to its place."""
    evening(redis_client, 12)
    hand = play_live(redis_client)
    score(redis_client)
    told = fed(redis_client)
    middle = Feed(redis_client).page("default", None, 500, EVERYTHING)
    shelved = [
        one for one in archived(redis_client, tmp_path / "a.gz") if one.stream.id not in ("e-3", "e-7")
    ]
    shelves = Shelves(redis_client)
    for one in shelved:
        shelves.remove(one)
    submit(redis_client, begun(hand_id="later"))
    later = [("hand.event", "later", 1), ("hand.event", "later", 2)]
    left = [item for item in told if item[1] in ("e-3", "e-7")] + later
    assert fed(redis_client, limit) == left
    assert (
        fed(redis_client, limit, middle.next)
        == [item for item in told[500:] if item[1] in ("e-3", "e-7")] + later
    )
    for one in shelved:
        shelves.restore(one)
    assert fed(redis_client, limit) == told + later
    assert fed(redis_client, limit, middle.next) == told[500:] + later
    assert len(told) > 500 + len(hand.events)


def test_a_long_gap_is_passed_in_few_steps(redis_client: redis.Redis) -> None:
    """As where a million hands were archived: neither the feed nor a list is slow for it."""
    for shard in range(SHARDS):
        redis_client.rpush(feed_key(shard, "default"), *[b""] * 20_000)
        redis_client.rpush(ids_key(shard, "hand", "default"), *[f"{TOMBSTONE}0123456789ab"] * 20_000)
    submit(redis_client, begun(hand_id="h"))
    before = commands(redis_client)
    assert fed(redis_client) == [("hand.event", "h", 1), ("hand.event", "h", 2)]
    assert listed(redis_client) == ["h"]
    assert commands(redis_client) - before < SHARDS * 50


def commands(client: redis.Redis) -> int:
    known: Any = client.info("stats")
    return int(known["total_commands_processed"])


def test_the_cursor_of_a_list_outlives_an_archive(redis_client: redis.Redis, tmp_path: Path) -> None:
    evening(redis_client, 20)
    first = Hands(redis_client).page("default", HandFilters(session_id="evening"), None, 10)
    ids = listed(redis_client, session_id="evening")
    for hand in archived(redis_client, tmp_path / "a.gz")[:15]:
        Shelves(redis_client).remove(hand)
    rest = Hands(redis_client).page("default", HandFilters(session_id="evening"), first.next, 100)
    there = set(listed(redis_client))
    assert len(there) == 5
    assert [hand["hand_id"] for hand in rest.items] == [id_ for id_ in ids[10:] if id_ in there]


def test_only_finished_hands_to_which_nothing_was_added_lately(
    redis_client: redis.Redis, tmp_path: Path
) -> None:
    submit(redis_client, result(hand_id="old"), begun(hand_id="begun"), result(hand_id="corrected"))
    score(redis_client)
    time.sleep(0.01)
    then = datetime.now(UTC)
    time.sleep(0.01)
    submit(redis_client, result(hand_id="new"), tenant="other")
    submit(redis_client, result(hand_id="new"))
    penalize(redis_client, Stream("hand", "default", "corrected"), result().players)
    score(redis_client)
    submit(redis_client, result(hand_id="due"))
    assert [hand.stream.id for hand in archived(redis_client, tmp_path / "a.gz", then)] == ["old"]
    later = {hand.stream.id for hand in archived(redis_client, tmp_path / "b.gz")}
    assert later == {"old", "corrected", "new"}


def test_the_file_can_be_read_by_others(redis_client: redis.Redis, tmp_path: Path) -> None:
    hand = play_live(redis_client)
    score(redis_client)
    file = tmp_path / "a.jsonl.gz"
    archived(redis_client, file)
    head, line, tail = map(json.loads, lines_of(file))
    assert head["trull_archive"] == 1
    assert head["tenant"] == "default"
    assert tail["hands"] == 1
    stored = Hands(redis_client).get("default", "h")
    sheet = Hands(redis_client).sheet("default", "h")
    assert stored is not None
    assert sheet is not None
    assert [entry["event"] for entry in line["log"]] == hand.sent
    assert [entry["recorded_at"] for entry in line["log"]] == [entry.recorded_at for entry in stored.entries]
    assert {entry["actor"] for entry in line["log"]} == {"table-0", "table-1", "table-3"}
    assert line["record"] == stored.record.as_dict()
    assert line["sheet"] == sheet.sheet
    assert (line["hand_id"], line["version"], line["status"]) == ("h", len(hand.events), "scored")
    assert file.stat().st_mode & 0o777 == 0o600


def test_what_changed_after_it_was_written_stays(redis_client: redis.Redis, tmp_path: Path) -> None:
    play_live(redis_client)
    score(redis_client)
    [hand] = archived(redis_client, tmp_path / "a.gz")
    redis_client.lset(stream_key(STREAM), 1, "another sheet")
    before = everything(redis_client)
    assert Shelves(redis_client).remove(hand) == "changed"
    assert everything(redis_client) == before


def test_each_step_twice_is_once(redis_client: redis.Redis, tmp_path: Path) -> None:
    evening(redis_client, 5)
    before = everything(redis_client)
    shelved, shelves = archived(redis_client, tmp_path / "a.gz"), Shelves(redis_client)
    assert {shelves.restore(hand) for hand in shelved} == {"there"}
    assert everything(redis_client) == before
    for expected in ("removed", "gone"):
        assert {shelves.remove(hand) for hand in shelved} == {expected}
    for expected in ("restored", "there"):
        assert {shelves.restore(hand) for hand in shelved} == {expected}
    assert everything(redis_client) == before


def test_an_id_that_was_given_away_keeps_its_new_hand(redis_client: redis.Redis, tmp_path: Path) -> None:
    submit(redis_client, result(hand_id="h"))
    score(redis_client)
    [hand] = archived(redis_client, tmp_path / "a.gz")
    Shelves(redis_client).remove(hand)
    submit(redis_client, begun(hand_id="h"))
    assert Shelves(redis_client).restore(hand) == "other"
    stored = Hands(redis_client).get("default", "h")
    assert stored is not None
    assert stored.record.sent == begun().sent


def test_into_another_store(redis_client: redis.Redis, tmp_path: Path) -> None:
    """It joins the lists there, behind what came before, and is whole."""
    ids = evening(redis_client, 12)
    told = {id_: Hands(redis_client).get("default", id_) for id_ in ids}
    sheets = {id_: Hands(redis_client).sheet("default", id_) for id_ in ids}
    shelved = archived(redis_client, tmp_path / "a.gz")
    redis_client.flushall()
    submit(redis_client, result(hand_id="before"))
    score(redis_client)
    shelves = Shelves(redis_client)
    assert {shelves.restore(hand) for hand in shelved} == {"restored"}
    assert sorted(listed(redis_client)) == sorted([*ids, "before"])
    assert sorted(listed(redis_client, session_id="evening")) == sorted(ids)
    assert sorted(listed(redis_client, player="Cyril")) == sorted(ids)
    assert {id_: Hands(redis_client).get("default", id_) for id_ in ids} == told
    assert {id_: Hands(redis_client).sheet("default", id_) for id_ in ids} == sheets
    heard = [("hand.scored", hand.stream.id, hand.found.version) for hand in shelved]
    told_there = fed(redis_client)
    assert sorted(item for item in told_there if item[0] == "hand.scored" and item[1] != "before") == sorted(
        heard
    )
    assert len(told_there) == 2 + sum(1 + hand.found.version for hand in shelved)


def test_a_restated_hand_is_in_all_its_lists_there(redis_client: redis.Redis, tmp_path: Path) -> None:
    hands = Hands(redis_client)
    submit(redis_client, result(hand_id="h", session_id="s1"))
    stored = hands.get("default", "h")
    assert stored is not None
    other = result(hand_id="h", session_id="s2", players=["Anna", "Béla", "Dora"])
    hands.append("default", "director", stored, restated(stored, other, "another player"))
    score(redis_client)
    told = hands.get("default", "h")
    [shelved] = archived(redis_client, tmp_path / "a.gz")
    redis_client.flushall()
    assert Shelves(redis_client).restore(shelved) == "restored"
    for filters in ({"player": "Dora"}, {"session_id": "s2"}, {"player": "Anna"}):
        assert listed(redis_client, **filters) == ["h"]
    assert redis_client.hkeys(f"{ids_key(shard_of(STREAM), 'hand', 'default')}:lists") == [
        name.encode()
        for name in ("session:s1", "player:Anna", "player:Béla", "player:Юлия", "session:s2", "player:Dora")
    ]
    assert hands.get("default", "h") == told


def test_an_irregular_hand_waits_for_its_correction(redis_client: redis.Redis, tmp_path: Path) -> None:
    hand = begun(hand_id="h")
    Hands(redis_client).submit("default", "tester", hand, "irregular", kept=True)
    score(redis_client)
    assert archived(redis_client, tmp_path / "a.gz") == []


def test_hands_of_an_open_session_wait_for_its_settlement(redis_client: redis.Redis) -> None:
    ids = set(evening(redis_client, 5))
    sessions = Sessions(redis_client)
    players = tuple({player: None for hand in hands() for player in hand.players})
    sessions.open("default", "tester", "evening", About(players, "french-tarot-4"))
    assert list(old_hands(redis_client, "default", soon())) == []
    session = sessions.get("default", "evening")
    assert session is not None
    sessions.close("default", "tester", session, sessions.view("default", session), "", None)
    assert {hand.stream.id for hand in old_hands(redis_client, "default", soon())} == ids


def test_hands_of_an_open_tournament_wait_for_its_end(redis_client: redis.Redis) -> None:
    ids = set(evening(redis_client, 5))
    tournaments = Tournaments(redis_client)
    settings = {
        "tournament_id": "evening",
        "name": "Friday",
        "variant": "french-tarot-4",
        "rounds": 1,
        "hands_per_round": 5,
        "tables": 1,
    }
    made = tournaments.create("default", "tester", settings).tournament
    assert list(old_hands(redis_client, "default", soon())) == []
    tournaments.direct("default", "director", made, [{"type": "tournament_closed"}])
    assert {hand.stream.id for hand in old_hands(redis_client, "default", soon())} == ids


def test_a_restored_hand_can_go_on(redis_client: redis.Redis, tmp_path: Path) -> None:
    hand = play_live(redis_client)
    score(redis_client)
    [shelved] = archived(redis_client, tmp_path / "a.gz")
    shelves = Shelves(redis_client)
    assert (shelves.remove(shelved), shelves.restore(shelved)) == ("removed", "restored")
    penalize(redis_client, STREAM, hand.players)
    score(redis_client)
    stored = Hands(redis_client).get("default", "h")
    sheet = Hands(redis_client).sheet("default", "h")
    assert stored is not None
    assert sheet is not None
    assert stored.version == sheet.version == len(hand.events) + 1
    assert shelves.restore(shelved) == "other"


def changed(line: str, **fields: Any) -> str:
    return json.dumps({**json.loads(line), **fields}) + "\n"


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda lines: lines[:-1], "not whole"),
        (lambda lines: lines[:2] + lines[3:], "checksum"),
        (lambda lines: [lines[0], lines[2], lines[1], *lines[3:]], "checksum"),
        (lambda lines: [*lines, lines[1]], "follows"),
        (lambda lines: lines[1:], "line 1: no archive"),
        (lambda lines: [changed(lines[0], trull_archive=2), *lines[1:]], "line 1: no archive"),
        (lambda lines: [lines[0], changed(lines[1], status="void"), *lines[2:]], "line 2: what it tells"),
        (lambda lines: [lines[0], changed(lines[1], stored=["AAAA"]), *lines[2:]], "line 2: no hand"),
        (lambda lines: [lines[0], "[]\n", *lines[2:]], "line 2: no JSON object"),
        (lambda lines: [lines[0], "{\n", *lines[2:]], "cannot be read"),
        (lambda _: [], "not whole"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_file_that_was_changed_is_found_out(
    redis_client: redis.Redis, tmp_path: Path, damage: Callable[[list[str]], list[str]], says: str
) -> None:
    evening(redis_client, 3)
    file = tmp_path / "a.gz"
    archived(redis_client, file)
    lines = lines_of(file)
    with gzip.open(file, "wt") as out:
        out.writelines(damage(lines))
    with pytest.raises(BadArchive, match=says):
        list(read_archive(file, VARIANTS))
    with pytest.raises(BadArchive):
        list(read_archive(file))


@pytest.mark.parametrize("end", [0.3, 0.9, 0.999])
def test_a_file_that_was_cut_off(redis_client: redis.Redis, tmp_path: Path, end: float) -> None:
    evening(redis_client, 10)
    file = tmp_path / "a.gz"
    archived(redis_client, file)
    whole = file.read_bytes()
    file.write_bytes(whole[: int(len(whole) * end)])
    with pytest.raises(BadArchive):
        list(read_archive(file))


def test_a_file_is_never_written_over(redis_client: redis.Redis, tmp_path: Path) -> None:
    evening(redis_client, 2)
    file = tmp_path / "a.gz"
    file.write_text("precious")
    with pytest.raises(FileExistsError):
        archived(redis_client, file)
    assert file.read_text() == "precious"
