"""What a session comes to: its hands in order, totals, series, standings, and who owes whom.

Nothing of this is stored while a session is open: it is worked out from the sheets each time, so that a
corrected hand changes everything after it. Only scored hands count, each by the sheet of its latest version;
all others are there too, with the reason why they do not (`WHY`). Points are in halves up to the wire.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from records.session_log import About
from records.tallies import HALVES, Rivals, Tally, in_order, points, points_by, rivals_of
from trull import Variant
from trull.series import Run, add_up, places, run_series
from trull.settlement import (
    Payment,
    Settlement,
    minor_units,
    settle_by_difference,
    settle_zero_sum,
)

WHY: Final = (
    "disputed",
    "not_chosen",
    "other_game",
    "other_players",
    "due",
    "incomplete",
    "annulled",
    "void",
    "irregular",
    "failed",
    "half_points",
)
"""Why a hand does not count. The first four concern the session: there penalties do not count either."""

_PENALISED: Final = (None, "annulled", "void", "irregular", "half_points")


class Line(NamedTuple):
    """A hand of a session, why it does not count (None: it does), and the totals after it, by player."""

    tally: Tally
    why: str | None
    after: tuple[int, ...]


@dataclass(frozen=True)  # without slots, for what is told once and asked for twice
class SessionView:
    """A session worked out. Points are in halves, by player in the order of the session's players."""

    about: About
    lines: list[Line]
    run: Run
    penalties: tuple[int, ...]
    hands_played: tuple[int, ...]
    rivals: list[Rivals]
    settlement: Settlement
    moved: frozenset[str]
    """Hands that were this session's once and are another's."""

    def as_dict(self) -> dict[str, Any]:
        """Hands, totals, series, standings and disputes as JSON (contract, section 3). Not to be changed."""
        return self._told

    @cached_property
    def _told(self) -> dict[str, Any]:
        players = self.about.players
        counted = [line.tally.hand_id for line in self.lines if line.why is None]
        return {
            "hands": [_hand(line, players) for line in self.lines],
            "totals": points_by(players, self.run.totals),
            "series": [
                {
                    "from": counted[series.first],
                    "to": counted[series.last] if series.ended else None,
                    "totals": points_by(players, series.totals),
                    "bonus": points_by(players, series.bonus),
                    "winners": [players[winner] for winner in series.winners],
                }
                for series in self.run.series
            ],
            "standings": self._standings(),
            "disputes": [_dispute(rivals) for rivals in self.rivals if rivals.disputed],
        }

    def settlement_dict(self) -> dict[str, Any]:
        """Net points and money, transfers and pairs as JSON. Without a rate there is no money."""
        players = self.about.players
        rate = self.about.rate
        return {
            "points": points_by(players, self.settlement.nets),
            "money": None
            if rate is None
            else {
                player: minor_units(net, rate.minor_units_per_point)
                for player, net in zip(players, self.settlement.nets, strict=True)
            },
            "transfers": [self._transfer(one) for one in self.settlement.transfers],
            "pairwise": [self._transfer(one) for one in self.settlement.pairs],
        }

    def versions(self) -> list[dict[str, Any]]:
        """Which sheets the figures are made of."""
        return [
            {
                "hand_id": line.tally.hand_id,
                "version": line.tally.version,
                "variant": line.tally.opening.variant,
                "variant_revision": _revision(line.tally),
            }
            for line in self.lines
            if line.why is None
        ]

    def uncounted(self) -> list[dict[str, Any]]:
        """The hands that do not count, and why."""
        return [
            {"hand_id": line.tally.hand_id, "why": line.why} for line in self.lines if line.why is not None
        ]

    def _standings(self) -> list[dict[str, Any]]:
        in_all = [total + penalty for total, penalty in zip(self.run.totals, self.penalties, strict=True)]
        ranked = sorted(
            zip(places(in_all), range(len(in_all)), strict=True)
        )  # those who share a place, in the order of the session's players
        return [
            {
                "place": place,
                "player": self.about.players[player],
                "points": points(in_all[player]),
                "penalties": points(self.penalties[player]),
                "hands": self.hands_played[player],
            }
            for place, player in ranked
        ]

    def _transfer(self, payment: Payment) -> dict[str, Any]:
        rate = self.about.rate
        return {
            "from": self.about.players[payment.payer],
            "to": self.about.players[payment.payee],
            "points": points(payment.points),
            "amount": None if rate is None else minor_units(payment.points, rate.minor_units_per_point),
        }


