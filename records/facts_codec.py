"""How the facts of a hand are packed into some twenty bytes, so that another variant needs no replay.

What is kept is the hand's `trull.briefs.Brief`, its own variant and its players' names. It is no record of
the hand but a result of this version of the rules, and begins with a mark of that: what another version wrote
is read as nothing, and made again from the log. Words are numbers in the store, which are only added to.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from records.octets import get_bytes, get_number, put_bytes, put_number
from trull.briefs import Brief
from trull.cards import HONOURS, KINGS, cards_of
from trull.facts_tarock import Claim, TarockFacts, TrischakenFacts
from trull.facts_tarot import Excuse, Handful, TarotFacts
from trull.model import RULES_VERSION, Variant

SCHEMA: Final = 1
"""Raised with every change of what is written here."""

MARK: Final = bytes((SCHEMA,)) + hashlib.sha256(RULES_VERSION.encode()).digest()[:2]
"""How facts begin that this version has written."""

_STATUSES: Final = ("incomplete", "scored", "annulled", "void", "irregular")
_VARIANTS: Final = (
    *("illustrated-loew-1954", "illustrated-beck", "illustrated-mayr-sedlaczek-2016"),
    *("french-tarot-3", "french-tarot-4", "french-tarot-5"),
)
_CONTRACTS: Final = (
    *("dreiblatt", "zweiblatt", "einblatt", "solo"),
    *("prise", "garde", "garde_sans", "garde_contre"),
)
_BONUSES: Final = (
    *("pagat", "uhu", "forty", "fifty", "without_trull", "without_kings", "tarock_trull", "royal_trull"),
    *("two_honours", "valat"),
)
_STAKES: Final = ("called", "taken_over", "held", "retaken")
_STAGES: Final = ("before_pickup", "after_pickup", "silent")
_SIZES: Final = (None, "single", "double", "triple")
_MADE: Final = (None, False, True)
_OTHER: Final = 255
_NO_FACTS, _TAROCK, _TRISCHAKEN, _TAROT = range(4)


class Kept(NamedTuple):
    """A hand as it is kept for batches: its variant's id, its `line_up` and its brief."""

    variant: str
    line_up: bytes
    brief: Brief


def line_up(players: Sequence[str]) -> bytes:
    """The players of a hand in order of play, as bytes. No name holds an end of line."""
    return "\n".join(players).encode()


def players_of(line_up: bytes) -> list[str]:
    """The players of a line-up."""
    return line_up.decode().split("\n") if line_up else []


def write_facts(kept: Kept) -> bytes:
    """A hand's brief as bytes; none where a word of it has no number here, so that it has to be replayed."""
    try:
        return _written(kept)
    except ValueError:
        return b""


def _written(kept: Kept) -> bytes:
    brief, facts = kept.brief, kept.brief.facts
    kind = _NO_FACTS
    for form, number in ((TarockFacts, _TAROCK), (TrischakenFacts, _TRISCHAKEN), (TarotFacts, _TAROT)):
        if isinstance(facts, form):
            kind = number
    flags = _STATUSES.index(brief.status) | kind << 3 | brief.odd_deal << 5 | brief.finished << 6
    out = bytearray(MARK)
    out.append(flags | bool(brief.penalties) << 7)
    if kept.variant in _VARIANTS:
        out.append(_VARIANTS.index(kept.variant))
    else:
        out.append(_OTHER)
        put_bytes(out, kept.variant.encode())
    out.append(_OTHER if brief.contract is None else _CONTRACTS.index(brief.contract))
    put_bytes(out, kept.line_up)
    if brief.penalties:
        put_number(out, len(brief.penalties))
        for seat, points in brief.penalties:
            out.append(seat)
            put_number(out, points << 1 if points >= 0 else -points << 1 | 1)
    if kind:
        _WRITERS[kind](out, facts)
    return bytes(out)


