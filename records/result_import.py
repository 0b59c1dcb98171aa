"""Results of a CSV file, judged row by row, and stored all together or as far as they are good."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from records.faults import INVALID_RECORD
from records.import_records import Importing, LineRefused, read_line
from records.imports import MAX_FAULTS_A_LINE, Importer, Outcome
from records.judging import judge_record, sheet_of
from records.problems import KINDS, Refused, problem_body
from records.result_records import Where, column_of, record_of
from records.result_table import ResultRow, RowFault
from records.schemas import load_record
from records.wire import dumps, load
from trull import Variant

CREATED: Final = 202
"""The status of a row whose hand is stored, or would be."""
EXISTING: Final = 200


class JudgedRow(NamedTuple):
    """A row: the status that its record would have alone, its scores, and why it is refused if it is.

    ``line`` is the record as a line of an import; None where the cells are none.
    """

    row: int
    hand_id: str | None
    status: int
    scores: Mapping[str, Any] | None
    faults: Sequence[RowFault]
    line: bytes | None

    @property
    def is_refused(self) -> bool:
        """Whether it cannot be stored."""
        return bool(self.faults)

    def as_dict(self, instance: str) -> dict[str, Any]:
        """The row in a report. ``instance`` is the path that its problem names."""
        made: dict[str, Any] = {"row": self.row, "hand_id": self.hand_id, "status": self.status}
        made["scores"] = self.scores
        if self.faults:
            refused = refused_rows([self])
            errors = refused.first_errors(MAX_FAULTS_A_LINE)
            made["problem"] = problem_body(refused.code, refused.detail, instance, errors)
        return made


def refused_rows(rows: Iterable[JudgedRow]) -> Refused:
    """The refusal of a file for the faults of its rows, all of them at once."""
    return refused_table([fault for row in rows for fault in row.faults])


def refused_table(faults: Sequence[RowFault]) -> Refused:
    """The same, of faults. Its code is that of the first one."""
    first = faults[0]
    where = f"Row {first.row}" if first.column is None else f"Row {first.row}, {first.column}"
    more = f" ({len(faults)} faults in all)" if len(faults) > 1 else ""
    return Refused(first.code, f"{where}: {first.detail}{more}", [fault.as_dict() for fault in faults])


def judge_rows(
    rows: Iterable[ResultRow], where: Where, by: Importing, variants: Mapping[str, Variant]
) -> list[JudgedRow]:
    """The rows that have a result, each judged by itself; of two at one place the second is refused."""
    found: list[JudgedRow] = []
    places: dict[str, int] = {}
    for row in rows:
        record, faults = record_of(row, where)
        if record is None:
            continue
        hand_id = record["hand_id"]
        if not faults and hand_id in places:
            detail = f"Row {places[hand_id]} is at the same place."
            faults = [RowFault(row.row, "number", INVALID_RECORD, detail)]
        if hand_id is not None:
            places.setdefault(hand_id, row.row)
        made = _refused(row.row, hand_id, faults) if faults else _judged(row.row, record, by, variants)
        found.append(made)
    return found


def compared(
    rows: Sequence[JudgedRow], importer: Importer, tenant: str, by: Importing, instance: str
) -> list[JudgedRow]:
    """The rows as they are with what is stored already. Raises `StoreUnavailable`."""
    lines = [(row.row, row.line) for row in rows if row.line is not None]
    return _told(rows, importer.compare(tenant, by, lines, instance))


def stored(
    rows: Sequence[JudgedRow], importer: Importer, tenant: str, by: Importing, instance: str
) -> list[JudgedRow]:
    """Store the rows that are not refused; what became of each."""
    lines = [(row.row, row.line) for row in rows if row.line is not None and not row.is_refused]
    return _told(rows, importer.take(tenant, by, lines, instance))


def _told(rows: Sequence[JudgedRow], outcomes: Iterable[Outcome]) -> list[JudgedRow]:
    by_row = {outcome.line: outcome for outcome in outcomes}
    return [_with(row, by_row[row.row]) if row.row in by_row else row for row in rows]


def _with(row: JudgedRow, outcome: Outcome) -> JudgedRow:
    if outcome.problem is None:
        return row._replace(status=outcome.status)
    code = outcome.problem["type"].rpartition(":")[2]
    fault = RowFault(row.row, None, code, outcome.problem["detail"])
    return row._replace(status=outcome.status, scores=None, faults=[fault])


def _judged(
    number: int, record: Mapping[str, Any], by: Importing, variants: Mapping[str, Variant]
) -> JudgedRow:
    line = dumps(record)
    try:
        read_line(line, by, variants)
    except LineRefused as error:
        return _refused(number, record["hand_id"], _faults_of(number, error.refused))
    judged = judge_record(load_record(load(line), variants))
    sheet = sheet_of(judged).as_dict(record["players"], record["hand_id"], 1)
    scores: Any = sheet["scores"]
    return JudgedRow(number, record["hand_id"], CREATED, scores, [], line)


def _faults_of(number: int, refused: Refused) -> list[RowFault]:
    return [
        RowFault(
            number,
            column_of(str(fault.get("pointer", ""))),
            str(fault["code"]),
            str(fault["detail"]),
            None if fault.get("clause") is None else str(fault["clause"]),
        )
        for fault in refused.errors
    ]


def _refused(number: int, hand_id: str | None, faults: Sequence[RowFault]) -> JudgedRow:
    return JudgedRow(number, hand_id, KINDS[faults[0].code].status, None, faults, None)
