"""A hand in brief: what decides its scores under any variant, and those scores without a sheet.

A batch keeps the brief of a hand and prices it under one rule set after another, as `trull.scoring.score`
would, without replaying it and without writing a sheet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from trull.model import Variant
from trull.scoring import facts_of
from trull.state import FINISHED, Hand

if TYPE_CHECKING:
    from trull.games import Game


@dataclass(slots=True)
class Brief:
    """What of a hand decides its scores. ``status`` is that of its sheet under its own variant.

    ``facts`` are those of a scored hand (`trull.scoring.facts_of`), else ``None``. ``odd_deal``: it is one
    that some variants do not play; ``finished``: it was played to its end all the same. ``penalties`` are
    points by seat.
    """

    game: Game
    seats: int
    status: str
    contract: str | None
    odd_deal: bool
    finished: bool
    penalties: tuple[tuple[int, int], ...]
    facts: Any


class Totals(NamedTuple):
    """How a hand stands under a variant: the sheet's status, and scores by seat in halves of a point."""

    status: str
    halves: tuple[int, ...]


def brief_of(hand: Hand, status: str | None = None) -> Brief:
    """The brief of a hand; ``status`` where its sheet has another one than the rules know (`irregular`)."""
    status = status or hand.status
    return Brief(
        hand.variant.game,
        hand.seats,
        status,
        hand.contract.id if hand.contract is not None else None,
        hand.dealt is not None and hand.variant.game.odd_deal(hand.dealt),
        hand.phase == FINISHED,
        tuple(hand.penalties),
        facts_of(hand) if status == "scored" else None,
    )


def totals(brief: Brief, variant: Variant) -> Totals:
    """The status and the scores that the sheet under the variant would have."""
    status = _unscored(brief, variant)
    if status is not None:
        return Totals(status, _with_penalties([0] * brief.seats, brief, status))
    draft = variant.game.price(brief.facts, variant)
    status = draft.status
    scores = [sum(column) for column in zip(*[line.points for line in draft.lines], strict=True)]
    if status == "scored" and brief.odd_deal and variant.rulings[variant.game.redeal_ruling]:
        status, scores = "void", []
    if not scores:
        scores = [0] * brief.seats
    elif not draft.halves:
        scores = [2 * points for points in scores]
    return Totals(status, _with_penalties(scores, brief, status))


def _unscored(brief: Brief, variant: Variant) -> str | None:
    """The status of a sheet without items, or ``None``."""
    if variant.players != brief.seats:
        return "void"
    if brief.status == "irregular":
        return "irregular"
    if variant.game is not brief.game:
        return "void"
    if brief.status != "scored":
        refused = brief.odd_deal and not brief.finished and variant.rulings[variant.game.redeal_ruling]
        return "void" if refused and brief.status != "annulled" else brief.status
    return None if brief.contract is None or brief.contract in variant.contracts else "void"


def _with_penalties(scores: list[int], brief: Brief, status: str) -> tuple[int, ...]:
    """The scores, in halves, with the penalties; an incomplete hand has none yet."""
    if brief.penalties and status != "incomplete":
        for seat, points in brief.penalties:
            scores[seat] += 2 * points
    return tuple(scores)
