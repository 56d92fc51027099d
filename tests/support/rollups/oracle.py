"""What the tables must hold, in some thirty lines of Python: slow, plain, and written from the specification alone.

SWB-22.1: differences between consecutive beats; D37: of the same instance, from its last beat before the window, else
from zero. It shares no code with the engines.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from tests.support.rollups.fleets import VOLUMES, Beat

__all__ = ["COUNTS", "Key", "days_of", "fanout_of", "hours_of"]

Key = tuple[str, str, datetime | date]
COUNTS = ("heartbeat_count", "healthy_count", "degraded_count", "error_count", "counter_resets")
CENT = Decimal("0.01")


def hours_of(beats: Iterable[Beat], start: datetime, end: datetime) -> dict[Key, dict[str, Any]]:
    """Hourly rows of [start, end), from every beat that there is."""
    rows: dict[Key, dict[str, Any]] = {}
    last: dict[tuple[str, str, Any], Beat] = {}
    for beat in sorted(
        beats, key=lambda one: (one.received_at, one.uptime_s, *(getattr(one, v) for v in VOLUMES))
    ):
        instance = (beat.connector_type, beat.endpoint_identity, beat.instance_id)
        before, last[instance] = last.get(instance), beat
        if not start <= beat.received_at < end:
            continue
        hour = beat.received_at.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
        row = rows.setdefault(
            (*instance[:2], hour),
            dict.fromkeys((*VOLUMES, *COUNTS), 0) | {"interval": 86400.0, "max_gap_s": None},
        )
        steps = [getattr(beat, volume) - (getattr(before, volume) if before else 0) for volume in VOLUMES]
        for volume, step in zip(VOLUMES, steps, strict=True):
            row[volume] += step if step >= 0 else getattr(beat, volume)
        row["counter_resets"] += any(step < 0 for step in steps)
        row["heartbeat_count"] += 1
        row[f"{beat.state}_count"] += 1
        row["interval"] = min(row["interval"], beat.heartbeat_interval_s)
        if before is not None:
            row["max_gap_s"] = max(
                row["max_gap_s"] or 0.0, (beat.received_at - before.received_at).total_seconds()
            )
    for row in rows.values():
        row["expected_count"] = (Decimal(3600) / Decimal(row.pop("interval"))).quantize(CENT, ROUND_HALF_UP)
    return rows


def days_of(hours: dict[Key, dict[str, Any]]) -> dict[Key, dict[str, Any]]:
    """Daily rows from hourly ones."""
    days: dict[Key, dict[str, Any]] = {}
    for (kind, endpoint, hour), row in hours.items():
        assert isinstance(hour, datetime)
        day = days.setdefault(
            (kind, endpoint, hour.date()),
            dict.fromkeys((*VOLUMES, *COUNTS), 0) | {"expected_count": Decimal(0), "max_gap_s": None},
        )
        for name in (*VOLUMES, *COUNTS):
            day[name] += row[name]
        day["expected_count"] = max(day["expected_count"], 24 * row["expected_count"])
        day["max_gap_s"] = max(
            (gap for gap in (day["max_gap_s"], row["max_gap_s"]) if gap is not None), default=None
        )
    for day in days.values():
        beats = Decimal(day["heartbeat_count"])
        day["uptime_pct"] = (100 * day["healthy_count"] / beats).quantize(CENT, ROUND_HALF_UP)
        day["coverage_pct"] = min(Decimal(100), 100 * beats / day["expected_count"]).quantize(
            CENT, ROUND_HALF_UP
        )
    return days


def fanout_of(
    messages: Iterable[tuple[str, str, datetime, Iterable[str]]],
) -> dict[tuple[str, str, str, date], int]:
    """(connector type, endpoint, received at, butlers) of each message → messages by connector, butler and day."""
    counted: dict[tuple[str, str, str, date], int] = defaultdict(int)
    for kind, endpoint, received_at, butlers in messages:
        for butler in set(butlers):
            counted[kind, endpoint, butler, received_at.astimezone(UTC).date()] += 1
    return dict(counted)
