"""The names of the native jobs, which a schedule may run without the runtime (SWB-25.2)."""

from __future__ import annotations

from typing import Final

__all__ = [
    "DIGEST",
    "ELIGIBILITY_SWEEP",
    "MEMORY_CLEANUP",
    "MEMORY_CONSOLIDATION",
    "NATIVE",
    "STATS_DAILY",
    "STATS_HOURLY",
    "STATS_PRUNING",
]

ELIGIBILITY_SWEEP: Final = "eligibility-sweep"
STATS_HOURLY: Final = "connector-stats-hourly-rollup"
STATS_DAILY: Final = "connector-stats-daily-rollup"
STATS_PRUNING: Final = "connector-stats-pruning"
MEMORY_CONSOLIDATION: Final = "memory-consolidation"
MEMORY_CLEANUP: Final = "memory-episode-cleanup"
NATIVE: Final = (
    STATS_HOURLY,
    STATS_DAILY,
    STATS_PRUNING,
    ELIGIBILITY_SWEEP,
    MEMORY_CONSOLIDATION,
    MEMORY_CLEANUP,
)
DIGEST: Final = "digest"
"""One member's digest of the day; not a job that a manifest may name."""
