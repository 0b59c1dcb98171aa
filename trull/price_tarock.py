"""What a finished hand of Illustrated Tarock pays under a variant (IT-7, IT-8, IT-9)."""

from __future__ import annotations

from functools import partial

from trull.announcements import BEFORE, HAND_BONUSES, RECONTRA, SILENT, VALUE_AT, may_be_claimed
from trull.bonuses import CLAUSES, MADE
from trull.facts_tarock import Claim, TarockFacts, TrischakenFacts
from trull.model import Bonus, Variant
from trull.sheet import Draft, Line, Note, Points

SEATS = 3
_line = partial(tuple.__new__, Line)
"""Makes a `Line` of a tuple of its fields, at half the cost of calling the class."""
_STAGE_OF = {column: stage for stage, column in VALUE_AT.items()}


def price(facts: TarockFacts | TrischakenFacts, variant: Variant) -> Draft:
    """The draft of the sheet: the hand's facts under the rows and rulings of the variant."""
    if isinstance(facts, TrischakenFacts):
        return _price_trischaken(facts, variant)
    notes: list[Note] = []
    row = variant.contracts[facts.contract]
    stake = facts.stake
    if stake not in row.stakes:
        notes.append(
            Note("stake-as-called", f"{variant.id} has no stake {stake} for {row.id}: counted as called.")
        )
        stake = "called"
    points, thirds = facts.points, facts.thirds
    draft = Draft(
        "scored",
        SEATS,
        facts.declarer,
        None,
        row.id,
        stake,
        facts.won,
        (points, 70 - points),
        (EXACT[thirds], EXACT[210 - thirds]),
        notes=notes,
    )
    _game(draft, facts, variant, variant.game_value(row, stake), row.multiplier)
    _bonuses(draft, facts, variant, row.multiplier)
    return draft


def _share(facts: TarockFacts, to_declarer: bool, points: int) -> Points:
    """The points to the declarer, or to each defender (IT-7.2, IT-7.3)."""
    if to_declarer:
        return _only(facts.declarer, points)
    share = [points] * SEATS
    share[facts.declarer] = 0
    return tuple(share)


def _only(seat: int, points: int) -> Points:
    """The points to one seat alone."""
    share = [0] * SEATS
    share[seat] = points
    return tuple(share)


def _game(draft: Draft, facts: TarockFacts, variant: Variant, value: int, multiplier: int) -> None:
    """Game value and the points over or under 35, times contra (IT-7.2 to IT-7.5)."""
    contra = 1
    if facts.game_contra is not None:
        stage, level = facts.game_contra
        contra = _factor(draft, facts, variant, "game", stage, level)
    won = facts.won
    clause = "IT-7.2" if won else "IT-7.3"
    draft.lines.append(
        Line(
            "game",
            value,
            multiplier,
            contra,
            _share(facts, won, value * multiplier * contra),
            clause,
            _NO_FACTS,
        )
    )
    counted = variant.rulings["solo_overshoot"] if facts.solo else "both"
    if counted == "both" or (counted == "undershoot_only" and not won):
        item, base = ("overshoot", facts.points - 35) if won else ("undershoot", 35 - facts.points)
        if base:
            share = _share(facts, won, base * multiplier * contra)
            draft.lines.append(_line((item, base, multiplier, contra, share, "IT-7.4", _NO_FACTS)))


_NO_FACTS: dict[str, object] = {}


def _factor(draft: Draft, facts: TarockFacts, variant: Variant, target: str, stage: str, level: int) -> int:
    """The factor of a contra or recontra of that stage (IT-7.31, IT-7.32, IT-9.5)."""
    rulings = variant.rulings
    if facts.solo:
        stage = str(rulings["solo_stage"])
    factor = rulings["contra_before" if stage == BEFORE else "contra_after"]
    assert isinstance(factor, int)
    if level == RECONTRA:
        if rulings["recontra"]:
            return factor * factor
        draft.notes.append(
            Note("recontra-as-contra", f"{variant.id} has no recontra: that on {target} counts as contra.")
        )
    return factor


def _bonuses(draft: Draft, facts: TarockFacts, variant: Variant, multiplier: int) -> None:
    """Announced bonuses, then what was made silently and is not announced too (IT-7.6 to IT-7.24)."""
    silent: list[tuple[int, str, bool]] = []
    announced: set[tuple[int, str]] = set()
    for claim in facts.claims:
        row = variant.bonuses.get(claim.bonus)
        if row is None:
            draft.notes.append(Note("bonus-left-out", f"{variant.id} has no bonus {claim.bonus}."))
        elif claim.stage == SILENT or (column := _column(draft, facts, variant, row, claim)) is None:
            if claim.made is not None and (claim.made or claim.stage == SILENT):
                silent.append((claim.seat, row.id, claim.made))
        else:
            announced.add((claim.seat, row.id))
            _announced(draft, facts, variant, row, claim, column, multiplier)
    if not facts.reported:
        silent += _silent(facts, variant)
    for seat, bonus, made in silent:
        if (seat, bonus) not in announced:
            _credit(draft, facts, variant, seat, bonus, made, multiplier)


