"""What a board shows of a session: figures by seat, so that names stand in one place and may be short."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from records.session_log import Session
from records.session_view import SessionView
from records.sessions import with_hands

LATEST_SHEETS: Final = 5
"""Of how many hands a board shows what each point is for."""

_PLACE: Final = ("table", "round", "number")


def board_dict(session: Session, view: SessionView, names: str) -> dict[str, Any]:
    """The board as JSON. A list of points has one entry a player, in the order of ``players``; null rested.

    Money is not on it, nor are the ids of hands, which are keys to their cards.
    """
    whole = with_hands(session, view)
    players: list[str] = whole["players"]
    sheets = (
        {line.tally.hand_id: line.tally.sheet for line in view.lines}
        if session.figures is None
        else {sheet["hand_id"]: sheet for sheet in session.figures.sheets}
    )
    counted = [hand for hand in whole["hands"] if hand["counted"] and sheets.get(hand["hand_id"])]
    return {
        "kind": "session",
        "name": whole["name"],
        "variant": whole["variant"],
        "status": whole["status"],
        "players": initials(players) if names == "initials" else players,
        "totals": _by_seat(whole["totals"], players),
        "standings": [
            {**standing, "player": players.index(standing["player"])} for standing in whole["standings"]
        ],
        "series": [
            {
                "ended": series["to"] is not None,
                "totals": _by_seat(series["totals"], players),
                "bonus": _by_seat(series["bonus"], players),
                "winners": [players.index(winner) for winner in series["winners"]],
            }
            for series in whole["series"]
        ],
        "hands": [_hand(hand, players) for hand in whole["hands"]],
        "latest": [sheet_of(hand, sheets[hand["hand_id"]], players) for hand in counted[-LATEST_SHEETS:]],
    }


def initials(players: Sequence[str]) -> list[str]:
    """The players by the first letters of the words of their names; who shares them is numbered."""
    found: list[str] = []
    alike: Counter[str] = Counter()
    for player in players:
        short = "".join(word[0].upper() for word in player.split()[:3])
        alike[short] += 1
        found.append(f"{short} {alike[short]}" if alike[short] > 1 else short)
    return found


def _hand(hand: Mapping[str, Any], players: Sequence[str]) -> dict[str, Any]:
    return {
        **{name: hand[name] for name in (*_PLACE, "status", "counted", "why")},
        "scores": _by_seat(hand["scores"] or {}, players),
        "penalties": _by_seat(hand["penalties"], players),
        "totals": _by_seat(hand["totals"], players),
    }


def sheet_of(hand: Mapping[str, Any], sheet: Any, players: Sequence[str]) -> dict[str, Any]:
    """What each point of a hand is for. ``hand`` has its place; points are by player in this order."""
    seats = {player: seat for seat, player in enumerate(players)}
    return {
        **{name: hand[name] for name in _PLACE},
        "contract": sheet["contract"],
        "stake": sheet["stake"],
        "outcome": sheet["outcome"],
        "declarer": seats.get(sheet["declarer"]),
        "partner": seats.get(sheet["partner"]),
        "items": [
            {
                **{name: item[name] for name in ("base", "multiplier", "contra") if name in item},
                "item": item["item"],
                "made": item.get("made"),
                "clause": item.get("clause"),
                "points": _by_seat(item["points"], players),
            }
            for item in sheet["items"]
        ],
        "scores": _by_seat(sheet["scores"], players),
    }


def _by_seat(points: Mapping[str, Any], players: Sequence[str]) -> list[Any]:
    return [points.get(player) for player in players]
