"""`butlers-rollups JOB`: one run of a roll-up from a shell, a CronJob or a Spark driver (SWB-22, D40).

Exit codes: 0 done or nothing to do, 2 arguments, 3 source pruned, 4 lock held, 5 data check failed, 1 other. An error
is one line on stderr; with `--json` the last line of stdout is one JSON object, also of a run that failed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NoReturn
from uuid import UUID

import asyncpg

from butler_contracts.errors import ButlerError, TargetUnavailable
from butler_kit.db import Connection, init_connection
from butler_kit.db.faults import DRIVER_ERRORS
from butler_kit.telemetry import configure_logging
from butler_rollups.engine import PATIENCE_S, Engine
from butler_rollups.errors import BadArguments, exit_code_of
from butler_rollups.models import Job, JobReport, text_of
from butler_rollups.run import Asked, run
from butler_rollups.sql_engine import SqlEngine
from butler_rollups.windows import MOST, TRAILING

__all__ = ["DSN_ENV", "arguments_of", "asked_of", "main", "perform"]

DSN_ENV: Final = "BUTLERS_DATABASE_URL"
CONNECT_S: Final = 10.0
ENGINES: Final = ("sql", "spark")
LEVELS: Final = ("debug", "info", "warning", "error", "critical")


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Entry point of the console script."""
    level = os.environ.get("BUTLERS_LOG_LEVEL") or "info"
    if level.lower() not in LEVELS:
        known = ", ".join(LEVELS)
        print(
            f"butlers-rollups: BUTLERS_LOG_LEVEL: '{level}' is not known; expected one of {known}",
            file=sys.stderr,
        )
        sys.exit(2)
    configure_logging("butlers-rollups", level, _log_format())
    sys.exit(perform(list(sys.argv[1:] if arguments is None else arguments), os.environ))


def _log_format() -> str:
    return os.environ.get("BUTLERS_LOG_FORMAT", "console" if sys.stderr.isatty() else "json")


def perform(arguments: Sequence[str], env: Mapping[str, str], *, name: str = "butlers-rollups") -> int:
    """Run one command line, print what it did and return the exit code."""
    as_json = "--json" in arguments
    try:
        chosen = arguments_of(arguments)
        report = asyncio.run(_run(chosen, env))
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        line, code = _line_of(error), exit_code_of(error)
        print(f"{name}: {line}", file=sys.stderr)
        if as_json:
            job = next((one for one in arguments if one in set(Job)), None)
            print(json.dumps({"job": job, "exit_code": code, "error": line}))
        if code == 1 and os.environ.get("BUTLERS_DEBUG"):
            raise
        return code
    print(json.dumps(report.to_json()) if as_json else "\n".join(told(report)))
    return 0


class _Parser(argparse.ArgumentParser):
    """Reports an error in one line instead of a page of usage."""

    def error(self, message: str) -> NoReturn:
        raise BadArguments(f"{message}; see {self.prog} --help")


