"""A specialist killed at each step of a reminder: the next one tells it under the same key, once."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from butler_contracts.parse import parse
from butler_contracts.route import RouteEnvelopeV1
from butler_kit.faults import points
from butler_kit.faults.binding import FAULTS_DIR
from butler_kit.queue import LeasedQueue
from butler_specialist.store.inbox import RouteInbox
from butler_specialist.store.model import Outcome, ReminderDraft
from tests.faults.household import Armed
from tests.faults.ledger import LEDGER
from tests.integration.specialist.household import Place, envelope, household
from tests.support.database import Provision
from tests.support.loopback import free_port

PROGRAM = (sys.executable, "-m", "butler_specialist")
PATIENCE_S = 90.0
TOLD = "SELECT count(*) FROM reminders WHERE sent = 1"


@pytest.fixture
async def place(provisioned: Provision, tmp_path: Path) -> AsyncIterator[Place]:
    async with household(provisioned, tmp_path) as made:
        yield made


async def ask(place: Place, *drafts: ReminderDraft) -> None:
    """What a session that asks for reminders comes to, and nothing else of it."""
    data = parse(RouteEnvelopeV1, envelope("Remind me"))
    inbox, queue = RouteInbox(place.pool, capacity=10), LeasedQueue(place.pool, "route_work")
    assert await inbox.accept(data, lane="default", thread_key=None, teller="telegram:1001")
    lease = await queue.claim(data.subrequest.subrequest_id)
    assert lease is not None
    work = await inbox.find(lease.item_id)
    assert work is not None
    assert await inbox.commit(lease, work, Outcome(result={}, reminders=drafts)) is not None
    await inbox.finish(lease)


@pytest.mark.parametrize("point", [points.REMINDER_BEGUN, points.REMINDER_TOLD, points.REMINDER_KEPT])
async def test_a_kill_at_any_step_doubles_nothing_and_loses_nothing(
    place: Place, tmp_path: Path, point: str
) -> None:
    armed = Armed(tmp_path / "faults")
    armed.arm([point])
    place.more_environment |= {FAULTS_DIR: str(armed.folder), "BUTLERS_REPLICA": "finance-0"}
    async with place.process(free_port(), program=PROGRAM) as (child, _):
        soon = datetime.now(UTC) + timedelta(seconds=1)
        await ask(
            place,
            ReminderDraft("once", soon, "Europe/Berlin"),
            ReminderDraft("daily", soon, "Europe/Berlin", rule="FREQ=DAILY"),
        )
        async with asyncio.timeout(PATIENCE_S):
            assert await child.wait() < 0
    LEDGER.kills += 1
    async with place.process(free_port(), program=PROGRAM):
        async with asyncio.timeout(PATIENCE_S):
            while await place.pool.fetchval(TOLD) < 2:
                await asyncio.sleep(0.1)
    rows = await place.pool.fetch("SELECT state, sent, missed FROM reminders ORDER BY ordinal")
    keys = {one.delivery.idempotency_key for one in place.switchboard.notifies}
    LEDGER.messages += 2
    LEDGER.doubles += len(keys) - 2
    assert [tuple(row) for row in rows] == [("sent", 1, 0), ("waiting", 1, 0)]
    assert len(keys) == 2
    assert await place.pool.fetchval("SELECT count(*) FROM reminder_work") == 1
