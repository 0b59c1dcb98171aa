"""What happens in a hand: frozen, past-tense values under the contract's wire types.

Players are seats: 0 is forehand, the last one the dealer; names live in the record. Cards are the
integers of `trull.cards`. Events are named tuples because a hand has some sixty of them and they
are made by the million; code tells them apart by their class, never by comparing them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class CardsDealt(NamedTuple):
    """The deal: each seat's cards, and the talon from its top card."""

    hands: tuple[tuple[int, ...], ...]
    talon: tuple[int, ...]


class Passed(NamedTuple):
    seat: int


class BidMade(NamedTuple):
    seat: int
    contract: str


class BidAccepted(NamedTuple):
    """*Gut*: the standing bid is accepted; out of the auction, as by passing."""

    seat: int


class BidTakenOver(NamedTuple):
    """*Ablösung*, Beck's *Unterer*: the standing contract is claimed at the taken-over value."""

    seat: int


class BidHeld(NamedTuple):
    """*Mein Spiel*: the bidder keeps the contract that was taken over."""

    seat: int


class BidRetaken(NamedTuple):
    """*Zweite Ablösung* (Löw): the contract is taken a second time."""

    seat: int


class KingCalled(NamedTuple):
    """The called card (French Tarot for five)."""

    seat: int
    card: int


class Announced(NamedTuple):
    """A bonus announced; ``cards`` are the trumps shown for a handful, ``stage`` as the record gave it."""

    seat: int
    bonus: str
    cards: tuple[int, ...] = ()
    stage: str | None = None


class ContraCalled(NamedTuple):
    """``target`` is ``game`` or a bonus, ``level`` ``contra`` or ``recontra``."""

    seat: int
    target: str
    level: str


class TalonTaken(NamedTuple):
    seat: int
    cards: tuple[int, ...]


class CardsDiscarded(NamedTuple):
    seat: int
    cards: tuple[int, ...]


class CardPlayed(NamedTuple):
    seat: int
    card: int


class TrickPlayed(NamedTuple):
    """A whole trick, in order from its leader."""

    cards: tuple[int, ...]


class HandAnnulled(NamedTuple):
    """``reason``: all_passed, redeal, petit_sec, misdeal or director."""

    reason: str


class ReportedBonus(NamedTuple):
    """A bonus of a score sheet's result. Absent fields are ``None``; ``contra`` is a level."""

    bonus: str
    seat: int | None = None
    stage: str | None = None
    made: bool | None = None
    contra: str = "none"
    size: str | None = None
    announced: bool | None = None


class ResultReported(NamedTuple):
    """A score sheet's result, without the cards.

    ``half_points`` are the declarer's card points times two. In Trischaken ``declarer`` and
    ``half_points`` are ``None`` and the two last fields hold each seat's card points and tricks.
    """

    declarer: int | None
    contract: str
    stake: str = "called"
    half_points: int | None = None
    contra_level: str = "none"
    contra_stage: str | None = None
    bonuses: tuple[ReportedBonus, ...] = ()
    oudlers: int | None = None
    partner: int | None = None
    points_by_seat: tuple[int, ...] | None = None
    tricks_by_seat: tuple[int, ...] | None = None


class EventRetracted(NamedTuple):
    """Undoes the event with that ``seq`` (from 1)."""

    seq: int
    reason: str | None = None


class PenaltyAssessed(NamedTuple):
    """A director's correction to the ranking of one player; never paid."""

    seat: int
    points: int
    reason: str | None = None


TYPE_NAMES: Final[Mapping[type[object], str]] = {
    CardsDealt: "cards_dealt",
    Passed: "passed",
    BidMade: "bid_made",
    BidAccepted: "bid_accepted",
    BidTakenOver: "bid_taken_over",
    BidHeld: "bid_held",
    BidRetaken: "bid_retaken",
    KingCalled: "king_called",
    Announced: "announced",
    ContraCalled: "contra_called",
    TalonTaken: "talon_taken",
    CardsDiscarded: "cards_discarded",
    CardPlayed: "card_played",
    TrickPlayed: "trick_played",
    HandAnnulled: "hand_annulled",
    ResultReported: "result_reported",
    EventRetracted: "event_retracted",
    PenaltyAssessed: "penalty_assessed",
}
"""The wire type of every event."""

Event = (
    CardsDealt
    | Passed
    | BidMade
    | BidAccepted
    | BidTakenOver
    | BidHeld
    | BidRetaken
    | KingCalled
    | Announced
    | ContraCalled
    | TalonTaken
    | CardsDiscarded
    | CardPlayed
    | TrickPlayed
    | HandAnnulled
    | ResultReported
    | EventRetracted
    | PenaltyAssessed
)

BONUSES: Final = (
    "pagat",
    "uhu",
    "forty",
    "fifty",
    "without_trull",
    "without_kings",
    "tarock_trull",
    "royal_trull",
    "two_honours",
    "valat",
    "petit_au_bout",
    "handful",
    "slam",
)
CONTRACTS: Final = (
    "dreiblatt",
    "zweiblatt",
    "einblatt",
    "solo",
    "trischaken",
    "prise",
    "garde",
    "garde_sans",
    "garde_contre",
)
STAKES: Final = ("called", "taken_over", "held", "retaken")
STAGES: Final = ("before_pickup", "after_pickup")
CONTRA_LEVELS: Final = ("none", "contra", "recontra")
ANNULMENTS: Final = ("all_passed", "redeal", "petit_sec", "misdeal", "director")
HANDFULS: Final = ("single", "double", "triple")
