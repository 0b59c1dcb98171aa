"""Times as clients write them: RFC 3339 with any offset, kept as sent."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from records.faults import shown
from records.limits import MAX_TIME

_RFC3339: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.(\d+))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))",
    re.ASCII,
)
# What nearly every time looks like; the rest (29 February, the first years, …) is worked out.
_USUAL: Final = re.compile(
    r"[12]\d{3}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)"
    r"T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)",
    re.ASCII,
)
_RIGHT: Final = 'A time is like "2026-11-29T20:15:00+01:00" (RFC 3339, with its offset)'


def time_fault(text: str) -> str | None:
    """What would be right, or None for a date and time of RFC 3339."""
    if _USUAL.fullmatch(text):
        return None
    wrong = f"{_RIGHT}, not {shown(text)}."
    if len(text) > MAX_TIME:
        return wrong
    try:
        instant(text)
    except ValueError:
        return wrong
    return None


def instant(text: str) -> datetime:
    """The instant of an RFC 3339 time, in UTC, for sorting and comparing.

    Digits beyond microseconds are cut off; a leap second is the second after it. Raises `ValueError`
    where the text is none, or an instant outside of the years 1 to 9999.
    """
    match = _RFC3339.fullmatch(text)
    if match is None:
        raise ValueError(_RIGHT)
    date, hour, minute, second, fraction, sign, off_hours, off_minutes = match.groups()
    micros = int((fraction or "0")[:6].ljust(6, "0"))
    try:
        local = datetime.fromisoformat(date).replace(tzinfo=UTC) + timedelta(
            hours=int(hour), minutes=int(minute), seconds=int(second), microseconds=micros
        )
        if sign is None:
            return local
        offset = timedelta(hours=int(off_hours), minutes=int(off_minutes))
        return local - offset if sign == "+" else local + offset
    except OverflowError:
        raise ValueError(_RIGHT) from None
