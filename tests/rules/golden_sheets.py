"""The sheets of the golden records as one digest, noted for each version of the rules.

`python -m tests.rules.golden_sheets` notes those of a new version, or of other golden records. For the same
records it changes nothing: a version stands for its sheets, since stored facts and revisions go by it.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from records.schemas import load_record
from records.wire import dumps
from tests.service.golden import load_cases
from trull import Variant, facts_of, replay, score
from trull.house import Overrides, build
from trull.model import RULES_VERSION
from trull.variants import VARIANTS

PAGE: Final = Path(__file__).with_name("golden_sheets.json")

_TAROCK_HOUSE: Final = Overrides(
    rulings={"recontra": True, "without_basis": "talon_exposed", "hand_bonuses": "claimed"},
    contracts={"solo": {"multiplier": 5}},
    bonuses={"pagat": {"values": {"before": 30, "after": 15, "silent": 7}}, "forty": None},
)
_TAROT_HOUSE: Final = Overrides(
    rulings={"half_points": "keep", "excuse_last_trick": "changes_side"},
    contracts={"garde": {"multiplier": 3}},
    bonuses={"slam": None, "handful": {"values": {"single": 25}}},
)


class Digests(NamedTuple):
    """Of the golden records, and of their sheets under each variant and under a house's."""

    records: str
    sheets: str


def digests() -> Digests:
    """Those of the records and the rules as they are."""
    records, sheets = hashlib.sha256(), hashlib.sha256()
    targets = _targets()
    for case in load_cases("full", "result", "rescored", "published", "real-french"):
        records.update(dumps(case.record))
        record = load_record(case.record)
        hand = replay(record.variant, record.events)
        facts = facts_of(hand) if hand.status == "scored" else None
        for target in targets[record.variant.family, record.variant.players]:
            sheet = score(hand, target, facts).as_dict(record.players, record.hand_id, len(record.events))
            del sheet["variant_revision"]
            sheets.update(dumps(sheet))
    return Digests(records.hexdigest(), sheets.hexdigest())


def _targets() -> dict[tuple[str, int], list[Variant]]:
    """What the hands of a game and a number of players are scored under."""
    targets: dict[tuple[str, int], list[Variant]] = {}
    for variant in VARIANTS.values():
        overrides = _TAROCK_HOUSE if variant.family == "illustrated-tarock" else _TAROT_HOUSE
        house = build(variant, f"house-{variant.id}"[:64], "golden", overrides)
        targets.setdefault((variant.family, variant.players), []).extend((variant, house))
    return targets


def noted() -> Mapping[str, Digests]:
    """What was noted for each version of the rules, the oldest first."""
    return {version: Digests(*found) for version, found in json.loads(PAGE.read_text()).items()}


def main() -> str | None:
    """Note the digests of this version of the rules; answers why that cannot be."""
    known = {**noted()}
    found = digests()
    before = known.get(RULES_VERSION, found)
    if before.records == found.records and before.sheets != found.sheets:
        return f"The sheets are not those of rules {RULES_VERSION}: raise RULES_VERSION in trull/model.py."
    PAGE.write_text(json.dumps({**known, RULES_VERSION: found}, indent=2) + "\n")
    return None


if __name__ == "__main__":
    sys.exit(main())
