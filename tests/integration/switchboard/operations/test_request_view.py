"""The whole life of a request is one document, in the order of its events."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from butler_kit.db import NamedQueries, Pool
from butler_kit.telemetry import SWITCHBOARD, Metrics
from butler_kit.time import new_uuid7, uuid7_timestamp
from butler_switchboard.operations.audit import Audit, AuditEntry
from butler_switchboard.operations.request_store import RequestStore
from tests.integration.switchboard.operations.requests import a_finished_request, a_waiting_request

SQL = NamedQueries("butler_switchboard", "sql/operations.sql")


async def test_a_request_shows_everything_that_happened_to_it(pool: Pool):
    request_id = await a_finished_request(pool)
    audit = Audit(pool, Metrics(SWITCHBOARD))
    audit.record(AuditEntry("finance", "ada", "request.replay", "looked at it", "ok", request_id=request_id))
    await audit.flush()
    view = await RequestStore(pool).view(request_id)
    assert view is not None
    assert view.envelope["payload"]["normalized_text"] == "lunch was 12 euros"
    assert (view.decisions.sender_class, view.decisions.triage_decision) == ("household", "pass_through")
    assert view.plan is not None
    assert (view.plan.decided_by, view.plan.confidence) == ("runtime", 0.93)
    assert [(item.attempt, item.state, item.error_class) for item in view.subroutes] == [
        (1, "error", "timeout"),
        (2, "ok", None),
    ]
    assert view.subroutes[0].late_response == {"status": "ok"}
    assert [session.tool_calls[0]["args"]["butler"] for session in view.sessions] == ["finance"]
    assert [item.delivery_state for item in view.notifications] == ["sent"]
    assert [item.fingerprint for item in view.dedupe_conflicts] == ["f"]
    assert (view.work, view.error) == (None, None)
    events = [entry.event for entry in view.timeline]
    assert "audit" in events, "by the real clock, wherever that falls"
    assert [event for event in events if event != "audit"] == [
        "accepted",
        "dedupe_conflict",
        "session_started",
        "session_ended",
        "planned",
        "call_failed",
        "sent",
        "accepted_by_butler",
        "started",
        "error",
        "sent",
        "accepted_by_butler",
        "started",
        "notify",
        "delivery_sent",
        "ok",
        "parsed",
    ]
    assert [entry.at for entry in view.timeline] == sorted(entry.at for entry in view.timeline)


async def test_a_request_that_waits_shows_where_it_waits(pool: Pool):
    request_id = await a_waiting_request(pool)
    view = await RequestStore(pool).view(request_id)
    assert view is not None
    assert view.work is not None
    assert (view.work.lane, view.work.leased, view.work.blocking) == ("interactive", False, True)
    assert view.work.waiting_s >= 0
    assert (view.plan, view.subroutes, view.lifecycle_state) == (None, [], "accepted")
    await pool.execute(
        "UPDATE inbox_work SET lease_id = $1, lease_until = clock_now() + interval '30 s'", uuid4()
    )
    leased = await RequestStore(pool).view(request_id)
    assert leased is not None
    assert leased.work is not None
    assert leased.work.leased


async def test_an_id_that_was_never_accepted_is_not_found(pool: Pool):
    assert await RequestStore(pool).view(uuid4()) is None


@pytest.mark.parametrize(
    ("query", "index"),
    [
        ("request", "message_inbox_2"),
        ("work_of", "inbox_work_pkey"),
        ("plan_of", "route_plan_pkey"),
        ("subroutes_of", "subroute_request_id_segment_id_target_attempt_key"),
        ("calls_of", "routing_log_request"),
        ("notifications_of", "notifications_request"),
        ("sessions_of", "sessions_request_id"),
        ("audit_of", "dashboard_audit_log_request"),
        ("conflicts_of", "ingest_conflict_request"),
    ],
)
async def test_no_part_of_a_view_reads_a_whole_table(pool: Pool, query: str, index: str):
    request_id = new_uuid7(datetime.now(UTC))
    arguments = [request_id, uuid7_timestamp(request_id)] if query == "request" else [request_id]
    plan = await explained(pool, SQL[query], *arguments)
    assert index in plan
    assert "Seq Scan" not in plan


async def test_the_list_of_requests_walks_the_key_backwards_without_sorting(pool: Pool):
    now = datetime.now(UTC)
    bounds = (now, new_uuid7(now), now - timedelta(days=40))
    plan = await explained(pool, SQL["requests"], *bounds, None, None, 50, sort=False)
    assert "Index Scan Backward" in plan
    assert "Seq Scan" not in plan
    assert "Sort" not in plan


async def explained(pool: Pool, statement: str, *arguments: object, sort: bool = True) -> str:
    """The plan that is possible with the indexes there are, whatever the size of the tables."""
    async with pool.acquire() as connection:
        await connection.execute("SET enable_seqscan = off")
        await connection.execute(f"SET enable_sort = {'on' if sort else 'off'}")
        await connection.execute("SET enable_bitmapscan = off")
        return "\n".join(row[0] for row in await connection.fetch(f"EXPLAIN {statement}", *arguments))
