"""The Spark engine: computes a window in Spark and puts the rows into the stage (SWB-22, D40).

Spark never writes. Its tasks may run twice, and a stage written by them could hold rows twice. The result, small by
then, comes to the driver as Arrow and goes by COPY through the connection that publishes: a crash at any point leaves
nothing behind, and nobody ever sees a stage.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from butler_kit.db import Connection
from butler_rollups.errors import BadArguments
from butler_rollups.models import Job, Window
from butler_rollups.queries import QUERIES
from butler_rollups.spark.failures import readable
from butler_rollups.spark.session import SessionSettings, close_session, is_submitted, open_session
from butler_rollups.spark.surroundings import find_surroundings

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from butler_rollups.spark.io import Reader

__all__ = ["SparkEngine", "records_of"]

_MOST_BUCKETS: Final = 24 * 7
"""A range of hours pays the start-up once; a week of 4,000 connectors comes to 700,000 rows on the driver."""


class SparkEngine:
    """Reads on its own connections with the publishing transaction's snapshot.

    Raises `BadArguments` at once if Java, the JDBC driver or the extra is missing; Spark starts with the first
    window. A `session` that is passed in is closed by its owner.
    """

    name = "spark"
    most_buckets = _MOST_BUCKETS

    def __init__(
        self,
        dsn: str,
        *,
        schema: str = "switchboard",
        settings: SessionSettings | None = None,
        session: SparkSession | None = None,
    ) -> None:
        if session is None:
            find_surroundings()
        from butler_rollups.spark.io import Source

        self._source = Source.from_dsn(dsn, schema)
        self._settings = settings
        self._session = session
        # Under spark-submit the session lives as long as the process: its next job uses it again.
        self._owns_session = session is None and not is_submitted(os.environ)

    async def stage(self, connection: Connection, job: Job, window: Window, run_id: UUID) -> None:
        """See `Engine.stage`."""
        snapshot: str = await connection.fetchval("SELECT pg_export_snapshot()")
        log_starts_at: datetime | None = await connection.fetchval(QUERIES[job]["source_starts_at"])
        rows = await self._in_thread(job, window, snapshot, log_starts_at)
        await connection.copy_records_to_table(
            f"rollup_stage_{job.value}",
            records=records_of(rows, run_id),
            columns=["run_id", *rows.column_names],
            timeout=None,
        )

    async def aclose(self) -> None:
        """End the session that this engine started, and its Java."""
        session, self._session = self._session, None
        if session is not None and self._owns_session:
            await asyncio.to_thread(close_session, session)

    async def _in_thread(
        self, job: Job, window: Window, snapshot: str, log_starts_at: datetime | None
    ) -> pa.Table:
        """Compute beside the event loop; a cancellation ends Spark's jobs too."""
        work = asyncio.create_task(asyncio.to_thread(self._compute, job, window, snapshot, log_starts_at))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            if self._session is not None:
                self._session.sparkContext.cancelAllJobs()
            await asyncio.wait([work])
            raise

    def _compute(self, job: Job, window: Window, snapshot: str, log_starts_at: datetime | None) -> pa.Table:
        from butler_rollups.spark.io import Reader

        with readable(f"{job.value} {window}"):
            if self._session is None:
                self._session = open_session(self._settings or SessionSettings.for_window(window))
            reader = Reader(self._session, self._source, snapshot)
            return _frame(reader, job, window, log_starts_at).toArrow()


def _frame(reader: Reader, job: Job, window: Window, log_starts_at: datetime | None) -> DataFrame:
    from butler_rollups.spark import frames

    if job is Job.HOURLY:
        return frames.hourly(
            reader.rows("beats", window, slice_by="received_at"),
            reader.rows("baselines", window),
            start=window.start,
            log_starts_at=log_starts_at,
        )
    if job is Job.DAILY:
        return frames.daily(reader.rows("hours", window))
    if job is Job.FANOUT:
        return frames.fanout(reader.rows("outcomes", window, slice_by="received_at"))
    if job is Job.QUALITY:
        return frames.quality(reader.rows("decisions", window, slice_by="received_at"))
    raise BadArguments(f"{job.value} computes nothing; it needs no engine")


def records_of(rows: pa.Table, run_id: UUID) -> Iterator[tuple[Any, ...]]:
    """Yield the rows as Python values, a batch at a time."""
    for batch in rows.to_batches():
        for record in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            yield (run_id, *record)
