"""What all sheets need to know beside their figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from service.paper.layout import Column
from service.paper.words import word

View = Mapping[str, Any]
"""What a sheet is made of: the JSON that the interface answers with."""

FIGURES: Final = frozenset(
    ("place", "points", "penalties", "hands", "number", "round", "card_points", "balance", "total")
)
"""Columns in which figures stand."""


class About(NamedTuple):
    """The language, the name of the rules, the players' display names by key, the time zone (None: UTC), and
    whether the scores of a hand come to zero."""

    language: str
    rules: str
    names: Mapping[str, str]
    zone: str | None = None
    zero_sum: bool = True

    def word(self, name: str, *parts: object) -> str:
        """A word in the sheet's language."""
        return word(self.language, name, *parts)

    def name(self, player: str | None) -> str | None:
        """What a player is called."""
        return None if player is None else self.names.get(player, player)

    def column(self, title: str, group: str = "") -> Column:
        """A column with one of the catalogue's words as its title."""
        return Column(self.word(title), title in FIGURES, group)

    def columns(self, titles: Sequence[str]) -> list[Column]:
        """Several of them."""
        return [self.column(title) for title in titles]
