"""Laws of the sheet: what adds up, and what settles it."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import assume, given

from tests.laws.lawbook import (
    SEEDS,
    TELLINGS,
    each_kind,
    law,
    record_of,
    sheet_of,
    table_of,
)
from tests.support.card_rules import face, thirds
from tests.support.hands import VARIANT_IDS, Telling, told
from tests.support.tarock_table import TarockTable
from tests.support.tarot_table import TarotTable
from trull.variants import VARIANTS

Sheet = dict[str, Any]


def exact(points: str) -> Fraction:
    """``"35 2/3"`` as a number."""
    return sum(map(Fraction, points.split()), Fraction(0))


def parts(sheet: Sheet) -> tuple[Counter[str], Counter[str]]:
    """By player: the points of all items, and of the penalties alone."""
    everything: Counter[str] = Counter()
    penalties: Counter[str] = Counter()
    for item in sheet["items"]:
        everything.update(item["points"])
        if item["item"] == "penalty":
            penalties.update(item["points"])
    return everything, penalties


@each_kind
@law(70)
@given(SEEDS)
def test_card_points_are_those_on_the_table(kind: str, seed: int) -> None:
    table = table_of(kind, seed)
    sheet = sheet_of(told(table, random.Random(seed)))
    if table.phase == "passed_out":
        assert sheet["status"] == "annulled"
    elif isinstance(table, TarockTable) and table.trischaken:
        piles = [(seat, table.pile({seat})) for seat in range(3)]
        # Each trick is three cards, worth their face values less 2 (IT-8.6).
        counted = {table.players[seat]: sum(map(face, pile)) - len(pile) // 3 * 2 for seat, pile in piles}
        assert sheet["card_points_by_player"] == counted
    elif isinstance(table, TarotTable):
        _check_sides(sheet, Fraction(table.takers_halves(), 2), 91)
        assert sheet["card_points"]["declarer"] == Fraction(table.takers_halves(), 2)
    else:
        assert table.declarer is not None
        points = Fraction(thirds(table.pile({table.declarer}) + table.discarded), 3)
        _check_sides(sheet, points, 70)
        assert sheet["card_points"]["declarer"] == round(points)
        assert sheet["outcome"] == ("won" if round(points) >= 36 else "lost")


def _check_sides(sheet: Sheet, declarers: Fraction, whole: int) -> None:
    told_exactly = sheet["card_points_exact"]
    assert exact(told_exactly["declarer"]) == declarers
    assert exact(told_exactly["defenders"]) == whole - declarers
    assert sum(sheet["card_points"].values()) == whole


@pytest.mark.parametrize("kind", ["french-tarot-3", "french-tarot-4", "french-tarot-5"])
@law(70)
@given(SEEDS)
def test_petit_slam_and_handfuls_are_those_on_the_table(kind: str, seed: int) -> None:
    """FT-6.2 to FT-6.5, of the hands that end without the Excuse in the last trick."""
    table = table_of(kind, seed)
    assume(table.phase == "finished" and "F" not in table.tricks[-1][2])
    assert isinstance(table, TarotTable)
    sheet = sheet_of(told(table, random.Random(seed)))
    _, winner, last = table.tricks[-1]
    petits = [item["player"] for item in sheet["items"] if item["item"] == "petit_au_bout"]
    assert petits == ([table.players[winner]] if "T1" in last else [])
    handfuls = [item["player"] for item in sheet["items"] if item["item"] == "handful"]
    assert handfuls == [table.players[seat] for seat in table.shown]
    takers = {table.declarer, table.declarer if table.partner is None else table.partner}
    sides = {seat in takers for _, seat, _ in table.tricks}
    announced = (table.declarer, "slam") in table.announced
    shown = [item for item in sheet["items"] if item["item"] == "slam"]
    slams = [(item["announced"], item["made"], item["clause"]) for item in shown]
    expected = [(announced, True, "FT-6.4")] if sides == {True} else [(True, False, "FT-6.4")] * announced
    assert slams == expected + [(False, True, "FT-6.5")] * (sides == {False})


@each_kind
@law(80)
@given(SEEDS, TELLINGS)
def test_items_add_up_to_the_scores_and_payments_settle_them(kind: str, seed: int, telling: Telling) -> None:
    sheet = sheet_of(record_of(kind, seed, telling))
    scores, penalties = parts(sheet)
    assert {player: scores[player] for player in sheet["scores"]} == sheet["scores"]
    played = {player: points - penalties[player] for player, points in sheet["scores"].items()}
    received: Counter[str] = Counter()
    for payment in sheet["payments"]:
        assert payment["points"] > 0
        received[payment["to"]] += payment["points"]
        received[payment["from"]] -= payment["points"]
    if sheet["status"] != "scored":
        assert not sheet["payments"]
        assert not any(played.values())
        assert all(item["item"] == "penalty" for item in sheet["items"])
    elif kind.startswith("french"):
        assert sum(played.values()) == 0
        assert all(type(points) is int for points in played.values())
        assert received == Counter(played)
        assert len(sheet["payments"]) < len(played)
    else:
        total = sum(played.values())
        assert received == Counter({player: 3 * points - total for player, points in played.items()})
        pairs = {frozenset((payment["from"], payment["to"])) for payment in sheet["payments"]}
        unequal = [pair for pair in combinations(played, 2) if played[pair[0]] != played[pair[1]]]
        assert pairs == set(map(frozenset, unequal))
        assert len(sheet["payments"]) == len(pairs)
        for payment in sheet["payments"]:
            assert payment["points"] == played[payment["to"]] - played[payment["from"]]


@each_kind
@law(60)
@given(SEEDS)
def test_an_item_is_base_times_multiplier_times_contra(kind: str, seed: int) -> None:
    """In Illustrated Tarock to whom it is due; in French Tarot to each defender (IT-7, FT-6.6)."""
    table = table_of(kind, seed)
    sheet = sheet_of(told(table, random.Random(seed)))
    for item in sheet["items"]:
        worth = item["base"] * item["multiplier"] * item["contra"]
        others = {abs(points) for points in item["points"].values()}
        if kind.startswith("french"):
            defenders = set(table.players) - {sheet["declarer"], sheet["partner"]}
            assert {abs(item["points"][player]) for player in defenders} == {worth}
        else:
            assert others <= {0, abs(worth)}
            assert any(item["points"].values())


@pytest.mark.parametrize("under", VARIANT_IDS)
@each_kind
@law(12)
@given(SEEDS, TELLINGS)
def test_any_hand_has_a_sheet_under_any_variant(under: str, kind: str, seed: int, telling: Telling) -> None:
    sent = record_of(kind, seed, telling)
    sheet = sheet_of(sent, under)
    own = VARIANTS[sent["variant"]]
    same_game = VARIANTS[under].family == own.family and VARIANTS[under].players == own.players
    assert sheet["variant"] == under
    assert sheet["variant_revision"] == VARIANTS[under].revision
    if not same_game:
        assert sheet["status"] == "void"
        assert [note["code"] for note in sheet["notes"]] == ["void"]
    scores, _ = parts(sheet)
    assert {player: scores[player] for player in sheet["scores"]} == sheet["scores"]
    if under == own.id:
        assert sheet == sheet_of(sent)
