"""DuckDB as an independent reference: the same protocol and transaction, PostgreSQL read by its scanner."""

from __future__ import annotations

import asyncio
from importlib import resources
from typing import Any, Final
from uuid import UUID

import duckdb
import pyarrow as pa

from butler_kit.db import Connection, NamedQueries
from butler_rollups.models import Job, Window
from butler_rollups.spark.engine import records_of

__all__ = ["DuckEngine"]

_SOURCES: Final = NamedQueries("butler_rollups", "spark/source.sql")
_QUERY: Final = NamedQueries("bench.rollups", "duck.sql")["hourly"]


class DuckEngine:
    """Hours only; its rows go through the same publishing transaction."""

    name = "duckdb"
    most_buckets = 24 * 7

    def __init__(self, dsn: str, *, memory: str = "1GB") -> None:
        extension = next(
            resources.files("duckdb_extension_postgres_scanner").joinpath("extensions").iterdir()
        ).joinpath("postgres_scanner.duckdb_extension")
        self._duck = duckdb.connect(config={"threads": 2, "memory_limit": memory})
        self._duck.execute(f"LOAD '{extension}'")
        self._duck.execute("SET TimeZone = 'UTC'")
        self._duck.execute(f"ATTACH '{dsn}' AS pg (TYPE postgres, READ_ONLY)")

    async def stage(self, connection: Connection, job: Job, window: Window, run_id: UUID) -> None:
        """As `Engine.stage`."""
        starts_at = await connection.fetchval("SELECT heartbeat_log_starts_at()")
        rows = await asyncio.to_thread(self._compute, window, starts_at)
        await connection.copy_records_to_table(
            f"rollup_stage_{job.value}",
            records=records_of(rows, run_id),
            columns=["run_id", *rows.column_names],
            timeout=None,
        )

    def _compute(self, window: Window, starts_at: Any) -> pa.Table:
        text = _QUERY
        for name in ("beats", "baselines"):
            inner = _SOURCES[name].replace("$1", f"'{window.start}'").replace("$2", f"'{window.end}'")
            text = text.replace(f"{{{name}}}", f"postgres_query('pg', $$ {inner} $$)")
        return self._duck.execute(text, {"start": window.start, "starts_at": starts_at}).fetch_arrow_table()
