"""`make reminders-year`: a hundred thousand reminders in a simulated year, and how late they come in real time."""

from __future__ import annotations

import argparse
import asyncio
import shutil
import sys
import tempfile
import time
from dataclasses import fields
from pathlib import Path
from typing import Final

import asyncpg

from bench.measure.machine import machine_facts
from bench.measure.report import Goal, Report
from bench.reminders.on_time import latenesses_ms
from bench.reminders.year import Figures, Shape, live_a_year
from butler_cli.local.postgres import ADMIN_ROLE, EmbeddedPostgres
from butler_kit.db import Pool, SchemaPlan, open_pool, provision
from butler_kit.telemetry import configure_logging
from butler_specialist.sql import MIGRATIONS

METHOD: Final = (
    "the product's store, queue statements and worker on embedded PostgreSQL, whose clock is a row that is moved",
    "kills: at one of seven points between the steps, what runs beside it is cut off where it is; then a new process",
    "jumps: a second to a day, there or back; three days down; every 500th answer of Messenger is lost",
    "what was to come is counted by dateutil from the first day, apart from the product's own count",
    "in real time: the product's runner, reminders due at random moments, from the moment to the call of notify",
)
_DATABASES: Final = ("a_year", "in_time")


async def _pool(postgres: EmbeddedPostgres, database: str) -> Pool:
    password = postgres.admin_dsn.split(":")[2].split("@")[0]
    plan = SchemaPlan("finance", "butler_finance", "bench", MIGRATIONS)
    connection = await asyncpg.connect(postgres.dsn(ADMIN_ROLE, password, database="postgres"))
    try:
        await connection.execute(f"CREATE DATABASE {database} TEMPLATE template0")
        await connection.execute(f"ALTER DATABASE {database} SET synchronous_commit = off")
    finally:
        await connection.close()
    await provision(postgres.dsn(ADMIN_ROLE, password, database=database), [plan])
    dsn = postgres.dsn(plan.role, plan.password, database=database)
    return await open_pool(dsn, "finance", name="reminders", max_size=8)


async def _run(postgres: EmbeddedPostgres, shape: Shape, report: Report) -> None:
    year, real = [await _pool(postgres, database) for database in _DATABASES]
    try:
        late = await latenesses_ms(real, schema="finance", count=300, within_s=20.0)
        began = time.monotonic()
        figures = await live_a_year(year, shape, month_over=lambda now: print(f"{now:%Y-%m-%d}", flush=True))
        _told(report, shape, figures, minutes=(time.monotonic() - began) / 60, late=late)
    finally:
        await year.close()
        await real.close()


def _told(report: Report, shape: Shape, figures: Figures, *, minutes: float, late: list[float]) -> None:
    for field in fields(figures):
        if field.name not in ("wrong", "killed_at"):
            report.row("the year", what=field.name.replace("_", " "), count=getattr(figures, field.name))
    for point, count in sorted(figures.killed_at.items()):
        report.row("killed at", point=point, times=count)
    for example in figures.wrong:
        report.row("wrong", example=example)
    report.row("in real time", p50_ms=round(late[len(late) // 2], 1), worst_ms=round(late[-1], 1))
    report.goals += [
        Goal("kills", figures.kills, at_least=shape.kills),
        Goal("doubled", figures.doubled, at_most=0),
        Goal("neither sent nor reported missed", figures.lost, at_most=0),
        Goal("told and not asked for", figures.unasked, at_most=0),
        Goal("missed though the process was up", figures.missed_while_up, at_most=0),
        Goal("latest while up, simulated", figures.late_while_up_s, at_most=1, unit="s"),
        Goal("latest in real time", late[-1] / 1000, at_most=1, unit="s"),
        Goal("the year took", round(minutes, 1), at_most=15, unit="min"),
    ]


def main() -> int:
    """0 when every goal is met."""
    given = argparse.ArgumentParser(description=__doc__)
    for field in fields(Shape):
        given.add_argument(f"--{field.name}", type=int, default=field.default)
    shape = Shape(**vars(given.parse_args()))
    configure_logging("reminders", "CRITICAL", "console")
    report = Report("reminders", machine_facts(), METHOD)
    folder = Path(tempfile.mkdtemp(prefix="butlers-bench-"))
    postgres = EmbeddedPostgres(folder)
    try:
        postgres.start()
        asyncio.run(_run(postgres, shape, report))
    finally:
        postgres.stop(deadline_s=5)
        shutil.rmtree(folder, ignore_errors=True)
    report.show()
    report.write()
    return 0 if all(goal.met for goal in report.goals) else 1


if __name__ == "__main__":
    sys.exit(main())
