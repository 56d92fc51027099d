"""Who did what is written down; what daemons do never waits for it and never fails by it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from uuid import uuid4

import pytest
import structlog.testing

from butler_contracts.errors import TimedOut
from butler_kit.db import Pool, transaction
from butler_kit.runtime import RulesFamily, SessionJob, Spawner, ToolBelt
from butler_kit.runtime.sessions import PostgresSessionStore
from butler_kit.telemetry import SPAWNER, SWITCHBOARD, Metrics
from butler_kit.time import SystemClock, new_uuid7
from butler_switchboard.operations.audit import CAPACITY, TEXT_MAX, Audit, AuditEntry

ENTRY = AuditEntry("finance", "switchboard", "session.completed", "a session", "completed")
LOST = "butlers.switchboard.audit_write_failed"


@pytest.fixture
def metrics() -> Metrics:
    return Metrics((*SWITCHBOARD, *SPAWNER))


@pytest.fixture
def audit(pool: Pool, metrics: Metrics) -> Audit:
    return Audit(pool, metrics)


async def written(pool: Pool) -> list[dict]:
    return [dict(row) for row in await pool.fetch("SELECT * FROM dashboard_audit_log ORDER BY audit_id")]


def spawner(pool: Pool, metrics: Metrics, audit: Audit, program) -> Spawner:
    return Spawner(
        "switchboard",
        RulesFamily(program),
        1,
        clock=SystemClock(),
        metrics=metrics,
        session_store=PostgresSessionStore(pool),
        on_completed=audit.session_completed,
    )


def job() -> SessionJob:
    return SessionJob(
        uuid4(), "route", "s", "p", ToolBelt(), None, None, 5.0, request_id=new_uuid7(datetime.now(UTC))
    )


@pytest.mark.spec("SWB-17.2")
async def test_the_end_of_a_session_is_audited_with_its_request_result_and_error(
    pool: Pool, audit: Audit, metrics: Metrics
):
    async def program(current: SessionJob) -> None:
        if current.payload == "fail":
            raise TimedOut("the model said nothing")

    good, bad = job(), job()
    bad = SessionJob(**{**vars(bad), "payload": "fail"})
    stopping = asyncio.Event()
    owner = asyncio.create_task(audit.run(stopping))
    runs = spawner(pool, metrics, audit, program)
    await runs.trigger(good, "ingress")
    await runs.trigger(bad, "ingress")
    async with asyncio.timeout(90):
        while len(await written(pool)) < 2:
            await asyncio.sleep(0.02)
    stopping.set()
    await owner
    first, second = await written(pool)
    assert (first["butler"], first["operation"], first["result"]) == (
        "switchboard",
        "session.completed",
        "completed",
    )
    assert (first["request_id"], second["request_id"]) == (good.request_id, bad.request_id)
    assert "route session" in first["summary"]
    assert (first["error"], second["error"]) == (None, "the model said nothing")
    assert second["result"] == "timeout"


@pytest.mark.spec("SWB-17.2")
async def test_an_audit_that_cannot_be_written_hinders_nobody(pool: Pool, audit: Audit, metrics: Metrics):
    async def program(_job: SessionJob) -> None:
        return None

    await pool.execute("ALTER TABLE dashboard_audit_log ADD CHECK (summary <> 'impossible')")
    audit.record(AuditEntry("finance", "switchboard", "other", "impossible", "ok"))
    audit.record(ENTRY)
    with structlog.testing.capture_logs() as logs:
        await audit.flush()
    assert [row["summary"] for row in await written(pool)] == ["a session"], (
        "the next one is not lost with it"
    )
    assert metrics.value(LOST, action="other") == 1
    assert [(line["event"], line["summary"]) for line in logs] == [("audit_entry_lost", "impossible")]
    await pool.execute("DROP TABLE dashboard_audit_log CASCADE")
    result = await spawner(pool, metrics, audit, program).trigger(job(), "ingress")
    await asyncio.sleep(0)
    await audit.flush()
    assert result.status == "completed"


async def test_more_entries_than_fit_are_counted_and_dropped(pool: Pool, metrics: Metrics):
    audit = Audit(pool, metrics, capacity=2)
    for _ in range(5):
        audit.record(ENTRY)
    await audit.flush()
    assert len(await written(pool)) == 2
    assert metrics.value(LOST, action="session.completed") == 3


@pytest.mark.spec("CON-5")
async def test_a_thousand_entries_wait_and_one_more_is_counted_and_dropped(audit: Audit, metrics: Metrics):
    """The bound as it is shipped; nobody writes."""
    for _ in range(CAPACITY):
        audit.record(ENTRY)
    assert metrics.value(LOST, action="session.completed") == 0
    audit.record(ENTRY)
    assert metrics.value(LOST, action="session.completed") == 1


async def test_what_waits_at_the_stop_is_still_written(pool: Pool, audit: Audit):
    stopping = asyncio.Event()
    owner = asyncio.create_task(audit.run(stopping))
    await asyncio.sleep(0)
    audit.record(ENTRY)
    stopping.set()
    await asyncio.wait_for(owner, 90)
    assert len(await written(pool)) == 1


async def test_an_operators_entry_stands_and_falls_with_its_effect(pool: Pool, audit: Audit):
    with pytest.raises(TimedOut):
        async with transaction(pool) as connection:
            await audit.record_in(connection, ENTRY)
            raise TimedOut("the effect failed")
    assert await written(pool) == []


async def test_long_and_unstorable_texts_are_cut_to_what_fits(pool: Pool, audit: Audit):
    audit.record(AuditEntry("finance", "ada", "x", "\x00" + "a" * 5_000, "ok"))
    await audit.flush()
    (row,) = await written(pool)
    assert len(row["summary"]) == TEXT_MAX
