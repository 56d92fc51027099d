"""When a cron line is due (pure; SWB-25, D40). Cron lines are in UTC."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from cronsim import CronSim

__all__ = ["CATCH_UP", "latest_due", "next_due"]

CATCH_UP: Final = timedelta(days=2)
"""How far back a missed run is looked for."""


def next_due(cron: str, after: datetime) -> datetime:
    """The first due moment after `after` (aware UTC)."""
    due: datetime = next(CronSim(cron, after))
    return due


def latest_due(cron: str, *, now: datetime, after: datetime | None) -> datetime | None:
    """The last due moment up to `now` and later than `after`; None when there is none within two days.

    Whoever was away runs the latest missed one only.
    """
    # The search runs backwards and leaves out the moment it starts from.
    due: datetime | None = next(
        CronSim(cron, now.replace(microsecond=0) + timedelta(seconds=1), reverse=True), None
    )
    floor = max(now - CATCH_UP, after) if after is not None else now - CATCH_UP
    return due if due is not None and due > floor else None
