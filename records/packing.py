"""How the events of a hand are packed: a played card takes two bytes, a trick one more than its cards.

An operation is one byte: five bits for the kind of event and three for a seat or a small count.
What the packed forms do not say is kept as JSON: further fields of an event before it, and whole
events of the rare kinds. Operations, words and cards (`trull.cards.CODES`) are numbers in the
store: they may be added to, never changed (docs/adr/0020-event-log-in-redis.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, cast

import orjson

from records.octets import get_bytes, put_bytes
from trull import events as ev
from trull.cards import CODES

Sent = dict[str, Any]
"""An event as it was sent, without the fields that are null."""

Loader = Callable[[list[Sent], Sequence[str]], Sequence[ev.Event]]
"""Makes events of their wire form and the players."""

_KINDS: Final[tuple[type[Any], ...]] = (
    ev.Passed,
    ev.BidAccepted,
    ev.BidTakenOver,
    ev.BidHeld,
    ev.BidRetaken,
    ev.BidMade,
    ev.KingCalled,
    ev.Announced,
    ev.ContraCalled,
    ev.TalonTaken,
    ev.CardsDiscarded,
    ev.CardPlayed,
    ev.TrickPlayed,
    ev.CardsDealt,
)
_OP: Final[Mapping[type[Any], int]] = {kind: number << 3 for number, kind in enumerate(_KINDS)}
_PLAYED, _TRICK, _DEALT = _OP[ev.CardPlayed], _OP[ev.TrickPlayed], _OP[ev.CardsDealt]
_EXTRA, _RAW = 30 << 3, 31 << 3

_CARDS: Final = [[bytes((_PLAYED | seat, card)) for card in range(len(CODES))] for seat in range(8)]

# The words that a packed event may hold, by number; an event with any other is kept as JSON.
_WORDS: Final = (
    *("dreiblatt", "zweiblatt", "einblatt", "solo", "trischaken"),
    *("prise", "garde", "garde_sans", "garde_contre"),
    *("pagat", "uhu", "forty", "fifty", "without_trull", "without_kings", "tarock_trull", "royal_trull"),
    *("two_honours", "valat", "petit_au_bout", "handful", "slam"),
    *("game", "contra", "recontra", "before_pickup", "after_pickup"),
)
_WORD: Final[Mapping[str | None, int]] = {None: 255, **{word: number for number, word in enumerate(_WORDS)}}
_SAID: Final[Mapping[int, str | None]] = {number: word for word, number in _WORD.items()}

_EXTRA_KEYS: Final = ("at", "event_id", "note")


def pack(events: Sequence[ev.Event], sent: Sequence[Sent]) -> tuple[bytes, bool]:
    """The events packed, and whether there is any JSON among them. ``sent`` are the same as they came."""
    out = bytearray()
    has_json = False
    for event, as_sent in zip(events, sent, strict=True):
        start = len(out)
        # These two are nearly all of a hand, so that they are told apart first and cost no call.
        if isinstance(event, ev.CardPlayed):
            seat, card = event
            out += _CARDS[seat][card]
            fields = 3
        elif isinstance(event, ev.TrickPlayed):
            cards = event.cards
            out.append(_TRICK | len(cards))
            out += bytes(cards)
            fields = 2
        else:
            fields = _pack_one(out, event)
        # The packed form stands for that many fields, all of which were sent: no more of them, no others.
        if fields != len(as_sent):
            has_json |= _pack_rest(out, start, fields, as_sent)
    return bytes(out), has_json


def unpack_events(packed: bytes, players: Sequence[str], load: Loader) -> list[ev.Event]:
    """The events for the rules. ``load`` is asked for those that are kept as JSON."""
    events, said = _unpack(packed)
    for at, fields in said.items():
        if events[at] is None:
            events[at] = load([fields], players)[0]
    return cast(list[ev.Event], events)


def unpack_sent(packed: bytes, players: Sequence[str]) -> list[Sent]:
    """The events as they were sent: the same fields and values, without those that were null."""
    events, said = _unpack(packed)
    sent: list[Sent] = [_as_sent(event, players) if event is not None else {} for event in events]
    for at, fields in said.items():
        sent[at].update(fields)
    return sent


# --- writing ---------------------------------------------------------------------------------------


def _pack_one(out: bytearray, event: ev.Event) -> int:
    """Pack an event that is no play; the number of its wire fields, or 0 when it has to be kept as JSON."""
    if isinstance(event, ev.CardsDealt):
        out.append(_DEALT | len(event.hands))
        for cards in (*event.hands, event.talon):
            put_bytes(out, bytes(cards))
        return 3
    op = _OP.get(type(event))
    return 0 if op is None else _pack_call(out, op, event)


def _pack_call(out: bytearray, op: int, event: Any) -> int:
    """The same for what one player says or does beside playing."""
    out.append(op | event.seat)
    if isinstance(event, ev.KingCalled):
        out.append(event.card)
        return 3
    if isinstance(event, ev.TalonTaken | ev.CardsDiscarded):
        put_bytes(out, bytes(event.cards))
        return 3
    if isinstance(event, ev.BidMade):
        return 3 if _put_words(out, event.contract) else 0
    if isinstance(event, ev.ContraCalled):
        return 4 if _put_words(out, event.target, event.level) else 0
    if isinstance(event, ev.Announced):
        put_bytes(out, bytes(event.cards))
        fields = 3 + bool(event.cards) + (event.stage is not None)
        return fields if _put_words(out, event.bonus, event.stage) else 0
    return 2


def _put_words(out: bytearray, *words: str | None) -> bool:
    """Write words by their number; False where one has none."""
    numbers = [_WORD.get(word) for word in words]
    out += bytes(number for number in numbers if number is not None)
    return None not in numbers


def _pack_rest(out: bytearray, start: int, fields: int, as_sent: Sent) -> bool:
    """Keep as JSON what the packed form at ``start`` does not say; whether there was anything."""
    said = {name: value for name, value in as_sent.items() if value is not None}
    extras: Sent = {name: said[name] for name in _EXTRA_KEYS if name in said}
    if fields and len(said) - len(extras) == fields:
        if extras:
            out[start:start] = _json(_EXTRA, extras)
        return bool(extras)
    out[start:] = _json(_RAW, said)
    return True


def _json(op: int, value: Sent) -> bytes:
    out = bytearray((op,))
    put_bytes(out, orjson.dumps(value))
    return bytes(out)


# --- reading ---------------------------------------------------------------------------------------


# Nearly all that a hand is made of, made once: events are values.
_PLAYS: Final = tuple(tuple(ev.CardPlayed(seat, card) for card in range(len(CODES))) for seat in range(8))


def _unpack(packed: bytes) -> tuple[list[ev.Event | None], dict[int, Sent]]:
    """The events, None where one is kept as JSON; and by index the fields of those, or further fields."""
    events: list[ev.Event | None] = []
    said: dict[int, Sent] = {}
    event: ev.Event | None
    at, end = 0, len(packed)
    while at < end:
        op = packed[at]
        kind, low = op & 0xF8, op & 7
        at += 1
        if kind == _PLAYED:
            event = _PLAYS[low][packed[at]]
            at += 1
        elif kind == _TRICK:
            event = ev.TrickPlayed(tuple(packed[at : at + low]))
            at += low
        elif kind in (_EXTRA, _RAW):
            written, at = get_bytes(packed, at)
            said[len(events)] = orjson.loads(written)
            if kind == _EXTRA:
                continue
            event = None
        else:
            event, at = _unpack_rarer(packed, kind, low, at)
        events.append(event)
    return events, said


def _unpack_rarer(packed: bytes, op: int, low: int, at: int) -> tuple[ev.Event, int]:
    """An event of the rarer kinds, and where the next one begins."""
    event: ev.Event
    kind = _KINDS[op >> 3]
    if kind is ev.CardsDealt:
        piles: list[tuple[int, ...]] = []
        for _ in range(low + 1):
            cards, at = get_bytes(packed, at)
            piles.append(tuple(cards))
        return ev.CardsDealt(tuple(piles[:-1]), piles[-1]), at
    if kind is ev.KingCalled:
        return ev.KingCalled(low, packed[at]), at + 1
    if kind is ev.BidMade:
        return ev.BidMade(low, _WORDS[packed[at]]), at + 1
    if kind is ev.ContraCalled:
        return ev.ContraCalled(low, _WORDS[packed[at]], _WORDS[packed[at + 1]]), at + 2
    if kind in (ev.TalonTaken, ev.CardsDiscarded):
        cards, at = get_bytes(packed, at)
        event = kind(low, tuple(cards))
        return event, at
    if kind is ev.Announced:
        cards, at = get_bytes(packed, at)
        return ev.Announced(low, _WORDS[packed[at]], tuple(cards), _SAID[packed[at + 1]]), at + 2
    event = kind(low)
    return event, at


def _as_sent(event: ev.Event, players: Sequence[str]) -> Sent:
    """The wire form of an event, as far as the packed form says it."""
    if isinstance(event, ev.CardPlayed):
        return {"type": "card_played", "player": players[event.seat], "card": CODES[event.card]}
    sent: Sent = {"type": ev.TYPE_NAMES[type(event)]}
    if isinstance(event, ev.CardsDealt):
        sent["hands"] = {player: _codes(cards) for player, cards in zip(players, event.hands, strict=True)}
        sent["talon"] = _codes(event.talon)
        return sent
    for name, value in event._asdict().items():
        if name == "seat":
            sent["player"] = players[value]
        elif name == "card":
            sent["card"] = CODES[value]
        elif name == "cards":
            if value or not isinstance(event, ev.Announced):
                sent["cards"] = _codes(value)
        elif value is not None:
            sent[name] = value
    return sent


def _codes(cards: Sequence[int]) -> list[str]:
    return [CODES[card] for card in cards]
