"""What a finished hand of French Tarot pays under a variant (FT-6)."""

from __future__ import annotations

from trull.facts_tarot import Excuse, TarotFacts
from trull.model import Variant
from trull.sheet import Draft, Line, Note, Points
from trull.state import NOBODY

NEEDED = (56, 51, 41, 36)
"""The card points that the taker's side needs, by its oudlers (FT-1.3)."""

_ALL = 182
_EXCUSE = 9
_HALF = 1


def price(facts: TarotFacts, variant: Variant) -> Draft:
    """The draft of the sheet, in halves; points come out whole but for the ruling ``half_points: keep``."""
    halves, oudlers = _with_excuse(facts, variant)
    over = halves - 2 * NEEDED[oudlers]
    won = over >= 0
    difference = abs(over)
    if difference & 1 and variant.rulings["half_points"] == "away_from_zero":
        difference += 1
    row = variant.contracts[facts.contract]
    draft = Draft(
        "scored",
        facts.seats,
        facts.declarer,
        facts.partner,
        row.id,
        None,
        won,
        (_points(halves), _points(_ALL - halves)),
        (exact_halves(halves), exact_halves(_ALL - halves)),
        halves=True,
    )
    base = 50 + difference
    sign = 1 if won else -1
    _line(draft, facts, "contract", base, row.multiplier, sign, "FT-6.1")
    _bonuses(draft, facts, variant, row.multiplier, sign)
    return draft


def _with_excuse(facts: TarotFacts, variant: Variant) -> tuple[int, int]:
    """Half points and oudlers of the taker's side, the Excuse settled (FT-5.7 to FT-5.9)."""
    excuse = facts.excuse
    if excuse is None:
        return facts.halves, facts.oudlers
    holds, pays = _excuse_stays(excuse, str(variant.rulings["excuse_last_trick"]))
    ours = holds == excuse.takers
    halves = facts.halves + (_EXCUSE if ours else 0)
    if pays:
        halves += -_HALF if ours else _HALF
    return halves, facts.oudlers + ours


def _excuse_stays(excuse: Excuse, ruling: str) -> tuple[bool, bool]:
    """Whether its own side holds the Excuse at the end, and whether half a point passes against it."""
    if excuse.kept:
        return True, False
    if excuse.last and ruling == "changes_side":
        return False, excuse.taken_by_own
    if excuse.last and ruling == "to_trick_winner":
        return excuse.taken_by_own, False
    return True, not excuse.taken_by_own


def _line(
    draft: Draft,
    facts: TarotFacts,
    item: str,
    base: int,
    multiplier: int,
    sign: int,
    clause: str,
    shown: dict[str, object] | None = None,
) -> None:
    """An item whose unit is shared out, signed from the taker's side (FT-6.6)."""
    unit = sign * base * multiplier
    draft.lines.append(Line(item, base, multiplier, 1, _shares(facts, unit), clause, shown or {}))


def _shares(facts: TarotFacts, unit: int) -> Points:
    """Each defender's unit against the taker's side, the partner with one of them (FT-6.6)."""
    alone = facts.partner is None or facts.partner == facts.declarer
    taker = unit * (facts.seats - 1 if alone else facts.seats - 3)
    return tuple(
        taker if seat == facts.declarer else unit if seat in facts.taker_side else -unit
        for seat in range(facts.seats)
    )


def _bonuses(draft: Draft, facts: TarotFacts, variant: Variant, multiplier: int, sign: int) -> None:
    """Petit au bout, handfuls and slam (FT-6.2 to FT-6.5)."""
    bonuses = variant.bonuses
    if facts.petit_to != NOBODY and "petit_au_bout" in bonuses:
        side = 1 if facts.petit_to in facts.taker_side else -1
        row = bonuses["petit_au_bout"]
        factor = multiplier if row.multiplied else 1
        shown: dict[str, object] = {"player": facts.petit_to, "made": True}
        _line(draft, facts, row.id, 2 * row.values["value"], factor, side, "FT-6.2", shown)
    if "handful" in bonuses:
        row = bonuses["handful"]
        sizes = {count: size for size, count in row.shown.items()}
        for handful in facts.handfuls:
            size = handful.size or sizes.get(handful.shown)
            if size is None:
                draft.notes.append(
                    Note("bonus-left-out", f"{handful.shown} trumps are no handful of {variant.id}.")
                )
                continue
            shown = {"player": handful.seat, "size": size, "made": True}
            _line(draft, facts, row.id, 2 * row.values[size], 1, sign, "FT-6.3", shown)
    elif facts.handfuls:
        draft.notes.append(Note("bonus-left-out", f"{variant.id} has no bonus handful."))
    _slam(draft, facts, variant)


def _slam(draft: Draft, facts: TarotFacts, variant: Variant) -> None:
    """The slam of either side, and the failed announcement (FT-6.4, FT-6.5)."""
    row = variant.bonuses.get("slam")
    if row is None:
        if facts.slam_announced:
            draft.notes.append(Note("bonus-left-out", f"{variant.id} has no bonus slam."))
        return
    if facts.slam_by_takers:
        value = row.values["announced" if facts.slam_announced else "silent"]
        _line(
            draft, facts, "slam", 2 * value, 1, 1, "FT-6.4", {"announced": facts.slam_announced, "made": True}
        )
    elif facts.slam_announced:
        value = -row.values["failed"]
        _line(draft, facts, "slam", 2 * value, 1, -1, "FT-6.4", {"announced": True, "made": False})
    if facts.slam_by_defence:
        by_defence = variant.rulings["slam_by_defence"]
        assert isinstance(by_defence, int)
        _line(draft, facts, "slam", 2 * by_defence, 1, -1, "FT-6.5", {"announced": False, "made": True})


def _points(halves: int) -> int | float:
    return halves / 2 if halves & 1 else halves >> 1


def exact_halves(halves: int) -> str:
    """Halves of a point as ``"40"``, ``"40 1/2"``, ``"1/2"``."""
    whole, rest = divmod(halves, 2)
    if not rest:
        return str(whole)
    return f"{whole} 1/2" if whole else "1/2"
