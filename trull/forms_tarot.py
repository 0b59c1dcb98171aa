"""The form of a result of French Tarot: it offers what `trull.results_tarot` takes."""

from __future__ import annotations

from trull.forms import MADE, BonusForm, ContractForm, Way, choice, named, number, player
from trull.model import Bonus, Variant

_POINTS = 91
_OUDLERS = 3


def form(variant: Variant) -> list[ContractForm]:
    """What a result may hold under the variant, contract by contract, the lowest first."""
    fields = [player("declarer")]
    if variant.game.deals[variant.players].calls_king:
        fields.append(player("partner"))
    # Four players always have whole card points (FT-1.3).
    step = 1 if variant.players == 4 else 0.5
    fields.append(named("oudlers", range(_OUDLERS + 1), usual=False))
    fields.append(number("card_points", _POINTS, step, of=_POINTS))
    bonuses = [BonusForm(row.id, _ways(row)) for row in variant.bonuses.values()]
    return [ContractForm(contract, fields, bonuses) for contract in variant.contracts]


def _ways(row: Bonus) -> list[Way]:
    if row.id == "petit_au_bout":
        return [Way(None, {}, [player("player")])]
    if row.id == "handful":
        sizes = [(size, [size, str(trumps)]) for size, trumps in row.shown.items()]
        return [Way(None, {}, [player("player"), choice("size", sizes, usual=False)])]
    return [
        Way("announced", {"announced": True}, [MADE]),
        Way("not_announced", {"announced": False, "made": True}, []),
        Way("by_defenders", {"announced": False, "made": True}, [player("player", "defenders")]),
    ]
