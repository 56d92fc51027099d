"""PURE: periods, their buckets, and the sums over them (SWB-43.3, D39).

A period ends with the current bucket: 24 or 168 hours, or 30 days, in UTC. No bucket is left out; one without
statistics has zeros and no shares.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from butler_dashboard.reads.connector_models import Period, StatsBucket, StatsSummary
from butler_dashboard.reads.model import Row

__all__ = ["Span", "bucket_of", "series_of", "share_pct", "span_of", "sums_of"]

_HOUR: Final = timedelta(hours=1)
_DAY: Final = timedelta(days=1)
_HOURS: Final[dict[Period, int]] = {"24h": 24, "7d": 168}
_DAYS: Final[dict[Period, int]] = {"24h": 1, "7d": 7, "30d": 30}
_COUNTS: Final = (
    "messages_ingested",
    "messages_failed",
    "source_api_calls",
    "dedupe_accepted",
    "heartbeat_count",
    "healthy_count",
    "degraded_count",
    "error_count",
)


@dataclass(frozen=True, slots=True)
class Span:
    """The buckets of a period, oldest first: datetimes of hours, or dates of days."""

    starts: tuple[datetime, ...] | tuple[date, ...]
    hours: int

    @property
    def hourly(self) -> bool:
        return isinstance(self.starts[0], datetime)

    @property
    def bounds(self) -> tuple[date, date]:
        """The first bucket, and the first one past the period."""
        return self.starts[0], self.starts[-1] + (_HOUR if self.hourly else _DAY)


def span_of(period: Period, now: datetime, *, daily: bool = False) -> Span:
    """Return the buckets of `period` at `now` (aware); days for a period of days, or with `daily`."""
    if period in _HOURS and not daily:
        last = now.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
        count = _HOURS[period]
        return Span(tuple(last - _HOUR * back for back in reversed(range(count))), hours=count)
    today, days = now.astimezone(UTC).date(), _DAYS[period]
    return Span(tuple(today - _DAY * back for back in reversed(range(days))), hours=days * 24)


def bucket_of(start: date) -> datetime:
    """Return when a bucket begins."""
    return start if isinstance(start, datetime) else datetime.combine(start, time(), UTC)


def share_pct(part: int, whole: int) -> float | None:
    """Return `part` of `whole` in percent with two decimals; None when `whole` is 0."""
    return round(100 * min(part, whole) / whole, 2) if whole else None


def sums_of(rows: Iterable[Row], *, hours: int) -> StatsSummary:
    """Return the sums of statistics rows over a period of `hours`."""
    sums = dict.fromkeys(_COUNTS, 0)
    for row in rows:
        for name in _COUNTS:
            sums[name] += row[name]
    tried = sums["messages_ingested"] + sums["messages_failed"]
    return StatsSummary(
        **sums,
        uptime_pct=share_pct(sums["healthy_count"], sums["heartbeat_count"]),
        error_rate_pct=share_pct(sums["messages_failed"], tried),
        avg_messages_per_hour=round(sums["messages_ingested"] / hours, 2),
    )


def series_of(span: Span, rows: Iterable[Row]) -> tuple[StatsBucket, ...]:
    """Return one bucket for each of the span's, in order, whether there are statistics or not."""
    by_start = {row["bucket"]: row for row in rows}
    return tuple(_bucket(start, by_start.get(start)) for start in span.starts)


def _bucket(start: date, row: Row | None) -> StatsBucket:
    counts = {name: row[name] if row is not None else 0 for name in _COUNTS}
    return StatsBucket(
        bucket=bucket_of(start),
        **counts,
        uptime_pct=share_pct(counts["healthy_count"], counts["heartbeat_count"]),
        coverage_pct=None if row is None else _coverage_pct(row),
    )


def _coverage_pct(row: Row) -> float | None:
    """Return the coverage: stored for a day, computed for an hour from the beats that were due."""
    if "coverage_pct" in row:
        said = row["coverage_pct"]
        return None if said is None else float(said)
    expected = row["expected_count"]
    return min(100.0, round(100 * row["heartbeat_count"] / float(expected), 2)) if expected else None
