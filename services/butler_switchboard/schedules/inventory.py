"""Switchboard's schedules (SWB-10.5, SWB-25, D40): native jobs, and the entries of its `butler.toml`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from zoneinfo import ZoneInfo

from butler_kit.config import ButlerSection, ScheduleConfig
from butler_switchboard.registry.beats import ConnectorStore
from butler_switchboard.registry.butlers import Butlers
from butler_switchboard.schedules.memories import Memories
from butler_switchboard.schedules.names import (
    ELIGIBILITY_SWEEP,
    MEMORY_CLEANUP,
    MEMORY_CONSOLIDATION,
    NATIVE,
    STATS_DAILY,
    STATS_HOURLY,
    STATS_PRUNING,
)
from butler_switchboard.schedules.scheduler import NativeJob, Schedule
from butler_switchboard.schedules.statistics import Statistics

__all__ = ["native_jobs", "schedules_of"]

_INVENTORY: Final = (
    Schedule(STATS_HOURLY, "5 * * * *", job=STATS_HOURLY),
    Schedule(STATS_DAILY, "15 0 * * *", job=STATS_DAILY),
    Schedule(STATS_PRUNING, "30 1 * * *", job=STATS_PRUNING),
    Schedule(MEMORY_CONSOLIDATION, "0 */6 * * *", job=MEMORY_CONSOLIDATION),
    Schedule(MEMORY_CLEANUP, "0 4 * * *", job=MEMORY_CLEANUP),
    Schedule(ELIGIBILITY_SWEEP, "*/5 * * * *", job=ELIGIBILITY_SWEEP),
)


def schedules_of(
    butler: ButlerSection, prompt: Callable[[ScheduleConfig, ZoneInfo], Schedule]
) -> tuple[Schedule, ...]:
    """Return the inventory, in UTC, and the configured entries, by default in the butler's own zone.

    A configured entry of the same name replaces ours. `prompt` makes the schedule of one that has no native job.
    """
    entries = {schedule.name: schedule for schedule in _INVENTORY}
    for entry in butler.schedule:
        zone = ZoneInfo(entry.timezone or butler.timezone)
        native = entry.dispatch_mode == "job" or entry.name in NATIVE
        entries[entry.name] = (
            Schedule(entry.name, entry.cron, job=entry.job, zone=zone) if native else prompt(entry, zone)
        )
    return tuple(entries.values())


def native_jobs(
    butlers: Butlers, connectors: ConnectorStore, statistics: Statistics, memories: Memories
) -> dict[str, NativeJob]:
    """Return the jobs that need no runtime: they use the database directly, or the butlers that remember."""

    async def sweep() -> dict[str, Any]:
        return {"butlers": await butlers.sweep(), "connectors": await connectors.sweep()}

    return {
        STATS_HOURLY: statistics.hourly,
        STATS_DAILY: statistics.daily,
        STATS_PRUNING: statistics.prune,
        ELIGIBILITY_SWEEP: sweep,
        MEMORY_CONSOLIDATION: memories.consolidate,
        MEMORY_CLEANUP: memories.clean_up,
    }
