"""A row of results as a hand record: what stands in its cells, and which cell a fault of the record is in."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final

from records.faults import INVALID_RECORD, one_of, shown
from records.limits import MAX_ID, MAX_PLAYERS, MAX_REPORTED_BONUSES, REPORTED_BONUS_FIELDS
from records.names import id_fault
from records.result_table import ResultRow, RowFault, plain
from trull import Variant
from trull.events import BONUSES, CONTRA_LEVELS, HANDFULS, STAGES

PLACE: Final = ("round", "table", "number")
_SEATS: Final = tuple(f"player_{seat}" for seat in range(1, MAX_PLAYERS + 1))
_IDLE: Final = frozenset((*PLACE, "dealer", *_SEATS))
"""Columns of a hand that has not been played yet, as in a file that was prepared."""

_WHOLE: Final = re.compile(r"[0-9]{1,9}")
_POINTS: Final = re.compile(r"(-?[0-9]{1,7})(?:[.,](0|5)0*)?")
_HALF: Final = "\u00bd"
_LIKE_A_PLACE: Final = re.compile(r"-[rt][^-]*$")

_KEYWORDS: Final[Mapping[str, tuple[str, object]]] = {
    **{stage: ("stage", stage) for stage in (*STAGES, "silent")},
    **{level: ("contra", level) for level in CONTRA_LEVELS[1:]},
    **{size: ("size", size) for size in HANDFULS},
    "made": ("made", True),
    "lost": ("made", False),
    "announced": ("announced", True),
}
"""Words of a bonus beside its name and its player."""

_WORDS: Final = 4
"""Words that a name has at most."""

_BONUS_DEFAULTS: Final[Mapping[str, object]] = {
    "stage": "silent",
    "made": True,
    "size": HANDFULS[0],
    "announced": False,
}


@dataclass(frozen=True, slots=True)
class Where:
    """To what the results belong: its id, variant, players, and who sits where in a round.

    ``words`` are other names of contracts and bonuses, made `plain`. With ``limits`` (the last round,
    table and number) every hand needs all three.
    """

    session_id: str
    variant: Variant
    players: Sequence[str]
    seats: Mapping[tuple[int, int], Sequence[str]]
    words: Mapping[str, str]
    limits: Mapping[str, int] | None = None


class _Row:
    """One row on its way to a record, and what is wrong with it."""

    def __init__(self, row: ResultRow, where: Where) -> None:
        self.row = row.row
        self.cells = row.cells
        self.where = where
        self.faults: list[RowFault] = []

    def fault(self, column: str, detail: str) -> None:
        self.faults.append(RowFault(self.row, column, INVALID_RECORD, detail))

    def whole(self, column: str) -> int | None:
        """A whole number; None where the cell is empty or wrong."""
        text = self.cells.get(column)
        if text is None:
            return None
        if _WHOLE.fullmatch(text):
            return int(text)
        self.fault(column, f"A whole number in digits, not {shown(text)}.")
        return None

    def points(self, column: str) -> int | float | None:
        """Card points, with a decimal point or comma, or with ½."""
        text = self.cells.get(column)
        if text is None:
            return None
        found = _POINTS.fullmatch(text.replace(_HALF, ".5").replace(" ", ""))
        if found is None:
            self.fault(column, f"Card points such as 41 or 40,5, not {shown(text)}.")
            return None
        sign = -1 if found[1].startswith("-") else 1
        return int(found[1]) + sign * 0.5 if found[2] == "5" else int(found[1])

    def known(self, column: str) -> str | None:
        """A word of the interface, or of one of the languages; what is neither is left to the record."""
        text = self.cells.get(column)
        return None if text is None else self.where.words.get(plain(text), plain(text))


def record_of(row: ResultRow, where: Where) -> tuple[dict[str, Any] | None, list[RowFault]]:
    """The record of a row and what is wrong with its cells; no record of a hand that is not played yet."""
    if not row.cells.keys() - _IDLE:
        return None, []
    reading = _Row(row, where)
    place: dict[str, Any] = {name: reading.whole(name) for name in ("round", "number")}
    # An evening's tables may have names.
    is_name = where.limits is None and not _WHOLE.fullmatch(row.cells.get("table", "0"))
    place["table"] = row.cells["table"] if is_name else reading.whole("table")
    _check_place(reading, place)
    named = _named_players(reading, place)
    record = {
        "hand_id": _hand_id(where.session_id, place),
        "variant": where.variant.id,
        "players": _seated(reading, named),
        "session_id": where.session_id,
        **{name: value for name, value in place.items() if value is not None},
        "events": [_event(reading, named)],
    }
    return record, reading.faults


def column_of(pointer: str) -> str | None:
    """The column of a fault of the record; None where it is none's alone."""
    path = pointer.split("/")[1:]
    if path[:1] == ["players"]:
        return f"player_{int(path[1]) + 1}" if len(path) > 1 else "player_1"
    if path[:1] != ["events"]:
        return path[0] if path and path[0] in PLACE else None
    name = path[2] if len(path) > 2 else None
    if name == "contra" and path[3:] == ["stage"]:
        return "contra_stage"
    if name in ("card_points_by_player", "tricks_by_player"):
        return f"{name.removesuffix('_by_player')}_1"
    return "annulled" if name == "reason" else name


