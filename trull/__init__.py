"""Trull's rules library: hands of Illustrated Tarock and French Tarot replayed, judged and scored.

Pure: standard library only, no clock, no input or output. `replay` a stream of events under a
variant, then `score` the hand under that variant or another::

    from trull import VARIANTS, replay, score

    hand = replay(VARIANTS["illustrated-mayr-sedlaczek-2016"], events)
    sheet = score(hand).as_dict(["Anna", "Béla", "Cyril"], "h1", len(events))
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
