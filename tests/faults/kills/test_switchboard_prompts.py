"""A Switchboard killed at each step of a prompt by the clock: the owner reads one message of it (ADR 0112)."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from butler_kit.faults import points
from butler_kit.faults.binding import FAULTS_DIR
from butler_kit.telemetry import BUFFER, SPAWNER, SWITCHBOARD, Metrics
from butler_switchboard.operations.audit import Audit
from butler_switchboard.registry.butlers import Butlers
from butler_switchboard.registry.records import Declaration
from butler_switchboard.registry.store import ButlerStore
from butler_switchboard.telemetry import SwitchboardMetrics
from tests.faults.household import Armed
from tests.faults.ledger import LEDGER
from tests.flow.household.test_reminders import sent
from tests.support.database import Provision
from tests.support.loopback import free_port
from tests.support.model_api import Answer, Call, ModelServer
from tests.support.switchboard_service import Household, household, rendered, until
from tests.support.thinking import KEY, VARIABLE, spec

PATIENCE_S = 120.0
YESTERDAY = """
INSERT INTO schedule_runs (job, due_at, claimed_by, claimed_at, status)
VALUES ('evening', $1, 'earlier', clock_now(), 'done')
"""
ENDED = (
    "SELECT count(*) FROM schedule_runs WHERE job = 'evening' AND claimed_by <> 'earlier' AND status = 'done'"
)


@pytest.fixture
async def home(provisioned: Provision, tmp_path: Path) -> AsyncIterator[Household]:
    async with household(provisioned, tmp_path) as home:
        yield home


async def messenger_known(home: Household, url: str) -> None:
    metrics = Metrics((*SWITCHBOARD, *SPAWNER, *BUFFER))
    butlers = Butlers(
        pool=home.pool,
        store=ButlerStore(home.pool),
        audit=Audit(home.pool, metrics),
        events=SwitchboardMetrics(metrics),
    )
    await butlers.declare("messenger", Declaration("messenger", home.messenger.url), actor="test")
    home.messenger.connect(f"{url}/sse")


@asynccontextmanager
async def switchboard(
    home: Household, folder: Path, armed: Armed, toml: str
) -> AsyncIterator[asyncio.subprocess.Process]:
    config = folder / "switchboard.toml"
    config.write_text(toml)
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


@pytest.mark.parametrize("point", [f"{points.SCHEDULE_CLAIMED}@evening", points.PROMPT_ANSWERED])
async def test_a_kill_at_any_step_is_one_message_to_the_owner(
    home: Household, tmp_path: Path, point: str
) -> None:
    home.more_environment[VARIABLE] = KEY
    armed, port = Armed(tmp_path / "faults"), free_port()
    armed.arm([point])
    due = datetime.now(UTC).replace(second=0, microsecond=0)
    entry = {"name": "evening", "cron": f"{due.minute} {due.hour} * * *", "prompt": "What is left?"}
    async with ModelServer(lambda _: Answer(calls=(Call.of("answer", text="Nothing."),)), key=KEY) as model:
        toml = rendered({**spec(model, "openai"), "schedules": [entry]}).replace("port = 0", f"port = {port}")
        await messenger_known(home, f"http://127.0.0.1:{port}")
        await home.pool.execute(YESTERDAY, due - timedelta(days=1))
        async with switchboard(home, tmp_path, armed, toml) as killed, asyncio.timeout(PATIENCE_S):
            assert await killed.wait() < 0
        LEDGER.kills += 1
        await home.database.shift_clock(timedelta(minutes=10))
        async with switchboard(home, tmp_path, armed, toml):

            async def ended() -> bool:
                found: int = await home.pool.fetchval(ENDED)
                return found == 1

            await until(ended, what="the end of the run", deadline_s=PATIENCE_S)
    told = [one.delivery for one in sent(home)]
    LEDGER.messages += 1
    LEDGER.doubles += len(told) - 1
    assert [one.message for one in told] == ["Nothing."]
    assert (told[0].idempotency_key or "").startswith("schedule:evening:")
