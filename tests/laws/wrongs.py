"""Events that break a rule by construction, each with the refusal that it must bring."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.support.card_rules import HONOURS, KINGS, Card
from tests.support.tables import Event, Table
from tests.support.tarock_table import CONTRACTS as TAROCK_CONTRACTS
from tests.support.tarock_table import TarockTable
from tests.support.tarot_table import CONTRACTS as TAROT_CONTRACTS
from tests.support.tarot_table import TarotTable
from trull.events import BONUSES


class Wrong(NamedTuple):
    """An event, the code of its refusal, the way to the faulty part, and the rule where it is of the play."""

    event: Event
    code: str
    path: tuple[str | int, ...] = ()
    clause: str | None = None


PLACE = "event-out-of-place"
TURN = "wrong-turn"
HELD = "card-not-held"


def wrongs(table: Table) -> list[Wrong]:
    """What must not come next at this table, and why."""
    found = list(_always(table))
    if table.phase == "auction":
        found += _words(table)
    elif table.phase == "call":
        found += _calls(table)
    elif table.phase == "talon":
        found += _talons(table)
    elif table.phase == "discard":
        found += _discards(table)
    elif table.phase == "play":
        found += [*_plays(table), *_tricks(table), *_exchange_in_play(table)]
    if table.phase in ("talon", "play") or table.over:
        found += _announcements(table)
    return found


def _always(table: Table) -> Iterator[Wrong]:
    """What has no place at any point after the deal."""
    deal = dict(zip(table.players, table.dealt, strict=True))
    yield Wrong({"type": "cards_dealt", "hands": deal, "talon": table.talon}, PLACE)
    yield Wrong(_result(table), PLACE)
    yield Wrong({"type": "event_retracted", "seq": len(table.story) + 1}, PLACE, ("seq",))
    yield Wrong({"type": "hand_annulled", "reason": "petit_sec"}, PLACE, ("reason",))
    idle = isinstance(table, TarockTable) and table.trischaken and table.nothing_played
    if table.phase != "passed_out" and not idle:
        yield Wrong({"type": "hand_annulled", "reason": "all_passed"}, PLACE, ("reason",))
    if table.phase != "auction":
        yield Wrong(table.event("passed", 0), PLACE)
        yield Wrong(table.event("bid_made", 0, contract="garde_contre"), PLACE)
    if isinstance(table, TarotTable):
        for word in ("bid_accepted", "bid_taken_over", "bid_held", "bid_retaken"):
            yield Wrong(table.event(word, table.spoken % table.seats), PLACE)
    elif table.phase != "auction":
        yield Wrong(table.event("bid_retaken", 0), PLACE)
    if isinstance(table, TarockTable) or table.seats < 5 or table.phase in ("talon", "discard"):
        yield Wrong(table.event("king_called", table.declarer or 0, card="HK"), PLACE)
    if table.phase not in ("talon", "play", "auction"):
        yield Wrong(_talon(table, 0, table.talon[:1]), PLACE)
    if table.phase not in ("discard", "auction"):
        yield Wrong(table.event("cards_discarded", table.declarer or 0, cards=table.talon[:2]), PLACE)
    if table.phase not in ("play", "auction"):
        yield Wrong(table.event("card_played", table.turn, card=table.dealt[table.turn][0]), PLACE)
        cards = [hand[0] for hand in table.dealt]
        yield Wrong({"type": "trick_played", "cards": cards}, PLACE)


def _result(table: Table) -> Event:
    result: dict[str, Any] = {"type": "result_reported", "declarer": table.players[0], "card_points": 40}
    if isinstance(table, TarockTable):
        return {**result, "contract": "solo"}
    partner = {"partner": table.players[1]} if table.seats == 5 else {}
    return {**result, **partner, "contract": "garde", "oudlers": 1}


def _words(table: Table) -> Iterator[Wrong]:
    speaker = table.seat_of(table.allowed()[0])
    listed = table.allowed()
    duel = isinstance(table, TarockTable) and table.auction.duel is not None
    for seat in table.after(speaker):
        yield Wrong(table.event("passed", seat), TURN, ("player",))
        yield Wrong(table.event("bid_made", seat, contract="solo"), TURN, ("player",))
    for contract in (*TAROCK_CONTRACTS, *TAROT_CONTRACTS):
        bid = table.event("bid_made", speaker, contract=contract)
        if bid not in listed:
            yield Wrong(bid, "illegal-bid", () if duel else ("contract",))
    if isinstance(table, TarockTable):
        for word in ("bid_accepted", "bid_taken_over", "bid_held", "bid_retaken"):
            if table.event(word, speaker) not in listed:
                yield Wrong(table.event(word, speaker), "illegal-bid")
    if table.contract == "garde_contre":
        return  # What follows it may come at once (FT-2.4).
    yield Wrong(_talon(table, speaker, table.talon[:2]), PLACE)
    yield Wrong(table.event("announced", speaker, bonus="slam"), PLACE)
    yield Wrong(table.event("contra_called", speaker, target="game", level="contra"), PLACE)
    yield Wrong(table.event("card_played", speaker, card=table.hands[speaker][0]), PLACE)
    yield Wrong(table.event("cards_discarded", speaker, cards=table.hands[speaker][:2]), PLACE)


def _calls(table: Table) -> Iterator[Wrong]:
    assert table.declarer is not None
    for seat in table.after(table.declarer):
        yield Wrong(table.event("king_called", seat, card="HK"), TURN, ("player",))
    callable_now = [event["card"] for event in table.allowed()]
    for card in ("S10", "T21", "F", "HJ", "DC", "CQ"):
        if card not in callable_now:
            yield Wrong(table.event("king_called", table.declarer, card=card), "illegal-call", ("card",))


def _talon(table: Table, seat: int, cards: list[Card]) -> Event:
    return table.event("talon_taken", seat, cards=cards)


def _talons(table: Table) -> Iterator[Wrong]:
    declarer = table.declarer
    assert declarer is not None
    portions = [event["cards"] for event in table.allowed() if event["type"] == "talon_taken"]
    for seat in table.after(declarer):
        yield Wrong(_talon(table, seat, portions[0]), TURN, ("player",))
    right = portions[0]
    bad = [right[:-1] + table.hands[declarer][:1], [right[0]] * len(right) if len(right) > 1 else right * 2]
    bad += [right[:-1]] * (len(right) > 1) + [[*right, table.hands[declarer][0]]]
    if table.contract == "dreiblatt":
        bad.append([table.talon[place] for place in (1, 2, 3)])
    if table.contract == "zweiblatt":
        bad.append([table.talon[place] for place in (1, 2)])
    for cards in bad:
        yield Wrong(_talon(table, declarer, cards), "illegal-talon", ("cards",))


def _discards(table: Table) -> Iterator[Wrong]:
    declarer = table.declarer
    assert declarer is not None
    right = table.allowed()[0]["cards"]
    hand = table.hands[declarer]

    def laid(cards: list[Card]) -> Event:
        return table.event("cards_discarded", declarer, cards=cards)

    for seat in table.after(declarer):
        yield Wrong(table.event("cards_discarded", seat, cards=right), TURN, ("player",))
    last = len(right) - 1
    other = table.hands[table.after(declarer)[0]][0]
    yield Wrong(laid([*right[:-1], other]), HELD, ("cards", last))
    if len(right) > 1:
        yield Wrong(laid([*right[:-1], right[0]]), HELD, ("cards", last))
        yield Wrong(laid(right[:-1]), "illegal-discard", ("cards",))
    suits = [card for card in hand if card[0] not in "TF" and card[1] != "K" and card not in right]
    if suits:
        yield Wrong(laid([*right, suits[0]]), "illegal-discard", ("cards",))
    for card in hand:
        if card in KINGS or card in HONOURS:
            yield Wrong(laid([*right[:-1], card]), "illegal-discard", ("cards", last))
        elif card[0] == "T" and card not in right and right[-1][0] != "T":
            first = next(place for place, laid_card in enumerate([*right[:-1], card]) if laid_card[0] == "T")
            yield Wrong(laid([*right[:-1], card]), "illegal-discard", ("cards", first))
    yield Wrong(table.event("announced", declarer, bonus="pagat"), PLACE)
    yield Wrong(table.event("contra_called", declarer, target="game", level="contra"), PLACE)


def _plays(table: Table) -> Iterator[Wrong]:
    turn = table.turn
    may = table.playable()
    for seat in table.after(turn):
        if table.hands[seat]:
            card = table.hands[seat][0]
            yield Wrong(table.event("card_played", seat, card=card), TURN, ("player",))
            yield Wrong(table.event("card_played", turn, card=card), HELD, ("card",))
    for card in table.hands[turn]:
        if card not in may:
            played = table.event("card_played", turn, card=card)
            yield Wrong(played, "illegal-play", ("card",), _broken(table, card))
    for card in (*table.pile(set(range(table.seats)))[:1], *table.trick[:1], *table.discarded[:1]):
        yield Wrong(table.event("card_played", turn, card=card), HELD, ("card",))


def _broken(table: Table, card: Card) -> str:
    """The rule of play that a held card breaks."""
    suit, cards = table.cards.suit, table.cards
    hand, led = table.hands[table.turn], cards.led(table.trick)
    tarock = isinstance(table, TarockTable)
    if led is None:
        return "IT-8.3" if tarock else "FT-5.10"
    if cards.of_suit(hand, led) and suit(card) != led:
        return "IT-6.2" if tarock else "FT-5.2"
    if suit(card) not in (led, "T"):
        return "IT-6.3" if tarock else "FT-5.3"
    if tarock:
        return "IT-8.3" if card == "T1" else "IT-8.2"
    return "FT-5.4"


def _tricks(table: Table) -> Iterator[Wrong]:
    """Whole tricks: in the midst of one, with a wrong card in them."""
    trick = {"type": "trick_played"}
    if table.trick:
        yield Wrong({**trick, "cards": [hand[0] for hand in table.dealt]}, PLACE)
        return
    cards: list[Card] = []
    again = table.upto(len(table.story))
    for place in range(table.seats):
        turn = again.turn
        bad = [card for card in again.hands[turn] if card not in again.playable()]
        filler = [again.hands[seat][0] for seat in again.after(turn)[: table.seats - place - 1]]
        if bad:
            told = {**trick, "cards": [*cards, bad[0], *filler]}
            yield Wrong(told, "illegal-play", ("cards", place), _broken(again, bad[0]))
        others = [again.hands[seat][-1] for seat in again.after(turn) if again.hands[seat]]
        if others:
            yield Wrong({**trick, "cards": [*cards, others[0], *filler]}, HELD, ("cards", place))
        cards.append(again.playable()[0])
        again.tell(again.event("card_played", turn, card=cards[-1]))


def _exchange_in_play(table: Table) -> Iterator[Wrong]:
    """Where nothing is taken, taking is refused for what it is until the first card."""
    if table.declarer is None or table.taken or not table.nothing_played:
        yield Wrong(_talon(table, table.declarer or 0, table.talon[:1]), PLACE)
        return
    yield Wrong(_talon(table, table.declarer, table.talon), "illegal-talon", ("cards",))
    yield Wrong(_talon(table, table.after(table.declarer)[0], table.talon), TURN, ("player",))


def _announcements(table: Table) -> Iterator[Wrong]:
    """Bonuses and contra: of what is not allowed the code depends on the place alone."""
    tarock = isinstance(table, TarockTable)
    listed = table.allowed()
    closed = table.over or (not table.nothing_played if tarock else table.phase != "play")
    for seat in range(table.seats):
        for bonus in BONUSES:
            event = table.event("announced", seat, bonus=bonus)
            if bonus != "handful" and event not in listed:
                yield Wrong(event, PLACE if closed else "illegal-announcement", ())
            contra = table.event("contra_called", seat, target=bonus, level="contra")
            if contra not in listed:
                shut = closed if tarock else table.over
                yield Wrong(contra, PLACE if shut else "illegal-contra", ())
