"""The only place that creates a SparkSession: the same settings in a pod, by spark-submit and in tests.

Under spark-submit (which has started the JVM) the master is spark-submit's; otherwise our own JVM runs `local[2]` and
binds only to the loopback address. Every clock is UTC: of the SQL session, of driver and executors (pgjdbc gives a
connection the JVM's time zone).
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from butler_rollups.models import Window
from butler_rollups.spark.surroundings import Surroundings, find_surroundings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["ARCHIVE", "SessionSettings", "close_session", "is_submitted", "open_session", "options_for"]

ARCHIVE: Final = "BUTLERS_SPARK_ARCHIVE"
"""Names a file of loaded classes (AppCDS); without the file Java starts slower and nothing else happens."""
_GATEWAY: Final = "PYSPARK_GATEWAY_PORT"
_UTC: Final = "-Duser.timezone=UTC"
_SMALL: Final = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""An hour's job is over before the optimising compiler pays off, which would take two thirds of its time."""
_LARGE: Final = ("-XX:TieredStopAtLevel=4", "-XX:+UseSerialGC")
"""Reverts an image's options for small jobs; a driver of 1 GB has no use for parallel collectors."""
_SMALL_WINDOW: Final = timedelta(days=1)
_SILENT_ARCHIVE: Final = ("-Xlog:cds=off", "-Xlog:cds+dynamic=off")
_LOGGING: Final = Path(__file__).with_name("log4j2.properties")
_LOOPBACK: Final = "127.0.0.1"
_END_S: Final = 300.0


@dataclass(frozen=True)
class SessionSettings:
    """The options of a job. `small` starts fast and never optimises: right for an hour, wrong for a month."""

    small: bool = True
    memory: str = "1g"
    shuffle_partitions: int = 2
    java_options: tuple[str, ...] = ()

    @classmethod
    def for_window(cls, window: Window) -> SessionSettings:
        """Return the settings of a job whose first window this is."""
        small = window.end - window.start <= _SMALL_WINDOW
        return cls(small=small, shuffle_partitions=2 if small else 4)


def options_for(
    settings: SessionSettings, surroundings: Surroundings, environment: Mapping[str, str]
) -> dict[str, str]:
    """Return Spark's options; those for our own JVM are included only without spark-submit."""
    options = {
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.shuffle.partitions": str(settings.shuffle_partitions),
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.executor.extraJavaOptions": _UTC,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    if is_submitted(environment):
        return options
    java = [
        _UTC,
        f"-Dlog4j2.configurationFile={_LOGGING}",
        *(_SMALL if settings.small else _LARGE),
        *settings.java_options,
    ]
    archive = environment.get(ARCHIVE)
    if archive and os.path.isfile(archive):
        java += [f"-XX:SharedArchiveFile={archive}", *_SILENT_ARCHIVE]
    options |= {
        "spark.master": "local[2]",
        "spark.app.name": "butlers-rollups",
        "spark.driver.host": _LOOPBACK,
        "spark.driver.bindAddress": _LOOPBACK,
        "spark.driver.memory": settings.memory,
        "spark.driver.extraJavaOptions": " ".join(java),
    }
    if surroundings.jdbc_jar is not None:
        options["spark.driver.extraClassPath"] = str(surroundings.jdbc_jar)
    return options


def is_submitted(environment: Mapping[str, str]) -> bool:
    """Return whether spark-submit started this process: its Java is there already."""
    return _GATEWAY in environment


def open_session(
    settings: SessionSettings | None = None, environment: Mapping[str, str] = os.environ
) -> SparkSession:
    """Return a session, which the caller closes (`close_session`). Raises a one-line `SparkUnavailable`."""
    surroundings = find_surroundings(environment)
    from pyspark.sql import SparkSession

    # Workers would otherwise be whichever python3 comes first on the path, without our packages.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_HOME", str(surroundings.spark_home))
    os.environ.setdefault("SPARK_LAUNCHER_OPTS", " ".join(_SMALL))
    if not is_submitted(environment):
        # Java would look up the machine's own name, which may not resolve.
        os.environ.setdefault("SPARK_LOCAL_IP", _LOOPBACK)
    logging.getLogger("py4j").setLevel(logging.WARNING)
    builder = SparkSession.builder
    for name, value in options_for(settings or SessionSettings(), surroundings, environment).items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    _pin_utc(session)
    return session


def close_session(session: SparkSession) -> None:
    """Stop the session and wait for its Java to end, so that nothing is left and its cost can be measured."""
    from pyspark import SparkContext

    gateway: Any = session.sparkContext._gateway
    session.stop()
    gateway.shutdown()
    SparkContext._gateway = SparkContext._jvm = None
    gateway.proc.stdin.close()
    try:
        gateway.proc.wait(timeout=_END_S)
    except subprocess.TimeoutExpired:
        gateway.proc.kill()
        gateway.proc.wait()


def _pin_utc(session: SparkSession) -> None:
    """Set the driver's JVM to UTC, whatever spark-submit was told."""
    jvm: Any = session.sparkContext._jvm
    zones = jvm.java.util.TimeZone
    zones.setDefault(zones.getTimeZone("UTC"))
