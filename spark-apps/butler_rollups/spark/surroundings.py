"""What the Spark engine needs from the machine: the extra `spark`, Java, PostgreSQL's JDBC driver.

Each is looked for before a JVM is started, so that a missing one is one line that names it and not a Spark stack.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from butler_rollups.errors import BadArguments

__all__ = ["JDBC_JAR", "OLDEST_JAVA", "SparkUnavailable", "Surroundings", "find_surroundings"]

OLDEST_JAVA: Final = 17
JDBC_JAR: Final = "BUTLERS_JDBC_JAR"
_USUAL_JARS: Final = (Path("/usr/share/java/postgresql.jar"), Path("/usr/share/java/postgresql-jdbc.jar"))
_SPARKS_OWN: Final = ("jars", "lib")
"""Folders on Spark's own class path; our image has its jars in the second."""
_PACKAGES: Final = ("pyspark", "pyarrow")
_VERSION: Final = re.compile(r'version "(?:1\.)?(\d+)')
_RELEASE: Final = re.compile(r'^JAVA_VERSION="(?:1\.)?(\d+)', re.MULTILINE)
_JAVA_DEADLINE_S: Final = 30


class SparkUnavailable(BadArguments):
    """The Spark engine cannot run here; the text names what is missing and how to get it."""


@dataclass(frozen=True)
class Surroundings:
    """Where Spark and Java are; `jdbc_jar` is None if the driver is among Spark's own jars."""

    spark_home: Path
    java: Path
    jdbc_jar: Path | None


def find_surroundings(environment: Mapping[str, str] = os.environ) -> Surroundings:
    """Find everything, or raise `SparkUnavailable` for the first thing that is missing."""
    spark_home = _spark_home(environment)
    return Surroundings(spark_home, _java(environment), _jdbc_jar(environment, spark_home))


def _spark_home(environment: Mapping[str, str]) -> Path:
    for package in _PACKAGES:
        if (found := importlib.util.find_spec(package)) is None or found.origin is None:
            raise SparkUnavailable(
                f"the engine `spark` needs the extra `spark` (no package {package} here): pip install 'butlers[spark]'"
            )
        if package == "pyspark":
            home = Path(environment.get("SPARK_HOME") or Path(found.origin).parent)
    return home


def _java(environment: Mapping[str, str]) -> Path:
    home = environment.get("JAVA_HOME")
    program = shutil.which("java", path=f"{home}/bin" if home else environment.get("PATH"))
    get_it = f"install Java {OLDEST_JAVA} or newer (Debian: openjdk-17-jre-headless)"
    if program is None:
        where = f"JAVA_HOME is {home}, which has no bin/java" if home else "no java on the path"
        raise SparkUnavailable(f"the engine `spark` needs Java: {where}; {get_it}")
    version = _java_version(Path(program))
    if version is None or version < OLDEST_JAVA:
        known = "of unknown version" if version is None else str(version)
        raise SparkUnavailable(f"the engine `spark` needs Java {OLDEST_JAVA}: {program} is {known}; {get_it}")
    return Path(program)


def _java_version(program: Path) -> int | None:
    """Return the major version, from the file beside it or by running it."""
    release = program.resolve().parent.parent / "release"
    if release.is_file() and (
        found := _RELEASE.search(release.read_text(encoding="utf-8", errors="replace"))
    ):
        return int(found[1])
    try:
        done = subprocess.run(  # noqa: S603
            [str(program), "-version"], capture_output=True, text=True, timeout=_JAVA_DEADLINE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    told = _VERSION.search(done.stderr + done.stdout)
    return int(told[1]) if told else None


def _jdbc_jar(environment: Mapping[str, str], spark_home: Path) -> Path | None:
    if named := environment.get(JDBC_JAR):
        if not Path(named).is_file():
            raise SparkUnavailable(f"{JDBC_JAR} names {named}, and no such file is here")
        return Path(named)
    if any(jar for folder in _SPARKS_OWN for jar in (spark_home / folder).glob("postgresql*.jar")):
        return None
    for usual in _USUAL_JARS:
        if usual.is_file():
            return usual
    raise SparkUnavailable(
        "the engine `spark` needs PostgreSQL's JDBC driver: install it (Debian: libpostgresql-jdbc-java) or name its"
        f" file in {JDBC_JAR}"
    )