def _column(draft: Draft, facts: TarockFacts, variant: Variant, row: Bonus, claim: Claim) -> str | None:
    """The column at which an announcement counts; ``None``: judged as silent (IT-7.22, IT-9.2, IT-9.3)."""
    column = VALUE_AT[str(variant.rulings["solo_stage"]) if facts.solo else claim.stage]
    by = row.announced_by
    if by == "anyone" or (by == "declarer" and claim.seat == facts.declarer):
        if column in row.values:
            return column
        other = "before" if column == "after" else "after"
        if other in row.values:
            if not facts.solo:
                detail = f"{variant.id} has {row.id} {other} pick-up only: counted so."
                draft.notes.append(Note("announcement-at-other-stage", detail))
            return other
    if may_be_claimed(variant, row.id):
        return "silent"
    detail = f"{variant.id} does not let {row.id} be announced so: judged as silent."
    draft.notes.append(Note("announcement-as-silent", detail))
    return None


def _announced(
    draft: Draft, facts: TarockFacts, variant: Variant, row: Bonus, claim: Claim, column: str, multiplier: int
) -> None:
    """An announcement made pays its player, one that failed the other side (IT-7.6 to IT-7.8)."""
    seat, bonus, stage, level, made = claim
    contra = _factor(draft, facts, variant, bonus, stage, level) if level else 1
    base = row.values[column]
    if made is None:
        made = MADE[bonus](facts, variant, seat)
    if made:
        clause = CLAUSES[bonus]
        share = _only(seat, base * multiplier * contra)
    else:
        clause = "IT-7.7"
        if not variant.rulings["failed_bonus_multiplied"]:
            multiplier = 1
        share = _share(facts, seat != facts.declarer, base * multiplier * contra)
    shown_stage = variant.rulings["solo_stage"] if facts.solo else _STAGE_OF[column]
    shown = {"player": seat, "stage": shown_stage, "made": made}
    draft.lines.append(_line((bonus, base, multiplier, contra, share, clause, shown)))


def _silent(facts: TarockFacts, variant: Variant) -> list[tuple[int, str, bool]]:
    """What the cards show unannounced; a captured Pagat is one that was not made (IT-7.20, IT-7.24)."""
    found = []
    claimed = variant.rulings["hand_bonuses"] == "claimed"
    for seat, bonus in facts.silent:
        if claimed and bonus in HAND_BONUSES:
            continue
        if bonus in variant.bonuses and MADE[bonus](facts, variant, seat):
            found.append((seat, bonus, True))
    if facts.pagat_by != facts.pagat_to:
        found.append((facts.pagat_by, "pagat", False))
    return found


def _credit(
    draft: Draft, facts: TarockFacts, variant: Variant, seat: int, bonus: str, made: bool, multiplier: int
) -> None:
    """A silent bonus to whom it is due."""
    row = variant.bonuses.get(bonus)
    if row is None or "silent" not in row.values:
        return
    base = row.values["silent"]
    shown = {"player": seat, "stage": SILENT, "made": made}
    if made:
        if row.silent_by == "anyone" or (row.silent_by == "declarer" and seat == facts.declarer):
            points = _only(seat, base * multiplier)
            draft.lines.append(_line((bonus, base, multiplier, 1, points, CLAUSES[bonus], shown)))
    elif bonus == "pagat" and variant.rulings["captured_pagat"] and _captured(facts, seat):
        share = _share(facts, seat != facts.declarer, base * multiplier)
        draft.lines.append(_line((bonus, base, multiplier, 1, share, "IT-7.20", shown)))


def _captured(facts: TarockFacts, seat: int) -> bool:
    """Whether the other side took the Pagat; between the two defenders nothing is due (IT-7.20)."""
    return facts.reported or facts.declarer in (seat, facts.pagat_to)


def exact_thirds(thirds: int) -> str:
    """Thirds of a point as ``"35"``, ``"35 2/3"``, ``"2/3"``."""
    whole, rest = divmod(thirds, 3)
    if not rest:
        return str(whole)
    return f"{whole} {rest}/3" if whole else f"{rest}/3"


EXACT = tuple(exact_thirds(thirds) for thirds in range(211))
"""Every number of thirds that a pile can be worth, as it is written."""


# --- Trischaken --------------------------------------------------------------------------------

_LOSES, _WINS, _NO_TRICK = -10, 5, 5


def _price_trischaken(facts: TrischakenFacts, variant: Variant) -> Draft:
    """Most card points lose, the others win, and more without a trick (IT-8.4, IT-8.5, IT-9.6)."""
    if variant.rulings["pass_out"] != "trischaken":
        note = Note("trischaken-not-played", f"{variant.id} deals again after three passes.")
        return Draft("annulled", SEATS, notes=[note])
    draft = Draft("scored", SEATS, contract="trischaken", card_points_by_seat=facts.points)
    most = max(facts.points)
    losers = facts.points.count(most)
    if losers == SEATS or (losers > 1 and variant.rulings["trischaken_tie"] == "no_score"):
        draft.notes.append(Note("trischaken-tie", "The most card points are shared: nobody scores."))
        return draft
    for seat, points in enumerate(facts.points):
        base = _LOSES if points == most else _WINS
        draft.lines.append(_trischaken_line("trischaken", base, seat))
        if points != most and not facts.tricks[seat]:
            draft.lines.append(_trischaken_line("trischaken_no_trick", _NO_TRICK, seat))
    return draft


def _trischaken_line(item: str, base: int, seat: int) -> Line:
    return Line(item, base, 1, 1, _only(seat, base), "IT-8.4", {"player": seat})
