"""`make bench-rollups`: statistics of a week, a day and an hour of a fleet in SQL, Spark (cold and warm) and DuckDB."""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Final

from bench.measure.machine import machine_facts
from bench.measure.report import Goal, Report
from bench.rollups.duck import DuckEngine
from bench.rollups.measured import Cost, checksum, timed, wal_position, watched
from bench.rollups.place import DAY, HOUR, WEEK, Place, open_place
from butler_kit.db import Connection
from butler_rollups.engine import Engine
from butler_rollups.models import Job, Window, text_of
from butler_rollups.publish import publish
from butler_rollups.spark.engine import SparkEngine
from butler_rollups.spark.session import ARCHIVE, SessionSettings, close_session, open_session
from butler_rollups.sql_engine import SqlEngine

WINDOWS: Final = {"hour": HOUR, "day": DAY, "week": WEEK}
BEATS_OF_A_CONNECTOR: Final = 7 * 720
SCALES: Final = {"100k": 20, "1m": 199, "5m": 992, "20m": 3968}
ROUNDS: Final = {"100k": 5, "1m": 5, "5m": 2, "20m": 1}
COLD_ROUNDS: Final = 5
COLD_LIMIT_S: Final = 600
CPU_OF_A_COLD_HOUR_S: Final = 9.0
WAL_OF_A_RERUN: Final = 0.2
METHOD: Final = (
    "beats every 120 s for seven days, restarts after 100 to 2,147 beats; one slice = one window into an empty table",
    "every engine stages, then the same transaction checks, merges and records: its cost is in every figure",
    "processor time = client's tree (Python, Java, DuckDB) + PostgreSQL; medians of slices taken in turn",
    "spark cold: butlers-rollups hourly as a process of its own, first compiler only; archive: with loaded classes",
    "duckdb: same protocol, scanner over PostgreSQL; memory is at its highest, with Java, without PostgreSQL",
    "WAL: bytes from a checkpoint on, first run of the week and the same again; nothing in it has changed",
)
Run = Callable[[Window], Awaitable[Cost]]


