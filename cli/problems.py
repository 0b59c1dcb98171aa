"""Why a record has no sheet, as the problem that the service would answer with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from records.faults import InvalidRecord, in_one_sentence
from records.refusals import fault_of
from records.wire import MalformedJson
from trull import RulesError

_STATUS: Final = {"malformed-json": 400, "body-too-large": 413, "internal-error": 500}
_BROKEN: Final = 422


class Refused(Exception):
    """A record that is refused before it is read."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


def problem_of(error: Exception, record: Mapping[str, Any]) -> tuple[int, dict[str, object]]:
    """The status and the problem (RFC 9457), with JSON Pointers into the record.

    There is no ``instance``, since there was no request, and no ``title``: ``type`` tells them apart.
    """
    errors: list[dict[str, object]] = []
    code = getattr(error, "code", "internal-error")
    if isinstance(error, InvalidRecord):
        errors = [fault._asdict() for fault in error.faults]
        detail = in_one_sentence(errors)
    elif isinstance(error, RulesError):
        detail = error.told(record["players"])
        errors = [fault_of(error, record["players"])]
    elif isinstance(error, MalformedJson | Refused):
        detail = error.detail
    else:
        code = "internal-error"
        detail = f"A fault of ours, not of the record: {type(error).__name__}: {error}"
    status = _STATUS.get(code, _BROKEN)
    problem: dict[str, object] = {"type": f"urn:trull:problem:{code}", "status": status, "detail": detail}
    if errors:
        problem["errors"] = errors
    return status, problem
