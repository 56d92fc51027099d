"""Messages that a backfill brings: in the inbox with their job, in silence, behind everything else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from butler_kit.mcp import ToolError
from butler_switchboard.backfill.models import CreateJob
from tests.support.database import Provision
from tests.support.switchboard import MAILBOX, mail
from tests.support.switchboard_service import Household, Running, household

BILL = "Subject: Gas bill\n\nI paid the gas bill of 40 euro"
PROOF = {"Authentication-Results": ["mx.example.org; dmarc=pass header.from=example.org"]}


@pytest.fixture
async def home(provisioned: Provision, tmp_path: Path) -> AsyncIterator[Household]:
    async with household(provisioned, tmp_path, "general", "finance") as home:
        yield home


async def job(home: Household, running: Running, *categories: str) -> UUID:
    await home.pool.execute(
        "INSERT INTO connector_registry (connector_type, endpoint_identity, instance_id, instance_started_at, state,"
        " uptime_s, counters, capabilities, first_seen_at, registered_via, last_heartbeat_at, eligibility_state,"
        " eligibility_updated_at) VALUES ('imap', $1, $2, now(), 'healthy', 1, '{}', '{}', now(), 'self', now(),"
        " 'active', now()) ON CONFLICT DO NOTHING",
        MAILBOX,
        uuid4(),
    )
    day = datetime.now(UTC).date()
    asked = CreateJob(
        connector_type="imap",
        endpoint_identity=MAILBOX,
        date_from=day,
        date_to=day,
        target_categories=categories,
    )
    job_id, _ = await running.switchboard.parts.backfills.create(asked, actor="ada")
    return job_id


async def submit(
    home: Household, running: Running, job_id: UUID | None, number: int, text: str = BILL
) -> UUID:
    wire = mail(f"<{number}@example.org>", text, headers=PROOF).to_wire()
    wire["control"] |= {"policy_tier": "interactive"}
    if job_id is not None:
        wire["control"]["backfill_job_id"] = str(job_id)
    token = home.keys.connector("imap", MAILBOX)
    answer = await running.call(token, "ingestion.ingest", {"envelope": wire})
    return UUID(answer["request_id"])


async def test_a_members_mail_from_history_is_worked_on_in_silence(home: Household):
    async with home.run() as running:
        job_id = await job(home, running)
        fresh = await home.settled(await submit(home, running, None, 1))
        history = await home.settled(await submit(home, running, job_id, 2))
    assert (fresh["sender_class"], fresh["reply_policy"]) == ("household", "allow")
    assert (fresh["policy_tier"], fresh["backfill_job_id"]) == ("interactive", None)
    assert (history["sender_class"], history["reply_policy"]) == ("household", "none")
    assert (history["policy_tier"], history["backfill_job_id"]) == ("default", job_id)
    assert history["request_context"]["reply_policy"] == "none"
    assert len(home.butler("finance").got) == 2


async def test_only_what_belongs_to_the_wanted_butlers_is_dispatched(home: Household):
    async with home.run() as running:
        wanted = await job(home, running, "finance")
        unwanted = await job(home, running, "travel")
        first = await submit(home, running, wanted, 1)
        second = await submit(home, running, unwanted, 2)
        await home.settled(first)
        await home.settled(second)
        assert [one["target"] for one in await home.subroutes(first)] == ["finance"]
        assert await home.subroutes(second) == []
        assert (await home.row(second))["lifecycle_state"] == "recorded"
        assert (await home.plan(second))["reason"] == f"outside_backfill:{unwanted}"


async def test_a_message_cannot_claim_a_job_that_reads_another_source(home: Household):
    async with home.run() as running:
        await home.pool.execute(
            "INSERT INTO backfill_jobs (job_id, connector_type, endpoint_identity, date_from, date_to, created_by,"
            " created_at, updated_at) VALUES ($1, 'imap', 'imap:other', now(), now(), 'x', now(), now())",
            other := uuid4(),
        )
        for job_id in (other, uuid4()):
            with pytest.raises(ToolError, match="backfill_job_id"):
                await submit(home, running, job_id, 1)
        assert await home.pool.fetchval("SELECT count(*) FROM message_inbox") == 0
