"""Where a backfill is in a mailbox, and which mails belong to it."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_connectors.base.orders import Range
from butler_connectors.imap.past import WINDOW, Past, begin, in_range, search_days, window

JANUARY = Range(date_from=date(2026, 1, 1), date_to=date(2026, 1, 31))


@pytest.mark.parametrize(
    ("cursor", "uid"),
    [(None, 0), ("7/42", 42), ("8/42", 0), ("nonsense", 0), ("7/", 0), ("7/99999999999", 0)],
)
def test_a_cursor_counts_only_with_its_uidvalidity(cursor: str | None, uid: int) -> None:
    assert begin(cursor, 7) == Past(7, uid)
    assert begin(Past(7, 42).cursor, 7) == Past(7, 42)


@given(start=st.integers(0, 10_000), passed=st.integers(0, 10_000))
def test_windows_cover_everything_that_was_passed_once_and_nothing_else(start: int, passed: int) -> None:
    past = Past(1, start)
    seen: list[int] = []
    while (found := window(past, passed_uid=passed)) is not None:
        assert found.until - found.first < WINDOW
        assert found.last == (found.until == passed)
        seen += range(found.first, found.until + 1)
        past = Past(1, found.until)
    assert seen == list(range(start + 1, passed + 1))


def test_both_days_belong_to_the_range_in_utc() -> None:
    first, last = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 31, 23, 59, 59, 999999, tzinfo=UTC)
    assert in_range(JANUARY, first)
    assert in_range(JANUARY, last)
    assert not in_range(JANUARY, first - timedelta(microseconds=1))
    assert not in_range(JANUARY, last + timedelta(microseconds=1))
    tokyo = timezone(timedelta(hours=9))
    assert not in_range(JANUARY, datetime(2026, 1, 1, 8, 59, tzinfo=tokyo))
    assert in_range(JANUARY, datetime(2026, 1, 1, 9, tzinfo=tokyo))


@given(
    moment=st.datetimes(
        min_value=datetime(2025, 12, 20),
        max_value=datetime(2026, 2, 10),
        timezones=st.integers(-12, 14).map(lambda hours: timezone(timedelta(hours=hours))),
    )
)
def test_what_belongs_to_the_range_is_found_by_a_search_without_zones(moment: datetime) -> None:
    since, before = search_days(JANUARY)
    if in_range(JANUARY, moment):
        assert since <= moment.date() < before