@dataclass
class Bench:
    """One server with its beats, and what was measured on it."""

    place: Place
    connection: Connection
    java: SparkEngine
    java_pid: int
    archive: Path
    costs: dict[tuple[str, str], list[Cost]] = field(default_factory=dict)
    sums: dict[tuple[str, str], str] = field(default_factory=dict)

    def runs(self) -> Mapping[str, Run]:
        duck = DuckEngine(self.place.dsn)
        return {
            "sql": lambda window: self._here(SqlEngine(), window),
            "spark warm": lambda window: self._here(self.java, window),
            "duckdb": lambda window: self._here(duck, window),
        }

    def cold_runs(self) -> Mapping[str, Run]:
        return {
            "spark cold": lambda window: self._apart(window, {}),
            "spark cold, archive": lambda window: self._apart(window, {ARCHIVE: str(self.archive)}),
        }

    async def take(self, name: str, run: Run, window: str) -> None:
        """One slice: the window into an empty table, then the sum of what is there."""
        await self.place.forget()
        self.costs.setdefault((name, window), []).append(await run(WINDOWS[window]))
        self.sums[name, window] = await checksum(self.connection)

    async def wal(self, engine: Engine) -> tuple[int, int]:
        """Bytes of the log that a first run of the week writes, and the same run again."""
        await self.place.forget()
        written = []
        for _ in range(2):
            await self.place.checkpoint()
            before = await wal_position(self.connection)
            await publish(self.connection, engine, Job.HOURLY, WEEK, closed_until=WEEK.end)
            written.append(await wal_position(self.connection) - before)
        return written[0], written[1]

    async def _here(self, engine: Engine, window: Window) -> Cost:
        java = (self.java_pid,) if engine is self.java else ()
        with watched(os.getpid(), *java) as cost, timed(cost, self.place.server_pid, *java):
            await publish(self.connection, engine, Job.HOURLY, window, closed_until=window.end)
        return cost

    async def _apart(self, window: Window, more: Mapping[str, str]) -> Cost:
        """A process of its own from its start to its end."""
        command = (
            sys.executable, "-m", "butler_rollups.cli", "hourly", "--engine", "spark", "--json",
            "--window-start", text_of(window.start), "--window-end", text_of(window.end),
        )  # fmt: skip
        env = {**os.environ, **more, "BUTLERS_DATABASE_URL": self.place.dsn}
        cost = Cost()
        with timed(cost, self.place.server_pid):
            job = await asyncio.create_subprocess_exec(
                *command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            with watched(job.pid) as seen:
                code = await asyncio.wait_for(job.wait(), COLD_LIMIT_S)
        cost.peak_mib = seen.peak_mib
        if code:
            raise RuntimeError(f"the job ended with {code}")
        return cost


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(prog="bench.rollups", description=__doc__)
    parser.add_argument("--scale", choices=tuple(SCALES), default="1m", help="beats in the log")
    parser.add_argument("--rounds", type=int, help="slices of each engine and window")
    parser.add_argument("--cold-rounds", type=int, default=COLD_ROUNDS, help="0: no cold ones, no archive")
    chosen = parser.parse_args(arguments)
    report = Report("rollups", machine_facts(), METHOD)
    with open_place() as place, tempfile.TemporaryDirectory() as folder:
        asyncio.run(_measure(report, place, Path(folder) / "classes.jsa", chosen))
    report.show()
    print(f"kept in {report.write()}")


async def _measure(report: Report, place: Place, archive: Path, chosen: argparse.Namespace) -> None:
    beats = await place.prepare(SCALES[chosen.scale])
    print(f"{beats:,} beats are in the log", flush=True)
    if chosen.cold_rounds:
        command = [sys.executable, "-m", "butler_rollups.spark.archive", str(archive)]
        await asyncio.to_thread(
            subprocess.run, command, check=True, timeout=COLD_LIMIT_S, capture_output=True
        )
        print("the archive of loaded classes is made", flush=True)
    session = await asyncio.to_thread(open_session, SessionSettings(small=False, shuffle_partitions=4))
    gateway: Any = session.sparkContext._gateway
    try:
        async with place.connection() as connection:
            java = SparkEngine(place.dsn, session=session)
            bench = Bench(place, connection, java, gateway.proc.pid, archive)
            await _all_slices(bench, chosen)
            logs = {name: await bench.wal(engine) for name, engine in (("sql", SqlEngine()), ("spark", java))}
    finally:
        close_session(session)
    _tell(report, bench, logs, beats, cold=bool(chosen.cold_rounds))


async def _all_slices(bench: Bench, chosen: argparse.Namespace) -> None:
    """In turn, so that a neighbour's load falls on all alike; Java has compiled what is hot before the first one."""
    runs = bench.runs()
    for name in runs:
        await runs[name](DAY)
    for number in range(chosen.rounds or ROUNDS[chosen.scale]):
        for window in WINDOWS:
            for name, run in runs.items():
                await bench.take(name, run, window)
        print(f"round {number + 1} is done", flush=True)
    for _ in range(chosen.cold_rounds):
        for name, run in bench.cold_runs().items():
            await bench.take(name, run, "hour")


def _tell(
    report: Report, bench: Bench, logs: Mapping[str, tuple[int, int]], beats: int, *, cold: bool
) -> None:
    cells = []
    for (name, window), costs in bench.costs.items():
        cost = Cost(*(median(getattr(one, part) for one in costs) for part in asdict(costs[0])))
        cells.append(
            {"engine": name, "window": window, "runs": len(costs), **asdict(cost), "cpu_s": cost.cpu_s}
        )
        report.row(
            "one window into an empty table",
            window=window,
            engine=name,
            wall_s=cost.wall_s,
            cpu_s=cost.cpu_s,
            of_it_postgres=cost.postgres_s,
            peak_mib=int(cost.peak_mib),
        )
    identical = all(
        len({found for (_, window), found in bench.sums.items() if window == wanted}) == 1
        for wanted in WINDOWS
    )
    cpu = {(cell["engine"], cell["window"]): cell["cpu_s"] for cell in cells}
    ratios = {f"wal_rerun_{name}": again / first for name, (first, again) in logs.items()}
    for window in WINDOWS:
        for name in ("spark warm", "duckdb"):
            ratios[f"{name.split()[0]}_vs_sql_{window}_cpu"] = cpu[name, window] / cpu["sql", window]
    for name, (first, again) in logs.items():
        report.row("WAL of the week, KiB", engine=name, first_run=first >> 10, run_again=again >> 10)
        report.goals.append(
            Goal(f"WAL of a re-run ÷ first run, {name}", again / first, at_most=WAL_OF_A_RERUN)
        )
    if cold:
        hour = cpu["spark cold, archive", "hour"]
        goal = Goal("cold hourly Spark job, processor time", hour, at_most=CPU_OF_A_COLD_HOUR_S, unit="s")
        report.goals.append(goal)
        ratios["spark_cold_hour_cpu_s"] = hour
    report.goals.append(Goal("engines that agree on every row (1 = all)", float(identical), at_least=1))
    report.headline = {"identical": identical, "beats": beats, "cells": cells, "ratios": ratios}


if __name__ == "__main__":
    main()
