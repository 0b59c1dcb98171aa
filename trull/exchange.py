"""The talon and the discard: what the declarer may take, and what he must not lay away (IT-5, FT-3)."""

from __future__ import annotations

from trull.cards import BIT, CODES, HONOURS, KINGS, mask_of
from trull.errors import (
    CardNotHeld,
    DuplicateCard,
    EventOutOfPlace,
    IllegalDiscard,
    IllegalTalon,
    WrongTurn,
    counted,
)
from trull.events import CardsDiscarded, TalonTaken
from trull.state import DISCARD, PLAY, TALON, Hand


def take_talon(hand: Hand, event: TalonTaken) -> None:
    """The declarer takes a portion that the contract allows (IT-5.1, FT-3.1)."""
    clauses = hand.variant.game.clauses
    contract = hand.contract
    idle = hand.phase == PLAY and contract is not None and not contract.exchange and hand.nothing_played
    if hand.phase != TALON and not idle:
        raise EventOutOfPlace(
            "The talon is taken once, between the auction and the discard.", clauses["exchange"]
        )
    assert contract is not None
    if event.seat != hand.declarer:
        raise WrongTurn("Only the declarer takes from the talon.", clauses["exchange"], ("player",))
    if idle:
        raise IllegalTalon(f"{contract.id} takes nothing from the talon.", clauses["talon"], ("cards",))
    taken = mask_of(event.cards)
    if hand.talon is not None:
        talon = hand.talon
        places = tuple(sorted(talon.index(card) for card in event.cards if card in talon))
        if places not in contract.takes or len(event.cards) != contract.exchange:
            offered = " or ".join("+".join(CODES[talon[at]] for at in portion) for portion in contract.takes)
            raise IllegalTalon(
                f"{contract.id} takes {offered} of this talon.",
                clauses["talon"],
                ("cards",),
                f"{contract.id} does not take these cards of this talon.",
            )
    else:
        _new_cards(hand, event.cards)
        if len(event.cards) != contract.exchange:
            raise IllegalTalon(
                f"{contract.id} takes {counted(contract.exchange, 'card')}.", clauses["talon"], ("cards",)
            )
    if hand.held is not None:
        hand.held[hand.declarer] |= taken
    hand.taken = taken
    hand.phase = DISCARD


def discard(hand: Hand, event: CardsDiscarded) -> None:
    """The declarer lays away as many cards as he took (IT-5.2 to IT-5.4, FT-3.2 to FT-3.4)."""
    clauses = hand.variant.game.clauses
    if hand.phase != DISCARD:
        raise EventOutOfPlace("Cards are discarded once, after the talon is taken.", clauses["exchange"])
    if event.seat != hand.declarer:
        raise WrongTurn("Only the declarer discards.", clauses["exchange"], ("player",))
    laid = mask_of(event.cards)
    if hand.held is not None:
        held = hand.held[hand.declarer]
        for place, card in enumerate(event.cards):
            if not BIT[card] & held:
                raise CardNotHeld(
                    f"The declarer does not hold {CODES[card]}.", clauses["held"], ("cards", place)
                )
            held ^= BIT[card]
    else:
        _new_cards(hand, event.cards)
    _check_discard(hand, event.cards, laid)
    if hand.held is not None:
        hand.held[hand.declarer] ^= laid
    hand.seen |= laid
    hand.discarded = laid
    hand.phase = PLAY
    hand.turn = 0


def discardable(hand: Hand, held: int) -> tuple[int, int, int]:
    """What may be laid away from those cards: plain cards, tarocks, and how many tarocks at most.

    A tarock goes only when there is no other legal card, and no more of them than are needed.
    """
    assert hand.contract is not None
    tarocks = hand.variant.game.pack.tarocks & ~HONOURS
    plain = held & hand.variant.game.pack.cards & ~(tarocks | HONOURS | KINGS)
    return plain, held & tarocks, max(0, hand.contract.exchange - plain.bit_count())


def _check_discard(hand: Hand, cards: tuple[int, ...], laid: int) -> None:
    """The rule itself: number, no Kings and honours, tarocks only of need."""
    clauses = hand.variant.game.clauses
    assert hand.contract is not None
    if len(cards) != hand.contract.exchange:
        wanted = hand.contract.exchange
        raise IllegalDiscard(
            f"{hand.contract.id} discards {counted(wanted, 'card')}.", clauses["discard_count"], ("cards",)
        )
    for place, card in enumerate(cards):
        if BIT[card] & (KINGS | HONOURS):
            raise IllegalDiscard(
                f"{CODES[card]} is never discarded.", clauses["discard_never"], ("cards", place)
            )
    if hand.held is None:
        return
    _, _, needed = discardable(hand, hand.held[hand.declarer])
    tarocks = laid & hand.variant.game.pack.tarocks
    if tarocks.bit_count() > needed:
        place = next(at for at, card in enumerate(cards) if BIT[card] & tarocks)
        raise IllegalDiscard(
            f"{CODES[cards[place]]}: a tarock is discarded only when nothing else can be.",
            clauses["discard_tarock"],
            ("cards", place),
        )


def _new_cards(hand: Hand, cards: tuple[int, ...]) -> None:
    """Where the deal is not known, a card is at least one of the pack and not yet out."""
    for place, card in enumerate(cards):
        refuse_known(hand, card, card in cards[:place], ("cards", place))


def refuse_known(hand: Hand, card: int, again: bool, path: tuple[str | int, ...]) -> None:
    """Refuse a card of another pack, or one that is out already, while the deal is not known."""
    clause = hand.variant.game.clauses["held"]
    if not BIT[card] & hand.variant.game.pack.cards:
        raise CardNotHeld(f"{CODES[card]} is no card of {hand.variant.game.pack.told}.", clause, path)
    if again or BIT[card] & hand.seen:
        raise DuplicateCard(f"{CODES[card]} is there twice.", clause, path)
