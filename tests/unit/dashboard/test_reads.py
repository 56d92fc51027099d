"""Cursors, periods, sums: what the reads decide without a database."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_contracts.errors import ValidationFailed
from butler_dashboard.reads.page import moment, read_cursor, text, write_cursor
from butler_dashboard.reads.statistics import series_of, share_pct, span_of, sums_of

MOMENTS = st.datetimes(min_value=datetime(1970, 1, 2), max_value=datetime(9997, 1, 1), timezones=st.just(UTC))
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"))


@given(MOMENTS, st.uuids(), TEXTS)
def test_a_cursor_is_read_as_it_was_written(at: datetime, own_id: UUID, name: str):
    assert read_cursor(write_cursor(at, own_id, name), moment, UUID, text) == (at, own_id, name)


@given(st.one_of(st.text(), st.from_regex(r"[A-Za-z0-9_-]{0,80}", fullmatch=True)))
def test_any_other_text_is_refused_as_a_cursor(given_text: str):
    with pytest.raises(ValidationFailed):
        read_cursor(given_text, moment, UUID)


@pytest.mark.parametrize(
    "parts", [("x", "y"), (1, 2), ("2026-01-01T00:00:00", str(UUID(int=1))), ("2026-01-01",)]
)
def test_a_cursor_of_another_list_is_refused(parts: tuple[str | int, ...]):
    with pytest.raises(ValidationFailed, match="not the `next` of a page"):
        read_cursor(write_cursor(*parts), moment, UUID)


@given(MOMENTS, st.sampled_from(["24h", "7d", "30d"]))
def test_a_period_ends_with_the_bucket_that_is_under_way(now: datetime, period: str):
    span = span_of(period, now)  # type: ignore[arg-type]
    assert len(span.starts) == {"24h": 24, "7d": 168, "30d": 30}[period]
    first, after = span.bounds
    if span.hourly:
        assert span.starts[-1] <= now < after
        assert (after - first) == timedelta(hours=span.hours)
    else:
        assert span.starts[-1] == now.date()
        assert (after - first).days * 24 == span.hours
    assert list(span.starts) == sorted(set(span.starts))


def test_a_period_is_the_same_whatever_zone_now_is_told_in():
    now = datetime.fromisoformat("2026-03-29T03:30:00+02:00")
    assert span_of("24h", now) == span_of("24h", now.astimezone(UTC))
    assert span_of("30d", datetime.fromisoformat("2026-03-01T00:30:00+02:00")).starts[-1] == date(2026, 2, 28)


def test_shares_of_nothing_are_none_and_none_is_above_a_hundred():
    assert (share_pct(0, 0), share_pct(1, 3), share_pct(9, 3)) == (None, 33.33, 100.0)
    nothing = sums_of([], hours=24)
    assert (nothing.messages_ingested, nothing.uptime_pct, nothing.error_rate_pct) == (0, None, None)


def test_buckets_without_statistics_are_there_with_zeros():
    span = span_of("24h", datetime(2026, 1, 1, 12, 30, tzinfo=UTC))
    counts = dict.fromkeys(
        ("messages_failed", "source_api_calls", "dedupe_accepted", "degraded_count", "error_count"), 0
    )
    row = {
        "bucket": span.starts[3],
        "messages_ingested": 4,
        "heartbeat_count": 33,
        "healthy_count": 11,
        **counts,
    }
    series = series_of(span, [{**row, "expected_count": 30}])
    assert [bucket.messages_ingested for bucket in series] == [0, 0, 0, 4] + [0] * 20
    assert (series[3].uptime_pct, series[3].coverage_pct) == (33.33, 100.0)
    assert (series[0].uptime_pct, series[0].coverage_pct) == (None, None)