def _check_place(reading: _Row, place: Mapping[str, Any]) -> None:
    limits = reading.where.limits
    wanted = ("number",) if limits is None else PLACE
    for name in wanted:
        if place[name] is None and not any(fault.column == name for fault in reading.faults):
            reading.fault(name, "Missing: each hand has its place.")
    for name, most in (limits or {}).items():
        value = place[name]
        if value is not None and not 1 <= value <= most:
            reading.fault(name, f"From 1 to {most} in this tournament, not {value}.")


def _named_players(reading: _Row, place: Mapping[str, Any]) -> list[str]:
    """Who played, in the order in which the file or the organiser names them."""
    where = reading.where
    seated = where.seats.get((place["round"], place["table"]), where.players)
    named = [reading.cells[seat] for seat in _SEATS if seat in reading.cells]
    if named:
        for seat in _SEATS:
            player = reading.cells.get(seat)
            if player is not None and player not in seated:
                reading.fault(seat, f"{shown(player)} is none of those who play there.")
        return named
    if len(seated) != where.variant.players:
        detail = f"Name the {where.variant.players} players of the hand: {len(seated)} might have been there."
        reading.fault("player_1", detail)
    return list(seated)


def _seated(reading: _Row, named: list[str]) -> list[str]:
    """The players in order of play, the dealer last."""
    dealer = reading.cells.get("dealer")
    if dealer is None:
        return named
    if dealer not in named:
        reading.fault("dealer", f"{shown(dealer)} does not sit there; {one_of(named)} do.")
        return named
    after = named.index(dealer) + 1
    return named[after:] + named[:after]


def _event(reading: _Row, named: Sequence[str]) -> dict[str, Any]:
    annulled = reading.known("annulled")
    if annulled is not None:
        for column in reading.cells.keys() - _IDLE - {"annulled"}:
            reading.fault(column, "A hand that is annulled has no result.")
        return {"type": "hand_annulled", "reason": annulled}
    event: dict[str, Any] = {"type": "result_reported"}
    for name in ("contract", "stake"):
        event[name] = reading.known(name)
    if event["contract"] == "trischaken":
        for name in ("card_points", "tricks"):
            counted = [reading.whole(f"{name}_{seat}") for seat in range(1, len(named) + 1)]
            event[f"{name}_by_player"] = dict(zip(named, counted, strict=True))
    event |= {name: reading.cells.get(name) for name in ("declarer", "partner")}
    event["card_points"] = reading.points("card_points")
    event["oudlers"] = reading.whole("oudlers")
    level, stage = reading.known("contra"), reading.known("contra_stage")
    if level is not None or stage is not None:
        event["contra"] = {"level": level, **({} if stage is None else {"stage": stage})}
    if "bonuses" in reading.cells:
        event["bonuses"] = _bonuses(reading, named)
    return {name: value for name, value in event.items() if value is not None}


def _bonuses(reading: _Row, named: Sequence[str]) -> list[dict[str, Any]]:
    """Bonuses with semicolons between them: a name, what is to be said of it, and last its player."""
    made = []
    told = [text for text in re.split(r"[;\n|]", reading.cells["bonuses"]) if text.strip()]
    if len(told) > MAX_REPORTED_BONUSES:
        reading.fault("bonuses", f"A hand has at most {MAX_REPORTED_BONUSES} bonuses, not {len(told)}.")
        return []
    for text in told:
        words = text.split()
        bonus, rest = _longest(words, BONUSES, reading.where.words)
        if bonus is None:
            reading.fault(
                "bonuses", f"{shown(text.strip())} begins with no bonus; there are {one_of(BONUSES)}."
            )
            continue
        made.append(_bonus(bonus, rest, reading, named))
    return made


def _longest(
    words: list[str], names: Container[str], known: Mapping[str, str]
) -> tuple[str | None, list[str]]:
    """The name that the words begin with, told by as many of them as possible, and the other words."""
    for count in range(min(len(words), _WORDS), 0, -1):
        text = plain(" ".join(words[:count]))
        name = known.get(text, text)
        if name in names:
            return name, words[count:]
    return None, words


def _bonus(bonus: str, words: list[str], reading: _Row, named: Sequence[str]) -> dict[str, Any]:
    fields = REPORTED_BONUS_FIELDS[bonus]
    players = {" ".join(player.split()): player for player in named}
    made: dict[str, Any] = {"bonus": bonus}
    made |= {name: value for name, value in _BONUS_DEFAULTS.items() if name in fields.required}
    # A player may be called Silent Bob: who is written as the players are is one.
    while words and " ".join(words) not in players:
        name, rest = _longest(words, _KEYWORDS, reading.where.words)
        if name is None:
            break
        field, value = _KEYWORDS[name]
        made[field] = value
        words = rest
    if words:
        made["player"] = players.get(" ".join(words), " ".join(words))
    elif "player" in fields.required:
        made["player"] = reading.cells.get("declarer")
    return made


def _hand_id(session_id: str, place: Mapping[str, Any]) -> str | None:
    """The same place always has the same id, so that a file that is sent again stores nothing twice; and no
    two places have the same one, whatever sessions and tables are called."""
    if place["number"] is None:
        return None
    parts = [
        f"{name[0] if name != 'number' else 'h'}{place[name]}" for name in PLACE if place[name] is not None
    ]
    hand_id = "-".join((session_id, *parts))
    # That of round 1 of `club` would be that of `club-r1`.
    is_clear = not _LIKE_A_PLACE.search(session_id) and "-" not in str(place["table"])
    if is_clear and id_fault(hand_id) is None:
        return hand_id
    told = "\n".join((session_id, *parts))
    digest = blake2b(told.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
    return f"{session_id[: MAX_ID - 1 - len(digest)]}-{digest}"
