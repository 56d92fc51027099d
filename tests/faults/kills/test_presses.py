"""A specialist killed at each step of a press under a reminder: put off once, answered under one key (ADR 0041)."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from butler_contracts.parse import parse
from butler_contracts.route import RouteEnvelopeV1
from butler_kit.faults import points
from butler_kit.faults.binding import FAULTS_DIR
from butler_specialist.remind.actions import actions_of
from butler_specialist.store.inbox import RouteInbox
from butler_specialist.store.model import ReminderDraft
from tests.faults.household import Armed
from tests.faults.kills.test_reminders import PATIENCE_S, PROGRAM, ask, place
from tests.faults.ledger import LEDGER
from tests.integration.specialist.household import Place, envelope
from tests.support.loopback import free_port

__all__ = ["place"]

TOLD = "UPDATE reminders SET state = 'sent', sent = 1, ended_at = clock_now() RETURNING reminder_id, due_at"


async def told(place: Place) -> dict[str, str]:
    """A reminder that was told; the actions under it."""
    await ask(
        place, ReminderDraft("water the plants", datetime.now(UTC) - timedelta(minutes=1), "Europe/Berlin")
    )
    row = await place.pool.fetchrow(TOLD)
    await place.pool.execute("DELETE FROM reminder_work")
    assert row is not None
    return {one.label: one.id for one in actions_of(row["reminder_id"], row["due_at"], "en")}


async def press(place: Place, action: str) -> None:
    document: dict[str, Any] = envelope("In an hour", subrequest_id=uuid4())
    document["input"]["context"] = {"pressed": action}
    data = parse(RouteEnvelopeV1, document)
    inbox = RouteInbox(place.pool, capacity=10)
    assert await inbox.accept(data, lane="default", thread_key="telegram:1001", teller="telegram:1001")


@pytest.mark.parametrize(
    "point",
    [
        points.WORK_STARTED,
        points.SESSION_ENDED,
        points.OUTCOME_COMMITTED,
        points.ANSWER_TOLD,
        points.ANSWER_KEPT,
        points.WORK_COMPLETED,
    ],
)
async def test_a_kill_at_any_step_of_a_press_does_it_once(place: Place, tmp_path: Path, point: str) -> None:
    armed = Armed(tmp_path / "faults")
    offered = await told(place)
    armed.arm([point])
    place.more_environment |= {FAULTS_DIR: str(armed.folder), "BUTLERS_REPLICA": "finance-0"}
    async with place.process(free_port(), program=PROGRAM) as (child, _):
        # Only now: what already waits is worked on before the process is seen to have started.
        await press(place, offered["In an hour"])
        await press(place, offered["In an hour"])
        async with asyncio.timeout(PATIENCE_S):
            assert await child.wait() < 0
    LEDGER.kills += 1
    async with place.process(free_port(), program=PROGRAM):
        async with asyncio.timeout(PATIENCE_S):
            while await place.pool.fetchval("SELECT count(*) FROM route_inbox WHERE finished_at IS NULL"):
                await asyncio.sleep(0.1)
    said = {
        (one.request_context.request_id, one.delivery.idempotency_key): one.delivery.message
        for one in place.switchboard.notifies
        if one.request_context is not None
    }
    waiting = await place.pool.fetchval("SELECT count(*) FROM reminders WHERE state = 'waiting'")
    LEDGER.messages += 2
    LEDGER.doubles += waiting - 1
    assert waiting == await place.pool.fetchval("SELECT count(*) FROM reminder_work") == 1
    assert await place.pool.fetchval("SELECT count(*) FROM reminder_answers") == 1
    assert sorted(str(text).split(" on ")[0].split(",")[0] for text in said.values()) == [
        "I will remind you again",
        "That was put off already",
    ]
