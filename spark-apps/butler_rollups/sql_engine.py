"""The SQL engine: the stage is one INSERT … SELECT inside PostgreSQL (SWB-22)."""

from __future__ import annotations

from uuid import UUID

from butler_kit.db import Connection
from butler_rollups.engine import PATIENCE_S
from butler_rollups.models import Job, Window
from butler_rollups.queries import QUERIES
from butler_rollups.windows import SPAN

__all__ = ["SqlEngine"]


class SqlEngine:
    """Needs only the connection that publishes."""

    name = "sql"
    most_buckets = SPAN

    async def stage(self, connection: Connection, job: Job, window: Window, run_id: UUID) -> None:
        """See `Engine.stage`."""
        await connection.execute(QUERIES[job]["stage"], run_id, window.start, window.end, timeout=PATIENCE_S)
