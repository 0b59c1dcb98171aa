"""A tournament counted again by hand, so to speak: from the tables' result sheets to the places.

Written from the printed rules alone, as slowly and plainly as a club's treasurer would do it, and
without anything of Trull. Four players of French Tarot: (25 + the difference) times the bid, the Petit
at the end 10 times the bid, a handful 20, 30 or 40 as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

NEEDED = {0: 56, 1: 51, 2: 41, 3: 36}
TIMES = {"prise": 1, "garde": 2, "garde_sans": 4, "garde_contre": 6}
HANDFUL = {"single": 20, "double": 30, "triple": 40}


@dataclass
class Sheet:
    """What a table handed in for a place, in the end: the result, or none if it was annulled."""

    hand_id: str
    players: list[str]
    result: dict[str, Any] | None
    penalties: list[tuple[str, int]] = field(default_factory=list)


def score(sheet: Sheet) -> dict[str, int]:
    """What each player has of a hand."""
    result = sheet.result
    if result is None:
        return {}
    over = result["card_points"] - NEEDED[result["oudlers"]]
    won = over >= 0
    times = TIMES[result["contract"]]
    each = (25 + abs(over)) * times
    if not won:
        each = -each
    for bonus in result["bonuses"]:
        if bonus["bonus"] == "petit_au_bout":
            each += 10 * times if bonus["player"] == result["declarer"] else -10 * times
        else:
            each += HANDFUL[bonus["size"]] if won else -HANDFUL[bonus["size"]]
    return {player: 3 * each if player == result["declarer"] else -each for player in sheet.players}


@dataclass
class Recount:
    """A tournament, place by place. ``handed_in``: the sheets of each place in the order of arrival."""

    players: list[str]
    rounds: int
    handed_in: dict[tuple[int, int, int], list[Sheet]] = field(default_factory=dict)
    chosen: dict[tuple[int, int, int], str] = field(default_factory=dict)
    struck: set[tuple[int, int, int]] = field(default_factory=set)
    fines: list[tuple[str, int]] = field(default_factory=list)

    def counted(self, place: tuple[int, int, int]) -> Sheet | None:
        """The sheet that counts at a place."""
        left = [sheet for sheet in self.handed_in[place] if sheet.result is not None]
        if place in self.struck or not left:
            return None
        for sheet in left:
            if sheet.hand_id == self.chosen.get(place):
                return sheet
        return left[0]

    def penalties(self) -> list[tuple[str, int]]:
        """All that were taken: without a hand, in hands that count, in those that were annulled or struck."""
        taken = list(self.fines)
        for place, sheets in self.handed_in.items():
            for sheet in sheets:
                if sheet is self.counted(place) or sheet.result is None or place in self.struck:
                    taken += sheet.penalties
        return taken

    def standings(self) -> list[dict[str, Any]]:
        """The lines from the first place on, ties by the contracts won and then sharing the place."""
        lines = []
        for player in self.players:
            rounds: list[int | None] = [None] * self.rounds
            won = hands = 0
            for place in self.handed_in:
                sheet = self.counted(place)
                if sheet is None or player not in sheet.players:
                    continue
                assert sheet.result is not None
                hands += 1
                points = score(sheet)[player]
                rounds[place[0] - 1] = (rounds[place[0] - 1] or 0) + points
                won += player == sheet.result["declarer"] and points_are_won(sheet.result)
            fined = sum(points for who, points in self.penalties() if who == player)
            total = sum(points for points in rounds if points is not None) + fined
            lines.append(
                {
                    "player": player,
                    "points": total,
                    "penalties": fined,
                    "rounds": rounds,
                    "hands": hands,
                    "contracts_won": won,
                }
            )
        for line in lines:
            mine = (line["points"], line["contracts_won"])
            line["place"] = 1 + sum((other["points"], other["contracts_won"]) > mine for other in lines)
        return sorted(lines, key=lambda line: (line["place"], line["player"]))


def points_are_won(result: dict[str, Any]) -> bool:
    """Whether the declarer has reached what he needed."""
    return bool(result["card_points"] >= NEEDED[result["oudlers"]])
