"""What members write and correct, and what butlers cannot do, is what the statistics of routing say (SWB-37.1)."""

from __future__ import annotations

import pytest

from butler_rollups.models import STEP, Job
from butler_rollups.run import Asked, run
from butler_rollups.sql_engine import SqlEngine
from butler_rollups.windows import floor
from tests.flow.switchboard.test_corrections import TWO, said
from tests.flow.switchboard.test_overrides import BILL
from tests.support.butlers import answers, error_of
from tests.support.rollups.decisions import stored_quality
from tests.support.switchboard_service import Household

NOTHING = "Hello there"


@pytest.mark.spec("SWB-37.1")
async def test_a_correction_a_fallback_and_a_part_that_failed_are_counted_where_they_happened(
    home: Household,
):
    async with home.run(spec={"routing": {"confidenceThreshold": 0.95}}) as running:
        await said(home, running, 1, BILL)
        await said(home, running, 2, "no, that was for health")
        home.butler("health").behaviour = answers(error=error_of("validation_error"))
        await said(home, running, 3, TWO)
        await said(home, running, 4, NOTHING)
    async with home.pool.acquire() as connection:
        now = await connection.fetchval("SELECT clock_now()")
        day = floor(now, STEP[Job.QUALITY])
        await run(connection, SqlEngine(), Asked(Job.QUALITY, day, day + STEP[Job.QUALITY]))
        stored = await stored_quality(connection)
    names = (
        "decisions",
        "segments",
        "divided",
        "corrected",
        "fallbacks",
        "partial_failures",
        "total_failures",
    )
    assert {key[2]: tuple(row[name] for name in names) for key, row in stored.items()} == {
        "*": (3, 4, 1, 1, 1, 1, 0),
        "finance": (2, 3, 1, 1, 0, 0, 0),
        "health": (1, 2, 1, 0, 0, 1, 0),
        "general": (1, 1, 0, 0, 1, 0, 0),
    }
