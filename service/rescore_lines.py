"""The results of a batch as lines: NDJSON, and CSV for spreadsheets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from records.csv_text import Cell, write_csv
from records.rescore_results import Result, in_points, results_in
from records.wire import dumps

CSV: Final = "text/csv"
_MOST_PLAYERS: Final = 5
_COLUMNS: Final = (
    *("hand_id", "variant", "variant_revision", "version", "status"),
    *(f"{what}_{number}" for number in range(1, _MOST_PLAYERS + 1) for what in ("player", "score", "change")),
)


def ndjson_lines(chunks: Iterable[bytes], variants: Sequence[str]) -> Iterator[bytes]:
    """Stored chunks as JSON, an object a line. ``variants``: the ids of the batch's rule sets, in order."""
    for chunk in chunks:
        yield b"".join(dumps(_object(result, variants)) + b"\n" for result in results_in(chunk))


def _object(result: Result, variants: Sequence[str]) -> dict[str, Any]:
    return {
        "hand_id": result.hand_id,
        "variant": variants[result.variant],
        "variant_revision": result.revision,
        "version": result.version,
        "status": result.status,
        "scores": _by_player(result.players, result.halves),
        "change": _by_player(result.players, result.change),
    }


def _by_player(players: Sequence[str], halves: Sequence[int] | None) -> dict[str, int | float] | None:
    if halves is None:
        return None
    return dict(zip(players, map(in_points, halves), strict=True))


def csv_lines(chunks: Iterable[bytes], variants: Sequence[str]) -> Iterator[bytes]:
    """The same as CSV: players, scores and changes in columns, in order of play."""
    yield write_csv([_COLUMNS])
    for chunk in chunks:
        yield write_csv(_row(result, variants) for result in results_in(chunk))


def _row(result: Result, variants: Sequence[str]) -> list[Cell]:
    row: list[Cell] = [result.hand_id, variants[result.variant], result.revision]
    row += [result.version, result.status]
    nothing = [None] * len(result.players)
    points = result.halves or nothing, result.change or nothing
    for player, score, change in zip(result.players, *points, strict=True):
        row += [player, *(None if halves is None else in_points(halves) for halves in (score, change))]
    return row + [None] * (len(_COLUMNS) - len(row))
