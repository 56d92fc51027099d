"""When a cron line is due (pure; SWB-25, D40, D56).

A cron line is meant in a time zone: what falls into the hour that spring leaves out is due at its end, what falls
into the hour that autumn has twice is due once, unless it is due every hour anyway. Moments are aware UTC.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final

from cronsim import CronSim

__all__ = ["CATCH_UP", "latest_due", "next_due"]

CATCH_UP: Final = timedelta(days=2)
"""How far back a missed run is looked for."""


def next_due(cron: str, after: datetime, zone: tzinfo = UTC) -> datetime:
    """The first due moment after `after`."""
    due: datetime = next(CronSim(cron, after.astimezone(zone)))
    return due.astimezone(UTC)


def latest_due(cron: str, *, now: datetime, after: datetime | None, zone: tzinfo = UTC) -> datetime | None:
    """The last due moment up to `now` and later than `after`; None when there is none within two days.

    Whoever was away runs the latest missed one only.
    """
    # The search runs backwards and leaves out the moment it starts from.
    start = (now.replace(microsecond=0) + timedelta(seconds=1)).astimezone(zone)
    found: datetime | None = next(CronSim(cron, start, reverse=True), None)
    floor = max(now - CATCH_UP, after) if after is not None else now - CATCH_UP
    due = None if found is None else found.astimezone(UTC)
    return due if due is not None and due > floor else None
