"""What a board shows of a tournament: a page of its standings, and the same few things whoever looks.

A tournament has thousands of players. What a board is sent has some lines of the standings, the running
totals of the first few, the last hands, and what is still missing; it weighs the same in the first round
and in the last.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any, Final, Literal

from records.board_view import LATEST_SHEETS, initials, sheet_of
from records.sheet_codec import Sheet
from records.tournament_hands import Facts, Line, Outcome, outcome_of
from records.tournament_log import Tournament
from records.tournament_progress import progress_of
from records.tournament_rules import final_places
from records.tournament_views import figures, hand_counts, number
from trull.duplicate import Number
from trull.standings import Ledger, Standing

LINES: Final = 50
"""Lines of the standings that a board has unless it is asked for more or fewer."""

MAX_LINES: Final = 250

CHARTED: Final = 8
"""Of how many of the first a board has the running totals."""

MAX_STEPS: Final = 150
"""Steps of running totals. What has more is told round by round."""

MAX_DISPUTES: Final = 10

Of = Literal["players", "teams"]
Step = tuple[int, int | None]
"""A round and the number of a hand; None for a whole round, and for the penalties behind its last hand."""


class TournamentLook:
    """A tournament as it stood at one moment, for all who look at it then.

    ``display`` are the players' display names, by key; ``sheets`` reads the score sheets of hands.
    """

    def __init__(
        self,
        tournament: Tournament,
        hands: Sequence[Facts],
        display: Mapping[str, str],
        sheets: Callable[[Sequence[str]], Mapping[str, Sheet]],
    ) -> None:
        self.tournament = tournament
        self.found = outcome_of(tournament, hands)
        self._hands = hands
        self._display = display
        self._boards: dict[tuple[str, int | None], TournamentBoard] = {}
        counted = [hand_id for hand_id in self.found.facts if hand_id in self.found.counted]
        latest = counted[-LATEST_SHEETS:]
        self.sheets = sheets(_in_order_of_play(latest, self.found))

    def board(self, names: str, up_to: int | None) -> TournamentBoard:
        """The board with names or with initials, as of now or after a round."""
        found = self._boards.get((names, up_to))
        if found is None:
            outcome = self.found if up_to is None else outcome_of(self.tournament, self._hands, up_to)
            found = self._boards[names, up_to] = TournamentBoard(self, outcome, self._named(names), up_to)
        return found

    def _named(self, names: str) -> dict[str, str]:
        """How everybody is called, players by key and teams: nobody like another."""
        shorten = initials if names == "initials" else told_apart
        players = [*dict.fromkeys([*self.tournament.players, *self.found.ledgers])]
        teams = list(self.tournament.teams)
        shown = shorten([self._display.get(player, player) for player in players])
        return {
            **dict(zip(players, shown, strict=True)),
            **{_team(team): short for team, short in zip(teams, shorten(teams), strict=True)},
        }


class TournamentBoard:
    """The board of a look, of which everybody asks for a part."""

    def __init__(
        self, look: TournamentLook, found: Outcome, names: Mapping[str, str], up_to: int | None
    ) -> None:
        self._look = look
        self._tournament = look.tournament
        self._found = found
        self._names = names
        self._up_to = up_to
        self._charts: dict[Of, dict[str, Any]] = {}

    def part(self, of: Of, after: int, limit: int, player: str | None) -> dict[str, Any]:
        """The board as JSON, with ``limit`` lines of the standings behind ``after`` others.

        ``player`` is how somebody is called, or a part of it; the first who is called so is ``followed``.
        """
        standings = self._standings(of)
        followed = None if player is None else self._called(player, of)
        return {
            **self._head,
            "of": of,
            "after": after,
            "lines": len(standings),
            "standings": [self._line(standing, of) for standing in standings[after : after + limit]],
            "followed": None
            if followed is None
            else {
                **self._line(followed, of),
                "running": [number(total) for total in self.running(followed.ledger, of)],
            },
            **self._chart(of),
        }

    @cached_property
    def _head(self) -> dict[str, Any]:
        """What is the same on every part."""
        tournament, found = self._tournament, self._look.found
        settings = tournament.settings
        is_changed = tournament.final is not None and final_places(found) != tournament.final
        places = sorted(
            found.admission.disputes, key=lambda place: (place.round, int(place.table), place.number)
        )
        return {
            "kind": "tournament",
            "name": settings["name"],
            "variant": settings["variant"],
            "status": "closed" if tournament.is_closed else "open",
            "changed_since_closing": is_changed,
            "ranking": tournament.ranking,
            "tie_breaks": list(tournament.tie_breaks),
            "rounds": settings["rounds"],
            "hands_per_round": settings["hands_per_round"],
            "round": self._up_to,
            "has_teams": bool(found.teams),
            "progress": progress_of(tournament, found),
            "hand_counts": hand_counts(found),
            "disputes": [
                {"round": place.round, "table": int(place.table), "number": place.number}
                for place in places[:MAX_DISPUTES]
            ],
            "latest": [self._sheet(hand_id) for hand_id in self._look.sheets],
        }

    def _standings(self, of: Of) -> list[Standing]:
        return self._found.ranking if of == "players" else self._found.teams

    def _name(self, standing: Standing, of: Of) -> str:
        return self._names[standing.ledger.name if of == "players" else _team(standing.ledger.name)]

    def _line(self, standing: Standing, of: Of) -> dict[str, Any]:
        name = standing.ledger.name
        team = self._tournament.players.get(name) if of == "players" else None
        return {
            "place": standing.place,
            "name": self._name(standing, of),
            "team": None if team is None else self._names[_team(team)],
            "players": [] if of == "players" else [self._names[one] for one in self._tournament.teams[name]],
            **figures(standing, self._tournament, self._found),
        }

    def _called(self, text: str, of: Of) -> Standing | None:
        """The first who is called so: wholly, or at the beginning, or anywhere."""
        wanted = text.casefold().strip()
        called = [(self._name(standing, of).casefold(), standing) for standing in self._standings(of)]
        for fits in (str.__eq__, str.startswith, str.__contains__):
            for name, standing in called:
                if wanted and fits(name, wanted):
                    return standing
        return None

    def _sheet(self, hand_id: str) -> dict[str, Any]:
        """What each point of a hand is for, with its players as they are called."""
        played = self._look.found.facts[hand_id].played
        place = self._look.found.admission.places[hand_id]
        hand = {"table": int(place.table), "round": place.round, "number": place.number}
        return {
            "players": [self._names[player] for player in played.players],
            **sheet_of(hand, self._look.sheets[hand_id], played.players),
        }

    # --- running totals --------------------------------------------------------------------------

    def _chart(self, of: Of) -> dict[str, Any]:
        if of not in self._charts:
            self._charts[of] = {
                "steps": [{"round": round_, "number": hand} for round_, hand in self._steps],
                "chart": [
                    {
                        "name": self._name(standing, of),
                        "running": [number(total) for total in self.running(standing.ledger, of)],
                    }
                    for standing in self._standings(of)[:CHARTED]
                ],
            }
        return self._charts[of]

    @cached_property
    def _steps(self) -> list[Step]:
        """Each hand where hands are added up, and behind those of a round its penalties, as long as there
        are not too many of them; else each round."""
        hands = {(hand.round, hand.number) for hand in self._found.counted.values()}
        steps = {*hands, *map(self._step_of, self._found.lines)} if hands else set()
        if self._tournament.ranking == "points" and len(steps) <= MAX_STEPS:
            return sorted(steps, key=lambda step: (step[0], step[1] is None, step[1] or 0))
        return [(round_, None) for round_ in sorted({round_ for round_, _ in hands})]

    def _step_of(self, line: Line) -> Step:
        """Where a penalty comes: with its hand, or behind its round. Those of no round come at the end."""
        played = None if line.hand_id is None else self._found.facts[line.hand_id].played
        return line.penalty.round or self._last_round, None if played is None else played.number

    @cached_property
    def _last_round(self) -> int:
        """The last round of which there is anything."""
        hands = (hand.round for hand in self._found.counted.values())
        return max((*hands, *(line.penalty.round or 1 for line in self._found.lines)), default=1)

    def running(self, ledger: Ledger, of: Of) -> list[Number | None]:
        """What is ranked, after each step; the last figure is that of the standings."""
        members = [ledger.name] if of == "players" else self._tournament.teams[ledger.name]
        fines: Counter[Step] = Counter()
        for line in self._found.lines:
            if line.penalty.player in members:
                fines[self._step_of(line)] += line.penalty.points
        if any(hand is not None for _, hand in self._steps):
            gains = self._gains(members)
            return list(accumulate(gains.get(step, 0) + fines[step] for step in self._steps))
        return [
            self._after(ledger, round_, fines, is_last=at == len(self._steps))
            for at, (round_, _) in enumerate(self._steps, 1)
        ]

    @staticmethod
    def _after(ledger: Ledger, last: int, fines: Mapping[Step, int], *, is_last: bool) -> Number | None:
        """What is ranked after a round. A round of which there is nothing yet may have penalties."""
        so_far = {round_: got for round_, got in ledger.rounds.items() if round_ <= last}
        penalties = sum(fine for (round_, _), fine in fines.items() if is_last or round_ <= last)
        return Ledger(ledger.name, ledger.weighted, so_far, penalties).total

    def _gains(self, members: Iterable[str]) -> dict[Step, Number]:
        """The points of these players by hand."""
        gains: dict[Step, Number] = {}
        for hand in self._found.counted.values():
            got = sum(hand.points.get(member, 0) for member in members)
            place = (hand.round, hand.number)
            gains[place] = gains.get(place, 0) + got
        return gains


def _in_order_of_play(hand_ids: Sequence[str], found: Outcome) -> list[str]:
    """Hands as they came, but those of a table in the order in which they were played there: what comes in
    together, from an import, arrives in any order."""
    tables: defaultdict[str, list[str]] = defaultdict(list)
    places = found.admission.places
    for hand_id in sorted(hand_ids, key=lambda hand_id: (places[hand_id].round, places[hand_id].number)):
        tables[places[hand_id].table].append(hand_id)
    return [tables[places[hand_id].table].pop(0) for hand_id in hand_ids]


def told_apart(names: Sequence[str]) -> list[str]:
    """The names as they are; who is called like somebody before is numbered."""
    taken = set(names)
    alike: Counter[str] = Counter()
    found = []
    for name in names:
        alike[name] += 1
        shown = name
        while alike[name] > 1 and (shown := f"{name} {alike[name]}") in taken:
            alike[name] += 1
        taken.add(shown)
        found.append(shown)
    return found


def _team(name: str) -> str:
    """Where the name of a team stands among those of players, whose keys never begin so."""
    return f" {name}"
