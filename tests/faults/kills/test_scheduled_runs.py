"""A Switchboard killed between the claim of a scheduled run and its end: that due time is over, the next one runs."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

from butler_kit.faults import points
from butler_kit.faults.binding import FAULTS_DIR
from butler_switchboard.schedules.names import ELIGIBILITY_SWEEP
from tests.faults.household import Armed
from tests.faults.ledger import LEDGER
from tests.support.database import Provision
from tests.support.switchboard_service import Household, config_text, household, until

SWEEP = ELIGIBILITY_SWEEP
STARTED_S = 60.0
EARLIER = f"""
INSERT INTO schedule_runs (job, due_at, claimed_by, claimed_at, status)
VALUES ('{SWEEP}', date_bin('5 minutes', clock_now(), 'epoch') - interval '1 hour', 'earlier', clock_now(), 'done')
"""
RUNS = f"SELECT status FROM schedule_runs WHERE job = '{SWEEP}' AND claimed_by <> 'earlier' ORDER BY due_at"


@asynccontextmanager
async def switchboard(
    home: Household, folder: Path, armed: Armed
) -> AsyncIterator[asyncio.subprocess.Process]:
    config = folder / "butler.toml"
    config.write_text(config_text())
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "butler_switchboard", "--config", str(config)),
        env={**os.environ, **home.environment(), FAULTS_DIR: str(armed.folder)},
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def test_a_run_whose_process_died_is_not_repeated_and_the_next_one_runs(
    provisioned: Provision, tmp_path: Path
) -> None:
    async with household(provisioned, tmp_path) as home:
        await home.pool.execute(EARLIER)
        armed = Armed(tmp_path / "faults")
        armed.arm([points.SCHEDULE_CLAIMED])
        async with switchboard(home, tmp_path, armed) as killed:
            async with asyncio.timeout(STARTED_S):
                assert await killed.wait() < 0
        LEDGER.kills += 1
        assert [row["status"] for row in await home.pool.fetch(RUNS)] == ["running"]

        await home.database.shift_clock(timedelta(minutes=5))
        async with switchboard(home, tmp_path, armed):

            async def next_done() -> bool:
                runs = [row["status"] for row in await home.pool.fetch(RUNS)]
                return len(runs) > 1 and runs[-1] == "done"

            await until(next_done, what="the next run is done", deadline_s=STARTED_S)
        runs = [row["status"] for row in await home.pool.fetch(RUNS)]
        assert runs[0] == "running"
        assert set(runs[1:]) == {"done"}
