"""Trull's rules library: hands of Illustrated Tarock and French Tarot replayed, judged and scored.

Pure: standard library only, no clock, no input or output. `replay` a stream of events (the classes
of `trull.events`) under a variant, then `score` the hand under that variant or another. Players are
seats, forehand is 0; cards are the numbers of `trull.cards`.

A score sheet's result is one event::

    >>> from trull import VARIANTS, replay, score
    >>> from trull.events import ReportedBonus, ResultReported
    >>> mayr = VARIANTS["illustrated-mayr-sedlaczek-2016"]
    >>> forty = ReportedBonus("forty", seat=0, stage="before_pickup", made=True)
    >>> result = ResultReported(0, "zweiblatt", half_points=2 * 41, bonuses=(forty,))
    >>> hand = replay(mayr, [result])
    >>> score(hand).scores
    (42, 0, 0)
    >>> score(hand, VARIANTS["illustrated-beck"]).scores
    (38, 0, 0)
    >>> sheet = score(hand).as_dict(["Anna", "Béla", "Cyril"], "evening-1-h7", len(hand.events))
    >>> [(item["item"], item["points"]["Anna"], item["clause"]) for item in sheet["items"]]
    [('game', 10, 'IT-7.2'), ('overshoot', 12, 'IT-7.4'), ('forty', 20, 'IT-7.12')]

Card by card, and what a broken rule looks like::

    >>> from trull import RulesError
    >>> from trull.cards import CARDS, cards_of
    >>> from trull.events import BidMade, CardPlayed, CardsDealt
    >>> pack = tuple(cards_of(mayr.game.pack.cards))
    >>> deal = CardsDealt((pack[0:48:3], pack[1:48:3], pack[2:48:3]), talon=pack[48:])
    >>> begun = [deal, BidMade(0, "solo"), CardPlayed(0, CARDS["S7"]), CardPlayed(1, CARDS["S8"])]
    >>> hand = replay(mayr, begun)
    >>> hand.status, hand.phase, hand.turn
    ('incomplete', 'play', 2)
    >>> try:
    ...     replay(mayr, [*begun, CardPlayed(2, CARDS["H1"])])
    ... except RulesError as refusal:
    ...     print(refusal.code, refusal.index, refusal.clause)
    ...     print(refusal.told(["Anna", "Béla", "Cyril"]))
    illegal-play 4 IT-6.2
    H1 may not be played here; legal: S9 SC.
"""

from trull.errors import RulesError
from trull.hand import replay, step
from trull.options import may_act
from trull.scoring import facts_of, score
from trull.sheet import ScoreSheet
from trull.state import Hand
from trull.variants import VARIANTS, Variant

__all__ = [
    "VARIANTS",
    "Hand",
    "RulesError",
    "ScoreSheet",
    "Variant",
    "facts_of",
    "may_act",
    "replay",
    "score",
    "step",
]
