"""Work that nobody waits for: retention, statistics and scheduled jobs."""

from __future__ import annotations

import random
from dataclasses import dataclass

from butler_kit.db import Pool
from butler_switchboard.assembly.known import Known
from butler_switchboard.assembly.registering import Registered
from butler_switchboard.operations.audit import Audit
from butler_switchboard.operations.retention import Retention
from butler_switchboard.policies import retention_policy
from butler_switchboard.schedules.digest import Digest
from butler_switchboard.schedules.inventory import native_jobs, schedules_of
from butler_switchboard.schedules.maintenance import Maintenance
from butler_switchboard.schedules.memories import Memories
from butler_switchboard.schedules.prompts import Prompts
from butler_switchboard.schedules.scheduler import Scheduler
from butler_switchboard.schedules.statistics import Statistics

__all__ = ["Upkeep", "upkeep_of"]


@dataclass(frozen=True, slots=True)
class Upkeep:
    """The parts that look after stored data."""

    retention: Retention
    maintenance: Maintenance
    scheduler: Scheduler
    statistics: Statistics


def upkeep_of(
    known: Known,
    pool: Pool,
    upkeep: Pool,
    *,
    prompts: Prompts,
    registered: Registered,
    audit: Audit,
    digest: Digest,
    memories: Memories,
) -> Upkeep:
    """Build the upkeep; the pool `upkeep` is for work on every partition."""
    retention = Retention(upkeep, retention_policy(known.config.retention))
    statistics = Statistics(upkeep, known.config.rollups.engine, known.events)
    butler = known.config.butler
    scheduler = Scheduler(
        pool=pool,
        schedules=schedules_of(butler, prompts.schedule),
        jobs=native_jobs(registered.butlers, registered.connector_store, statistics, memories),
        audit=audit,
        events=known.events,
        clock=known.clock,
        replica=f"{butler.name}-{known.new_id()}",
        more=digest.schedules,
    )
    return Upkeep(retention, Maintenance(retention, rng=random.Random()), scheduler, statistics)
