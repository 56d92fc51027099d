"""Routing quality on the days that an evaluation compares, and its drifts (SWB-37.1)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from asyncpg import Record

from butler_dashboard.reads.reader import Reader
from butler_kit.db import NamedQueries
from butler_rollups.drift import MOST_ROWS, RECENT, Report, drifts_of, first_day
from butler_rollups.quality import QualityDay

__all__ = ["Arm", "Quality", "Rollout", "household_quality", "household_rollouts"]

_SQL: Final = NamedQueries("butler_dashboard", "sql/quality.sql")
_MOST_ROLLOUTS: Final = 3
_COUNTED: Final = ("decisions", "invalid_verdicts", "fallbacks", "corrected", "errors")


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


@dataclass(frozen=True, slots=True)
class Arm:
    """One side of a rollout: its versions, its decisions, and of how many each signal is true."""

    model: str
    prompt: str
    decisions: int = 0
    invalid_verdicts: int = 0
    fallbacks: int = 0
    corrected: int = 0
    errors: int = 0


@dataclass(frozen=True, slots=True)
class Rollout:
    """What is tried on a share of the threads (ADR 0095); `worse_by` is what it was rolled back for."""

    attempt: int
    begun_at: datetime
    rolled_back_at: datetime | None
    worse_by: str | None
    usual: Arm
    candidate: Arm


async def household_rollouts(reader: Reader) -> tuple[Rollout, ...]:
    """Return the newest rollouts, the latest first."""
    async with reader.moment("reading what is tried out for routing") as connection:
        rows = await connection.fetch(_SQL["rollouts"], _MOST_ROLLOUTS)
        counted = await connection.fetch(_SQL["rollout_counts"], [row["rollout_key"] for row in rows])
    counts = {(row["rollout_key"], row["arm"]): row for row in counted}
    return tuple(_rollout(row, counts) for row in rows)


def _rollout(row: Record, counts: Mapping[tuple[str, str], Record]) -> Rollout:
    def arm(name: str) -> Arm:
        known = counts.get((row["rollout_key"], name))
        signals = {one: known[one] for one in _COUNTED} if known is not None else {}
        return Arm(row[f"{name}_model"], row[f"{name}_prompt"], **signals)

    told = {name: row[name] for name in ("attempt", "begun_at", "rolled_back_at", "worse_by")}
    return Rollout(**told, usual=arm("usual"), candidate=arm("candidate"))


async def household_quality(reader: Reader) -> Quality | None:
    """Return the quality over the whole days that are published; None before the first."""
    async with reader.moment("reading how good routing was") as connection:
        until: date | None = await connection.fetchval(_SQL["until"])
        if until is None:
            return None
        rows = await connection.fetch(_SQL["days"], first_day(until), until, MOST_ROWS)
    days = tuple(QualityDay(**row) for row in rows)
    return Quality(days, await asyncio.to_thread(drifts_of, days, until))
