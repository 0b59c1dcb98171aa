"""Cards as small integers, the two packs, and what a pile of cards is worth.

A card is an ``int`` in one numbering for both packs, so that a record can be read before its
variant is known: spades 0-13, hearts 14-27, diamonds 28-41, clubs 42-55 (in each suit the pips
1-10, then Jack, Cavalier, Queen, King), the tarocks ``T1`` .. ``T21`` 56-76, and 77 for ``F``, the
Sküs or Excuse. A set of cards is an ``int`` with a bit for each card.

What beats what and what a card is worth belong to a `Pack`. Sources: IT-1, IT-2, FT-1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

SUITS: Final = "SHDC"
RANKS: Final = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "C", "Q", "K")

CODES: Final[tuple[str, ...]] = (
    *(suit + rank for suit in SUITS for rank in RANKS),
    *(f"T{number}" for number in range(1, 22)),
    "F",
)
CARDS: Final[Mapping[str, int]] = {code: card for card, code in enumerate(CODES)}
BIT: Final[tuple[int, ...]] = tuple(1 << card for card in range(len(CODES)))

FOOL: Final = CARDS["F"]
T1: Final = CARDS["T1"]
T2: Final = CARDS["T2"]
T21: Final = CARDS["T21"]


def mask_of(cards: Iterable[int]) -> int:
    """The set of the cards, as bits."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def cards_of(mask: int) -> Iterator[int]:
    """The cards of a set, lowest number first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def codes_of(mask: int) -> list[str]:
    """The codes of the cards of a set, in the order of the numbering."""
    return [CODES[card] for card in cards_of(mask)]


KINGS: Final = mask_of(CARDS[suit + "K"] for suit in SUITS)
TRUMPS: Final = mask_of(range(T1, T21 + 1))
HONOURS: Final = BIT[T1] | BIT[T21] | BIT[FOOL]
"""The Trull of the 54-card pack, the oudlers of the 78-card pack."""


@dataclass(frozen=True, slots=True)
class Pack:
    """One of the two packs.

    ``units`` is a card's worth in whole units, ``units_per_point`` of which make a point.
    ``following[led]`` is the set of cards that follow the led one, ``beats[best]`` the set of
    cards that would win a trick from the best one so far.
    """

    name: str
    cards: int
    tarocks: int
    units: tuple[int, ...]
    units_per_point: int
    total_units: int
    following: tuple[int, ...]
    beats: tuple[int, ...]
    told: str
    """The pack in the words of a refusal."""

    tables: tuple[tuple[int, ...], ...]
    """The worth of every set of 13 neighbouring cards, for `worth`."""

    def worth(self, mask: int) -> int:
        """The units of a set of cards."""
        first, second, third, fourth, fifth, sixth = self.tables
        return (
            first[mask & 8191]
            + second[mask >> 13 & 8191]
            + third[mask >> 26 & 8191]
            + fourth[mask >> 39 & 8191]
            + fifth[mask >> 52 & 8191]
            + sixth[mask >> 65]
        )


def _pack(
    name: str,
    told: str,
    strengths: Mapping[str, tuple[str, ...]],
    tarocks: int,
    units: tuple[int, ...],
    per_point: int,
) -> Pack:
    """A pack from its suits, each from its lowest to its highest rank, and its tarocks."""
    order = {suit: [CARDS[suit + rank] for rank in ranks] for suit, ranks in strengths.items()}
    following = [0] * len(CODES)
    beats = [0] * len(CODES)
    for ranked in order.values():
        for place, card in enumerate(ranked):
            following[card] = mask_of(ranked)
            beats[card] = mask_of(ranked[place + 1 :]) | tarocks
    for card in cards_of(tarocks):
        following[card] = tarocks
        beats[card] = tarocks & ~((BIT[card] << 1) - 1)
    cards = tarocks | BIT[FOOL] | mask_of(card for ranked in order.values() for card in ranked)
    total = sum(units[card] for card in cards_of(cards))
    return Pack(
        name,
        cards,
        tarocks,
        units,
        per_point,
        total,
        tuple(following),
        tuple(beats),
        told,
        _worth_tables(units),
    )


def _worth_tables(units: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """For each 13 neighbouring cards the units of all their 8,192 sets."""
    tables = []
    for start in range(0, len(units), 13):
        sums = [0]
        for worth in units[start : start + 13]:
            sums += [known + worth for known in sums]
        tables.append(tuple(sums))
    return tuple(tables)


_COURT = {"K": 5, "Q": 4, "C": 3, "J": 2}


def _face(card: int) -> int:
    """The face value that both games share: 5 for Kings, Trull and oudlers, down to 1."""
    if BIT[card] & HONOURS:
        return 5
    return _COURT.get(CODES[card][1:], 1) if card < T1 else 1


_HIGH = ("J", "C", "Q", "K")

TAROCK_54: Final = _pack(
    "industrie-und-glueck-54",
    "the 54-card pack, whose black suits have the pips 7 to 10, the red ones 1 to 4",
    {
        "S": ("7", "8", "9", "10", *_HIGH),
        "H": ("4", "3", "2", "1", *_HIGH),
        "D": ("4", "3", "2", "1", *_HIGH),
        "C": ("7", "8", "9", "10", *_HIGH),
    },
    TRUMPS | BIT[FOOL],
    tuple(3 * _face(card) - 2 for card in range(len(CODES))),
    3,
)
"""Industrie und Glück: 54 cards, 210 thirds of a point (IT-1.1, IT-2.2). The Sküs is the highest tarock."""

TAROT_78: Final = _pack(
    "tarot-78",
    "the 78-card pack",
    dict.fromkeys(SUITS, RANKS),
    TRUMPS,
    tuple(2 * _face(card) - 1 for card in range(len(CODES))),
    2,
)
"""French tarot: 78 cards, 182 halves of a point (FT-1.1, FT-1.2). The Excuse is no trump, beats nothing."""
