"""Laws of the sheet: what adds up, what settles, and what makes no difference."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
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
from tests.support.card_rules import face, halves, thirds
from tests.support.hands import NAMES, VARIANT_IDS, Telling, record, told
from tests.support.tables import Table
from tests.support.tarock_table import TarockTable
from tests.support.tarot_table import TarotTable
from trull import facts_of, replay, score
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


# --- What adds up --------------------------------------------------------------------------------


@each_kind
@law(120)
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
        _check_sides(sheet, Fraction(tarot_halves(table), 2), 91)
        assert sheet["card_points"]["declarer"] == Fraction(tarot_halves(table), 2)
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


def tarot_halves(table: TarotTable) -> int:
    """The half points of the taker's side, the Excuse where it belongs (FT-3.5, FT-5.7 to FT-5.9)."""
    assert table.declarer is not None
    takers = {table.declarer} if table.partner is None else {table.declarer, table.partner}
    pile = table.pile(takers) + table.discarded
    pile += table.talon if table.contract == "garde_sans" else []
    total = halves(pile)
    for number, (leader, winner, trick) in enumerate(table.tricks):
        if "F" not in trick:
            continue
        owners = (leader + trick.index("F")) % table.seats in takers
        winners = winner in takers
        earlier = {at in takers for _, at, _ in table.tricks[:number]}
        last = number == len(table.tricks) - 1
        sign = 1 if owners else -1
        if last and earlier == {owners}:  # wins the trick with it
            return total + sign * halves(trick) * (owners != winners)
        if last:  # changes sides: against half a point where its own side won the trick
            return total - sign * 8 * (owners == winners)
        return total + sign * 8 * (owners != winners)
    return total


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
@law(25)
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


# --- What makes no difference --------------------------------------------------------------------


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
@law(60)
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
@law(60)
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


def test_the_random_hands_have_what_they_are_for() -> None:
    """Laws over hands in which nothing happens would say little."""
    seen: Counter[str] = Counter()
    for kind in VARIANT_IDS:
        for seed in range(150):
            table = table_of(kind, seed)
            sheet = sheet_of(told(table, random.Random(seed)))
            seen.update(_happened(table, sheet))
    for thing in WANTED:
        assert seen[thing] >= 2, f"{thing}: {seen}"


def _happened(table: Table, sheet: Sheet) -> list[str]:
    found = [event["type"] for _, event in table.story]
    found += [str(sheet["contract"]), str(sheet["stake"]), str(sheet["outcome"]), str(sheet["status"])]
    for item in sheet["items"]:
        made = "" if "made" not in item else " made" if item["made"] else " failed"
        found.append(f"{item['item']}{made}")
        found.append(f"contra {item['contra']}")
    found += ["excuse last"] * (bool(table.tricks) and "F" in table.tricks[-1][2])
    found += ["alone"] * (sheet["partner"] is not None and sheet["partner"] == sheet["declarer"])
    found += ["tarock laid away"] * any(card[0] == "T" for card in table.discarded)
    return found


WANTED = [
    *("passed", "bid_made", "bid_accepted", "bid_taken_over", "bid_held", "bid_retaken", "king_called"),
    *("announced", "contra_called", "talon_taken", "cards_discarded"),
    *("dreiblatt", "zweiblatt", "einblatt", "solo", "prise", "garde", "garde_sans", "garde_contre"),
    *("called", "taken_over", "held", "retaken", "won", "lost", "scored", "annulled"),
    *("pagat made", "pagat failed", "uhu made", "uhu failed", "forty made", "forty failed", "fifty made"),
    *("fifty failed", "without_trull made", "without_trull failed", "without_kings made", "valat made"),
    *("without_kings failed", "tarock_trull made", "royal_trull made", "two_honours made", "valat failed"),
    *("petit_au_bout made", "handful made", "slam made", "slam failed", "excuse last", "alone"),
    *("tarock laid away", "contra 2", "contra 4", "trischaken", "trischaken_no_trick"),
]
