"""A specialist killed while it makes the reminders that records ask for: the next one makes each of them, once."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from butler_kit.faults import points
from butler_kit.faults.binding import FAULTS_DIR
from tests.faults.household import Armed
from tests.faults.ledger import LEDGER
from tests.integration.specialist.household import Place, envelope, household
from tests.support.database import Provision
from tests.support.loopback import free_port

PROGRAM = (sys.executable, "-m", "butler_specialist")
PATIENCE_S = 90.0
WISH = """
INSERT INTO record_wishes (person, topic, wanted, channel, address, language, request_id, said_at)
VALUES ('telegram:1001', 'bills', true, 'telegram', '1001', 'en', gen_random_uuid(), clock_now())
"""


@pytest.fixture
async def place(
    provisioned: Provision, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[Place]:
    async with household(provisioned, tmp_path, getattr(request, "param", "finance")) as made:
        yield made


@pytest.mark.parametrize("place", ["health"], indirect=True)
@pytest.mark.parametrize("point", [points.UPCOMING_DECIDED, points.UPCOMING_KEPT])
async def test_a_kill_at_any_step_leaves_a_medicine_one_recurring_reminder(
    place: Place, tmp_path: Path, point: str
) -> None:
    armed = Armed(tmp_path / "faults")
    armed.arm([point])
    place.more_environment |= {FAULTS_DIR: str(armed.folder), "BUTLERS_REPLICA": "health-0"}
    await place.pool.execute(WISH.replace("bills", "tablets"))
    async with place.process(free_port(), program=PROGRAM) as (child, client):
        await client.execute(envelope("I take metformin at 8 and 20", butler="health"))
        async with asyncio.timeout(PATIENCE_S):
            assert await child.wait() < 0
    LEDGER.kills += 1
    async with place.process(free_port(), program=PROGRAM):
        async with asyncio.timeout(PATIENCE_S):
            while not await place.pool.fetchval("SELECT count(*) FROM reminder_work"):
                await asyncio.sleep(0.1)
    rows = await place.pool.fetch("SELECT rule, state FROM reminders")
    LEDGER.messages += 1
    assert [tuple(row) for row in rows] == [("FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0", "waiting")]


@pytest.mark.parametrize("point", [points.UPCOMING_DECIDED, points.UPCOMING_KEPT])
async def test_a_kill_at_any_step_leaves_one_reminder_that_is_told_once(
    place: Place, tmp_path: Path, point: str
) -> None:
    armed = Armed(tmp_path / "faults")
    armed.arm([point])
    place.more_environment |= {FAULTS_DIR: str(armed.folder), "BUTLERS_REPLICA": "finance-0"}
    await place.pool.execute(WISH)
    due = datetime.now(UTC).date() + timedelta(days=9)
    async with place.process(free_port(), program=PROGRAM) as (child, client):
        await client.execute(envelope(f"The electricity bill of 84.20 EUR is due on {due}"))
        async with asyncio.timeout(PATIENCE_S):
            assert await child.wait() < 0
    LEDGER.kills += 1
    async with place.process(free_port(), program=PROGRAM):
        async with asyncio.timeout(PATIENCE_S):
            while not await place.pool.fetchval("SELECT count(*) FROM reminder_work"):
                await asyncio.sleep(0.1)
        await place.pool.execute("UPDATE reminders SET due_at = clock_now()")
        await place.pool.execute(
            "UPDATE reminder_work SET available_at = clock_now(), enqueued_at = clock_now()"
        )
        async with asyncio.timeout(PATIENCE_S):
            while not await place.pool.fetchval("SELECT count(*) FROM reminders WHERE sent = 1"):
                await asyncio.sleep(0.1)
    rows = await place.pool.fetch("SELECT state, sent, missed FROM reminders")
    told = {
        one.delivery.idempotency_key for one in place.switchboard.notifies if one.delivery.intent == "send"
    }
    LEDGER.messages += 1
    LEDGER.doubles += len(told) - 1
    assert [tuple(row) for row in rows] == [("sent", 1, 0)]
    assert len(told) == 1
