"""French Tarot for three, four and five: rows and rulings (FT-2, FT-4, FT-6, FT-7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from trull.games import FRENCH_TAROT
from trull.model import Bonus, Contract, RulingValue, Variant

_RULINGS: Final[dict[str, RulingValue]] = {
    "excuse_last_trick": "changes_side",
    "half_points": "away_from_zero",
    "petit_sec_redeal": True,
    "slam_by_defence": 200,
}


def _contracts(chien: int) -> dict[str, Contract]:
    """The four contracts, lowest first; the two lower ones take the whole chien."""
    whole = (tuple(range(chien)),)
    rows = (
        Contract("prise", 1, whole),
        Contract("garde", 2, whole),
        Contract("garde_sans", 4, untaken_to="declarer"),
        Contract("garde_contre", 6, untaken_to="defenders", ends_auction=True),
    )
    return {row.id: row for row in rows}


def _bonuses(handfuls: Mapping[str, int]) -> dict[str, Bonus]:
    rows = (
        Bonus("petit_au_bout", {"value": 10}, silent_by="anyone"),
        Bonus(
            "handful",
            {"single": 20, "double": 30, "triple": 40},
            announced_by="anyone",
            multiplied=False,
            shown=handfuls,
        ),
        Bonus(
            "slam",
            {"announced": 400, "silent": 200, "failed": -200},
            announced_by="declarer",
            silent_by="anyone",
            multiplied=False,
        ),
    )
    return {row.id: row for row in rows}


def _variant(players: int, word: str, source: str, handfuls: tuple[int, int, int]) -> Variant:
    sizes = dict(zip(("single", "double", "triple"), handfuls, strict=True))
    return Variant(
        id=f"french-tarot-{players}",
        name=f"French Tarot for {word}",
        source=source,
        game=FRENCH_TAROT,
        players=players,
        contracts=_contracts(FRENCH_TAROT.deals[players].talon),
        bonuses=_bonuses(sizes),
        rulings=_RULINGS,
    )


_FFT = "Fédération Française de Tarot, official rules"

FOUR: Final = _variant(4, "four", _FFT + ", 2012, and its worked examples", (10, 13, 15))
THREE: Final = _variant(3, "three", _FFT + ": the game for three", (13, 15, 18))
FIVE: Final = _variant(5, "five", _FFT + ": the game for five", (8, 10, 13))

VARIANTS: Final = (THREE, FOUR, FIVE)
