"""Backfill over the ops API: one job for each external id, an owner's job moves on its owner's behalf only."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest

from butler_kit.mcp import ToolError
from butler_kit.time import new_uuid7
from tests.integration.switchboard.backfill.jobs import RANGE, Backfills

MANIFEST = {**RANGE, "external_id": "uid-1", "owner": "BackfillJob home/history"}


async def test_asking_twice_under_one_external_id_makes_one_job(backfills: Backfills):
    async with backfills.served.http() as ops:
        made = await asyncio.gather(*(ops.post("/backfills", json=MANIFEST) for _ in range(4)))
        assert {answer.status_code for answer in made} == {200}
        assert len({answer.json()["job_id"] for answer in made}) == 1
        other = await ops.post("/backfills", json={**MANIFEST, "date_to": "2026-02-28"})
        assert (other.status_code, "another range" in other.text) == (400, True)
        assert len((await ops.get("/backfills")).json()["jobs"]) == 1


async def test_pace_and_cap_follow_who_asks_again(backfills: Backfills):
    async with backfills.served.http() as ops:
        await ops.post("/backfills", json=MANIFEST)
        changed = await ops.post(
            "/backfills", json={**MANIFEST, "rate_limit_per_hour": 9, "daily_cost_cap_cents": 8}
        )
        assert (changed.json()["rate_limit_per_hour"], changed.json()["daily_cost_cap_cents"]) == (9, 8)
    assert [line[0] for line in await backfills.audit()] == ["backfill.create", "backfill.limits"]


async def test_a_suspended_manifest_makes_a_paused_job(backfills: Backfills):
    async with backfills.served.http() as ops:
        made = await ops.post("/backfills", json={**MANIFEST, "suspended": True})
        assert made.json()["status"] == "paused"
    assert await backfills.poll() is None


async def test_an_owned_job_is_moved_by_its_owner_only_and_the_refusal_names_it(backfills: Backfills):
    async with backfills.served.http(subject="operator") as ops:
        job_id = (await ops.post("/backfills", json=MANIFEST)).json()["job_id"]
        for verb, advice in (
            ("pause", "spec.suspend to true"),
            ("resume", "spec.suspend to false"),
            ("cancel", "delete"),
        ):
            with pytest.raises(ToolError, match=f"BackfillJob home/history.*{advice}"):
                await backfills.operate(f"backfill.{verb}", job_id=job_id)
            stranger = await ops.post(f"/backfills/{job_id}/{verb}", json={"owner": "BackfillJob home/other"})
            assert (stranger.status_code, "home/history" in stranger.text) == (403, True)
        mine = {"owner": "BackfillJob home/history", "reason": "spec.suspend"}
        states = [
            (await ops.post(f"/backfills/{job_id}/{verb}", json=mine)).json()["status"]
            for verb in ("pause", "pause", "resume", "cancel", "cancel")
        ]
        assert states == ["paused", "paused", "pending", "cancelled", "cancelled"]
        late = await ops.post(f"/backfills/{job_id}/resume", json=mine)
        assert (late.status_code, "is cancelled" in late.text) == (409, True)
        assert (await ops.get(f"/backfills/{uuid4()}")).status_code == 404


async def test_only_operators_act_and_readers_read(backfills: Backfills):
    async with backfills.served.http(role="dashboard") as page:
        assert (await page.get("/backfills?status=pending&limit=5")).json() == {"jobs": []}
        assert (await page.post("/backfills", json=MANIFEST)).status_code == 403
    async with backfills.served.http(role="connector", subject="imap:x", kind="imap") as connector:
        assert (await connector.get("/backfills")).status_code == 403


async def test_an_offline_connector_is_told_as_such(backfills: Backfills):
    async with backfills.served.http() as ops:
        job_id = (await ops.post("/backfills", json=MANIFEST)).json()["job_id"]
        await backfills.database.shift_clock(timedelta(minutes=16))
        assert (await ops.get(f"/backfills/{job_id}")).json()["connector_liveness"] == "offline"
        refused = await ops.post("/backfills", json={**MANIFEST, "external_id": "uid-2"})
        assert (refused.status_code, "is offline" in refused.text) == (409, True)
        # What exists already is found whatever its connector does.
        assert (await ops.post("/backfills", json=MANIFEST)).json()["job_id"] == job_id


async def test_the_hours_to_roll_up_again_are_those_in_which_messages_came(backfills: Backfills):
    async with backfills.served.http() as ops:
        job_id = (await ops.post("/backfills", json=MANIFEST)).json()["job_id"]
        now: datetime = await backfills.pool.fetchval("SELECT clock_now()")
        first = now.replace(minute=5, second=0, microsecond=0) - timedelta(hours=3)
        for moment in (first, first + timedelta(minutes=30), first + timedelta(hours=2)):
            await _message(backfills, moment, UUID(job_id))
        await _message(backfills, first + timedelta(hours=1), None)
        found = (await ops.get(f"/backfills/{job_id}")).json()["dirty_hours"]
    hours = [datetime.fromisoformat(hour) for hour in found]
    assert hours == [first.replace(minute=0), (first + timedelta(hours=2)).replace(minute=0)]


async def _message(backfills: Backfills, at: datetime, job_id: UUID | None) -> None:
    await backfills.pool.execute(
        "INSERT INTO message_inbox (request_id, received_at, schema_version, source_channel, source_provider,"
        " source_endpoint_identity, source_sender_identity, external_event_id, policy_tier, ingestion_tier,"
        " sender_class, reply_policy, dedupe_key, request_context, raw_payload, normalized_text, backfill_job_id)"
        " VALUES ($1, $2, 'ingest.v1', 'email', 'imap', 'e', 's', 'x', 'default', 'full', 'other', 'none', 'k',"
        " '{}', '{}', 't', $3)",
        new_uuid7(at),
        at,
        job_id,
    )
