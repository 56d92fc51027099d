"""What Switchboard runs by the clock (SWB-10.5, SWB-25, D40): native jobs, and the entries of its `butler.toml`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from butler_kit.config import ScheduleConfig
from butler_switchboard.registry.beats import ConnectorStore
from butler_switchboard.registry.butlers import Butlers
from butler_switchboard.schedules.scheduler import NativeJob, Schedule
from butler_switchboard.schedules.statistics import Statistics

__all__ = ["ELIGIBILITY_SWEEP", "STATS_DAILY", "STATS_HOURLY", "STATS_PRUNING", "native_jobs", "schedules_of"]

ELIGIBILITY_SWEEP: Final = "eligibility-sweep"
STATS_HOURLY: Final = "connector-stats-hourly-rollup"
STATS_DAILY: Final = "connector-stats-daily-rollup"
STATS_PRUNING: Final = "connector-stats-pruning"
_INVENTORY: Final = (
    Schedule(STATS_HOURLY, "5 * * * *", job=STATS_HOURLY),
    Schedule(STATS_DAILY, "15 0 * * *", job=STATS_DAILY),
    Schedule(STATS_PRUNING, "30 1 * * *", job=STATS_PRUNING),
    Schedule(ELIGIBILITY_SWEEP, "*/5 * * * *", job=ELIGIBILITY_SWEEP),
)


def schedules_of(configured: Sequence[ScheduleConfig]) -> tuple[Schedule, ...]:
    """The inventory, with the entries of the configuration added; one of the same name replaces ours."""
    entries = {schedule.name: schedule for schedule in _INVENTORY}
    for entry in configured:
        job = entry.job if entry.dispatch_mode == "job" else None
        entries[entry.name] = Schedule(entry.name, entry.cron, job=job, prompt=entry.prompt)
    return tuple(entries.values())


def native_jobs(butlers: Butlers, connectors: ConnectorStore, statistics: Statistics) -> dict[str, NativeJob]:
    """The jobs that work on the database directly, without the runtime."""

    async def sweep() -> dict[str, Any]:
        return {"butlers": await butlers.sweep(), "connectors": await connectors.sweep()}

    return {
        STATS_HOURLY: statistics.hourly,
        STATS_DAILY: statistics.daily,
        STATS_PRUNING: statistics.prune,
        ELIGIBILITY_SWEEP: sweep,
    }
