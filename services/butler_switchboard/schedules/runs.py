"""What Switchboard does by the clock, and how its last runs ended: reads, and changes nothing (SWB-25)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import asyncpg

from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.time.due import next_due
from butler_switchboard.schedules.scheduler import Schedule

__all__ = ["Planned", "Run", "ScheduleRuns"]

_SQL: Final = NamedQueries("butler_switchboard", "sql/schedules.sql")
_NOW: Final = _SQL["now"]
_LAST_RUNS: Final = _SQL["last_runs"]


@dataclass(frozen=True, slots=True)
class Run:
    """One due time; `state` is running, done, missed or failed."""

    due_at: datetime
    began_at: datetime
    ended_at: datetime | None
    state: str
    detail: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Planned:
    """A schedule with its next due time, and its last runs, the newest first."""

    schedule: Schedule
    next_due: datetime
    runs: tuple[Run, ...]


class ScheduleRuns:
    """The fixed schedules of this Switchboard; the digests of the members are theirs."""

    def __init__(self, pool: Pool, schedules: Sequence[Schedule]) -> None:
        self._pool = pool
        self._schedules = tuple(sorted(schedules, key=lambda schedule: schedule.name))

    async def planned(self, *, runs: int) -> list[Planned]:
        """Return the schedules by name."""
        async with acquire(self._pool, doing="reading schedules") as connection:
            now: datetime = await connection.fetchval(_NOW)
            rows = await connection.fetch(_LAST_RUNS, [one.name for one in self._schedules], runs)
        return [
            Planned(
                one,
                next_due(one.cron, now, one.zone),
                tuple(_run(row) for row in rows if row["job"] == one.name),
            )
            for one in self._schedules
        ]


def _run(row: asyncpg.Record) -> Run:
    detail = dict(row["detail"] or {})
    missed = row["status"] == "done" and detail.get("status") == "missed"
    state = "missed" if missed else row["status"]
    return Run(row["due_at"], row["claimed_at"], row["finished_at"], state, detail)
