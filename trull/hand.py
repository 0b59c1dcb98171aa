"""The fold: `step` takes one event to a hand, `replay` a whole stream; refusals name event and rule.

A hand is legal as far as it goes: every prefix of a legal stream is one. Retracted events are left
out and the rest is replayed; without ``cards_dealt`` the hands are inferred when the hand is whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Never

from trull.auction import can_close_early, close_auction
from trull.cards import BIT, CODES, cards_of, codes_of, mask_of
from trull.errors import (
    DuplicateCard,
    EventOutOfPlace,
    IncompleteDeck,
    RedealRequired,
    RulesError,
    named,
)
from trull.events import (
    TYPE_NAMES,
    Announced,
    CardPlayed,
    CardsDealt,
    CardsDiscarded,
    ContraCalled,
    Event,
    EventRetracted,
    HandAnnulled,
    KingCalled,
    PenaltyAssessed,
    ResultReported,
    TalonTaken,
    TrickPlayed,
)
from trull.model import Variant
from trull.play import play
from trull.state import ANNULLED, AUCTION, DEAL, FINISHED, PASSED_OUT, Hand

if TYPE_CHECKING:
    from trull.games import Deal


def replay(variant: Variant, events: Sequence[Event]) -> Hand:
    """The hand after those events; a `RulesError` with the index of the first broken rule otherwise.

    What is no event of `trull.events` is a `TypeError`.
    """
    return advance(Hand(variant), events)


def step(hand: Hand, event: Event) -> Hand:
    """The hand after one more event; the given one stays as it is."""
    return advance(hand.copy(), (event,))


def advance(hand: Hand, events: Sequence[Event]) -> Hand:
    """Take the events to the hand, which is used up, and give the hand that they lead to."""
    base = len(hand.events)
    hand.events.extend(events)
    at = 0
    end = len(events)
    while at < end:
        event = events[at]
        if type(event) is EventRetracted:
            hand = _without(hand, event, base + at)
            at += 1
            continue
        try:
            at = _take(hand, events, at)
        except RulesError as refusal:
            refusal.index = base + (at if refusal.index < 0 else refusal.index)
            raise
        if hand.dealt is None and hand.phase == FINISHED and hand.result is None:
            hand = _with_inferred_deal(hand, base + at)
    return hand


_CLOSING: Final = frozenset(
    (KingCalled, TalonTaken, CardsDiscarded, Announced, ContraCalled, CardPlayed, TrickPlayed)
)
"""What tells that the passes after a closing bid were left out."""


def _take(hand: Hand, events: Sequence[Event], at: int) -> int:
    """Take the event at that index, or a whole stretch of played cards; the index after it."""
    event = events[at]
    kind = type(event)
    beside = _BESIDE.get(kind)
    if beside is not None:
        beside(hand, event)
        return at + 1
    if hand.void:
        raise RedealRequired("The deal is void and must be dealt again.", hand.variant.game.void_clause)
    if hand.phase == AUCTION and kind in _CLOSING and can_close_early(hand):
        close_auction(hand)
    if kind is CardPlayed or kind is TrickPlayed:
        return play(hand, events, at)
    handler = hand.variant.game.handlers.get(kind)
    if handler is None:
        if kind not in TYPE_NAMES:
            raise TypeError(f"an event is one of the classes of trull.events, not {event!r}")
        game = hand.variant.game
        raise EventOutOfPlace(f"{game.name} has no {TYPE_NAMES[kind]}.", game.clauses["auction"])
    handler(hand, event)
    return at + 1


# --- The deal, and what may stand beside the game ------------------------------------------------


def _deal(hand: Hand, event: CardsDealt) -> None:
    """Every card of the pack once, to each player his number (IT-3.2, FT-2.9)."""
    game = hand.variant.game
    clause = game.clauses["deal"]
    if hand.phase != DEAL:
        raise EventOutOfPlace("The cards are dealt once, before anything else.", clause)
    wanted = game.deals[hand.seats]
    # The bits of so many cards add up to the whole pack only if every card is there once.
    masks = tuple([sum([BIT[card] for card in cards]) for cards in event.hands])
    whole = sum(masks) + sum([BIT[card] for card in event.talon])
    sizes = [wanted.cards_each] * hand.seats
    if whole != game.pack.cards or [*map(len, event.hands)] != sizes or len(event.talon) != wanted.talon:
        _refuse_deal(hand, event, wanted)
    hand.dealt = masks
    hand.held = list(masks)
    hand.talon = event.talon
    hand.phase = AUCTION
    hand.void = game.refuses_deal(hand, hand.variant)


def _refuse_deal(hand: Hand, event: CardsDealt, wanted: Deal) -> Never:
    """What is wrong with the deal: a card twice, a wrong count, a card missing."""
    game = hand.variant.game
    clause = game.clauses["deal"]
    _refuse_duplicates(event, clause)
    for seat, cards in enumerate(event.hands):
        if len(cards) != wanted.cards_each:
            wrong = f"Each player must be dealt {wanted.cards_each} cards; {named(seat)} has {len(cards)}."
            raise IncompleteDeck(wrong, clause, ("hands", seat))
    if len(event.talon) != wanted.talon:
        raise IncompleteDeck(
            f"The talon must have {wanted.talon} cards; this one has {len(event.talon)}.", clause, ("talon",)
        )
    dealt = mask_of(event.talon)
    for cards in event.hands:
        dealt |= mask_of(cards)
    missing = " ".join(codes_of(game.pack.cards & ~dealt))
    foreign = " ".join(codes_of(dealt & ~game.pack.cards))
    raise IncompleteDeck(f"The deal lacks {missing}, and {foreign} is not of {game.pack.told}.", clause)


def _refuse_duplicates(event: CardsDealt, clause: str) -> None:
    """The second place of a card that was dealt twice."""
    places: list[tuple[int, tuple[str | int, ...]]] = [
        (card, ("hands", seat, place))
        for seat, cards in enumerate(event.hands)
        for place, card in enumerate(cards)
    ]
    places += [(card, ("talon", place)) for place, card in enumerate(event.talon)]
    seen = 0
    for card, path in places:
        if seen & BIT[card]:
            raise DuplicateCard(f"{CODES[card]} is dealt twice.", clause, path)
        seen |= BIT[card]


def _report(hand: Hand, event: ResultReported) -> None:
    """A score sheet's result stands alone (IT-12.4, FT-9.4)."""
    game = hand.variant.game
    if hand.phase != DEAL or hand.penalties:
        raise EventOutOfPlace("A result is the first event of its hand that stands.", game.clauses["result"])
    game.check_result(hand, event)
    hand.result = event
    hand.contract = hand.variant.contracts.get(event.contract)
    hand.phase = FINISHED