def read_facts(data: bytes, variants: Mapping[str, Variant]) -> Kept | None:
    """The brief of these bytes; None if it has to be made again, or its variant is unknown here."""
    if data[:3] != MARK:
        return None
    flags, number = data[3], data[4]
    at = 5
    if number == _OTHER:
        name, at = get_bytes(data, at)
        variant_id = name.decode()
    else:
        variant_id = _VARIANTS[number]
    variant = variants.get(variant_id)
    if variant is None:
        return None
    contract = None if data[at] == _OTHER else _CONTRACTS[data[at]]
    players, at = get_bytes(data, at + 1)
    penalties: tuple[tuple[int, int], ...] = ()
    if flags & 128:
        penalties, at = _read_penalties(data, at)
    facts = _READERS[flags >> 3 & 3](data, at, contract, variant.players)
    brief = Brief(
        variant.game,
        variant.players,
        _STATUSES[flags & 7],
        contract,
        bool(flags & 32),
        bool(flags & 64),
        penalties,
        facts,
    )
    return Kept(variant_id, players, brief)


def _read_penalties(data: bytes, at: int) -> tuple[tuple[tuple[int, int], ...], int]:
    count, at = get_number(data, at)
    found = []
    for _ in range(count):
        seat = data[at]
        number, at = get_number(data, at + 1)
        found.append((seat, -(number >> 1) if number & 1 else number >> 1))
    return tuple(found), at


def _read_nothing(data: bytes, at: int, contract: str | None, seats: int) -> None:
    """A hand without a score has no facts."""


# --- Illustrated Tarock --------------------------------------------------------------------------

_KEY: Final = HONOURS | KINGS
"""The cards that any bonus asks for in a hand (`trull.bonuses`): of the others nothing is kept."""
_KEY_BITS: Final = {1 << card: 1 << place for place, card in enumerate(cards_of(_KEY))}
_KEY_MASKS: Final = tuple(
    sum(card for card, bit in _KEY_BITS.items() if code & bit) for code in range(1 << len(_KEY_BITS))
)
"""The sets of those cards by their code of seven bits."""


def _key_code(cards: int) -> int:
    return sum(bit for card, bit in _KEY_BITS.items() if cards & card)


def _claim_of(code: int, bonus: int) -> Claim:
    return Claim(code & 3, _BONUSES[bonus], _STAGES[code >> 6 & 3], code >> 2 & 3, _MADE[code >> 4 & 3])


def _write_tarock(out: bytearray, facts: TarockFacts) -> None:
    stage, level = facts.game_contra or (_STAGES[0], 0)
    out.append(
        facts.declarer | facts.solo << 2 | facts.reported << 3 | level << 4 | _STAGES.index(stage) << 6
    )
    out.append(facts.declarer_tricks | _STAKES.index(facts.stake) << 5)
    out.append(facts.thirds)
    birds = (facts.pagat_by, facts.pagat_to, facts.uhu_by, facts.uhu_to)
    out.append(sum((seat & 3) << 2 * place for place, seat in enumerate(birds)))
    if not facts.reported:
        codes = [_key_code(cards) for cards in (*facts.dealt, facts.before_play[facts.declarer])]
        out += sum(code << 7 * place for place, code in enumerate(codes)).to_bytes(4)
    out.append(len(facts.claims))
    for seat, bonus, stage, level, made in facts.claims:
        out.append(seat | level << 2 | _MADE.index(made) << 4 | _STAGES.index(stage) << 6)
        out.append(_BONUSES.index(bonus))
    for seat, bonus in facts.silent:
        out.append(seat | _BONUSES.index(bonus) << 2)


_SILENT: Final = tuple((code & 3, _BONUSES[code >> 2]) for code in range(len(_BONUSES) << 2))
_SEATS: Final = (0, 1, 2, -1)


