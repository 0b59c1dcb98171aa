"""Laws of the sheet: what makes no difference to it."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from tests.laws.lawbook import (
    SEEDS,
    TELLINGS,
    each_kind,
    hand_of,
    law,
    read,
    record_of,
    sheet_of,
    table_of,
)
from tests.support.hands import NAMES, VARIANT_IDS, Telling, record, told
from trull import facts_of, replay, score
from trull.variants import VARIANTS

Sheet = dict[str, Any]


@each_kind
@law(40)
@given(SEEDS, TELLINGS)
def test_scoring_twice_is_scoring_once(kind: str, seed: int, telling: Telling) -> None:
    loaded = read(record_of(kind, seed, telling))
    hand = replay(loaded.variant, loaded.events)
    first = score(hand).as_dict(loaded.players, "h", 1)
    assert score(hand).as_dict(loaded.players, "h", 1) == first
    assert score(replay(loaded.variant, loaded.events)).as_dict(loaded.players, "h", 1) == first
    if hand.status == "scored":
        facts = facts_of(hand)
        for under in VARIANTS.values():
            if under.game is hand.variant.game and under.players == hand.seats:
                assert score(hand, under, facts) == score(hand, under)


def renamed(value: Any, names: dict[str, str]) -> Any:
    """The same JSON with other names for the players."""
    if isinstance(value, dict):
        return {names.get(key, key): renamed(inner, names) for key, inner in value.items()}
    if isinstance(value, list):
        return [renamed(inner, names) for inner in value]
    return names.get(value, value) if isinstance(value, str) else value


@each_kind
@law(40)
@given(SEEDS, TELLINGS, st.permutations(["Zoë", *NAMES]))
def test_other_names_are_other_names_in_the_sheet(
    kind: str, seed: int, telling: Telling, names: list[str]
) -> None:
    sent = record_of(kind, seed, telling)
    other = dict(zip(sent["players"], names, strict=False))
    assert sheet_of(renamed(sent, other)) == renamed(sheet_of(sent), other)


@each_kind
@law(60)
@given(SEEDS, TELLINGS, st.data())
def test_other_suits_are_no_other_hand(kind: str, seed: int, telling: Telling, data: st.DataObject) -> None:
    sent = record_of(kind, seed, telling)
    if kind.startswith("french"):
        suits = dict(zip("SHDC", data.draw(st.permutations("SHDC")), strict=True))
    else:
        black, red = data.draw(st.permutations("SC")), data.draw(st.permutations("HD"))
        suits = dict(zip("SCHD", [*black, *red], strict=True))
    cards = {suit + rank: other + rank for suit, other in suits.items() for rank in RANKS}
    assert sheet_of(renamed(sent, cards)) == sheet_of(sent)


RANKS = [*"KQCJ", *map(str, range(1, 11))]


def but_version(sheet: Sheet) -> Sheet:
    return {name: value for name, value in sheet.items() if name != "version"}


@each_kind
@law(30)
@given(SEEDS, SEEDS)
def test_the_same_hand_can_be_told_in_many_ways(kind: str, seed: int, how: int) -> None:
    """By tricks, by cards, with slips that were retracted: the same but for the version."""
    table = table_of(kind, seed)
    plain = told(table, random.Random(how))
    sheet = sheet_of(plain)
    assert sheet["version"] == len(plain["events"])
    for telling in (Telling(tricks=1), Telling(tricks=0.5), Telling(slips=4), Telling(tricks=1, slips=4)):
        other = told(table, random.Random(how), telling)
        assert but_version(sheet_of(other)) == but_version(sheet)
        assert sheet_of(other)["version"] == len(other["events"])
        assert hand_of(other).phase == hand_of(plain).phase


@each_kind
@law(25)
@given(SEEDS, st.sampled_from((0.0, 0.5, 1.0)), st.sampled_from((0, 3)))
def test_a_hand_without_its_deal_scores_the_same(kind: str, seed: int, tricks: float, slips: int) -> None:
    table = table_of(kind, seed)
    assume(table.phase != "passed_out")
    bare = told(table, random.Random(seed), Telling(tricks=tricks, deal=False, slips=slips))
    assert but_version(sheet_of(bare)) == but_version(sheet_of(told(table, random.Random(seed))))
    for under in VARIANT_IDS:
        assert but_version(sheet_of(bare, under)) == but_version(
            sheet_of(told(table, random.Random(seed)), under)
        )
    hand = hand_of(bare)
    assert hand.inferred
    assert hand.dealt == hand_of(told(table, random.Random(seed))).dealt


@each_kind
@law(30)
@given(SEEDS)
def test_a_hand_without_its_deal_is_unfinished_until_its_last_card(kind: str, seed: int) -> None:
    table = table_of(kind, seed)
    assume(table.phase != "passed_out")
    bare = told(table, random.Random(seed), Telling(deal=False))
    events = bare["events"]
    for count in range(0, len(events), 7):
        sheet = sheet_of(record(table, events[:count]))
        assert sheet["status"] == ("annulled" if kind == "trischaken" and count == 3 else "incomplete")
        assert sheet["items"] == sheet["payments"] == []


@each_kind
@law(40)
@given(SEEDS, SEEDS)
def test_penalties_join_the_scores_and_nothing_else(kind: str, seed: int, how: int) -> None:
    table = table_of(kind, seed)
    plain = sheet_of(told(table, random.Random(seed)))
    fined = told(table, random.Random(how), Telling(penalties=3))
    assessed: Counter[str] = Counter(plain["scores"])
    for event in fined["events"]:
        if event["type"] == "penalty_assessed":
            assessed[event["player"]] += event["points"]
    sheet = sheet_of(fined)
    assert sheet["scores"] == {player: assessed[player] for player in table.players}
    same = [name for name in plain if name not in ("scores", "items", "version")]
    assert {name: sheet[name] for name in same} == {name: plain[name] for name in same}
    assert [item for item in sheet["items"] if item["item"] != "penalty"] == plain["items"]