def _annul(hand: Hand, event: HandAnnulled) -> None:
    """No score: everybody passed, the deal is void, or somebody in charge says so (IT-12.1, FT-9.1)."""
    clause = hand.variant.game.clauses["annulled"]
    if hand.annulled is not None or hand.result is not None:
        wrong = (
            "The hand is annulled already." if hand.result is None else "A reported result is not annulled."
        )
        raise EventOutOfPlace(wrong, clause)
    passed_out = hand.phase == PASSED_OUT or (hand.trischaken and hand.nothing_played)
    if event.reason == "all_passed" and not passed_out:
        raise EventOutOfPlace("Not everybody has passed.", clause, ("reason",))
    tarot = "petit_sec_redeal" in hand.variant.rulings
    if event.reason == "petit_sec" and not (tarot and (hand.void or hand.dealt is None)):
        raise EventOutOfPlace("No hand has the Petit as its only trump.", clause, ("reason",))
    hand.annulled = event.reason
    hand.phase = ANNULLED


def _penalise(hand: Hand, event: PenaltyAssessed) -> None:
    """A penalty may be assessed at any time (IT-12.3, FT-9.3)."""
    hand.penalties.append((event.seat, event.points))


_BESIDE: Final[Mapping[type, Callable[[Hand, Any], None]]] = {
    CardsDealt: _deal,
    ResultReported: _report,
    HandAnnulled: _annul,
    PenaltyAssessed: _penalise,
}
"""Events that every game has, and whose place does not depend on the rules of its play."""


# --- Streams that are read again ----------------------------------------------------------------


def _without(hand: Hand, event: EventRetracted, here: int) -> Hand:
    """The hand as it reads without the retracted event, unless that breaks a rule (IT-12.2, FT-9.2)."""
    clause = hand.variant.game.clauses["retracted"]
    target = event.seq - 1
    wrong = None
    if not 0 <= target < here:
        wrong = "There is no such event before this one."
    elif target in hand.retracted:
        wrong = "That event is retracted already."
    elif type(hand.events[target]) is EventRetracted:
        wrong = "A retraction cannot be retracted."
    if wrong is not None:
        error = EventOutOfPlace(wrong, clause, ("seq",))
        error.index = here
        raise error
    try:
        return _rerun(Hand(hand.variant), hand.events, here, hand.retracted | {target})
    except RulesError as refusal:
        refusal.without = event.seq
        refusal.index = here
        refusal.path = ("seq",)
        raise


def _rerun(seed: Hand, events: list[Event], end: int, retracted: frozenset[int]) -> Hand:
    """Replay what stands of the first ``end`` events; refusals name an event by its place among all."""
    standing = [at for at in range(end) if at not in retracted and type(events[at]) is not EventRetracted]
    try:
        fresh = advance(seed, [events[at] for at in standing])
    except RulesError as refusal:
        refusal.index = standing[refusal.index]
        refusal.seq = refusal.index + 1
        raise
    fresh.events = events
    fresh.retracted = retracted
    return fresh


def _with_inferred_deal(hand: Hand, end: int) -> Hand:
    """A whole hand without its deal: the hands are inferred and judged by every rule (IT-3.4, FT-2.10)."""
    dealt = _played_by_seat(hand)
    if hand.declarer >= 0:
        own = dealt[hand.declarer] | hand.discarded
        if hand.taken & ~own:
            lost = CODES[next(cards_of(hand.taken & ~own))]
            error = IncompleteDeck(
                f"The declarer took {lost} and neither played nor discarded it.",
                hand.variant.game.clauses["inferred"],
            )
            error.index = end - 1
            raise error
        dealt[hand.declarer] = own & ~hand.taken
    seed = Hand(hand.variant)
    seed.dealt = tuple(dealt)
    seed.held = dealt
    seed.inferred = True
    fresh = _rerun(seed, hand.events, end, hand.retracted)
    fresh.void = hand.variant.game.refuses_deal(fresh, hand.variant)
    return fresh


def _played_by_seat(hand: Hand) -> list[int]:
    """The cards that each seat has played, as sets."""
    played = [0] * hand.seats
    leader = hand.first_leader
    for cards, winner in zip(hand.tricks, hand.winners, strict=True):
        for place, card in enumerate(cards):
            played[(leader + place) % hand.seats] |= BIT[card]
        leader = winner
    return played