def view_of(
    about: About,
    tallies: Sequence[Tally],
    choices: Mapping[str, Sequence[str]],
    variants: Mapping[str, Variant],
    moved: frozenset[str] = frozenset(),
) -> SessionView:
    """The session of these hands, whatever their order."""
    ordered = in_order(tallies)
    left_out = _misfits(about, ordered, variants)
    rivals = rivals_of((tally for tally in ordered if tally.hand_id not in left_out), choices)
    for one in rivals:
        left_out |= dict.fromkeys(one.disputed, "disputed") | dict.fromkeys(one.refused, "not_chosen")
    in_halves = keeps_halves(variants[about.variant])
    reasons = [left_out.get(tally.hand_id) or _why(tally, keeps_halves=in_halves) for tally in ordered]
    counted = [tally for tally, why in zip(ordered, reasons, strict=True) if why is None]
    scores = [_by_player(tally.scores, about.players) for tally in counted]
    run = _run(scores, about, variants[about.variant])
    penalties = (0,) * len(about.players)
    for tally, why in zip(ordered, reasons, strict=True):
        if why in _PENALISED and tally.penalties:
            own = _by_player(tally.penalties, about.players)
            penalties = tuple(a + b for a, b in zip(penalties, own, strict=True))
    return SessionView(
        about,
        _lines(ordered, reasons, run, len(about.players)),
        run,
        penalties,
        tuple(sum(player in tally.opening.players for tally in counted) for player in about.players),
        rivals,
        _settlement(about, counted, run, variants[about.variant]),
        moved,
    )


def keeps_halves(variant: Variant) -> bool:
    """Whether totals under it may end in half a point."""
    return variant.rulings.get("half_points") == "keep"


def _misfits(about: About, tallies: Sequence[Tally], variants: Mapping[str, Variant]) -> dict[str, str]:
    """Hands that cannot count in this session, and claim no place in it, each with the reason."""
    game = variants[about.variant].game
    players = frozenset(about.players)
    found: dict[str, str] = {}
    for tally in tallies:
        own = variants.get(tally.opening.variant)
        if own is None or own.game is not game:
            found[tally.hand_id] = "other_game"
        elif not players.issuperset(tally.opening.players):
            found[tally.hand_id] = "other_players"
    return found


def _why(tally: Tally, *, keeps_halves: bool) -> str | None:
    """Why a hand that has its place does not count; None where it does."""
    if tally.due or tally.status != "scored":
        return "due" if tally.due else tally.status
    has_odd = any(score % HALVES for score in tally.scores.values())
    return "half_points" if has_odd and not keeps_halves else None


def _run(scores: Sequence[tuple[int, ...]], about: About, variant: Variant) -> Run:
    target, bonus = variant.rulings.get("series_target"), variant.rulings.get("series_bonus")
    if not isinstance(target, int) or not isinstance(bonus, int):
        return add_up(scores, len(about.players))
    return run_series(scores, len(about.players), target * HALVES, bonus * HALVES)


def _lines(ordered: Sequence[Tally], reasons: Sequence[str | None], run: Run, players: int) -> list[Line]:
    after = iter(run.after)
    now = (0,) * players
    lines: list[Line] = []
    for tally, why in zip(ordered, reasons, strict=True):
        now = next(after) if why is None else now
        lines.append(Line(tally, why, now))
    return lines


def _settlement(about: About, counted: Sequence[Tally], run: Run, variant: Variant) -> Settlement:
    if variant.game.by_difference:
        return settle_by_difference(run.totals)
    at = {player: place for place, player in enumerate(about.players)}
    owed = (
        Payment(at[payment.payer], at[payment.payee], payment.halves)
        for tally in counted
        for payment in tally.owed
    )
    return settle_zero_sum(run.totals, owed)


def _by_player(some: Mapping[str, int], players: Sequence[str]) -> tuple[int, ...]:
    """Points of each player; 0 for one who rested."""
    return tuple(some.get(player, 0) for player in players)


def _hand(line: Line, players: Sequence[str]) -> dict[str, Any]:
    tally = line.tally
    about = tally.opening
    return {
        "hand_id": tally.hand_id,
        "version": tally.version,
        "variant": about.variant,
        "variant_revision": _revision(tally),
        "players": list(about.players),
        "table": about.table,
        "round": about.round,
        "number": about.number,
        "played_at": about.played_at,
        "recorded_at": tally.recorded_at,
        "status": tally.status,
        "counted": line.why is None,
        "why": line.why,
        "disputed": line.why == "disputed",
        "scores": None
        if tally.sheet is None
        else {player: points(score) for player, score in tally.scores.items()},
        "penalties": {player: points(penalty) for player, penalty in tally.penalties.items()},
        "totals": points_by(players, line.after),
    }


def _revision(tally: Tally) -> str | None:
    return None if tally.sheet is None else str(tally.sheet["variant_revision"])


def _dispute(rivals: Rivals) -> dict[str, Any]:
    return {
        **rivals.place._asdict(),
        "hand_ids": list(rivals.hand_ids),
        "counted": rivals.counted,
        "disputed": list(rivals.disputed),
    }
