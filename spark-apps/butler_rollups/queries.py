"""The SQL of each job, by name: `stage` of the SQL engine, and what both engines share (`sql/*.sql`)."""

from __future__ import annotations

from typing import Final

from butler_kit.db import NamedQueries
from butler_rollups.models import STATISTICS

__all__ = ["QUERIES", "RUNS"]

QUERIES: Final = {job: NamedQueries("butler_rollups", f"sql/{job.value}.sql") for job in STATISTICS}
RUNS: Final = NamedQueries("butler_rollups", "sql/runs.sql")
"""Shared by all jobs: the clock, the lock, what is published."""
