"""The score sheet: itemised lines whose points add up to the scores, and the payments that settle them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from trull.settlement import Payment

Points = tuple[int, ...]
"""Points by seat, in halves where the game has half points (`ScoreSheet.halves`)."""

CardPoints = tuple[int | float, int | float]


class Line(NamedTuple):
    """An item: ``points = base x multiplier x contra`` to whom it is due, by seat; ``clause`` says why.

    ``facts`` are what else the item shows: stage, made, seat, size, announced.
    """

    item: str
    base: int
    multiplier: int
    contra: int
    points: Points
    clause: str
    facts: Mapping[str, object]


class Note(NamedTuple):
    """Something that the reader of the sheet should know; ``seq`` names an event."""

    code: str
    detail: str
    seq: int | None = None


@dataclass(slots=True)
class Draft:
    """What pricing a hand under a variant gives: all of the sheet but names, payments and penalties."""

    status: str
    seats: int
    declarer: int | None = None
    partner: int | None = None
    contract: str | None = None
    stake: str | None = None
    won: bool | None = None
    card_points: CardPoints | None = None
    card_points_exact: tuple[str, str] | None = None
    card_points_by_seat: tuple[int, ...] | None = None
    lines: list[Line] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    halves: bool = False
    """Whether bases and points are in halves of a point."""


class ScoreSheet(NamedTuple):
    """A hand scored under a variant; seats stand for the players."""

    variant_id: str
    variant_revision: str
    draft: Draft
    scores: Points
    payments: Sequence[Payment]

    def as_dict(self, players: Sequence[str], hand_id: str | None, version: int) -> dict[str, object]:
        """The sheet as the wire has it (contract, section 2), with the players' names for their seats."""
        draft = self.draft
        halves = draft.halves
        sheet: dict[str, object] = {
            "hand_id": hand_id,
            "variant": self.variant_id,
            "variant_revision": self.variant_revision,
            "version": version,
            "status": draft.status,
            "declarer": None if draft.declarer is None else players[draft.declarer],
            "partner": None if draft.partner is None else players[draft.partner],
            "contract": draft.contract,
            "stake": draft.stake,
            "outcome": None if draft.won is None else ("won" if draft.won else "lost"),
            "card_points": _sides(draft.card_points),
            "card_points_exact": _sides(draft.card_points_exact),
            "items": [_item(line, players, halves) for line in draft.lines],
            "scores": dict(zip(players, _halved(self.scores) if halves else self.scores, strict=True)),
            "payments": [
                {"from": players[payer], "to": players[payee], "points": points}
                for payer, payee, points in _in_points(self.payments, halves)
            ],
            "notes": [_note(note) for note in draft.notes],
        }
        if draft.card_points_by_seat is not None:
            sheet["card_points_by_player"] = dict(zip(players, draft.card_points_by_seat, strict=True))
        return sheet


def _halved(points: Sequence[int]) -> list[int | float]:
    """Halves as points: an integer wherever they are whole."""
    return [half / 2 if half & 1 else half >> 1 for half in points]


def _in_points(payments: Sequence[Payment], halves: bool) -> Sequence[tuple[int, int, int | float]]:
    """The payments, halves as points."""
    if not halves:
        return payments
    return [(payer, payee, _halved((points,))[0]) for payer, payee, points in payments]


def _sides(pair: tuple[object, object] | None) -> dict[str, object] | None:
    return None if pair is None else {"declarer": pair[0], "defenders": pair[1]}


def _item(line: Line, players: Sequence[str], halves: bool) -> dict[str, object]:
    name, base, multiplier, contra, points, clause, facts = line
    item: dict[str, object] = {
        "item": name,
        "base": _halved((base,))[0] if halves else base,
        "multiplier": multiplier,
        "contra": contra,
        **facts,
        "points": dict(zip(players, _halved(points) if halves else points, strict=True)),
        "clause": clause,
    }
    seat = facts.get("player")
    if seat is not None:
        assert isinstance(seat, int)
        item["player"] = players[seat]
    return item


def _note(note: Note) -> dict[str, object]:
    entry: dict[str, object] = {"code": note.code, "detail": note.detail}
    if note.seq is not None:
        entry["seq"] = note.seq
    return entry
