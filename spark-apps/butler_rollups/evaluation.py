"""Reads the days of routing that an evaluation needs, and evaluates them (SWB-37.1)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from butler_kit.db import Connection
from butler_rollups.drift import MOST_ROWS, Report, drifts_of, first_day
from butler_rollups.models import Job
from butler_rollups.progress import watermark_of
from butler_rollups.quality import QualityDay
from butler_rollups.queries import QUERIES

__all__ = ["Evaluation", "evaluated"]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The report, and the days that it is based on."""

    report: Report
    days: tuple[QualityDay, ...]


async def evaluated(connection: Connection) -> Evaluation | None:
    """Evaluate the whole days that are published, by whichever engine; None before the first message."""
    mark = await watermark_of(connection, Job.QUALITY)
    if mark is None:
        return None
    until = mark.date()
    rows = await connection.fetch(QUERIES[Job.QUALITY]["days"], first_day(until), until, MOST_ROWS)
    days = tuple(QualityDay(**row) for row in rows)
    # A large fleet's rows take most of a second, during which messages go on.
    return Evaluation(await asyncio.to_thread(drifts_of, days, until), days)
