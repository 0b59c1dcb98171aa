"""The tricks: who plays, which cards are legal, who wins (IT-6, IT-8, FT-5).

`play` runs through a stretch of played cards with the hand's state in local names: hands are
replayed by the million, and this loop is most of a replay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice

from trull.cards import BIT, CODES, FOOL, T1, codes_of
from trull.errors import CardNotHeld, EventOutOfPlace, IllegalPlay, RulesError, WrongTurn, named
from trull.events import CardPlayed, Event, TrickPlayed
from trull.exchange import refuse_known
from trull.state import (
    ANNULLED,
    AUCTION,
    DEAL,
    DISCARD,
    FINISHED,
    KING_CALL,
    NOBODY,
    PASSED_OUT,
    PLAY,
    TALON,
    Hand,
)

LegalCards = Callable[[Hand, int, int, int], int]
"""The legal ones of the held cards, given the card led and the best one so far."""


_NEVER_FREE = (0,) * len(CODES)
_AFTER = {seats: tuple((seat + 1) % seats for seat in range(seats)) for seats in (3, 4, 5)}
"""The next seat in order of play, by the number of seats."""


def legal_tarock(hand: Hand, held: int, led: int, best: int) -> int:
    """Follow suit, else a tarock, else anything; no duty to beat (IT-6.2, IT-6.3)."""
    pack = hand.variant.game.pack
    return held & pack.following[led] or held & pack.tarocks or held


def legal_trischaken(hand: Hand, held: int, led: int, best: int) -> int:
    """Beat the best card if a legal one can; the Pagat as the last tarock only (IT-8.2, IT-8.3)."""
    pack = hand.variant.game.pack
    if led == NOBODY:
        legal = held
    else:
        legal = legal_tarock(hand, held, led, best)
        legal = legal & pack.beats[best] or legal
    if legal & BIT[T1] and held & pack.tarocks != BIT[T1] and legal != BIT[T1]:
        legal ^= BIT[T1]
    return legal


def legal_tarot(hand: Hand, held: int, led: int, best: int) -> int:
    """Follow suit, else a higher trump, any trump, anything; the Excuse always (FT-5.2 to FT-5.5)."""
    pack = hand.variant.game.pack
    if led == NOBODY:
        return _first_lead(hand, held)
    trumps = pack.tarocks
    following = held & pack.following[led]
    if following and not following & trumps:
        return following | held & BIT[FOOL]
    own = held & trumps
    if not own:
        return held
    higher = own & pack.beats[best] if BIT[best] & trumps else own
    return (higher or own) | held & BIT[FOOL]


def _first_lead(hand: Hand, held: int) -> int:
    """The first trick is not led in the suit of the called card, but with that card itself (FT-5.10)."""
    if hand.tricks or hand.trick or hand.called == NOBODY:
        return held
    barred = hand.variant.game.pack.following[hand.called] & ~BIT[hand.called]
    return held & ~barred or held


def play(hand: Hand, events: Sequence[Event], at: int) -> int:  # noqa: C901  # one loop in local names: most of a replay
    """Play the cards from ``events[at]`` on; the index of the first event that is no played card.

    A refusal has the index of its event in ``events``; the hand is of no use any more then.
    """
    game = hand.variant.game
    if hand.phase != PLAY:
        raise EventOutOfPlace(_why_closed(hand), game.clauses["end" if hand.phase == FINISHED else "turn"])
    beats, joker, legal = game.pack.beats, game.joker, game.legal(hand)
    free = _NEVER_FREE if hand.trischaken else game.free
    seats, held = hand.seats, hand.held
    after = _AFTER[seats]
    trick, led, best, best_seat = hand.trick, hand.led, hand.best, hand.best_seat
    turn, count, tricks_left = hand.turn, len(hand.trick), hand.tricks_left
    careful_lead = hand.trischaken or hand.called != NOBODY
    cards: tuple[int, ...] = ()
    try:
        for event in islice(events, at, None):
            # One card, or the cards of a whole trick one after the other.
            if type(event) is CardPlayed:
                seat, card = event
                if seat != turn:
                    raise _not_the_turn(hand, turn)
                more = 0
            elif type(event) is TrickPlayed:
                cards = event.cards
                if count or len(cards) != seats:
                    raise EventOutOfPlace(
                        "A whole trick, a card of each player, is given at the beginning of a trick.",
                        game.clauses["turn"],
                    )
                card = cards[0]
                more = seats - 1
            else:
                break
            while True:
                bit = BIT[card]
                if held is None:
                    _play_unseen(hand, turn, card)
                else:
                    own = held[turn]
                    if not own & bit:
                        raise _not_held(hand, turn, card, count if type(event) is TrickPlayed else None)
                    if led >= 0:
                        if not bit & free[led] and not bit & (allowed := legal(hand, own, led, best)):
                            raise _illegal(hand, card, own, led, allowed)
                    elif (
                        careful_lead and not count and not bit & (allowed := legal(hand, own, NOBODY, NOBODY))
                    ):
                        raise _illegal(hand, card, own, led, allowed)
                    held[turn] = own ^ bit
                if led >= 0:
                    if bit & beats[best]:
                        best, best_seat = card, turn
                elif card != joker:
                    led = best = card
                    best_seat = turn
                trick.append(card)
                count += 1
                turn = after[turn]
                if not more:
                    break
                card = cards[seats - more]
                more -= 1
            at += 1
            if count == seats:
                hand.tricks.append(tuple(trick))
                hand.winners.append(best_seat)
                turn = best_seat
                trick.clear()
                led = best = best_seat = NOBODY
                count = 0
                careful_lead = hand.trischaken
                tricks_left -= 1
                if not tricks_left:
                    hand.phase = FINISHED
                    break
    except RulesError as refusal:
        refusal.index = at
        if cards and type(events[at]) is TrickPlayed and refusal.path == ("card",):
            refusal.path = ("cards", count)
        raise
    hand.led, hand.best, hand.best_seat = led, best, best_seat
    hand.turn, hand.tricks_left = turn, tricks_left
    hand.leader = (turn - count) % seats
    return at


def _play_unseen(hand: Hand, seat: int, card: int) -> None:
    """A card of a hand whose deal is not known: only what can be known is checked (IT-3.4, FT-2.10)."""
    refuse_known(hand, card, False, ("card",))
    if BIT[card] & hand.taken and seat != hand.declarer:
        clause = hand.variant.game.clauses["held"]
        raise CardNotHeld(f"{CODES[card]} went to the declarer with the talon.", clause, ("card",))
    hand.seen |= BIT[card]


def _not_the_turn(hand: Hand, turn: int) -> WrongTurn:
    clause = hand.variant.game.clauses["turn"]
    return WrongTurn(f"It is the turn of {named(turn)} to play.", clause, ("player",))


def _why_closed(hand: Hand) -> str:
    """What comes before a card can be played, or why none can be any more."""
    player = named(hand.turn)
    return {
        DEAL: "The auction comes before the first card.",
        AUCTION: f"The auction comes first: it is the turn of {player} to speak.",
        KING_CALL: f"The call of {player} for a King comes first.",
        TALON: f"The talon comes first: {player} takes from it.",
        DISCARD: f"The discard of {player} comes first.",
        FINISHED: "Every card is played.",
        PASSED_OUT: "Everybody has passed, so that nothing is played.",
        ANNULLED: "The hand is annulled.",
    }[hand.phase]


def _not_held(hand: Hand, seat: int, card: int, place: int | None) -> CardNotHeld:
    """``place`` counts the cards of a whole trick, in which nobody is named."""
    clause = hand.variant.game.clauses["held"]
    who = named(seat, first=True)
    if place is not None:
        who += " leads this trick, and" if place == 0 else f" plays card {place + 1} of this trick, and"
    tricks = (*hand.tricks, hand.trick)
    since = next(
        (f": it was played in trick {at + 1}" for at, trick in enumerate(tricks) if card in trick), ""
    )
    return CardNotHeld(f"{who} does not hold {CODES[card]}{since}.", clause, ("card",))


def _illegal(hand: Hand, card: int, own: int, led: int, allowed: int) -> IllegalPlay:
    legal = " ".join(codes_of(allowed))
    clause = hand.variant.game.play_clause(own, led, card)
    detail = f"{CODES[card]} may not be played here"
    return IllegalPlay(f"{detail}; legal: {legal}.", clause, ("card",), f"{detail}.")
