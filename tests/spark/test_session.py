"""How a session comes about: in tests, from a shell, by spark-submit as in a pod; and what is said where it cannot."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from butler_rollups.cli import perform
from butler_rollups.errors import BadArguments
from butler_rollups.models import Window, text_of
from butler_rollups.spark.io import Source, slices_of
from butler_rollups.spark.session import SessionSettings, options_for
from butler_rollups.spark.surroundings import JDBC_JAR, SparkUnavailable, Surroundings, find_surroundings
from tests.support.rollups.desk import Desk
from tests.support.rollups.fleets import BEGIN, HOUR, Shape, fleet_of
from tests.support.rollups.oracle import hours_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.xdist_group("spark")

ROOT = Path(__file__).parents[2]
DEADLINE_S = 400
ADDRESS = {"BUTLERS_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"}


def test_java_counts_in_utc_wherever_it_was_started(spark: SparkSession):
    java: Any = spark.sparkContext._jvm.java  # type: ignore[union-attr]
    assert java.util.TimeZone.getDefault().getID() == "UTC"
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"
    assert spark.sparkContext.getConf().get("spark.driver.host") == "127.0.0.1"


def test_a_job_of_spark_submit_publishes_and_ends_its_output_with_one_object(spark: SparkSession, desk: Desk):
    """As in a pod: Java is there first, in a zone of its own, and Python is its child."""
    surroundings = find_surroundings()
    fleet = fleet_of(random.Random(9), Shape(connectors=1, hours=2))
    desk.fill(fleet)
    jar = ["--driver-class-path", str(surroundings.jdbc_jar)] if surroundings.jdbc_jar else []
    done = subprocess.run(
        [
            str(surroundings.spark_home / "bin/spark-submit"), "--master", "local[1]",
            "--conf", "spark.driver.bindAddress=127.0.0.1", "--conf", "spark.driver.host=127.0.0.1", *jar,
            str(ROOT / "spark-apps/apps/hourly.py"), "--json",
            "--window-start", text_of(BEGIN), "--window-end", text_of(fleet.end),
        ],
        env={
            "PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "TZ": "America/New_York",
            "SPARK_HOME": str(surroundings.spark_home), "PYSPARK_PYTHON": sys.executable,
            "SPARK_SUBMIT_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "BUTLERS_DATABASE_URL": desk.database.dsn("switchboard"),
            **{name: os.environ[name] for name in ("JAVA_HOME",) if name in os.environ},
        },
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout.splitlines()[-1])
    assert (report["job"], report["engine"], report["source_rows"]) == ("hourly", "spark", len(fleet.beats))
    assert desk.hours() == hours_of(fleet.beats, BEGIN, fleet.end)


@pytest.mark.parametrize(
    ("missing", "named"),
    [
        ({"PATH": "/nonexistent"}, "needs Java: no java on the path"),
        ({"JAVA_HOME": "/nonexistent"}, "JAVA_HOME is /nonexistent"),
        ({JDBC_JAR: "/nonexistent/driver.jar"}, f"{JDBC_JAR} names /nonexistent/driver.jar"),
    ],
)
def test_what_is_missing_on_the_machine_is_one_line_and_exit_2(
    missing: dict[str, str], named: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    for name, value in missing.items():
        monkeypatch.setenv(name, value)
    if JDBC_JAR in missing:
        monkeypatch.setattr("butler_rollups.spark.surroundings._java", lambda _: Path("/usr/bin/java"))
    assert perform(["hourly", "--engine", "spark"], ADDRESS) == 2
    told = capsys.readouterr().err
    assert named in told
    assert len(told.splitlines()) == 1


@pytest.mark.parametrize("package", ["pyspark", "pyarrow"])
def test_a_missing_extra_is_named_and_exit_2(
    package: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setitem(sys.modules, package, None)
    assert perform(["hourly", "--engine", "spark"], ADDRESS) == 2
    told = capsys.readouterr().err
    assert "butlers[spark]" in told
    assert len(told.splitlines()) == 1


def test_a_java_that_is_too_old_is_told_its_version(tmp_path: Path):
    java = tmp_path / "bin/java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n", encoding="ascii")
    java.chmod(0o755)
    with pytest.raises(SparkUnavailable, match=r"needs Java 17: .*/bin/java is 11;"):
        find_surroundings({"JAVA_HOME": str(tmp_path)})


def test_only_a_java_of_our_own_gets_a_master_and_the_loopback_address():
    here = Surroundings(Path("/opt/spark"), Path("/usr/bin/java"), Path("/jar"))
    own = options_for(SessionSettings(), here, {})
    assert (own["spark.master"], own["spark.driver.bindAddress"]) == ("local[2]", "127.0.0.1")
    assert own["spark.driver.extraClassPath"] == "/jar"
    submitted = options_for(SessionSettings(), here, {"PYSPARK_GATEWAY_PORT": "1"})
    assert not {name for name in submitted if name.startswith(("spark.master", "spark.driver"))}
    assert submitted["spark.sql.session.timeZone"] == "UTC"


def test_an_address_becomes_one_of_jdbc_and_its_password_is_not_shown():
    source = Source.from_dsn(
        "postgresql://butler:p%40ss@db.example:5433/home?sslmode=require&options=-csearch_path%3Dx&other=1",
        "switchboard",
    )
    asked = "sslmode=require&options=-csearch_path%3Dx&currentSchema=switchboard"
    assert source.url == f"jdbc:postgresql://db.example:5433/home?{asked}"
    assert (source.properties["user"], source.properties["password"]) == ("butler", "p@ss")
    assert "p@ss" not in repr(source)
    with pytest.raises(BadArguments, match="TCP only"):
        Source.from_dsn("postgresql:///home?host=/run/postgresql", "switchboard")


@pytest.mark.parametrize("hours", [1, 12, 13, 168])
def test_slices_cover_a_window_once(hours: int):
    window = Window(BEGIN, BEGIN + hours * HOUR)
    slices = slices_of(window)
    assert (slices[0].start, slices[-1].end) == (window.start, window.end)
    assert all(one.end == following.start for one, following in pairwise(slices))
