"""Creates the archive of loaded classes (AppCDS) that lets a small job start at a third of its cost.

    python -m butler_rollups.spark.archive FILE

A separate Java process runs every roll-up over a few rows without a database, and records the classes that it loaded.
The archive is valid only for the same Java and the same class path; otherwise Java silently ignores it.
"""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from butler_rollups.spark.session import ARCHIVE, SessionSettings, close_session, open_session

__all__ = ["main", "make_archive"]

_AT: Final = datetime(2026, 1, 1, tzinfo=UTC)
_OF_THE_DATABASE: Final = (
    "org.postgresql.Driver",
    "org.postgresql.jdbc.PgConnection",
    "org.postgresql.jdbc.PgPreparedStatement",
    "org.postgresql.jdbc.PgResultSet",
    "org.postgresql.jdbc.PgDatabaseMetaData",
    "org.postgresql.jdbc.PgResultSetMetaData",
    "org.postgresql.jdbc.TimestampUtils",
    "org.postgresql.core.v3.ConnectionFactoryImpl",
    "org.postgresql.core.v3.QueryExecutorImpl",
    "org.apache.spark.sql.execution.datasources.jdbc.JDBCRDD",
    "org.apache.spark.sql.execution.datasources.jdbc.JDBCRelation",
    "org.apache.spark.sql.execution.datasources.jdbc.JdbcUtils",
    "org.apache.spark.sql.jdbc.PostgresDialect",
)
"""Reading by JDBC would load these; without a database they are loaded by name."""


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python -m butler_rollups.spark.archive FILE", file=sys.stderr)
        return 2
    return make_archive(Path(arguments[0]))


def make_archive(file: Path) -> int:
    """Write `file` anew, by the exit of its Java. Return 0, or 1 if no archive came of it."""
    file.unlink(missing_ok=True)
    environment = {name: value for name, value in os.environ.items() if name != ARCHIVE}
    # Java writes the archive when it exits by itself, and takes one archive option at a time.
    submit = [
        word for word in environment.pop("SPARK_SUBMIT_OPTS", "").split() if "SharedArchiveFile" not in word
    ]
    os.environ["SPARK_SUBMIT_OPTS"] = " ".join(submit)
    dump = (f"-XX:ArchiveClassesAtExit={file}", "-Xlog:cds=off", "-Xlog:cds+dynamic=off")
    session = open_session(SessionSettings(java_options=dump), environment)
    _run_everything(session)
    close_session(session)
    return 0 if file.is_file() else 1


def _run_everything(session: Any) -> None:
    from butler_rollups.spark import frames

    connector = "'c' AS connector_type, 'e' AS endpoint_identity"
    counters = ", ".join(f"id AS {name}" for name in frames.COUNTERS)
    moment = f"timestamp_seconds({int(_AT.timestamp())} + id) AS "
    beats = session.range(4).selectExpr(
        *connector.split(", "),
        "string(id % 2) AS instance_id",
        f"{moment}received_at",
        "double(id) AS uptime_s",
        "'healthy' AS state",
        "double(60) AS heartbeat_interval_s",
        *counters.split(", "),
    )
    frames.hourly(beats, beats.where("false"), start=_AT, log_starts_at=_AT).toArrow()
    counts = [f"id AS {name}_count" for name in ("heartbeat", "healthy", "degraded", "error")]
    hours = session.range(4).selectExpr(
        *connector.split(", "),
        f"{moment}hour",
        *counters.split(", "),
        *counts,
        "decimal(id) AS expected_count",
        "id AS counter_resets",
        "double(id) AS max_gap_s",
    )
    frames.daily(hours).toArrow()
    sources = ("'email' AS source_channel", "'imap' AS source_provider", "'e' AS endpoint_identity")
    outcomes = session.range(4).selectExpr(*sources, f"{moment}received_at", "'b' AS target_butler")
    frames.fanout(outcomes).toArrow()
    fates = ("fell_back", "invalid", "corrected", "partly_failed", "wholly_failed")
    decisions = session.range(4).selectExpr(
        "'email' AS source_channel",
        "'b' AS target_butler",
        "'m' AS model_version",
        "'p' AS prompt_version",
        f"{moment}received_at",
        "id AS segments",
        *(f"id = 1 AS {name}" for name in fates),
    )
    frames.quality(decisions).toArrow()
    for name in _OF_THE_DATABASE:
        session.sparkContext._jvm.java.lang.Class.forName(name)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
