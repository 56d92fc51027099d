"""What Switchboard runs by the clock (SWB-10.5, SWB-25, D40): native jobs, and the entries of its `butler.toml`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from butler_kit.config import ScheduleConfig
from butler_switchboard.registry.beats import ConnectorStore
from butler_switchboard.registry.butlers import Butlers
from butler_switchboard.schedules.scheduler import NativeJob, Schedule

__all__ = ["ELIGIBILITY_SWEEP", "native_jobs", "schedules_of"]

ELIGIBILITY_SWEEP: Final = "eligibility-sweep"
_INVENTORY: Final = (Schedule(ELIGIBILITY_SWEEP, "*/5 * * * *", job=ELIGIBILITY_SWEEP),)


def schedules_of(configured: Sequence[ScheduleConfig]) -> tuple[Schedule, ...]:
    """The inventory, with the entries of the configuration added; one of the same name replaces ours."""
    entries = {schedule.name: schedule for schedule in _INVENTORY}
    for entry in configured:
        job = entry.job if entry.dispatch_mode == "job" else None
        entries[entry.name] = Schedule(entry.name, entry.cron, job=job, prompt=entry.prompt)
    return tuple(entries.values())


def native_jobs(butlers: Butlers, connectors: ConnectorStore) -> dict[str, NativeJob]:
    """The jobs that work on the database directly, without the runtime."""

    async def sweep() -> dict[str, Any]:
        return {"butlers": await butlers.sweep(), "connectors": await connectors.sweep()}

    return {ELIGIBILITY_SWEEP: sweep}
