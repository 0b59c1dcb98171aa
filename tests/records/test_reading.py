"""How a log reads: from its last standing restatement on, each event under its number in the log."""

from __future__ import annotations

import random
from typing import Any

import pytest

from records.codec import Opening, read_entry, write_restatement
from records.judging import judge, judge_appended, judge_record, opening_of_record
from records.packing import unpack_events, unpack_sent
from records.reading import Misplaced, Reading, Recorded, Restated, players_at, read, standing
from records.record import HandRecord
from records.schemas import load_events
from tests.support.hand_records import PLAYERS, begun, played, record
from trull import RulesError
from trull.events import BidMade, EventRetracted, Passed, PenaltyAssessed
from trull.variants import VARIANTS

ANNA, BELA, YULIA = PLAYERS
OTHERS = ("Dora", YULIA, ANNA)


def logged(players: tuple[str, ...], *events: dict[str, Any]) -> list[Recorded]:
    loaded = load_events({"events": list(events)}, players)
    return [Recorded(event, sent, players) for event, sent in zip(loaded.events, loaded.sent, strict=True)]


def told(hand: HandRecord, players: tuple[str, ...] = PLAYERS) -> Recorded:
    """A restatement by a record; ``players`` are those of the hand before."""
    restated = Restated(opening_of_record(hand), hand.events, hand.sent, "told wrong")
    return Recorded(restated, {"type": "hand_restated"}, players)


def fine(player: str, points: int = -5) -> dict[str, Any]:
    return {"type": "penalty_assessed", "player": player, "points": points}


def undo(seq: int) -> dict[str, Any]:
    return {"type": "event_retracted", "seq": seq}


FIRST = begun()
OPENING = opening_of_record(FIRST)
LOG = logged(PLAYERS, *FIRST.sent)
DORA = begun(OTHERS, session_id="s")


def test_a_log_reads_as_it_is() -> None:
    log = [*LOG, *logged(PLAYERS, undo(2), fine(ANNA))]
    reading = read(OPENING, log)
    assert reading.events == [item.event for item in log]
    assert reading.sent == [item.sent for item in log]
    assert (reading.opening, list(reading.seqs), reading.restated) == (OPENING, [1, 2, 3, 4], 0)


def test_it_reads_from_the_restatement_on() -> None:
    log = [*LOG, told(DORA), *logged(OTHERS, fine("Dora"), undo(4), fine(ANNA, 7))]
    reading = read(OPENING, log)
    assert reading.opening == opening_of_record(DORA)
    assert reading.events == [
        Passed(0),
        BidMade(1, "zweiblatt"),
        PenaltyAssessed(0, -5, None),
        EventRetracted(3, None),
        PenaltyAssessed(2, 7, None),
    ]
    assert list(reading.seqs) == [3, 3, 4, 5, 6]
    assert reading.sent[3] == undo(3)
    assert reading.restated == 3
    assert players_at(OPENING, log[:2]) == PLAYERS
    assert players_at(OPENING, log[:3]) == OTHERS


def test_and_from_before_it_when_that_is_undone() -> None:
    log = [*LOG, told(DORA), *logged(OTHERS, fine(ANNA), undo(3), fine(YULIA))]
    # What follows the retraction was made for the players of the reading before.
    log[5] = logged(PLAYERS, fine(YULIA))[0]
    reading = read(OPENING, log)
    assert (reading.opening, reading.restated) == (OPENING, 0)
    assert reading.events[2:] == [PenaltyAssessed(0, -5, None), PenaltyAssessed(2, -5, None)]
    assert list(reading.seqs) == [1, 2, 4, 6]


def test_what_was_undone_needs_no_seat() -> None:
    log = [*LOG, told(DORA), *logged(OTHERS, fine("Dora"), undo(4), fine(ANNA))]
    back = logged(OTHERS, undo(3))
    assert list(read(OPENING, [*log, *back]).seqs) == [1, 2, 6]
    with pytest.raises(Misplaced, match='"Dora" is no player') as refused:
        read(OPENING, [*log[:4], *back])
    assert (refused.value.seq, refused.value.variant) == (4, FIRST.variant.id)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ([undo(2)], "retract the restatement, event 4, first"),
        ([undo(3)], "retract the restatement, event 4, first"),
        ([undo(4), undo(4)], "retracted already"),
        ([undo(4), undo(3), undo(3)], "retracted already"),
    ],
)
def test_what_restatements_forbid(more: list[dict[str, Any]], says: str) -> None:
    log = [*LOG, told(DORA), told(FIRST, OTHERS), *logged(PLAYERS, *more)]
    with pytest.raises(Misplaced, match=says) as refused:
        read(OPENING, log)
    assert (refused.value.seq, refused.value.path) == (4 + len(more), ("seq",))


