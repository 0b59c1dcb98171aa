"""What the players may do next: every event that `step` would take, tried one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, islice

from trull.auction import can_close_early
from trull.cards import BIT, FOOL, TRUMPS, cards_of
from trull.errors import RulesError
from trull.events import (
    BONUSES,
    TYPE_NAMES,
    Announced,
    BidAccepted,
    BidHeld,
    BidMade,
    BidRetaken,
    BidTakenOver,
    CardPlayed,
    CardsDiscarded,
    ContraCalled,
    Event,
    KingCalled,
    Passed,
    TalonTaken,
)
from trull.exchange import discardable
from trull.hand import step
from trull.state import AUCTION, DEAL, DISCARD, KING_CALL, PLAY, TALON, Hand


def may_act(hand: Hand) -> dict[int, list[str]]:
    """The wire types of the events that each seat may bring now, in alphabetical order.

    Whole tricks are left out (they are nobody's event), and so are annulments, penalties and
    retractions, which belong to whoever is in charge.
    """
    found: dict[int, list[str]] = {}
    for event in options(hand):
        seat: int = event[0]  # type: ignore[assignment]  # every option is an event of a seat
        types = found.setdefault(seat, [])
        name = TYPE_NAMES[type(event)]
        if name not in types:
            types.append(name)
    return {seat: sorted(found[seat]) for seat in sorted(found)}


def options(hand: Hand) -> Iterator[Event]:
    """Every event of a player that the hand would take now; of handfuls, discards and unseen talons one each.

    Those three have too many forms to list: one legal form stands for all.
    """
    for forms in _candidates(hand):
        for event in forms:
            if _takes(hand, event):
                yield event


def _takes(hand: Hand, event: Event) -> bool:
    try:
        step(hand, event)
    except RulesError:
        return False
    return True


def _candidates(hand: Hand) -> Iterator[Iterable[Event]]:
    """What could be tried at this point of the hand."""
    seats = range(hand.seats)
    auction = hand.phase in (DEAL, AUCTION)
    after = not auction or can_close_early(hand)
    if auction:
        for seat in seats:
            yield [Passed(seat), BidAccepted(seat), BidTakenOver(seat), BidHeld(seat), BidRetaken(seat)]
            yield [BidMade(seat, contract) for contract in hand.variant.contracts]
    if hand.phase == KING_CALL or (auction and after):
        yield [KingCalled(seat, card) for seat in seats for card in cards_of(hand.variant.game.pack.cards)]
    if hand.phase in (TALON, PLAY) or (auction and after):
        yield from _announcements(hand)
    if hand.phase == TALON:
        yield _talons(hand)
    if hand.phase == DISCARD:
        yield _discards(hand)
    if hand.phase == PLAY or (auction and after):
        for seat in [hand.turn] if hand.phase == PLAY else seats:
            cards = hand.variant.game.pack.cards & ~hand.seen if hand.held is None else hand.held[seat]
            yield [CardPlayed(seat, card) for card in cards_of(cards)]


def _announcements(hand: Hand) -> Iterator[Iterable[Event]]:
    """What every seat could announce or answer; of handfuls the largest that the hand shows."""
    said = {bonus for _, bonus in hand.announced}
    targets = ("game", *[bonus for bonus in BONUSES if bonus in said])
    for seat in range(hand.seats):
        yield [Announced(seat, bonus, (), None) for bonus in BONUSES if bonus in hand.variant.bonuses]
        yield [ContraCalled(seat, target, level) for target in targets for level in ("contra", "recontra")]
        row = hand.variant.bonuses.get("handful")
        if row is not None:
            trumps = TRUMPS if hand.held is None else hand.held[seat] & TRUMPS
            own = [*cards_of(trumps)] + ([FOOL] if hand.held and hand.held[seat] & BIT[FOOL] else [])
            yield [Announced(seat, "handful", tuple(own[:size]), None) for size in row.shown.values()]


def _talons(hand: Hand) -> Iterable[Event]:
    """The portions of the talon; where it is not known, cards that are not out."""
    assert hand.contract is not None
    if hand.talon is None:
        unseen = cards_of(hand.variant.game.pack.cards & ~hand.seen)
        return [TalonTaken(hand.declarer, tuple(islice(unseen, hand.contract.exchange)))]
    talon = hand.talon
    return [TalonTaken(hand.declarer, tuple(talon[at] for at in portion)) for portion in hand.contract.takes]


def _discards(hand: Hand) -> Iterable[Event]:
    """A legal discard: plain cards first, tarocks as far as they are needed."""
    assert hand.contract is not None
    held = hand.variant.game.pack.cards & ~hand.seen if hand.held is None else hand.held[hand.declarer]
    plain, tarocks, _ = discardable(hand, held)
    cards = [*cards_of(plain), *cards_of(tarocks)]
    return [
        CardsDiscarded(hand.declarer, cards)
        for cards in islice(combinations(cards, hand.contract.exchange), 1)
    ]
