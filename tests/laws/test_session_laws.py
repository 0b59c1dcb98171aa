"""Laws of sessions: what adds up, whatever hands there are, and what makes no difference."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.judging import judge_record, opening_of_record
from records.session_log import About, Rate
from records.session_view import SessionView, view_of
from records.tallies import HALVES, Tally
from tests.laws.lawbook import law, read, record_of
from tests.support.hands import NAMES, Telling
from trull import replay, score
from trull.variants import VARIANTS

VARIANT_IDS = [
    "illustrated-loew-1954",
    "illustrated-beck",
    "illustrated-mayr-sedlaczek-2016",
    "french-tarot-3",
    "french-tarot-4",
    "french-tarot-5",
]

each_variant = pytest.mark.parametrize("variant", VARIANT_IDS)
SEEDS = st.lists(st.integers(0, 400), min_size=1, max_size=7)
"""Of the hands of an evening. Few, so that each is played once and remembered."""

_played: dict[tuple[str, int], Tally] = {}


def tally(variant: str, seed: int) -> Tally:
    """A hand played by chance, with some penalties, and its sheet; it has no place yet."""
    key = (variant, seed)
    if key not in _played:
        chance = random.Random(seed)
        telling = Telling(penalties=chance.choice((0, 0, 2)), annulled=chance.random() < 0.1)
        _played[key] = with_sheet(record_of(variant, seed, telling))
    return _played[key]


def with_sheet(sent: dict[str, Any]) -> Tally:
    """The tally of a record, as a worker leaves it."""
    record = read(sent)
    sheet = score(replay(record.variant, record.events)).as_dict(record.players, "h", len(record.events))
    opening = opening_of_record(record)
    status = judge_record(record).status
    return Tally("h", len(record.events), opening, status, due=False, sheet=sheet, recorded_at="", arrival=0)


def placed(tallies: list[Tally]) -> list[Tally]:
    """The hands in this order, each at a place of its own."""
    return [
        replace(
            one,
            hand_id=f"h{number}",
            opening=one.opening._replace(session_id="s", table=None, round=None, number=number),
            arrival=number,
        )
        for number, one in enumerate(tallies, 1)
    ]


def evening(variant: str, seeds: list[int]) -> list[Tally]:
    return placed([tally(variant, seed) for seed in seeds])


def session(variant: str, tallies: list[Tally], rate: int = 3) -> SessionView:
    about = About(tuple(NAMES), variant, rate=Rate(rate, "EUR"))
    return view_of(about, tallies, {}, VARIANTS)


@each_variant
@law(40)
@given(SEEDS, st.integers(0, 1000))
def test_settlements_come_to_zero_in_points_and_in_money(variant: str, seeds: list[int], rate: int) -> None:
    view = session(variant, evening(variant, seeds), rate)
    settled = view.settlement_dict()
    assert sum(settled["points"].values()) == 0
    assert sum(settled["money"].values()) == 0
    for name in ("transfers", "pairwise"):
        for what, nets in (("points", "points"), ("amount", "money")):
            found = dict.fromkeys(NAMES, 0)
            for transfer in settled[name]:
                assert transfer[what] > 0 or rate == 0
                found[transfer["from"]] -= transfer[what]
                found[transfer["to"]] += transfer[what]
            assert found == settled[nets]
    for player in NAMES:
        assert settled["money"][player] == settled["points"][player] * rate
        assert type(settled["money"][player]) is int
    assert len(settled["transfers"]) < len(NAMES)


@each_variant
@law(40)
@given(SEEDS)
def test_totals_are_the_scores_and_the_bonuses(variant: str, seeds: list[int]) -> None:
    tallies = evening(variant, seeds)
    told = session(variant, tallies).as_dict()
    for player in NAMES:
        points = penalties = 0
        for one in tallies:
            assert one.sheet is not None
            own = one.sheet["scores"].get(player, 0)
            fined = sum(
                item["points"][player]
                for item in one.sheet["items"]
                if item["item"] == "penalty" and player in item["points"]
            )
            points += own - fined if one.status == "scored" else 0
            penalties += fined
        bonus = sum(series["bonus"][player] for series in told["series"])
        assert told["totals"][player] == points + bonus
        (row,) = (row for row in told["standings"] if row["player"] == player)
        assert (row["points"], row["penalties"]) == (points + bonus + penalties, penalties)
    if variant.startswith("illustrated"):
        for series in told["series"]:
            raw = {player: series["totals"][player] - series["bonus"][player] for player in NAMES}
            ended = max(raw.values()) >= 100
            assert ended == (series["to"] is not None) == bool(series["winners"])
            assert series["bonus"] == {player: 10 if raw[player] >= 100 else 0 for player in NAMES}
    else:
        assert told["series"] == []
        assert sum(told["totals"].values()) == 0


@each_variant
@law(30)
@given(SEEDS, st.randoms(use_true_random=False))
def test_the_order_of_arrival_changes_nothing(variant: str, seeds: list[int], chance: random.Random) -> None:
    tallies = evening(variant, seeds)
    mixed = [*tallies]
    chance.shuffle(mixed)
    mixed = [replace(one, arrival=arrival) for arrival, one in enumerate(mixed)]
    before, after = session(variant, tallies), session(variant, mixed)
    assert after.as_dict() == before.as_dict()
    assert after.settlement_dict() == before.settlement_dict()


@each_variant
@law(30)
@given(SEEDS, st.data())
def test_annulling_a_hand_equals_never_having_played_it_penalties_aside(
    variant: str, seeds: list[int], data: st.DataObject
) -> None:
    tallies = evening(variant, seeds)
    at = data.draw(st.integers(0, len(tallies) - 1))
    one = tallies[at]
    fined = sum(one.penalties.values())
    assert one.sheet is not None
    items = [item for item in one.sheet["items"] if item["item"] == "penalty"]
    scores = {player: one.penalties.get(player, 0) // HALVES for player in one.opening.players}
    sheet = {**one.sheet, "status": "annulled", "items": items, "scores": scores, "payments": []}
    annulled = replace(one, status="annulled", sheet=sheet)
    with_it = session(variant, [*tallies[:at], annulled, *tallies[at + 1 :]])
    without = session(variant, [*tallies[:at], *tallies[at + 1 :]])
    told, other = with_it.as_dict(), without.as_dict()
    assert told["totals"] == other["totals"]
    assert told["series"] == other["series"]
    assert with_it.settlement_dict() == without.settlement_dict()
    assert sum(with_it.penalties) - sum(without.penalties) == fined


@each_variant
@law(30)
@given(SEEDS)
def test_penalties_move_no_money(variant: str, seeds: list[int]) -> None:
    """The same hands without them are settled alike, and are in the same series."""
    tallies = evening(variant, seeds)
    bare = []
    for one in tallies:
        assert one.sheet is not None
        items = [item for item in one.sheet["items"] if item["item"] != "penalty"]
        scores = {
            player: points - one.penalties.get(player, 0) / HALVES
            for player, points in one.sheet["scores"].items()
        }
        bare.append(replace(one, sheet={**one.sheet, "items": items, "scores": scores}))
    before, after = session(variant, tallies), session(variant, bare)
    assert after.settlement_dict() == before.settlement_dict()
    assert after.as_dict()["series"] == before.as_dict()["series"]
    assert after.as_dict()["totals"] == before.as_dict()["totals"]
