"""From a hand to its score sheet, under its own variant or another (contract, section 2; IT-9)."""

from __future__ import annotations

from typing import Any

from trull.model import Variant
from trull.sheet import Draft, Line, Note, ScoreSheet
from trull.state import FINISHED, NOBODY, Hand


def facts_of(hand: Hand) -> Any:
    """The facts of a finished hand that no variant of its game changes: read once, priced many times."""
    return hand.variant.game.read(hand)


def score(hand: Hand, variant: Variant | None = None, facts: Any = None) -> ScoreSheet:
    """The sheet of a hand, finished or not; under ``variant`` if that is given.

    ``facts`` are those of `facts_of`, where they are at hand already.
    """
    variant = variant or hand.variant
    draft = _unscored(hand, variant)
    if draft is None:
        draft = variant.game.price(facts if facts is not None else facts_of(hand), variant)
        if (
            draft.status == "scored"
            and hand.variant is not variant
            and variant.game.refuses_deal(hand, variant)
        ):
            draft = _void(hand, f"{variant.id} deals again: a hand like this is not played.")
    return _sheet(draft, hand, variant)


def unscored(hand: Hand, status: str, notes: list[Note], variant: Variant | None = None) -> ScoreSheet:
    """The sheet of a hand that is not scored for a reason outside of it: penalties alone, and notes."""
    variant = variant or hand.variant
    draft = Draft(status, hand.seats)
    if variant.players != hand.seats or (status == "annulled" and variant.game is not hand.variant.game):
        draft = _void(hand, f"{variant.id} is another game or for another number of players.")
    draft.notes += notes
    return _sheet(draft, hand, variant)


def _unscored(hand: Hand, variant: Variant) -> Draft | None:
    """The draft of a hand that has no score, or ``None``."""
    if variant.game is not hand.variant.game or variant.players != hand.seats:
        return _void(hand, f"{variant.id} is another game or for another number of players.")
    status = hand.status
    if status == "annulled":
        reason = hand.annulled or "all_passed"
        return Draft("annulled", hand.seats, notes=[Note("annulled", f"No score: {reason}.")])
    if status == "void" or (hand.phase != FINISHED and variant.game.refuses_deal(hand, variant)):
        return _void(hand, "The deal does not stand and is dealt again.")
    if status == "incomplete":
        contract = hand.contract
        return Draft(
            "incomplete",
            hand.seats,
            declarer=None if hand.declarer == NOBODY else hand.declarer,
            contract=contract.id if contract else "trischaken" if hand.trischaken else None,
        )
    if hand.contract is not None and hand.contract.id not in variant.contracts:
        return _void(hand, f"{variant.id} has no contract {hand.contract.id}.")
    return None


def _void(hand: Hand, why: str) -> Draft:
    return Draft("void", hand.seats, notes=[Note("void", why)])


def _sheet(draft: Draft, hand: Hand, variant: Variant) -> ScoreSheet:
    """The scores are the sums of the lines; penalties join them and stay out of the payments."""
    lines = draft.lines
    scores = [sum(column) for column in zip(*[line.points for line in lines], strict=True)] or [
        0
    ] * hand.seats
    payments = variant.game.settle(scores) if draft.status == "scored" else []
    if hand.penalties and draft.status != "incomplete":
        unit = 2 if draft.halves else 1
        clause = variant.game.clauses["penalty"]
        for seat, points in hand.penalties:
            base = points * unit
            scores[seat] += base
            share = tuple(base if at == seat else 0 for at in range(hand.seats))
            lines.append(Line("penalty", base, 1, 1, share, clause, {"player": seat}))
    return ScoreSheet(variant.id, variant.revision, draft, tuple(scores), payments)
