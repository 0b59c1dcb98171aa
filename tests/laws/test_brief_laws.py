"""Laws of a hand in brief: it scores as its sheet does, also when it was packed and unpacked."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.facts_codec import Kept, line_up, read_facts, write_facts
from tests.laws.lawbook import SEEDS, TELLINGS, each_kind, law, read, table_of
from tests.service.golden import Case, load_cases
from tests.support.hands import Telling, play_out, told
from tests.support.houses import houses
from trull import Hand, Variant, replay, score
from trull.briefs import Brief, Totals, brief_of, totals
from trull.state import FINISHED
from trull.variants import VARIANTS


def by_sheet(hand: Hand, variant: Variant) -> Totals:
    """What the sheet says."""
    sheet = score(hand, variant)
    factor = 1 if sheet.draft.halves else 2
    return Totals(sheet.draft.status, tuple(factor * points for points in sheet.scores))


def packed(hand: Hand, brief: Brief, players: list[str]) -> Brief:
    """The brief after it was written down and read again."""
    kept = Kept(hand.variant.id, line_up(players), brief)
    found = read_facts(write_facts(kept), VARIANTS)
    assert found is not None
    assert (found.variant, found.line_up) == (kept.variant, kept.line_up)
    return found.brief


def check(hand: Hand, players: list[str], variants: list[Variant]) -> None:
    brief = brief_of(hand)
    for some in (brief, packed(hand, brief, players)):
        for variant in variants:
            assert totals(some, variant) == by_sheet(hand, variant), variant.id


@each_kind
@law(60)
@given(SEEDS, TELLINGS, st.data())
def test_under_every_variant_and_a_house(kind: str, seed: int, telling: Telling, data: st.DataObject) -> None:
    record = told(table_of(kind, seed), random.Random(seed), telling)
    loaded = read(record)
    hand = replay(loaded.variant, loaded.events)
    house = data.draw(houses(loaded.variant))
    check(hand, record["players"], [*VARIANTS.values(), house])


@pytest.mark.parametrize("kind", ["illustrated-loew-1954", "french-tarot-4"])
@law(10)
@given(SEEDS)
def test_a_deal_that_some_do_not_play(kind: str, seed: int) -> None:
    """Void under its own variant, or played under one that has no such rule."""
    table = play_out(kind, random.Random(seed), void=True)
    record = told(table, random.Random(seed))
    for own in VARIANTS.values():
        if own.players == len(record["players"]) and own.family == VARIANTS[kind].family:
            loaded = read({**record, "variant": own.id})
            check(replay(own, loaded.events), record["players"], [*VARIANTS.values()])


@pytest.mark.parametrize(
    "case", load_cases("full", "result", "rescored", "published", "real-french"), ids=str
)
def test_golden_records(case: Case) -> None:
    loaded = read(case.record)
    hand = replay(loaded.variant, loaded.events)
    check(hand, list(loaded.players), [*VARIANTS.values()])
    if hand.phase == FINISHED and case.line["expected"]["status"] == "scored":
        told_scores = case.line["expected"]["scores"]
        halves = totals(brief_of(hand), VARIANTS[case.variant]).halves
        assert [half / 2 for half in halves] == [told_scores[player] for player in loaded.players]
