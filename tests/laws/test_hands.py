"""The random hands of the laws have in them what the laws are about."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from tests.laws.lawbook import (
    sheet_of,
    table_of,
)
from tests.support.hands import VARIANT_IDS, told
from tests.support.tables import Table

Sheet = dict[str, Any]


def test_the_random_hands_have_what_they_are_for() -> None:
    """Laws over hands in which nothing happens would say little."""
    seen: Counter[str] = Counter()
    for kind in VARIANT_IDS:
        for seed in range(60):
            table = table_of(kind, seed)
            sheet = sheet_of(told(table, random.Random(seed)))
            seen.update(_happened(table, sheet))
    for thing in WANTED:
        assert seen[thing] >= 2, f"{thing}: {seen}"


def _happened(table: Table, sheet: Sheet) -> list[str]:
    found = [event["type"] for _, event in table.story]
    found += [str(sheet["contract"]), str(sheet["stake"]), str(sheet["outcome"]), str(sheet["status"])]
    for item in sheet["items"]:
        made = "" if "made" not in item else " made" if item["made"] else " failed"
        found.append(f"{item['item']}{made}")
        found.append(f"contra {item['contra']}")
    found += ["excuse last"] * (bool(table.tricks) and "F" in table.tricks[-1][2])
    found += ["alone"] * (sheet["partner"] is not None and sheet["partner"] == sheet["declarer"])
    found += ["tarock laid away"] * any(card[0] == "T" for card in table.discarded)
    return found


WANTED = [
    *("passed", "bid_made", "bid_accepted", "bid_taken_over", "bid_held", "bid_retaken", "king_called"),
    *("announced", "contra_called", "talon_taken", "cards_discarded"),
    *("dreiblatt", "zweiblatt", "einblatt", "solo", "prise", "garde", "garde_sans", "garde_contre"),
    *("called", "taken_over", "held", "retaken", "won", "lost", "scored", "annulled"),
    *("pagat made", "pagat failed", "uhu made", "uhu failed", "forty made", "forty failed", "fifty made"),
    *("fifty failed", "without_trull made", "without_trull failed", "without_kings made", "valat made"),
    *("without_kings failed", "tarock_trull made", "royal_trull made", "two_honours made", "valat failed"),
    *("petit_au_bout made", "handful made", "slam made", "slam failed", "excuse last", "alone"),
    *("tarock laid away", "contra 2", "contra 4", "trischaken", "trischaken_no_trick"),
]
