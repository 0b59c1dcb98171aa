"""Where a hand stands, for one who may see all cards, one player's, or none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from records.judging import Judged
from records.record import PLACE
from records.stored_hands import StoredHand
from records.visibility import Viewer
from trull import Hand, may_act
from trull.cards import CODES, cards_of
from trull.events import (
    TYPE_NAMES,
    Announced,
    BidMade,
    CardPlayed,
    CardsDiscarded,
    ContraCalled,
    Event,
    KingCalled,
    TalonTaken,
)
from trull.exchange import discardable
from trull.options import options
from trull.secrecy import seen_from_outside, talon_is_open
from trull.state import DISCARD, KING_CALL, TALON

Options = dict[str, list[Any]]

_TALON_TO_COME: Final = (KING_CALL, TALON)
_DISCARD_TO_COME: Final = (KING_CALL, TALON, DISCARD)


def state_of(stored: StoredHand, judged: Judged, viewer: Viewer) -> dict[str, Any]:
    """The hand as `GET /v1/hands/{hand_id}` answers it."""
    record = stored.record
    may, can = _next(judged, viewer)
    return {
        "hand_id": record.hand_id,
        "version": stored.version,
        "status": stored.status,
        "variant": record.variant.id,
        "players": list(record.players),
        **{name: getattr(record, name) for name in PLACE},
        "labels": list(record.labels),
        "phase": judged.hand.phase,
        "may_act": may,
        "missing": _missing(judged),
        "options": can,
    }


def _next(judged: Judged, viewer: Viewer) -> tuple[dict[str, list[str]], dict[str, Options]]:
    """What types of event each player may bring, and the options of those whose cards the viewer may see."""
    if judged.broken is not None or not judged.is_live:
        return {}, {}
    players = judged.reading.opening.players
    hand = judged.hand
    seats = [seat for seat, name in enumerate(players) if viewer.all_cards or name == viewer.player]
    outside = seen_from_outside(hand)
    by_seat = may_act(hand if viewer.all_cards else outside)
    can: dict[str, Options] = {}
    for seat in seats:
        # What the rules let a player do gives away no more than that player's own cards, except where
        # the deal is not known: there the declarer alone knows what was discarded.
        seen = hand if viewer.all_cards or hand.dealt is not None or seat == hand.declarer else outside
        events = [event for event in options(seen) if event[0] == seat]
        by_seat[seat] = sorted({TYPE_NAMES[type(event)] for event in events})
        if not by_seat[seat]:
            del by_seat[seat]
        elif listed := _listed(hand, seat, events, viewer):
            can[players[seat]] = listed
    return {players[seat]: by_seat[seat] for seat in sorted(by_seat)}, can


def _listed(hand: Hand, seat: int, events: Iterable[Event], viewer: Viewer) -> Options:
    """The options of a seat by kind. What needs no choice is in `may_act` alone."""
    found: Options = {}

    def add(kind: str, option: object) -> None:
        if option not in found.setdefault(kind, []):
            found[kind].append(option)

    for event in events:
        if isinstance(event, CardPlayed):
            add("cards", CODES[event.card])
        elif isinstance(event, BidMade):
            add("bids", event.contract)
        elif isinstance(event, KingCalled):
            add("calls", CODES[event.card])
        elif isinstance(event, Announced):
            add("announcements", event.bonus)
            if event.cards:
                add("handfuls", _codes(event.cards))
        elif isinstance(event, ContraCalled):
            add("contras", {"target": event.target, "level": event.level})
        elif isinstance(event, TalonTaken):
            open_ = viewer.all_cards or hand.talon is None or talon_is_open(hand)
            found.setdefault("talons", []).append(
                _codes(event.cards) if open_ else {"hidden": len(event.cards)}
            )
        elif isinstance(event, CardsDiscarded):
            found["discards"] = _discards(hand, seat)
    return found


def _discards(hand: Hand, seat: int) -> list[str]:
    """The cards that may be among the discards: tarocks only where they have to be."""
    held = hand.variant.game.pack.cards & ~hand.seen if hand.held is None else hand.held[seat]
    plain, tarocks, needed = discardable(hand, held)
    return _codes([*cards_of(plain), *(cards_of(tarocks) if needed else ())])


def _missing(judged: Judged) -> dict[str, int]:
    """What is still to come before the hand can be scored."""
    hand = judged.hand
    if judged.broken is not None or hand.status != "incomplete":
        return {"tricks": 0}
    missing = {"tricks": hand.tricks_left}
    exchange = hand.contract.exchange if hand.contract else 0
    if exchange and hand.phase in _TALON_TO_COME:
        missing["talon"] = exchange
    if exchange and hand.phase in _DISCARD_TO_COME:
        missing["discards"] = exchange
    return missing


def _codes(cards: Sequence[int]) -> list[str]:
    return [CODES[card] for card in cards]
