"""The results of a batch: packed chunk by chunk, and told as lines or summed up for each player.

A chunk holds its hands in columns, which deflate well: ids, versions, players, and for each rule set a status
and the scores by seat in halves of a point. The first of these is the hand's own rule set, which the change
is counted from. Beside it stands what the chunk adds to each player's sum. What clients read is made of this
when they ask for it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import orjson

from records.facts_codec import players_of
from trull.briefs import Totals

STATUSES: Final = ("incomplete", "scored", "annulled", "void", "irregular", "failed")
"""What can become of a hand under a rule set. Their numbers are in the store."""

_SCORED, _ANNULLED = STATUSES.index("scored"), STATUSES.index("annulled")
_FAILED: Final = STATUSES.index("failed")
_NUMBERS: Final = {status: number for number, status in enumerate(STATUSES)}
_LEVEL: Final = 1
"""Of deflating: the next ones take twice the time for a tenth less."""


class Result(NamedTuple):
    """A hand under a rule set. Points are by player, in halves; None where the sheet could not be made.

    ``change`` is against the hand's own rule set.
    """

    hand_id: str
    version: int
    variant: int
    """The rule set's place among those of the batch."""
    revision: str
    status: str
    players: list[str]
    halves: list[int] | None
    change: list[int] | None


class ChunkResults:
    """Collects the results of a chunk.

    ``revisions`` are those of the rule sets of the batch, in their order.
    """

    def __init__(self, revisions: Sequence[str]) -> None:
        self._revisions = list(revisions)
        self._ids: list[str] = []
        self._versions: list[int] = []
        self._tables: dict[bytes, int] = {}
        self._at_table: list[int] = []
        self._statuses: list[list[int]] = [[] for _ in range(len(revisions) + 1)]
        self._halves: list[list[int]] = [[] for _ in range(len(revisions) + 1)]
        self._sums: list[list[list[list[int]]]] = []
        self.failed = 0

    @property
    def hands(self) -> int:
        """How many are in it."""
        return len(self._ids)

    def add(self, hand_id: str, version: int, players: bytes, stands: Sequence[Totals | None]) -> None:
        """Put in a hand: its line-up, and how it stands under its own and under each rule set."""
        self._ids.append(hand_id)
        self._versions.append(version)
        table = self._tables.get(players)
        if table is None:
            table = self._tables[players] = len(self._tables)
            seats = len(players_of(players))
            self._sums.append([[[0, 0, 0] for _ in range(seats)] for _ in self._revisions])
        self._at_table.append(table)
        sums = self._sums[table]
        own = stands[0]
        for place, stand in enumerate(stands):
            if stand is None:
                self._statuses[place].append(_FAILED)
                self._halves[place] += [0] * len(sums[0])
                self.failed += place > 0
                continue
            number = _NUMBERS[stand.status]
            self._statuses[place].append(number)
            self._halves[place] += stand.halves
            if place:
                _add(sums[place - 1], number, stand.halves, stand.halves if own is None else own.halves)

    def packed(self) -> tuple[bytes, bytes]:
        """The results, and the sums, as bytes."""
        columns = [
            self._revisions,
            self._ids,
            self._versions,
            [table.decode() for table in self._tables],
            self._at_table,
            self._statuses,
            self._halves,
        ]
        return _deflate(columns), _deflate(self._players())

    def _players(self) -> list[dict[str, list[int]]]:
        """What the chunk adds to each player's sums, by rule set: hands, halves of points, and of change."""
        found: list[dict[str, list[int]]] = [{} for _ in self._revisions]
        for table, sums in zip(self._tables, self._sums, strict=True):
            for by_player, by_seat in zip(found, sums, strict=True):
                for player, added in zip(players_of(table), by_seat, strict=True):
                    _join(by_player, player, added)
        return found


def _add(sums: list[list[int]], status: int, halves: Sequence[int], own: Sequence[int]) -> None:
    counts = status in (_SCORED, _ANNULLED)
    for seat, points in enumerate(halves):
        by_seat = sums[seat]
        by_seat[0] += counts
        by_seat[1] += points
        by_seat[2] += points - own[seat]


def _join(by_player: dict[str, list[int]], player: str, added: Sequence[int]) -> None:
    there = by_player.get(player)
    if there is None:
        by_player[player] = [*added]
    else:
        for place, number in enumerate(added):
            there[place] += number


def results_in(packed: bytes) -> Iterator[Result]:
    """The results of a chunk, hand by hand."""
    revisions, ids, versions, tables, at_table, statuses, halves = _inflate(packed)
    tables = [players_of(table.encode()) for table in tables]
    first = 0
    for place, hand_id in enumerate(ids):
        players = tables[at_table[place]]
        last = first + len(players)
        own = halves[0][first:last] if statuses[0][place] != _FAILED else None
        for variant, revision in enumerate(revisions):
            status = statuses[variant + 1][place]
            points = halves[variant + 1][first:last] if status != _FAILED else None
            change = None
            if points is not None and own is not None:
                change = [now - before for now, before in zip(points, own, strict=True)]
            yield Result(
                hand_id,
                versions[place],
                variant,
                revision,
                STATUSES[status],
                players,
                points,
                change,
            )
        first = last


def summary_of(variants: Sequence[str], packed: Iterable[bytes]) -> list[dict[str, Any]]:
    """The sums of all players under each rule set, from those of the chunks; the best of each first.

    Who has as many points shares the rank, and the next one's counts all before him. ``own_rank`` is the rank
    with the points that the same hands brought under their own rules.
    """
    sums: list[dict[str, list[int]]] = [{} for _ in variants]
    for chunk in packed:
        for by_player, added in zip(sums, _inflate(chunk), strict=True):
            for player, numbers in added.items():
                _join(by_player, player, numbers)
    told = []
    for variant, by_player in zip(variants, sums, strict=True):
        ranks = _ranks({player: points for player, (_, points, _) in by_player.items()})
        own = _ranks({player: points - change for player, (_, points, change) in by_player.items()})
        for player in sorted(by_player, key=lambda player: (ranks[player], player)):
            hands, points, change = by_player[player]
            told.append(
                {
                    "variant": variant,
                    "player": player,
                    "hands": hands,
                    "points": in_points(points),
                    "rank": ranks[player],
                    "change": in_points(change),
                    "own_rank": own[player],
                }
            )
    return told


def in_points(halves: int) -> int | float:
    """Halves as points: an integer wherever they are whole."""
    return halves / 2 if halves & 1 else halves >> 1


def _ranks(points: dict[str, int]) -> dict[str, int]:
    first: dict[int, int] = {}
    for rank, value in enumerate(sorted(points.values(), reverse=True), 1):
        first.setdefault(value, rank)
    return {player: first[value] for player, value in points.items()}


def _deflate(value: object) -> bytes:
    return zlib.compress(orjson.dumps(value), _LEVEL, -15)


def _inflate(packed: bytes) -> Any:
    return orjson.loads(zlib.decompress(packed, -15))
