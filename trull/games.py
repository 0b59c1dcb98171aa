"""The two games: the tables and named functions in which the families differ.

The engine (`trull.hand`, `trull.play`) is one; a `Game` tells it which pack is dealt how, which
function takes which event, which cards are legal, and how a finished hand is read and priced.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from trull import (
    announcements,
    auction,
    exchange,
    facts_tarock,
    facts_tarot,
    forms_tarock,
    forms_tarot,
    play,
    price_tarock,
    price_tarot,
    results_tarock,
    results_tarot,
)
from trull.cards import BIT, FOOL, T1, TAROCK_54, TAROT_78, TRUMPS, Pack
from trull.events import (
    Announced,
    BidAccepted,
    BidHeld,
    BidMade,
    BidRetaken,
    BidTakenOver,
    CardsDiscarded,
    ContraCalled,
    KingCalled,
    Passed,
    ResultReported,
    TalonTaken,
)
from trull.forms import ContractForm
from trull.model import Ruling, Variant
from trull.settlement import Payment, fewest_transfers, pairwise_differences
from trull.sheet import Draft
from trull.state import NOBODY, Hand


@dataclass(frozen=True, slots=True)
class Deal:
    """How the pack is dealt to a number of players."""

    cards_each: int
    talon: int
    calls_king: bool = False


@dataclass(frozen=True, slots=True)
class Game:
    """A family of variants: its pack and deals, and the functions that know its rules.

    ``handlers`` take the events before the play; an event without one is out of place.
    ``free[led]`` are cards that need no look at the rest of the hand. ``joker`` is the card that,
    led, leaves the suit to the next one. ``read`` gives the facts that no variant changes, which
    ``price`` takes. ``clauses`` name the rule clauses that the engine cites.
    """

    id: str
    name: str
    pack: Pack
    deals: Mapping[int, Deal]
    handlers: Mapping[type, Callable[[Hand, Any], None]]
    legal: Callable[[Hand], play.LegalCards]
    play_clause: Callable[[int, int, int], str]
    free: tuple[int, ...]
    joker: int
    read: Callable[[Hand], Any]
    price: Callable[[Any, Variant], Draft]
    odd_deal: Callable[[tuple[int, ...]], bool]
    """Whether it is a deal that some of its variants do not play."""
    redeal_ruling: str
    """The ruling by which a variant does not."""
    check_result: Callable[[Hand, ResultReported], None]
    result_form: Callable[[Variant], list[ContractForm]]
    """What a table fills in of a result."""
    settle: Callable[[Sequence[int]], list[Payment]]
    by_difference: bool
    """Whether a session is settled by the differences of its totals, or else from zero-sum scores."""
    rulings: tuple[Ruling, ...]
    clauses: Mapping[str, str]
    void_clause: str
    shows_talon: bool
    """Whether a talon that the contract takes is turned up for all to see when the auction is over."""

    def refuses_deal(self, hand: Hand, variant: Variant) -> bool:
        """Whether the variant would not play this deal (IT-3.3, IT-9.7, FT-2.5)."""
        return (
            bool(variant.rulings[self.redeal_ruling]) and hand.dealt is not None and self.odd_deal(hand.dealt)
        )


def _legal_tarock(hand: Hand) -> play.LegalCards:
    return play.legal_trischaken if hand.trischaken else play.legal_tarock


def _legal_tarot(hand: Hand) -> play.LegalCards:
    return play.legal_tarot


def _clause_tarock(own: int, led: int, card: int) -> str:
    """The rule that a card breaks: follow suit, else a tarock; in Trischaken the Pagat last, and beat."""
    if led != NOBODY:
        if own & TAROCK_54.following[led] and not BIT[card] & TAROCK_54.following[led]:
            return "IT-6.2"
        if own & TAROCK_54.tarocks and not BIT[card] & (TAROCK_54.tarocks | TAROCK_54.following[led]):
            return "IT-6.3"
    return "IT-8.3" if card == T1 else "IT-8.2"


def _clause_tarot(own: int, led: int, card: int) -> str:
    """The rule that a card breaks: the first lead, follow suit, ruff, over- and undertrump."""
    if led == NOBODY:
        return "FT-5.10"
    if own & TAROT_78.following[led] and not BIT[card] & TAROT_78.following[led]:
        return "FT-5.2"
    return "FT-5.4" if BIT[card] & TRUMPS else "FT-5.3"


_WITH_BOOLEAN = (True, False)

_TAROCK_RULINGS: Final = (
    Ruling(
        "solo_overshoot",
        ("both", "undershoot_only", "neither"),
        "Löw's two won Solos leave the overshoot out although his text lists it; no lost one is shown",
        "IT-10.1",
    ),
    Ruling(
        "failed_bonus_multiplied",
        _WITH_BOOLEAN,
        "Beck's example gives 10 each on a Zweiblatt; his table's note would give 20",
        "IT-10.2",
    ),
    Ruling("held_value", None, "Löw names 4 for taken over and 5 for retaken, nothing for held", "IT-10.3"),
    Ruling(
        "royal_trull",
        ("four_kings", "three_honours"),
        "the source repeats the Tarock Trull's text by mistake",
        "IT-10.4",
    ),
    Ruling("hand_bonus_basis", ("before_play", "dealt"), "in hand before the game begins", "IT-10.5"),
    Ruling(
        "without_basis",
        ("dealt", "before_play", "talon_exposed"),
        "in the first hand; Mayr & Sedlaczek let it fail when the talon is exposed:"
        " with the cards taken, or with any of the six",
        "IT-10.6",
    ),
    Ruling(
        "game_contra",
        ("never", "after_pickup", "any_stage"),
        "Löw has the game answered only when the declarer is done; Beck's text names announcements only,"
        " the literature the game too",
        "IT-10.7",
    ),
    Ruling(
        "solo_stage",
        ("before_pickup", "after_pickup"),
        "a Solo has no pick-up; Löw's example prices fifty at the after value",
        "IT-10.8",
    ),
    Ruling(
        "captured_pagat",
        _WITH_BOOLEAN,
        "stated by Löw, as before in the others; whoever captures it earns it",
        "IT-10.9",
    ),
    Ruling(
        "hand_bonuses",
        ("automatic", "claimed"),
        "a record shows who held what; when claimed, only announced ones count",
        "IT-10.10",
    ),
    Ruling("no_tarock_redeal", _WITH_BOOLEAN, "only Löw has it", "IT-10.11"),
    Ruling(
        "pass_out",
        ("redeal", "trischaken"),
        "Beck allows both: a record that plays on after three passes is Trischaken, one that stops a redeal",
        "IT-10.12",
    ),
    Ruling("trischaken_tie", ("all_tied_lose", "no_score"), "the sources are silent", "IT-10.13"),
    Ruling(
        "contra_before",
        None,
        "the factor of a contra before pick-up; its square is the recontra's",
        "IT-10.14",
    ),
    Ruling(
        "contra_after", None, "the factor of a contra after pick-up; its square is the recontra's", "IT-10.14"
    ),
    Ruling("recontra", _WITH_BOOLEAN, "only Mayr & Sedlaczek have a recontra", "IT-10.15"),
    Ruling(
        "series_target",
        None,
        "100 is taken as enough everywhere, although one source writes exceeds",
        "IT-10.16",
    ),
    Ruling("series_bonus", None, "to every player who has reached the target", "IT-10.16"),
)

ILLUSTRATED_TAROCK: Final = Game(
    id="illustrated-tarock",
    name="Illustrated Tarock",
    pack=TAROCK_54,
    deals={3: Deal(16, 6)},
    handlers={
        Passed: auction.pass_or_accept,
        BidAccepted: auction.pass_or_accept,
        BidMade: auction.bid,
        BidTakenOver: auction.take_over,
        BidHeld: auction.hold,
        BidRetaken: auction.retake,
        Announced: announcements.announce,
        ContraCalled: announcements.call_contra,
        TalonTaken: exchange.take_talon,
        CardsDiscarded: exchange.discard,
    },
    legal=_legal_tarock,
    play_clause=_clause_tarock,
    free=TAROCK_54.following,
    joker=NOBODY,
    read=facts_tarock.read,
    price=price_tarock.price,
    odd_deal=facts_tarock.without_tarock,
    redeal_ruling="no_tarock_redeal",
    check_result=results_tarock.check,
    result_form=forms_tarock.form,
    settle=pairwise_differences,
    by_difference=True,
    rulings=_TAROCK_RULINGS,
    clauses={
        "deal": "IT-3.2",
        "inferred": "IT-3.4",
        "auction": "IT-4.2",
        "exchange": "IT-5.5",
        "talon": "IT-5.1",
        "discard_count": "IT-5.2",
        "discard_never": "IT-5.3",
        "discard_tarock": "IT-5.4",
        "turn": "IT-6.1",
        "end": "IT-6.5",
        "held": "IT-6.6",
        "annulled": "IT-12.1",
        "retracted": "IT-12.2",
        "penalty": "IT-12.3",
        "result": "IT-12.4",
    },
    void_clause="IT-3.3",
    # Bonuses are announced before it is turned up (IT-7.21), and the rest is laid face down (IT-5.7, IT-6.7).
    shows_talon=False,
)

FRENCH_TAROT: Final = Game(
    id="french-tarot",
    name="French Tarot",
    pack=TAROT_78,
    deals={3: Deal(24, 6), 4: Deal(18, 6), 5: Deal(15, 3, calls_king=True)},
    handlers={
        Passed: auction.pass_once,
        BidMade: auction.bid_once,
        KingCalled: auction.call_king,
        Announced: announcements.announce_tarot,
        ContraCalled: announcements.refuse_contra,
        TalonTaken: exchange.take_talon,
        CardsDiscarded: exchange.discard,
    },
    legal=_legal_tarot,
    play_clause=_clause_tarot,
    free=tuple(0 if following == TRUMPS else following for following in TAROT_78.following),
    joker=FOOL,
    read=facts_tarot.read,
    price=price_tarot.price,
    odd_deal=facts_tarot.petit_sec,
    redeal_ruling="petit_sec_redeal",
    check_result=results_tarot.check,
    result_form=forms_tarot.form,
    settle=fewest_transfers,
    by_difference=False,
    rulings=(
        Ruling(
            "excuse_last_trick",
            ("changes_side", "to_trick_winner", "stays_with_owner"),
            "FFT lets the Excuse change sides in the last trick;"
            " taken to the letter, it is always found in its own camp",
            "FT-7.1",
        ),
        Ruling(
            "half_points",
            ("away_from_zero", "keep"),
            "with three and five players the difference ends in a half: FFT rounds it",
            "FT-7.2",
        ),
        Ruling("petit_sec_redeal", _WITH_BOOLEAN, "the Petit as only trump voids the deal", "FT-7.3"),
        Ruling("slam_by_defence", None, "to each defender (FFT)", "FT-7.4"),
    ),
    clauses={
        "deal": "FT-2.9",
        "inferred": "FT-2.10",
        "auction": "FT-2.1",
        "exchange": "FT-3.6",
        "talon": "FT-3.1",
        "discard_count": "FT-3.2",
        "discard_never": "FT-3.3",
        "discard_tarock": "FT-3.4",
        "turn": "FT-5.1",
        "end": "FT-5.12",
        "held": "FT-5.11",
        "annulled": "FT-9.1",
        "retracted": "FT-9.2",
        "penalty": "FT-9.3",
        "result": "FT-9.4",
    },
    void_clause="FT-2.5",
    # FT-3.1
    shows_talon=True,
)
