"""The rules of play told a second time: cards by their codes, in plain lists.

It shares nothing with `trull`, so that where both agree it means something. Clauses are those of
docs/rules.
"""

from __future__ import annotations

from typing import Final

Card = str

TAROCKS: Final = [f"T{number}" for number in range(1, 22)]
COURT: Final = ["J", "C", "Q", "K"]
BLACK: Final = ["7", "8", "9", "10", *COURT]
RED: Final = ["4", "3", "2", "1", *COURT]
LONG: Final = [*(str(number) for number in range(1, 11)), *COURT]

PACK_54: Final = [
    *(suit + rank for suit in "SC" for rank in BLACK),
    *(suit + rank for suit in "HD" for rank in RED),
    *TAROCKS,
    "F",
]
PACK_78: Final = [*(suit + rank for suit in "SHDC" for rank in LONG), *TAROCKS, "F"]

KINGS: Final = ["SK", "HK", "DK", "CK"]
HONOURS: Final = ["T1", "T21", "F"]


def face(card: Card) -> int:
    """5 for Kings and honours, then 4, 3, 2 and 1 (IT-2.1); half a point more than FT-1.2 has."""
    if card in HONOURS or card in KINGS:
        return 5
    return {"Q": 4, "C": 3, "J": 2}.get(card[1:], 1)


def thirds(cards: list[Card]) -> int:
    """Illustrated Tarock: three times the face values, less 2 a card (IT-2.2)."""
    return 3 * sum(map(face, cards)) - 2 * len(cards)


def halves(cards: list[Card]) -> int:
    """French Tarot: twice 4 1/2, 3 1/2, 2 1/2, 1 1/2 or 1/2 (FT-1.2)."""
    return 2 * sum(map(face, cards)) - len(cards)


class Tarock:
    """Cards of Illustrated Tarock: the Sküs is the highest tarock (IT-1.4, IT-1.5)."""

    pack = PACK_54

    def suit(self, card: Card) -> str:
        """The suit's letter, ``T`` for every tarock."""
        return "T" if card == "F" else card[0]

    def strength(self, card: Card) -> int:
        """The place of a card within its suit, the higher the better."""
        if card == "F":
            return 22
        if card[0] == "T":
            return int(card[1:])
        return (BLACK if card[0] in "SC" else RED).index(card[1:])

    def of_suit(self, cards: list[Card], suit: str) -> list[Card]:
        """The cards of that suit."""
        return [card for card in cards if self.suit(card) == suit]

    def led(self, trick: list[Card]) -> str | None:
        """The suit that has to be followed, if there is one yet."""
        return self.suit(trick[0]) if trick else None

    def winner(self, trick: list[Card]) -> int:
        """The place in the trick of the card that wins it so far (IT-6.4, FT-5.6)."""
        pool = self.of_suit(trick, "T") or self.of_suit(trick, self.led(trick) or "F")
        return trick.index(max(pool, key=self.strength))

    def playable(self, hand: list[Card], trick: list[Card]) -> list[Card]:
        """The cards that may be played (IT-6.2, IT-6.3)."""
        if not trick:
            return list(hand)
        following = self.of_suit(hand, self.led(trick) or "")
        return following or self.of_suit(hand, "T") or list(hand)

    def playable_in_trischaken(self, hand: list[Card], trick: list[Card]) -> list[Card]:
        """The same where one must beat, and the Pagat comes last (IT-8.2, IT-8.3)."""
        may = self.playable(hand, trick)
        if trick:
            may = [card for card in may if self.winner([*trick, card]) == len(trick)] or may
        last_tarock = self.of_suit(hand, "T") == ["T1"]
        if "T1" in may and may != ["T1"] and not last_tarock:
            may.remove("T1")
        return may


class Tarot(Tarock):
    """Cards of French Tarot: the Excuse is of no suit (FT-1.4, FT-5.5)."""

    pack = PACK_78

    def suit(self, card: Card) -> str:
        """The suit's letter, ``T`` for trumps, ``F`` for the Excuse alone."""
        return card[0]

    def strength(self, card: Card) -> int:
        """The place of a card within its suit, the higher the better."""
        return int(card[1:]) if card[0] == "T" else LONG.index(card[1:])

    def led(self, trick: list[Card]) -> str | None:
        """The suit of the first card that is not the Excuse."""
        return next((card[0] for card in trick if card != "F"), None)

    def playable(self, hand: list[Card], trick: list[Card]) -> list[Card]:
        """Follow suit, or trump and overtrump, or anything; the Excuse always (FT-5.2 to FT-5.5)."""
        led = self.led(trick)
        if led is None:
            return list(hand)
        excuse = self.of_suit(hand, "F")
        if led != "T" and self.of_suit(hand, led):
            return self.of_suit(hand, led) + excuse
        trumps = self.of_suit(hand, "T")
        if not trumps:
            return list(hand)
        highest = max((self.strength(card) for card in self.of_suit(trick, "T")), default=0)
        higher = [card for card in trumps if self.strength(card) > highest]
        return (higher or trumps) + excuse

    def first_leads(self, hand: list[Card], called: Card | None) -> list[Card]:
        """What may be led to the first trick with five players (FT-5.10)."""
        return [card for card in hand if called is None or card[0] != called[0] or card == called]


TAROCK: Final = Tarock()
TAROT: Final = Tarot()
