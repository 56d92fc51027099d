"""Statistics on Spark: schedules and jobs of a Switchboard with `rollups.engine: spark` (SWB-22, D40)."""

from butler_resources.render.cluster.rollups.backfill import EXECUTORS_FROM_HOURS, render_backfill_run
from butler_resources.render.cluster.rollups.household import render_rollups
from butler_resources.render.cluster.rollups.names import (
    ROLLUPS,
    SCHEDULES,
    SPARK_API,
    backfill_run_name,
    on_spark,
)

__all__ = [
    "EXECUTORS_FROM_HOURS",
    "ROLLUPS",
    "SCHEDULES",
    "SPARK_API",
    "backfill_run_name",
    "on_spark",
    "render_backfill_run",
    "render_rollups",
]
