"""One SparkSession for all tests of the engine: a Java costs seconds, a window in it a fraction of one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from butler_rollups.spark.surroundings import SparkUnavailable, find_surroundings
from tests.support.database import Server
from tests.support.rollups.desk import Desk, open_desk

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ELSEWHERE = "Asia/Kolkata"


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Started by somebody who lives in Kolkata."""
    try:
        find_surroundings()
    except SparkUnavailable as missing:
        if os.environ.get("CI"):
            pytest.fail(str(missing))
        pytest.skip(str(missing))
    from butler_rollups.spark.session import close_session, open_session

    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("TZ", ELSEWHERE)
        session = open_session()
    yield session
    close_session(session)


@pytest.fixture(scope="module")
def desk(postgres_server: Server) -> Iterator[Desk]:
    with open_desk(postgres_server) as opened:
        yield opened


@pytest.fixture
def zone_of_java(spark: SparkSession) -> Iterator[Any]:
    """Call with a zone's name: Java's clock is there until the test ends."""
    zones: Any = spark.sparkContext._jvm.java.util.TimeZone  # type: ignore[union-attr]

    def move(name: str) -> None:
        zones.setDefault(zones.getTimeZone(name))

    yield move
    move("UTC")
