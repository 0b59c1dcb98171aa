"""The style of every refusal, note and fault: whole sentences."""

from __future__ import annotations

import re

from trull.events import BONUSES, CONTRACTS, TYPE_NAMES

_IDS = {*BONUSES, *CONTRACTS, *TYPE_NAMES.values(), "true", "false"}


def is_sentence(text: str) -> bool:
    """Whether it begins with a capital, a figure, a quotation or an id, and ends as sentences do."""
    begins = re.match(r"[^\s,:.]+", text)
    if begins is None or not text.endswith((".", "?", "…")):
        return False
    word = begins[0]
    return not word[0].islower() or word in _IDS or "-" in word or "_" in word