def arguments_of(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the command line. Raises `BadArguments`."""
    parser = _Parser(prog="butlers-rollups", description=(__doc__ or "").splitlines()[0], exit_on_error=False)
    parser.add_argument("job", metavar="JOB", help=", ".join(job.value for job in Job))
    parser.add_argument(
        "--window-start", metavar="T", help="RFC 3339 with offset, a whole hour or day of UTC"
    )
    parser.add_argument(
        "--window-end", metavar="T", help="the same, not included; the window may still be open"
    )
    parser.add_argument(
        "--windows", choices=("auto",), help="what is due, from what is published (the default)"
    )
    parser.add_argument("--backfill", metavar="ID", help="the windows that a backfill has changed")
    parser.add_argument("--engine", default="sql", metavar="ENGINE", help="sql (default) or spark")
    parser.add_argument("--max-windows", type=_count, default=MOST, metavar="N", help="new windows at most")
    parser.add_argument(
        "--trailing", type=_count, default=TRAILING, metavar="K", help="closed windows computed again"
    )
    parser.add_argument(
        "--dsn-env", default=DSN_ENV, metavar="NAME", help="variable with the database's address"
    )
    parser.add_argument(
        "--schema", default="switchboard", metavar="NAME", help="where Switchboard's tables are"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    try:
        return parser.parse_args(list(arguments))
    except argparse.ArgumentError as error:
        raise BadArguments(f"{error}; see butlers-rollups --help") from error


def asked_of(chosen: argparse.Namespace) -> Asked:
    """Return what the arguments ask for. Raises `BadArguments`."""
    if chosen.job not in set(Job):
        raise BadArguments(f"'{chosen.job}' is no job; expected one of {', '.join(job.value for job in Job)}")
    if chosen.engine not in ENGINES:
        raise BadArguments(f"--engine: '{chosen.engine}' is not known; expected {' or '.join(ENGINES)}")
    job = Job(chosen.job)
    start, end = _moment("--window-start", chosen.window_start), _moment("--window-end", chosen.window_end)
    if (start is None) != (end is None):
        raise BadArguments("--window-start and --window-end belong together; the other one is missing")
    if sum((start is not None, chosen.windows is not None, chosen.backfill is not None)) > 1:
        raise BadArguments("--window-start, --windows and --backfill exclude each other; choose one")
    if job is Job.PRUNE and (start is not None or chosen.backfill is not None):
        raise BadArguments("prune takes no window: what may go follows from what is published")
    asked = Asked(job, start, end, _backfill(chosen.backfill), chosen.trailing, chosen.max_windows)
    _ = asked.window
    return asked


def told(report: JobReport) -> list[str]:
    """Return the report as lines for a person."""
    lines = [
        f"{report.job.value} {one.window}: {one.rows} rows from {one.source_rows}, {one.changed} written, "
        f"{one.deleted} deleted" + (f", {one.kept} kept as their source was pruned" if one.kept else "")
        for one in report.windows
    ]
    for gone in report.pruned:
        if gone.rows or gone.partitions:
            days = f" in {gone.partitions} days" if gone.partitions else ""
            lines.append(f"prune {gone.table}: {gone.rows} rows{days}, {gone.first} to {gone.last}")
    if not lines:
        lines.append(f"{report.job.value}: nothing to do")
    if report.watermark is not None:
        lines.append(
            f"published up to {text_of(report.watermark)} by {report.engine} in {report.seconds:.1f} s"
        )
    return lines


async def _run(chosen: argparse.Namespace, env: Mapping[str, str]) -> JobReport:
    asked = asked_of(chosen)
    dsn = _address(chosen.dsn_env, env)
    async with _engine(chosen.engine, dsn, chosen.schema, asked.job) as engine:
        connection = await _connect(dsn, chosen.schema)
        try:
            return await run(connection, engine, asked)
        finally:
            await connection.close(timeout=CONNECT_S)


def _address(name: str, env: Mapping[str, str]) -> str:
    """Return the database's address from the variable, or the file in NAME_FILE, as every service does."""
    if not name:
        raise BadArguments("--dsn-env: '' is no name of a variable")
    file = env.get(f"{name}_FILE")
    dsn = env.get(name)
    if not dsn and file:
        try:
            dsn = Path(file).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise BadArguments(f"{name}_FILE: {file} cannot be read ({type(error).__name__})") from None
        if not dsn:
            raise BadArguments(
                f"{name}_FILE: {file} is empty; expected the database's address, postgresql://…"
            )
    if not dsn:
        raise BadArguments(f"{name} is not set; expected the database's address, postgresql://…")
    return dsn


@asynccontextmanager
async def _engine(name: str, dsn: str, schema: str, job: Job) -> AsyncIterator[Engine]:
    if name == "sql" or job is Job.PRUNE:
        yield SqlEngine()
        return
    try:
        from butler_rollups.spark.engine import SparkEngine
    except ImportError as missing:
        raise BadArguments(
            f"--engine spark needs the extra 'spark' ({missing.name} is missing): pip install 'butlers[spark]', "
            "or use --engine sql"
        ) from missing
    engine = SparkEngine(dsn, schema=schema)
    try:
        yield engine
    finally:
        await engine.aclose()


async def _connect(dsn: str, schema: str) -> Connection:
    settings = {
        "application_name": "butlers-rollups",
        "search_path": '"' + schema.replace('"', '""') + '"',
        "timezone": "UTC",
        "jit": "off",
        "statement_timeout": str(int(PATIENCE_S * 1000)),
    }
    try:
        connection: Connection = await asyncpg.connect(dsn, timeout=CONNECT_S, server_settings=settings)
        await init_connection(connection)
    except (*DRIVER_ERRORS, OverflowError, ValueError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise TargetUnavailable(f"the database does not answer: {reason}") from error
    return connection


def _moment(name: str, text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
        # The first and the last possible day may be out of range in UTC.
        return moment if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadArguments(f"{name}: '{text}' is no moment; write 2026-11-22T10:00:00Z") from None


def _backfill(text: str | None) -> UUID | None:
    try:
        return None if text is None else UUID(text)
    except ValueError:
        raise BadArguments(f"--backfill: '{text}' is no id of a backfill") from None


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) > 10_000:
        raise argparse.ArgumentTypeError(f"'{text}' is not between 0 and 10000")
    return int(text)


def _line_of(error: Exception) -> str:
    """Return one readable line, whatever happened."""
    if isinstance(error, ButlerError):
        text = error.message
    elif isinstance(
        error, asyncpg.UndefinedTableError | asyncpg.UndefinedFunctionError | asyncpg.InvalidSchemaNameError
    ):
        reason = error.args[0] if error.args else type(error).__name__
        text = (
            f"the database has not the tables of this version ({reason}); start Switchboard or `butlers up` once, "
            "or name its --schema"
        )
    else:
        text = f"{type(error).__name__}: {error}"
    return " ".join(text.split())


if __name__ == "__main__":
    main()
