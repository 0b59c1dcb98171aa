"""What lies open at the table while a hand is played, and how a hand looks to one who sees only that.

Hands and discards are their owners' alone; a talon that is not turned up is nobody's. Plain tarocks
that had to be discarded lie face up (IT-5.4, FT-3.4), and what was played is known to all.
"""

from __future__ import annotations

from trull.cards import BIT, mask_of
from trull.state import ANNULLED, AUCTION, DEAL, FINISHED, KING_CALL, PASSED_OUT, Hand

_OVER = (FINISHED, PASSED_OUT, ANNULLED)
_CLOSED = (DEAL, AUCTION, KING_CALL)


def is_live(hand: Hand) -> bool:
    """Whether cards are still to be kept secret: the hand is neither at its end nor dealt again.

    A Trischaken that has not begun counts as annulled where the record stops, and is live all the same.
    """
    return hand.phase not in _OVER and not hand.void


def talon_is_open(hand: Hand) -> bool:
    """Whether the whole talon lies face up for all (FT-3.1); in Illustrated Tarock it never does (IT-5.7)."""
    takes = hand.contract is not None and hand.contract.exchange > 0
    return takes and hand.variant.game.shows_talon and hand.phase not in _CLOSED


def face_up(hand: Hand) -> int:
    """The cards that lie face up when they are discarded, as a set."""
    return hand.variant.game.pack.tarocks


def seen_from_outside(hand: Hand) -> Hand:
    """The hand as one knows it who has not seen the deal, nor what was discarded face down.

    It takes every event that some deal would allow, so that what it lets a player do gives no card away.
    """
    seen = hand.copy()
    seen.dealt = seen.held = seen.talon = None
    seen.void = False
    seen.seen = hand.discarded & face_up(hand) | mask_of(hand.trick)
    for trick in hand.tricks:
        for card in trick:
            seen.seen |= BIT[card]
    return seen