@pytest.mark.parametrize("seed", range(40))
def test_there_and_back(seed: int) -> None:
    """Whatever restatements are made and taken back, the last first, the hand reads as before."""
    chance = random.Random(seed)
    log = [*LOG]
    readings = [read(OPENING, log)]
    made: list[int] = []
    for _ in range(chance.randrange(2, 12)):
        players = players_at(OPENING, log)
        if made and chance.random() < 0.4:
            log += logged(players, undo(made.pop()))
            readings.pop()
            was, now = readings[-1], read(OPENING, log)
            assert (now.opening, now.events, now.restated) == (was.opening, was.events, was.restated)
            assert list(now.seqs) == list(was.seqs)
            continue
        hand = begun(tuple(chance.sample([*PLAYERS, "Dora", "Eva"], 3)), number=chance.randrange(1, 9))
        log.append(told(hand, players))
        made.append(len(log))
        readings.append(read(OPENING, log))
        assert readings[-1] == Reading(
            opening_of_record(hand), hand.events, hand.sent, [len(log)] * 2, len(log)
        )


def test_what_stands() -> None:
    events = [fine(ANNA), undo(1), fine(BELA), undo(3), undo(3), undo(2), undo(9), fine(YULIA)]
    reading = standing(read(OPENING, logged(PLAYERS, *events)))
    assert list(reading.seqs) == [5, 6, 7, 8]
    assert [type(event) for event in reading.events] == [*[EventRetracted] * 3, PenaltyAssessed]
    with pytest.raises(RulesError, match="no such event before"):
        judge(OPENING, logged(PLAYERS, *events)[4:], VARIANTS)


class TestJudging:
    def test_a_beginning_that_only_a_later_event_would_make_legal(self) -> None:
        """Béla's bid has no place in the hand as it reads when it comes."""
        log = [*LOG, told(record(events=[{"type": "hand_annulled", "reason": "misdeal"}]))]
        added = logged(PLAYERS, {"type": "passed", "player": YULIA}, undo(3))
        with pytest.raises(RulesError) as refused:
            judge_appended(OPENING, log, added, VARIANTS)
        assert (refused.value.index, refused.value.seq) == (0, None)
        assert judge_appended(OPENING, log, added[::-1], VARIANTS).status == "incomplete"

    def test_names_are_those_of_the_reading_that_is_judged(self) -> None:
        log = [*LOG, told(DORA)]
        added = logged(OTHERS, {"type": "passed", "player": "Dora"})
        with pytest.raises(RulesError) as refused:
            judge_appended(OPENING, log, added, VARIANTS)
        assert refused.value.detail == "It is the turn of Anna to speak."

    def test_what_a_retraction_exposes_has_its_number_in_the_log(self) -> None:
        on = [
            {"type": "bid_made", "player": ANNA, "contract": "einblatt"},
            {"type": "passed", "player": YULIA},
        ]
        log = [*LOG, told(DORA), *logged(OTHERS, *on)]
        with pytest.raises(RulesError) as refused:
            judge_appended(OPENING, log, logged(OTHERS, undo(4)), VARIANTS)
        said = "Without event 4, event 5 breaks a rule: It is the turn of Anna to speak."
        assert (refused.value.told(OTHERS), refused.value.seq) == (said, 5)
        assert str(refused.value) == said

    @pytest.mark.parametrize("variant", VARIANTS)
    def test_a_hand_restated_by_itself_is_itself(self, variant: str) -> None:
        hand = played(variant, 11)
        log = [*LOG, told(hand)]
        judged = judge(OPENING, log, VARIANTS)
        assert judged.status == "scored"
        assert judged.reading.sent == judge_record(hand).reading.sent


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_restatement_is_packed_like_a_hand(variant: str) -> None:
    hand = played(variant, 4, session_id="s", table=3, labels=["x"])
    opening: Opening = opening_of_record(hand)
    data = write_restatement("Büro", opening, "ошибка", hand.events, hand.sent)
    entry = read_entry(data)
    assert (entry.actor, entry.opening, entry.reason) == ("Büro", opening, "ошибка")
    assert unpack_sent(entry.packed, hand.players) == hand.sent
    assert unpack_events(entry.packed, hand.players, lambda *_: []) == hand.events
    assert len(data) < 420


def test_a_stored_restatement_is_still_read() -> None:
    """What the first version of its schema stored: it must never be read otherwise."""
    stored = bytes.fromhex(
        "02010542c3bc726f335b22696c6c75737472617465642d6265636b222c5b22446f7261222c22d0aed0bbd0b8d18f222c22"
        "416e6e61225d2c2273225d0377687902002901"
    )
    entry = read_entry(stored)
    assert (entry.actor, entry.reason, entry.count) == ("Büro", "why", 2)
    assert entry.opening == Opening("illustrated-beck", OTHERS, "s")
    assert unpack_sent(entry.packed, OTHERS) == [
        {"type": "passed", "player": "Dora"},
        {"type": "bid_made", "player": YULIA, "contract": "zweiblatt"},
    ]