def _read_tarock(data: bytes, at: int, contract: str | None, seats: int) -> TarockFacts:
    first, second, thirds, birds = data[at : at + 4]
    at += 4
    declarer = first & 3
    reported = bool(first & 8)
    level = first >> 4 & 3
    points = (thirds + 1) // 3
    dealt: tuple[int, ...] = ()
    before_play: tuple[int, ...] = ()
    talon = 0
    if not reported:
        codes = int.from_bytes(data[at : at + 4])
        at += 4
        one, two, three = _KEY_MASKS[codes & 127], _KEY_MASKS[codes >> 7 & 127], _KEY_MASKS[codes >> 14 & 127]
        dealt = (one, two, three)
        talon = _KEY ^ one ^ two ^ three
        held = [one, two, three]
        held[declarer] = _KEY_MASKS[codes >> 21]
        before_play = tuple(held)
    claims: tuple[Claim, ...] = ()
    count = data[at]
    at += 1
    if count:
        claims = tuple([_claim_of(data[at + 2 * n], data[at + 2 * n + 1]) for n in range(count)])
        at += 2 * count
    assert contract is not None
    return TarockFacts(
        declarer,
        contract,
        _STAKES[second >> 5],
        bool(first & 4),
        thirds,
        points,
        points >= 36,
        (_STAGES[first >> 6], level) if level else None,
        claims,
        reported,
        dealt,
        before_play,
        talon,
        _SEATS[birds & 3],
        _SEATS[birds >> 2 & 3],
        _SEATS[birds >> 4 & 3],
        _SEATS[birds >> 6],
        second & 31,
        tuple([_SILENT[code] for code in data[at:]]),
    )


def _write_trischaken(out: bytearray, facts: TrischakenFacts) -> None:
    out += bytes((*facts.points, *facts.tricks))


def _read_trischaken(data: bytes, at: int, contract: str | None, seats: int) -> TrischakenFacts:
    return TrischakenFacts(tuple(data[at : at + seats]), tuple(data[at + seats : at + 2 * seats]))


# --- French Tarot --------------------------------------------------------------------------------


def _write_tarot(out: bytearray, facts: TarotFacts) -> None:
    partner = 0 if facts.partner is None else facts.partner + 1
    out.append(facts.declarer | partner << 3 | facts.slam_announced << 6 | facts.slam_by_takers << 7)
    excuse = 0
    if facts.excuse is not None:
        excuse = sum(flag << place for place, flag in enumerate((True, *facts.excuse)))
    out.append(facts.oudlers | excuse << 2 | facts.slam_by_defence << 7)
    out.append(facts.halves)
    out.append(facts.petit_to + 1)
    for seat, shown, size in facts.handfuls:
        out.append(seat | _SIZES.index(size) << 3)
        out.append(shown)


_EXCUSES: Final = tuple(
    Excuse(bool(code & 1), bool(code & 2), bool(code & 4), bool(code & 8)) for code in range(16)
)
_SIDES: Final = tuple(
    tuple(frozenset({seat} if partner == 0 else {seat, partner - 1}) for partner in range(6))
    for seat in range(5)
)
"""The taker's side by taker and partner, whose number is one more than the seat."""


def _read_tarot(data: bytes, at: int, contract: str | None, seats: int) -> TarotFacts:
    first, second, halves, petit = data[at : at + 4]
    declarer, partner = first & 7, first >> 3 & 7
    handfuls: tuple[Handful, ...] = ()
    if len(data) > at + 4:
        pairs = range(at + 4, len(data), 2)
        handfuls = tuple([Handful(data[n] & 7, data[n + 1], _SIZES[data[n] >> 3]) for n in pairs])
    assert contract is not None
    return TarotFacts(
        seats,
        declarer,
        partner - 1 if partner else None,
        _SIDES[declarer][partner],
        contract,
        halves,
        second & 3,
        _EXCUSES[second >> 3 & 15] if second & 4 else None,
        petit - 1,
        handfuls,
        bool(first & 64),
        bool(first & 128),
        bool(second & 128),
    )


_WRITERS: Final[Mapping[int, Any]] = {
    _TAROCK: _write_tarock,
    _TRISCHAKEN: _write_trischaken,
    _TAROT: _write_tarot,
}
_READERS: Final = (_read_nothing, _read_tarock, _read_trischaken, _read_tarot)
