"""A table as it is now: who may sit at it, the place of its next hand, and its last hands."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any, Final

from records.limits import MAX_PLACE
from records.session_log import Session
from records.session_view import SessionView
from records.tournament_hands import Facts
from records.tournament_log import Tournament
from records.tournament_rules import RESTING
from trull import Variant
from trull.tournament import Imposed, admit

LAST_HANDS: Final = 8
"""Hands that a table is shown, the latest ones."""


@dataclass(frozen=True, slots=True)
class TableNow:
    """A table as it is now. ``players`` may sit at it, ``seats`` are those of the next hand, as far as they
    can be guessed: the deal goes round. ``number`` is None where the hand has none, or where it has to be
    told (``asks_number``)."""

    name: str | None
    is_open: bool
    variant: Variant
    players: tuple[str, ...]
    seats: tuple[str, ...]
    table: int | None
    round: int | None
    number: int | None
    most: int | None
    """The highest number that a hand may have."""
    asks_number: bool
    taken: frozenset[int]
    """The numbers at which there is a hand."""
    is_complete: bool
    imposed: dict[int, Imposed]
    """By number: the contract and the declarer's seat that a duplicate tournament lays down."""
    hands: list[dict[str, Any]]
    totals: dict[str, Any]


def session_now(session: Session, view: SessionView, variant: Variant) -> TableNow:
    """The table of a session. Its hands are numbered, unless there is one that has no number."""
    about = session.about
    lines = view.lines
    last = lines[-1].tally.opening if lines else None
    here = [line.tally.opening for line in lines]
    numbers = [one.number for one in here if one.table is None and one.round is None]
    number = None if None in numbers else next_number({one for one in numbers if one is not None})
    taken = frozenset(
        place.number for line in lines if (place := line.tally.place) and place[:2] == (None, None)
    )
    if session.figures is None:
        whole = view.as_dict()
        sheets = {line.tally.hand_id: line.tally.sheet for line in lines[-LAST_HANDS:]}
    else:  # as it was when it was closed: lines and totals of different times do not add up
        whole = session.figures.view
        sheets = {sheet["hand_id"]: sheet for sheet in session.figures.sheets}
    hands = [
        {
            "number": hand["number"],
            **_told_of(sheets.get(hand["hand_id"])),
            "scores": hand["scores"] or {},
            "counted": hand["counted"],
            "why": hand["why"],
        }
        for hand in whole["hands"][-LAST_HANDS:]
    ]
    seats = next_seats(about.players, last.players if last else (), variant.players)
    return TableNow(
        about.name,
        session.figures is None,
        variant,
        about.players,
        seats,
        None,
        None,
        number,
        None,
        False,
        taken,
        False,
        {},
        hands,
        whole["totals"],
    )


def tournament_now(tournament: Tournament, here: Sequence[Facts], table: int, variant: Variant) -> TableNow:
    """A table of a tournament, in the round of its last hands: in the next one once all of them are in.

    ``here`` are the hands of the table in the order of their arrival.
    """
    plan = tournament.plan()
    admission = admit([one.played for one in here], plan)
    free = ("annulled", "void")
    stand = [one for one in here if admission.left_out.get(one.played.hand_id) not in free]
    round_ = max((one.played.round or 1 for one in stand), default=1)
    taken = _taken(tournament, stand, table, round_)
    if len(taken) >= tournament.settings["hands_per_round"] and round_ < tournament.settings["rounds"]:
        round_ += 1
        taken = _taken(tournament, stand, table, round_)
    is_duplicate = tournament.ranking == "percentage"
    most = tournament.numbers
    left = [number for number in range(1, most + 1) if number not in taken]
    is_complete = len(taken) >= tournament.settings["hands_per_round"] or not left
    seated = tournament.seats.get(round_, {}).get(table)
    players = seated or tuple(player for player in tournament.players if player not in tournament.withdrawn)
    # In the order of play: hands that come in together, from an import, arrive in any order.
    played = sorted(
        (one for one in stand if one.played.round == round_), key=lambda one: one.played.number or 0
    )
    last = played[-1].played.players if played else ()
    return TableNow(
        tournament.settings["name"],
        not tournament.is_closed,
        variant,
        players,
        next_seats(players, last, variant.players),
        table,
        round_,
        None if is_complete or is_duplicate else left[0],
        most,
        is_duplicate,
        taken,
        is_complete,
        dict(plan.imposed),
        [_hand(one, admission.left_out.get(one.played.hand_id)) for one in played[-LAST_HANDS:]],
        _totals([one for one in played if one.played.hand_id in admission.places], players),
    )


def next_number(numbers: Set[int]) -> int:
    """The number after the highest one; where none may be higher, the lowest that is left."""
    following = max(numbers, default=0) + 1
    return following if following <= MAX_PLACE else min({*range(1, len(numbers) + 2)} - numbers)


def next_seats(circle: Sequence[str], last: Sequence[str], seats: int) -> tuple[str, ...]:
    """Who plays the next hand, forehand first: who was forehand deals next. At a table with more players the
    dealer rests. Nobody, where too many could sit here to tell."""
    if len(circle) > seats + RESTING:
        circle = last
    if not circle or not set(last) <= set(circle):
        return ()
    first = (list(circle).index(last[0]) + 1) % len(circle) if last else 0
    return tuple(circle[(first + place) % len(circle)] for place in range(seats))


def _taken(tournament: Tournament, stand: Sequence[Facts], table: int, round_: int) -> frozenset[int]:
    """The numbers of a round at which there is a hand, or one was struck out."""
    struck = (
        number for at, where, number in tournament.struck if at == round_ and where in (None, str(table))
    )
    return frozenset(
        (*(one.played.number for one in stand if one.played.round == round_ and one.played.number), *struck)
    )


def _hand(facts: Facts, why: str | None) -> dict[str, Any]:
    return {
        "number": facts.played.number,
        "contract": facts.played.contract,
        "declarer": facts.played.declarer,
        "outcome": facts.outcome,
        "scores": {player: _number(value) for player, value in facts.points.items()},
        "counted": why is None,
        "why": why,
    }


def _told_of(sheet: Any) -> dict[str, Any]:
    names = ("contract", "declarer", "outcome")
    return dict.fromkeys(names) if sheet is None else {name: sheet[name] for name in names}


def _totals(counted: Sequence[Facts], players: Sequence[str]) -> dict[str, Any]:
    sums: dict[str, Any] = dict.fromkeys(players, 0) if len(players) <= LAST_HANDS else {}
    for one in counted:
        for player, value in one.points.items():
            sums[player] = sums.get(player, 0) + value
    return {player: _number(value) for player, value in sums.items()}


def _number(value: Any) -> int | float:
    """Points as the wire has them: an integer wherever they are whole."""
    return int(value) if value == int(value) else float(value)
