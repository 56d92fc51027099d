"""The due moments of a cron line (pure; SWB-25, D40, D56).

A cron line is read in a time zone: a time in the hour that is skipped in spring is due at its end, a time in the hour
that is repeated in autumn is due once, unless it is due every hour anyway. Moments are aware UTC.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final

from cronsim import CronSim

__all__ = ["CATCH_UP", "due_between", "latest_due", "next_due"]

CATCH_UP: Final = timedelta(days=2)
"""How far back to look for a missed run."""


def next_due(cron: str, after: datetime, zone: tzinfo = UTC) -> datetime:
    """Return the first due moment after `after`."""
    moments = (due.astimezone(UTC) for due in CronSim(cron, after.astimezone(zone)))
    # Of the hour that is repeated in autumn the search knows only the first, which may lie before `after`.
    return next(due for due in moments if due > after)


def latest_due(cron: str, *, now: datetime, after: datetime | None, zone: tzinfo = UTC) -> datetime | None:
    """Return the last due moment up to `now` and later than `after`; None when there is none within two days.

    After an absence only the latest missed run is made up for.
    """
    floor = max(now - CATCH_UP, after) if after is not None else now - CATCH_UP
    return next(due_between(cron, after=floor, until=now, zone=zone), None)


def due_between(cron: str, *, after: datetime, until: datetime, zone: tzinfo = UTC) -> Iterator[datetime]:
    """Yield the due moments later than `after`, up to `until`, the last first."""
    # The search runs backwards and leaves out the moment it starts from.
    start = (until.replace(microsecond=0) + timedelta(seconds=1)).astimezone(zone)
    for found in CronSim(cron, start, reverse=True):
        due: datetime = found.astimezone(UTC)
        if due <= after:
            return
        yield due
