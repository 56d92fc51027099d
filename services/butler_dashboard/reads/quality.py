"""Routing quality on the days that an evaluation compares, and its drifts (SWB-37.1)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import date
from typing import Final

from butler_dashboard.reads.reader import Reader
from butler_kit.db import NamedQueries
from butler_rollups.drift import MOST_ROWS, RECENT, Report, drifts_of, first_day
from butler_rollups.quality import QualityDay

__all__ = ["Quality", "household_quality"]

_SQL: Final = NamedQueries("butler_dashboard", "sql/quality.sql")


@dataclass(frozen=True, slots=True)
class Quality:
    """The days before `report.until` and their report."""

    days: tuple[QualityDay, ...]
    report: Report

    @property
    def first(self) -> date:
        return first_day(self.report.until)

    @property
    def turn(self) -> date:
        """The first of the recent days."""
        return self.report.until - RECENT


async def household_quality(reader: Reader) -> Quality | None:
    """Return the quality over the whole days that are published; None before the first."""
    async with reader.moment("reading how good routing was") as connection:
        until: date | None = await connection.fetchval(_SQL["until"])
        if until is None:
            return None
        rows = await connection.fetch(_SQL["days"], first_day(until), until, MOST_ROWS)
    days = tuple(QualityDay(**row) for row in rows)
    return Quality(days, await asyncio.to_thread(drifts_of, days, until))
