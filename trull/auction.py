"""Who may bid what: the auction with its duels (Illustrated Tarock) and the single round (French Tarot)."""

from __future__ import annotations

from itertools import pairwise

from trull.cards import BIT, CARDS, CODES, KINGS, SUITS, mask_of
from trull.errors import EventOutOfPlace, IllegalBid, IllegalCall, WrongTurn, named
from trull.events import (
    BidAccepted,
    BidHeld,
    BidMade,
    BidRetaken,
    BidTakenOver,
    KingCalled,
    Passed,
)
from trull.model import Contract
from trull.state import AUCTION, DEAL, KING_CALL, PASSED_OUT, PLAY, TALON, Hand


def _in_turn(hand: Hand, seat: int, turn_clause: str) -> None:
    """The call has its place and its turn, or is refused."""
    if hand.phase == DEAL:
        hand.phase = AUCTION
    elif hand.phase != AUCTION:
        raise EventOutOfPlace("The auction is over.", turn_clause)
    if seat != hand.turn:
        raise WrongTurn(f"It is the turn of {named(hand.turn)} to speak.", turn_clause, ("player",))


def _contract(hand: Hand, name: str, clause: str) -> Contract:
    """The contract of that name, or a refusal."""
    contract = hand.variant.contracts.get(name)
    if contract is None:
        raise IllegalBid(f"{hand.variant.id} has no contract {name}.", clause, ("contract",))
    return contract


def _higher(hand: Hand, contract: Contract) -> bool:
    """Whether the contract outbids the standing one."""
    if hand.standing is None:
        return True
    order = list(hand.variant.contracts)
    return order.index(contract.id) > order.index(hand.standing.id)


def _raise_to(hand: Hand, seat: int, name: str, clause: str) -> Contract:
    """A bid that outbids the standing one."""
    contract = _contract(hand, name, clause)
    if not _higher(hand, contract):
        assert hand.standing is not None
        raise IllegalBid(f"{name} does not outbid {hand.standing.id}.", clause, ("contract",))
    hand.standing = contract
    hand.bidder = seat
    return contract


# --- Illustrated Tarock ------------------------------------------------------------------------


def bid(hand: Hand, event: BidMade) -> None:
    """A bid or a raise to any higher contract (IT-4.3, IT-4.8, IT-4.9)."""
    _in_turn(hand, event.seat, "IT-4.2")
    if hand.duel is not None:
        raise IllegalBid("A duel is answered by accepting, holding or retaking only.", "IT-4.5")
    contract = _raise_to(hand, event.seat, event.contract, "IT-4.3")
    hand.stake = "called"
    hand.answered = False
    if contract.ends_auction:
        close_auction(hand)
    else:
        _next_speaker(hand, event.seat)


def pass_or_accept(hand: Hand, event: Passed | BidAccepted) -> None:
    """*Weiter* or *gut*: out for good, and in a duel the end of it (IT-4.2, IT-4.4)."""
    _in_turn(hand, event.seat, "IT-4.2")
    if hand.standing is None and type(event) is BidAccepted:
        raise IllegalBid("There is no bid to accept.", "IT-4.4")
    hand.out |= 1 << event.seat
    hand.answered = True
    hand.duel = None
    _next_speaker(hand, event.seat)


def take_over(hand: Hand, event: BidTakenOver) -> None:
    """*Ablösung*, *Unterer*: the first to answer claims the standing contract (IT-4.5)."""
    _in_turn(hand, event.seat, "IT-4.2")
    if hand.standing is None or hand.duel is not None:
        raise IllegalBid("There is no bid that could be taken over.", "IT-4.5")
    if not hand.standing.takeable:
        raise IllegalBid(f"{hand.variant.id} does not let {hand.standing.id} be taken over.", "IT-4.5")
    if hand.answered:
        raise IllegalBid("Only the player who answers a bid first may take it over.", "IT-4.5")
    hand.answered = True
    hand.duel = "taken_over"
    hand.taker = event.seat
    hand.turn = hand.bidder
    hand.bidder = event.seat
    hand.stake = "taken_over"


def hold(hand: Hand, event: BidHeld) -> None:
    """*Mein Spiel*: the bidder keeps the contract; Löw lets the taker retake (IT-4.6, IT-4.7)."""
    _in_turn(hand, event.seat, "IT-4.2")
    if hand.duel != "taken_over":
        raise IllegalBid("Only a bid that has just been taken over can be held.", "IT-4.6")
    assert hand.standing is not None
    hand.bidder = event.seat
    hand.stake = "held"
    if "retaken" in hand.standing.stakes:
        hand.duel = "held"
        hand.turn = hand.taker
    else:
        hand.duel = None
        hand.out |= 1 << hand.taker
        _next_speaker(hand, hand.taker)


