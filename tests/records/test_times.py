"""RFC 3339 times: which are read, and which instant they are."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.times import instant, time_fault

OFFSETS = st.integers(-23 * 60 - 59, 23 * 60 + 59).map(lambda minutes: timezone(timedelta(minutes=minutes)))
MOMENTS = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=OFFSETS)  # noqa: DTZ001 - Hypothesis adds the zone

NEARLY = r"[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-6][0-9]:[0-6][0-9](Z|[+-][0-2][0-9]:[0-6][0-9])"


@given(MOMENTS)
def test_every_time_of_the_calendar_is_read(moment: datetime) -> None:
    text = moment.isoformat()
    assert time_fault(text) is None
    assert instant(text) == moment
    assert instant(text).tzinfo is UTC


@given(st.from_regex(NEARLY, fullmatch=True))
def test_the_usual_pattern_lets_nothing_through_that_is_no_time(text: str) -> None:
    assert (time_fault(text) is None) == is_instant(text)


def is_instant(text: str) -> bool:
    try:
        instant(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2026-11-29T20:15:00+01:00", datetime(2026, 11, 29, 19, 15, tzinfo=UTC)),
        ("2026-11-29t20:15:00.25z", datetime(2026, 11, 29, 20, 15, 0, 250_000, tzinfo=UTC)),
        ("2026-12-31T23:59:60-00:30", datetime(2027, 1, 1, 0, 30, tzinfo=UTC)),
        ("2024-02-29T00:00:00.1234567899Z", datetime(2024, 2, 29, 0, 0, 0, 123_456, tzinfo=UTC)),
        ("0001-01-01T00:00:00Z", datetime(1, 1, 1, tzinfo=UTC)),
    ],
)
def test_instants(text: str, utc: datetime) -> None:
    assert instant(text) == utc
    assert time_fault(text) is None
