"""Illustrated Tarock by Löw, by Beck and by Mayr & Sedlaczek: rows and rulings (IT-4, IT-7, IT-10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from trull.games import ILLUSTRATED_TAROCK
from trull.model import Bonus, By, Contract, RulingValue, Variant

_THREES = ((0, 1, 2), (3, 4, 5))
_PAIRS = ((0, 1), (2, 3), (4, 5))
_SINGLES = ((0,), (1,), (2,), (3,), (4,), (5,))


def _contracts(values: Mapping[str, Mapping[str, int]], takeable: tuple[str, ...]) -> dict[str, Contract]:
    """The four contracts, lowest first, at the game values of a rule set."""
    rows = (
        Contract("dreiblatt", 1, _THREES),
        Contract("zweiblatt", 2, _PAIRS),
        Contract("einblatt", 3, _SINGLES),
        Contract("solo", 4, ends_auction=True),
    )
    return {row.id: replace(row, stakes=values[row.id], takeable=row.id in takeable) for row in rows}


def _bonus(
    bonus: str,
    announced_by: By,
    silent_by: By,
    before: int | None = None,
    after: int | None = None,
    silent: int | None = None,
) -> Bonus:
    values = {"before": before, "after": after, "silent": silent}
    return Bonus(bonus, {stage: v for stage, v in values.items() if v is not None}, announced_by, silent_by)


def _bonuses(*rows: Bonus) -> dict[str, Bonus]:
    return {row.id: row for row in rows}


_LOEW_DUELS = {"called": 3, "taken_over": 4, "held": 4, "retaken": 5}
_LOEW_RULINGS: Final[dict[str, RulingValue]] = {
    "solo_overshoot": "undershoot_only",
    "failed_bonus_multiplied": True,
    "held_value": 4,
    "royal_trull": "four_kings",
    "hand_bonus_basis": "before_play",
    "without_basis": "dealt",
    "game_contra": "after_pickup",
    "solo_stage": "after_pickup",
    "captured_pagat": True,
    "hand_bonuses": "automatic",
    "no_tarock_redeal": True,
    "pass_out": "redeal",
    "trischaken_tie": None,
    "contra_before": 2,
    "contra_after": 2,
    "recontra": False,
    "series_target": 100,
    "series_bonus": 10,
}

LOEW_1954: Final = Variant(
    id="illustrated-loew-1954",
    name="Illustrated Tarock (Löw 1954)",
    source="Hans Löw, 20 Kartenspiele, 2nd edition, Wien 1954",
    game=ILLUSTRATED_TAROCK,
    players=3,
    contracts=_contracts(
        {
            "dreiblatt": _LOEW_DUELS,
            "zweiblatt": _LOEW_DUELS,
            "einblatt": _LOEW_DUELS,
            "solo": {"called": 8},
        },
        takeable=("dreiblatt", "zweiblatt", "einblatt"),
    ),
    bonuses=_bonuses(
        _bonus("pagat", "anyone", "anyone", after=10, silent=5),
        _bonus("uhu", "anyone", "anyone", after=10, silent=5),
        _bonus("forty", "declarer", "nobody", before=5),
        _bonus("fifty", "declarer", "nobody", after=15),
        _bonus("without_trull", "nobody", "declarer", silent=5),
        _bonus("without_kings", "nobody", "declarer", silent=5),
        _bonus("tarock_trull", "nobody", "anyone", silent=3),
        _bonus("royal_trull", "nobody", "anyone", silent=3),
        _bonus("two_honours", "nobody", "anyone", silent=1),
    ),
    rulings=_LOEW_RULINGS,
)

BECK: Final = Variant(
    id="illustrated-beck",
    name="Illustrated Tarock (Beck, 1956 to the 1980s)",
    source="Fritz Beck, Tarock komplett, Wien 1956 and later, as clarified by Michael Dummett, 1980",
    game=ILLUSTRATED_TAROCK,
    players=3,
    contracts=_contracts(
        {
            "dreiblatt": {"called": 3, "taken_over": 4, "held": 5},
            "zweiblatt": {"called": 3},
            "einblatt": {"called": 3},
            "solo": {"called": 3},
        },
        takeable=("dreiblatt",),
    ),
    bonuses=_bonuses(
        _bonus("pagat", "declarer", "anyone", before=20, after=10, silent=5),
        _bonus("uhu", "declarer", "anyone", before=20, after=10, silent=5),
        _bonus("forty", "declarer", "nobody", before=10, after=5),
        _bonus("fifty", "declarer", "nobody", before=40, after=20),
        _bonus("without_trull", "declarer", "declarer", before=16, after=8, silent=4),
        _bonus("without_kings", "declarer", "declarer", before=15, after=10, silent=5),
        _bonus("tarock_trull", "nobody", "anyone", silent=4),
        _bonus("royal_trull", "nobody", "anyone", silent=5),
        _bonus("two_honours", "nobody", "anyone", silent=2),
        _bonus("valat", "declarer", "declarer", before=48, after=24, silent=12),
    ),
    rulings={
        **_LOEW_RULINGS,
        "solo_overshoot": "both",
        "failed_bonus_multiplied": False,
        "held_value": 5,
        "game_contra": "any_stage",
        "no_tarock_redeal": False,
        "pass_out": "trischaken",
        "trischaken_tie": "all_tied_lose",
        "contra_before": 4,
    },
)

MAYR_SEDLACZEK_2016: Final = Variant(
    id="illustrated-mayr-sedlaczek-2016",
    name="Illustrated Dreiertarock (Mayr & Sedlaczek 2016)",
    source="Wolfgang Mayr and Robert Sedlaczek, Die Strategie des Tarockspiels, 5th edition, Wien 2016",
    game=ILLUSTRATED_TAROCK,
    players=3,
    contracts=_contracts(
        {
            "dreiblatt": {"called": 3},
            "zweiblatt": {"called": 5},
            "einblatt": {"called": 7},
            "solo": {"called": 10},
        },
        takeable=(),
    ),
    bonuses=_bonuses(
        _bonus("pagat", "declarer", "declarer", before=20, after=10, silent=5),
        _bonus("forty", "declarer", "nobody", before=10, after=5),
        _bonus("fifty", "declarer", "nobody", before=40, after=20),
        _bonus("without_trull", "declarer", "nobody", before=20, after=10),
        _bonus("without_kings", "declarer", "nobody", before=20, after=10),
        _bonus("tarock_trull", "nobody", "anyone", silent=3),
        _bonus("royal_trull", "nobody", "anyone", silent=3),
        _bonus("valat", "declarer", "declarer", before=80, after=40, silent=20),
    ),
    rulings={
        **_LOEW_RULINGS,
        "solo_overshoot": "both",
        "held_value": None,
        "without_basis": "before_play",
        "game_contra": "any_stage",
        "no_tarock_redeal": False,
        "contra_before": 4,
        "recontra": True,
    },
)

VARIANTS: Final = (LOEW_1954, BECK, MAYR_SEDLACZEK_2016)
