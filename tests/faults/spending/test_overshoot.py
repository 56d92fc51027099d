"""Eight processes reserve at once, at random prices, and some die: no budget is exceeded by anything."""

from __future__ import annotations

import asyncio
import sys
from datetime import timedelta

import pytest

from butler_switchboard.spending.store import SpendingStore
from tests.support import reserving
from tests.support.database import Provision
from tests.support.switchboard import new_switchboard_database

PROCESSES = 8
GUARD = f"""
CREATE FUNCTION no_overshoot() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.reserved_microcents + NEW.spent_microcents
        > (CASE NEW.scope WHEN 'butler' THEN {reserving.DAY} ELSE {reserving.PERSON_DAY} END)
    THEN
        RAISE EXCEPTION 'overshoot: %', NEW;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER no_overshoot BEFORE INSERT OR UPDATE ON spending_day FOR EACH ROW EXECUTE FUNCTION no_overshoot();
"""


@pytest.mark.spec("SWB-33.1")
@pytest.mark.parametrize("sessions_each", [25, pytest.param(1_000, marks=pytest.mark.faults_full)])
async def test_no_day_is_overshot_whoever_reserves_at_once_and_whoever_dies(
    provisioned: Provision, sessions_each: int
) -> None:
    database = await new_switchboard_database(provisioned)
    pool = await database.pool("switchboard")
    await pool.execute(GUARD)
    running = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.support.reserving", database.dsn("switchboard"),
            ("finance", "travel")[number % 2], str(number), str(sessions_each), "50",
            stdout=asyncio.subprocess.PIPE,
        )
        for number in range(PROCESSES)
    ]  # fmt: skip
    async with asyncio.timeout(900):
        told = [await process.communicate() for process in running]
    assert [process.returncode for process in running] == [0] * PROCESSES
    assert sum(int(out) for out, _ in told) > 0
    await database.shift_clock(timedelta(minutes=5), disconnect=True)
    later = SpendingStore(await database.pool("switchboard"))
    while await later.sweep():
        pass
    rows = await pool.fetch("SELECT scope, reserved_microcents, spent_microcents FROM spending_day")
    accounts = await pool.fetchval(
        "SELECT sum(spent_microcents)::bigint FROM model_spending WHERE state <> 'open'"
    )
    assert [row["reserved_microcents"] for row in rows] == [0] * len(rows)
    assert sum(row["spent_microcents"] for row in rows if row["scope"] == "butler") == accounts > 0
