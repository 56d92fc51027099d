"""The application of Switchboard's ops API, without the guard: one for a process, whichever Switchboard it serves."""

from __future__ import annotations

from typing import Final

from butler_kit.ops.app import create_ops_app
from butler_kit.ops.sessions import READING_SESSIONS
from butler_switchboard.backfill.ops import backfills
from butler_switchboard.operations.routers import (
    dead_letters,
    declaring,
    learned,
    memory,
    modules,
    quality,
    registry,
    requests,
    rollups,
    runtime,
    schedules,
    service_levels,
    skills,
    usage,
)

__all__ = ["app"]

app: Final = create_ops_app(
    "Switchboard operations",
    (
        requests.reading_requests,
        READING_SESSIONS,
        requests.acting_on_requests,
        dead_letters.reading_dead_letters,
        dead_letters.acting_on_dead_letters,
        registry.reading_registry,
        registry.reporting,
        registry.holding,
        declaring.declaring,
        backfills,
        rollups.reading_rollups,
        quality.reading_quality,
        learned.reading_learned,
        learned.ending_rules,
        memory.reading_memory,
        memory.forgetting,
        runtime.reading_runtime,
        usage.reading_usage,
        schedules.reading_schedules,
        skills.reading_skills,
        modules.reading_modules,
        service_levels.reading_slo,
        service_levels.acting_on_slo,
    ),
)
