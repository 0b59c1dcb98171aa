"""Texts of a record: player keys, ids, labels, notes. Each check answers what would be right, or None."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from records.limits import MAX_ID, MAX_PLAYER

WRONG_ID: Final = f"An id has 1 to {MAX_ID} characters, which are letters (A-Z, a-z), digits or one of -._~."
_ID: Final = re.compile(rf"[A-Za-z0-9._~-]{{1,{MAX_ID}}}")

# Characters that leave no trace, so that two keys could look the same: Default_Ignorable_Code_Point
# of the Unicode Character Database (as RFC 8264, section 9.13 refuses them) as far as
# str.isprintable lets it pass, and the blank of Braille.
_INVISIBLE: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
# str.isprintable refuses harmless ones too: other spaces, private use, letters newer than Python knows.
_HARMLESS: Final = frozenset(("Zs", "Co", "Cn"))
_BREAKS: Final = frozenset("\t\n\r")


def player_fault(key: str) -> str | None:
    """A player key: 1-64 characters in NFC, trimmed, all of them visible."""
    if 0 < len(key) <= MAX_PLAYER and key.isascii() and key.isprintable() and key[0] != " " != key[-1]:
        return None  # most keys, and the rest is slower
    if not 0 < len(key) <= MAX_PLAYER:
        return f"A player key has 1 to {MAX_PLAYER} characters."
    return _fault_within(key)


@lru_cache(maxsize=4096)
def _fault_within(key: str) -> str | None:
    """What is wrong with a player key that has the right length. Whose key it is plays many hands."""
    if key != key.strip():
        return "A player key neither begins nor ends with a space."
    if not key.isascii() and not unicodedata.is_normalized("NFC", key):
        return "A player key is in Unicode's normal form NFC."
    return _unseen(key, "A player key")


def line_fault(text: str, longest: int, what: str) -> str | None:
    """A line of text such as a label or a table's name: like a player key, but with another length."""
    if not 0 < len(text) <= longest:
        return f"{what} has 1 to {longest} characters."
    if text != text.strip():
        return f"{what} neither begins nor ends with a space."
    return _unseen(text, what)


def id_fault(text: str) -> str | None:
    """A ``hand_id`` or ``session_id``: 1-128 of the characters that need no escape in a URI."""
    return None if _ID.fullmatch(text) else WRONG_ID


def event_id_fault(text: str) -> str | None:
    """An ``event_id``: 1-128 visible characters, whatever the client counts with."""
    if 0 < len(text) <= MAX_ID and text.isprintable() and " " not in text:
        return None
    return f"An event_id has 1 to {MAX_ID} visible characters and no spaces."


def text_fault(text: str, longest: int, what: str) -> str | None:
    """Free text, which may have line breaks but no other control characters."""
    if len(text) > longest:
        return f"{what} has at most {longest} characters."
    if text.isprintable():
        return None
    if any(unicodedata.category(char) in ("Cc", "Cs") and char not in _BREAKS for char in text):
        return f"{what} has no control characters but line breaks and tabs."
    return None


def _unseen(text: str, what: str) -> str | None:
    """What is wrong where a character is a control, a direction mark, of no width, or no character."""
    if text.isascii() and text.isprintable():
        return None
    for char in text:
        if not char.isprintable() and (unicodedata.category(char) not in _HARMLESS or _no_character(char)):
            return f"{what} has no control, direction or zero-width characters such as U+{ord(char):04X}."
    hidden = _INVISIBLE.search(text)
    if hidden:
        return f"{what} has no invisible characters such as U+{ord(hidden[0]):04X}."
    return None


def _no_character(char: str) -> bool:
    """The code points that Unicode keeps from ever being a character, and the unassigned invisible ones."""
    code = ord(char)
    return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF or code == 0x2065 or 0xFFF0 <= code <= 0xFFF8
