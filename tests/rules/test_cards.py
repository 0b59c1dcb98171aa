"""Cards, the two packs, what beats what and what a pile is worth (IT-1, IT-2, FT-1)."""

from __future__ import annotations

import random
from itertools import product

import pytest

from tests.support.card_rules import PACK_54, PACK_78, TAROCK, TAROT, Tarock, halves, thirds
from trull.cards import (
    BIT,
    CARDS,
    CODES,
    FOOL,
    HONOURS,
    KINGS,
    T1,
    T2,
    T21,
    TAROCK_54,
    TAROT_78,
    TRUMPS,
    Pack,
    cards_of,
    codes_of,
    mask_of,
)

BOTH = pytest.mark.parametrize(("pack", "rules"), [(TAROCK_54, TAROCK), (TAROT_78, TAROT)], ids=["54", "78"])


@BOTH
def test_it_1_1_ft_1_1_the_packs(pack: Pack, rules: Tarock) -> None:
    assert sorted(codes_of(pack.cards)) == sorted(rules.pack)
    assert len(rules.pack) == int(pack.name[-2:])


def test_it_1_3_card_codes() -> None:
    assert sorted(CODES) == sorted(PACK_78)
    assert set(PACK_54) < set(CODES)
    assert [CODES[card] for card in (T1, T2, T21, FOOL)] == ["T1", "T2", "T21", "F"]
    assert CARDS["CC"] == CODES.index("CC")
    assert CARDS["S10"] == CODES.index("S10")
    assert len(CARDS) == len(BIT) == 78
    for other in ("s10", "T0", "T22", "10S", "SB", "XX", "", "Sküs"):
        assert other not in CARDS


def test_it_1_2_honours_and_kings() -> None:
    assert set(codes_of(HONOURS)) == {"T1", "T21", "F"}
    assert set(codes_of(KINGS)) == {"SK", "HK", "DK", "CK"}
    assert codes_of(TRUMPS) == [f"T{number}" for number in range(1, 22)]


@BOTH
def test_it_1_4_it_1_5_ft_1_4_what_beats_what(pack: Pack, rules: Tarock) -> None:
    """Every card on every other: as the second card of a trick."""
    for best, other in product(rules.pack, repeat=2):
        if best == other or (rules is TAROT and best == "F"):
            continue
        beats = bool(pack.beats[CARDS[best]] & BIT[CARDS[other]])
        wins = other != "F" or rules is TAROCK
        assert beats == (wins and rules.winner([best, other]) == 1), (best, other)


@BOTH
def test_it_6_2_ft_5_2_what_follows_what(pack: Pack, rules: Tarock) -> None:
    for led in rules.pack:
        if rules is TAROT and led == "F":
            continue
        expected = rules.of_suit(rules.pack, rules.suit(led))
        assert sorted(codes_of(pack.following[CARDS[led]])) == sorted(expected)


def test_ft_5_5_the_excuse_beats_and_asks_for_nothing() -> None:
    assert TAROT_78.following[FOOL] == 0
    assert TAROT_78.beats[FOOL] == 0
    assert not any(beaten & BIT[FOOL] for beaten in TAROT_78.beats)
    assert TAROT_78.tarocks == TRUMPS
    assert TAROCK_54.tarocks == TRUMPS | BIT[FOOL]


def test_it_2_1_it_2_2_ft_1_2_every_card_is_worth_its_own() -> None:
    for card in PACK_54:
        assert TAROCK_54.units[CARDS[card]] == TAROCK_54.worth(BIT[CARDS[card]]) == thirds([card])
    for card in PACK_78:
        assert TAROT_78.units[CARDS[card]] == TAROT_78.worth(BIT[CARDS[card]]) == halves([card])
    # 4 1/2, 3 1/2, 2 1/2, 1 1/2 and 1/2; 4 1/3 down to 1/3.
    assert [halves([card]) for card in ("F", "HK", "DQ", "CC", "SJ", "T20", "H10")] == [9, 9, 7, 5, 3, 1, 1]
    assert [thirds([card]) for card in ("F", "HK", "DQ", "CC", "SJ", "T20", "H1")] == [13, 13, 10, 7, 4, 1, 1]


def test_it_2_2_70_points_and_ft_1_2_91_points() -> None:
    assert TAROCK_54.worth(TAROCK_54.cards) == TAROCK_54.total_units == 210 == 70 * 3
    assert TAROT_78.worth(TAROT_78.cards) == TAROT_78.total_units == 182 == 91 * 2
    assert (TAROCK_54.units_per_point, TAROT_78.units_per_point) == (3, 2)
    assert TAROCK_54.worth(0) == TAROT_78.worth(0) == 0


@BOTH
def test_a_pile_is_worth_its_cards(pack: Pack, rules: Tarock) -> None:
    chance = random.Random(1)
    count = thirds if rules is TAROCK else halves
    for _ in range(200):
        pile = chance.sample(rules.pack, chance.randint(0, len(rules.pack)))
        assert pack.worth(mask_of(CARDS[card] for card in pile)) == count(pile)


def test_sets_of_cards() -> None:
    assert mask_of([]) == 0
    assert list(cards_of(0)) == []
    cards = [CARDS[code] for code in ("F", "SK", "T1")]
    assert list(cards_of(mask_of(cards))) == sorted(cards)
    assert codes_of(mask_of(cards)) == ["SK", "T1", "F"]
