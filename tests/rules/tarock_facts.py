"""Facts of a hand of Illustrated Tarock made up, and what their price gives."""

from __future__ import annotations

from typing import Any

from trull.bonuses import candidates
from trull.cards import CARDS, mask_of
from trull.facts_tarock import Claim, TarockFacts
from trull.sheet import Draft

PLAIN = "T2 T3 T4 T5"
"""A hand in which nothing is remarkable, as far as it matters."""
USUAL = ("SK T1",) * 3
"""Hands with a King and an honour each: nothing comes of them."""


def mask(cards: str) -> int:
    return mask_of(CARDS[card] for card in cards.split())


def facts(
    count: int,
    *claims: Claim,
    dealt: Any = USUAL,
    before: Any = None,
    contract: str = "zweiblatt",
    **more: Any,
) -> TarockFacts:
    """A's hand of so many card points; the hands as far as they matter."""
    made = TarockFacts(
        declarer=0,
        contract=contract,
        stake=more.pop("stake", "called"),
        solo=contract == "solo",
        thirds=3 * count,
        points=count,
        won=count >= 36,
        game_contra=more.pop("game_contra", None),
        claims=claims,
        dealt=tuple(map(mask, dealt)),
        before_play=tuple(map(mask, before or dealt)),
        **more,
    )
    made.silent = candidates(made)
    return made


def claim(seat: int, name: str, stage: str = "after_pickup", level: int = 0) -> Claim:
    """An announcement whose cards tell whether it was made."""
    return Claim(seat, name, stage, level, None)


def gave(draft: Draft) -> dict[str, list[int]]:
    """The points of each item, by seat."""
    found = {}
    for line in draft.lines:
        assert line.item not in found
        found[line.item] = list(line.points)
    return found


def bonuses(draft: Draft) -> dict[str, list[int]]:
    """The same without the game itself."""
    game = ("game", "overshoot", "undershoot")
    return {item: share for item, share in gave(draft).items() if item not in game}
