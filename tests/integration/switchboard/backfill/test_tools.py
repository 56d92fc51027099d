"""The lifecycle of a backfill job over MCP: operators order, a connector works, nobody does the other's part."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from butler_kit.mcp import ToolError
from tests.integration.switchboard.backfill.jobs import RANGE, SOURCE, Backfills
from tests.support.switchboard import BOT


@pytest.mark.spec("SWB-17.1", "SWB-18.1", "SWB-19.1")
async def test_a_job_is_created_for_a_connector_that_is_online(backfills: Backfills):
    answer = await backfills.operate("create_backfill_job", **RANGE)
    assert answer.keys() == {"job_id", "status"}
    assert answer["status"] == "pending"
    row = await backfills.row(answer["job_id"])
    assert (row["status"], row["connector_type"], row["endpoint_identity"]) == ("pending", *SOURCE.values())
    assert row["target_categories"] == ["finance", "travel"]
    assert (str(row["date_from"]), str(row["date_to"])) == ("2026-01-01", "2026-01-31")
    assert (row["rate_limit_per_hour"], row["daily_cost_cap_cents"]) == (100, 500)
    chosen = await backfills.row(await backfills.create(rate_limit_per_hour=7, daily_cost_cap_cents=9))
    assert (chosen["rate_limit_per_hour"], chosen["daily_cost_cap_cents"]) == (7, 9)


@pytest.mark.spec("SWB-18.1")
async def test_no_job_is_created_for_a_connector_that_is_unknown_or_silent(backfills: Backfills):
    with pytest.raises(ToolError, match="is not known"):
        await backfills.create(endpoint_identity="imap:nobody@example.org")
    await backfills.database.shift_clock(timedelta(minutes=6))
    with pytest.raises(ToolError, match="is stale"):
        await backfills.create()
    assert await backfills.pool.fetchval("SELECT count(*) FROM backfill_jobs") == 0


async def test_days_in_the_wrong_order_are_refused_with_what_to_do(backfills: Backfills):
    with pytest.raises(ToolError, match="date_to"):
        await backfills.create(date_from="2026-02-01")


@pytest.mark.spec("SWB-19.2", "SWB-19.4", "SWB-18.2")
async def test_a_paused_job_is_handed_to_nobody_until_it_is_resumed(backfills: Backfills):
    job_id = await backfills.create()
    assert (await backfills.operate("backfill.pause", job_id=job_id))["status"] == "paused"
    assert (await backfills.row(job_id))["status"] == "paused"
    assert await backfills.poll() is None
    assert (await backfills.operate("backfill.resume", job_id=job_id))["status"] == "pending"
    taken = await backfills.poll()
    assert taken is not None
    assert taken["job_id"] == job_id


@pytest.mark.spec("SWB-41.1")
async def test_while_the_service_level_is_missed_no_backfill_goes_on_and_afterwards_from_its_place(
    backfills: Backfills,
):
    job_id = await backfills.create()
    job = await backfills.poll()
    assert job is not None
    await backfills.pool.execute("INSERT INTO service_level (state, cause) VALUES ('tight', 'complete')")
    told = await backfills.progress(job, 1, rows_processed=5, cursor="5")
    assert (told["status"], told["outcome"]) == ("pending", "applied")
    row = await backfills.row(job_id)
    assert (row["status"], row["rows_processed"], row["cursor"]) == ("pending", 5, "5")
    assert await backfills.poll() is None
    await backfills.pool.execute("UPDATE service_level SET state = 'kept'")
    again = await backfills.poll()
    assert again is not None
    assert (again["job_id"], again["cursor"], again["batch_seq"]) == (job_id, "5", 1)


@pytest.mark.spec("SWB-18.2")
async def test_every_other_state_cannot_be_resumed(backfills: Backfills):
    job_id = await backfills.create()
    for state in ("pending", "active", "completed", "cancelled", "error"):
        await backfills.pool.execute(
            "UPDATE backfill_jobs SET status = $1,"
            " lease_until = CASE WHEN $1 = 'active' THEN now() + '1 hour'::interval END",
            state,
        )
        with pytest.raises(ToolError, match=f"is {state}"):
            await backfills.operate("backfill.resume", job_id=job_id)
    refused = (
        "INSERT INTO backfill_jobs (job_id, connector_type, endpoint_identity, date_from, date_to, status,"
    )
    with pytest.raises(Exception, match="backfill_jobs_status_check"):
        await backfills.pool.execute(
            f"{refused} created_by, created_at, updated_at)"
            " VALUES (gen_random_uuid(), 't', 'e', now(), now(), 'done', 'x', now(), now())"
        )


@pytest.mark.spec("SWB-19.3")
async def test_a_cancelled_job_stays_cancelled_whatever_its_connector_reports(backfills: Backfills):
    job_id = await backfills.create()
    job = await backfills.poll()
    assert job is not None
    assert (await backfills.operate("backfill.cancel", job_id=job_id))["status"] == "cancelled"
    told = await backfills.progress(job, 1, rows_processed=5, status="completed")
    assert (told["status"], told["outcome"]) == ("cancelled", "applied")
    row = await backfills.row(job_id)
    assert (row["status"], row["rows_processed"], row["finished_at"] is not None) == ("cancelled", 5, True)


@pytest.mark.spec("SWB-18.2", "SWB-19.4", "SWB-20.2")
async def test_a_capped_job_stops_and_goes_on_only_when_resumed(backfills: Backfills):
    job_id = await backfills.create(daily_cost_cap_cents=10)
    job = await backfills.poll()
    assert job is not None
    first = await backfills.progress(job, 1, rows_processed=8, cost_spent_cents=9.5)
    assert first["status"] == "active"
    capped = await backfills.progress(job, 2, rows_processed=1, rows_skipped=2, cost_spent_cents=0.5)
    assert capped["status"] == "cost_capped"
    row = await backfills.row(job_id)
    assert (row["rows_processed"], row["rows_skipped"], row["cost_spent_cents"]) == (9, 2, 10)
    await backfills.database.shift_clock(timedelta(days=1))
    assert await backfills.poll() is None
    assert (await backfills.row(job_id))["status"] == "cost_capped"
    assert (await backfills.operate("backfill.resume", job_id=job_id))["status"] == "pending"


@pytest.mark.spec("SWB-19.5")
async def test_jobs_are_listed_with_their_figures_by_source_and_state(backfills: Backfills):
    await backfills.connector_beats("imap:other@example.org")
    first, second = await backfills.create(), await backfills.create()
    other = await backfills.create(endpoint_identity="imap:other@example.org")
    job = await backfills.poll()
    assert job is not None
    await backfills.progress(job, 1, rows_processed=3, rows_skipped=1, cost_spent_cents=1.5, error="slow")
    listed = (await backfills.dashboard("backfill.list"))["jobs"]
    assert [entry["job_id"] for entry in listed] == [other, second, first]
    assert (
        listed[-1].items()
        >= {
            **RANGE,
            "rate_limit_per_hour": 100,
            "daily_cost_cap_cents": 500,
            "status": "active",
            "rows_processed": 3,
            "rows_skipped": 1,
            "cost_spent_cents": 1.5,
            "error": "slow",
        }.items()
    )
    assert listed[-1]["created_at"] <= listed[-1]["started_at"] <= listed[-1]["updated_at"]
    assert listed[-1]["finished_at"] is None

    async def ids(**filters: str) -> list[str]:
        return [entry["job_id"] for entry in (await backfills.dashboard("backfill.list", **filters))["jobs"]]

    assert await ids(status="pending") == [other, second]
    assert await ids(endpoint_identity="imap:other@example.org") == [other]
    assert await ids(connector_type="telegram_bot") == []


@pytest.mark.spec("SWB-20.1")
async def test_a_poll_takes_the_oldest_job_that_waits_for_this_connector(backfills: Backfills):
    await backfills.connector_beats("imap:other@example.org")
    await backfills.create(endpoint_identity="imap:other@example.org")
    oldest, newer = await backfills.create(), await backfills.create()
    job = await backfills.poll()
    assert job is not None
    assert (job["job_id"], job["cursor"], job["batch_seq"]) == (oldest, None, 0)
    assert job["params"] == {
        "target_categories": ["finance", "travel"],
        "date_from": "2026-01-01",
        "date_to": "2026-01-31",
        "rate_limit_per_hour": 100,
        "daily_cost_cap_cents": 500,
        "cents_per_message": 0.5,
    }
    row = await backfills.row(oldest)
    assert (row["status"], row["started_at"] is not None) == ("active", True)
    await backfills.progress(job, 1, cursor="here")
    second = await backfills.poll()
    assert second is not None
    assert second["job_id"] == newer
    assert await backfills.poll() is None


@pytest.mark.spec("SWB-20.1")
async def test_a_poll_is_answered_with_the_job_or_with_null_in_its_place(backfills: Backfills):
    """An MCP tool's structured content is an object, so the answer's one field is the job or null."""
    assert await backfills.connect("backfill.poll", **SOURCE) == {"job": None}
    job_id = await backfills.create()
    answer = await backfills.connect("backfill.poll", **SOURCE)
    assert answer.keys() == {"job"}
    assert {"job_id", "params", "cursor"} <= answer["job"].keys()
    assert answer["job"]["job_id"] == job_id
    assert await backfills.connect("backfill.poll", **SOURCE) == {"job": None}


@pytest.mark.spec("SWB-20.1")
async def test_a_silent_connectors_job_is_pending_again_and_taken_with_its_cursor(backfills: Backfills):
    job_id = await backfills.create()
    job = await backfills.poll()
    assert job is not None
    await backfills.progress(job, 1, rows_processed=4, cursor="42")
    await backfills.database.shift_clock(timedelta(seconds=61))
    (listed,) = (await backfills.dashboard("backfill.list", status="pending"))["jobs"]
    assert (await backfills.dashboard("backfill.list", status="active"))["jobs"] == []
    assert (listed["status"], (await backfills.row(job_id))["status"]) == ("pending", "active")
    again = await backfills.poll()
    assert again is not None
    assert (again["cursor"], again["batch_seq"]) == ("42", 1)
    assert again["lease_id"] != job["lease_id"]
    late = await backfills.progress(job, 2, rows_processed=4)
    assert (late["outcome"], (await backfills.row(job_id))["rows_processed"]) == ("lease_lost", 4)


async def test_a_silent_connectors_job_is_given_back_although_nobody_polls(backfills: Backfills):
    job_id = await backfills.create()
    await backfills.poll()
    await backfills.database.shift_clock(timedelta(seconds=61))
    stopping = asyncio.Event()
    upkeep = asyncio.create_task(backfills.served.backfills.run(stopping))
    async with asyncio.timeout(30):
        while (await backfills.row(job_id))["status"] != "pending":
            await asyncio.sleep(0.01)
    stopping.set()
    await upkeep


@pytest.mark.spec("SWB-20.2")
async def test_a_batch_counts_once_however_often_it_is_reported(backfills: Backfills):
    job_id = await backfills.create()
    job = await backfills.poll()
    assert job is not None
    told = [await backfills.progress(job, 1, rows_processed=4, cost_spent_cents=1) for _ in range(3)]
    assert [one["outcome"] for one in told] == ["applied", "repeated", "repeated"]
    assert {one["status"] for one in told} == {"active"}
    done = await backfills.progress(job, 2, rows_processed=1, cursor="5", status="completed")
    assert done["status"] == "completed"
    row = await backfills.row(job_id)
    assert (row["rows_processed"], row["cost_spent_cents"], row["cursor"]) == (5, 1, "5")
    assert (await backfills.progress(job, 2, rows_processed=1))["outcome"] == "repeated"


async def test_a_connector_that_cannot_says_why_and_the_job_ends(backfills: Backfills):
    job_id = await backfills.create()
    job = await backfills.poll()
    assert job is not None
    told = await backfills.progress(job, 1, status="error", error="this source has no history")
    assert told["status"] == "error"
    (listed,) = (await backfills.operate("backfill.list"))["jobs"]
    assert (listed["job_id"], listed["status"], listed["error"]) == (
        job_id,
        "error",
        "this source has no history",
    )


async def test_a_pause_that_meets_a_report_is_never_lost(backfills: Backfills):
    for _ in range(5):
        job_id = await backfills.create()
        job = await backfills.poll()
        assert job is not None
        await asyncio.gather(
            backfills.operate("backfill.pause", job_id=job_id),
            backfills.progress(job, 1, rows_processed=7, cursor="7"),
        )
        row = await backfills.row(job_id)
        assert (row["status"], row["rows_processed"], row["cursor"]) == ("paused", 7, "7")


async def test_two_polls_at_once_never_get_the_same_job(backfills: Backfills):
    await backfills.create()
    taken = await asyncio.gather(*(backfills.poll() for _ in range(6)))
    assert sum(job is not None for job in taken) == 1


@pytest.mark.spec("CNX-06.4")
async def test_a_connector_has_its_own_tools_only_and_for_its_own_source(backfills: Backfills):
    job_id = await backfills.create()
    with pytest.raises(ToolError, match="bound to imap"):
        await backfills.connect("backfill.poll", connector_type="telegram_bot", endpoint_identity=BOT)
    with pytest.raises(ToolError, match="not known"):
        await backfills.connect(
            "backfill.progress", endpoint="imap:thief@example.org", job_id=job_id, batch_seq=1
        )
    for tool in (
        "backfill.pause",
        "backfill.cancel",
        "backfill.resume",
        "backfill.list",
        "create_backfill_job",
    ):
        with pytest.raises(ToolError, match="no tool"):
            await backfills.connect(tool, job_id=job_id)
    for tool in ("backfill.poll", "backfill.progress", "create_backfill_job", "backfill.cancel"):
        with pytest.raises(ToolError, match="no tool"):
            await backfills.dashboard(tool, job_id=job_id)


async def test_who_did_what_to_a_job_is_in_the_audit(backfills: Backfills):
    job_id = await backfills.create()
    job = await backfills.poll()
    assert job is not None
    await backfills.progress(job, 1, rows_processed=1)
    await backfills.operate("backfill.pause", job_id=job_id)
    await backfills.operate("backfill.resume", job_id=job_id)
    await backfills.operate("backfill.cancel", job_id=job_id)
    connector = str(SOURCE["endpoint_identity"])
    assert await backfills.audit() == [
        ("backfill.create", "ada", "pending"),
        ("backfill.poll", connector, "active"),
        ("backfill.pause", "ada", "paused"),
        ("backfill.resume", "ada", "pending"),
        ("backfill.cancel", "ada", "cancelled"),
    ]