def retake(hand: Hand, event: BidRetaken) -> None:
    """*Zweite Ablösung*: the taker wins the duel, its loser is out (IT-4.7)."""
    _in_turn(hand, event.seat, "IT-4.2")
    if hand.duel != "held":
        raise IllegalBid("Only a bid that has just been held can be retaken.", "IT-4.7")
    hand.out |= 1 << hand.bidder
    hand.bidder = event.seat
    hand.stake = "retaken"
    hand.duel = None
    _next_speaker(hand, event.seat)


def _next_speaker(hand: Hand, seat: int) -> None:
    """The turn goes to the next player who is still in, or the auction ends (IT-4.10, IT-4.11)."""
    everyone = (1 << hand.seats) - 1
    if hand.standing is None and hand.out == everyone:
        _all_passed(hand)
        return
    if hand.standing is not None and hand.out | 1 << hand.bidder == everyone:
        close_auction(hand)
        return
    seat = (seat + 1) % hand.seats
    while hand.out >> seat & 1 or (seat == hand.bidder and hand.standing is not None):
        seat = (seat + 1) % hand.seats
    hand.turn = seat


def _all_passed(hand: Hand) -> None:
    """Redeal, or Trischaken where the rule set has it (IT-4.10, IT-8.1)."""
    if hand.variant.rulings["pass_out"] == "trischaken":
        hand.trischaken = True
        hand.phase = PLAY
        hand.turn = 0
    else:
        hand.phase = PASSED_OUT


def close_auction(hand: Hand) -> None:
    """The auction has its declarer; with five players a King is called first (IT-4.11, FT-2.6)."""
    hand.contract = hand.standing
    hand.declarer = hand.bidder
    if hand.variant.game.deals[hand.seats].calls_king:
        hand.phase = KING_CALL
        hand.turn = hand.declarer
    else:
        _exchange_or_play(hand)


def _exchange_or_play(hand: Hand) -> None:
    """The talon is taken, or forehand leads, as the contract has it (IT-5.5, FT-3.1, FT-3.5)."""
    assert hand.contract is not None
    if hand.contract.exchange:
        hand.phase = TALON
        hand.turn = hand.declarer
    else:
        hand.phase = PLAY
        hand.turn = 0


# --- French Tarot ------------------------------------------------------------------------------


def bid_once(hand: Hand, event: BidMade) -> None:
    """A bid higher than any before; everyone speaks once (FT-2.1, FT-2.2)."""
    _in_turn(hand, event.seat, "FT-2.1")
    _raise_to(hand, event.seat, event.contract, "FT-2.2")
    _spoken(hand)


def pass_once(hand: Hand, event: Passed) -> None:
    """A pass (FT-2.1)."""
    _in_turn(hand, event.seat, "FT-2.1")
    _spoken(hand)


def _spoken(hand: Hand) -> None:
    """The next player speaks; after the last one the auction ends (FT-2.3)."""
    hand.passed += 1
    hand.turn = hand.passed % hand.seats
    if hand.passed == hand.seats:
        if hand.standing is None:
            hand.phase = PASSED_OUT
        else:
            close_auction(hand)


def can_close_early(hand: Hand) -> bool:
    """Whether only passes could follow, which the record may leave out (FT-2.4)."""
    return hand.phase == AUCTION and hand.standing is not None and hand.standing.ends_auction


_COURT_RANKS = tuple(mask_of(CARDS[suit + rank] for suit in SUITS) for rank in "KQCJ")


def callable_cards(hand: Hand) -> int:
    """The cards that may be called: Kings, and a lower rank as long as all higher ones are held (FT-2.7)."""
    if hand.dealt is None:
        return _COURT_RANKS[0] | _COURT_RANKS[1] | _COURT_RANKS[2] | _COURT_RANKS[3]
    own = hand.dealt[hand.declarer]
    allowed = _COURT_RANKS[0]
    for higher, rank in pairwise(_COURT_RANKS):
        if own & higher != higher:
            break
        allowed |= rank
    return allowed


def call_king(hand: Hand, event: KingCalled) -> None:
    """The taker calls the card whose holder is the partner (FT-2.6, FT-2.7)."""
    if hand.phase != KING_CALL:
        raise EventOutOfPlace(
            "A King is called once, between the auction and the chien, by five players.", "FT-2.6"
        )
    if event.seat != hand.declarer:
        raise WrongTurn(f"{named(hand.declarer, first=True)} is the taker, and calls.", "FT-2.6", ("player",))
    if not BIT[event.card] & callable_cards(hand):
        lower = "" if BIT[event.card] & KINGS else "; a lower rank only by one who holds every higher one"
        raise IllegalCall(f"{CODES[event.card]} cannot be called: a King{lower}.", "FT-2.7", ("card",))
    hand.called = event.card
    _exchange_or_play(hand)
