"""What a cancel does to the work of a request, whoever is at it at that moment (SWB-38, D11, ADR 0075)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from butler_kit.queue import Lease, LeasedQueue, LeaseLost
from butler_switchboard.dispatch.model import Plan, PlannedTarget, RequestState
from butler_switchboard.dispatch.outcome import conclude
from butler_switchboard.dispatch.store import DispatchStore
from tests.integration.switchboard.operations.requests import a_waiting_request
from tests.integration.switchboard.operations.served import Served

WHY = {"reason": "written twice"}
HEALTH = {
    "endpoint": "http://127.0.0.1:40106/mcp",
    "role": "specialist",
    "description": "Health.",
    "triggers": [],
    "capabilities": [],
}


async def leased(served: Served, request_id: UUID) -> Lease:
    lease = await LeasedQueue(served.pool, "inbox_work").claim(request_id)
    assert lease is not None
    return lease


def plan_of(request_id: UUID) -> Plan:
    return Plan(
        request_id=request_id,
        targets=(PlannedTarget(0, "s1", "finance", "lunch was 12 euros"),),
        family="rules",
        model_version="m1",
        prompt_version="p1",
        decided_by="runtime",
        confidence=0.9,
        fallback=False,
        reason="routed",
    )


async def cancelled(served: Served, request_id: UUID) -> None:
    async with served.http() as ops:
        answer = await ops.post(f"/requests/{request_id}/cancel", json=WHY)
    assert answer.status_code == 200, answer.text


@pytest.mark.spec("SWB-38.1")
async def test_a_worker_that_routes_while_it_is_cancelled_commits_no_plan(served: Served):
    request_id = await a_waiting_request(served.pool)
    lease = await leased(served, request_id)
    await cancelled(served, request_id)
    with pytest.raises(LeaseLost):
        await DispatchStore(served.pool).commit_plan(lease, plan_of(request_id), quarantined=())
    assert await served.pool.fetchval("SELECT count(*) FROM subroute") == 0
    assert await served.pool.fetchval("SELECT lifecycle_state FROM message_inbox") == "cancelled"


@pytest.mark.spec("SWB-38.1")
async def test_a_branch_that_fails_while_it_is_cancelled_gets_no_further_attempt(served: Served):
    request_id = await a_waiting_request(served.pool)
    store = DispatchStore(served.pool)
    await store.commit_plan(await leased(served, request_id), plan_of(request_id), quarantined=())
    state = await store.load(request_id)
    assert isinstance(state, RequestState)
    await cancelled(served, request_id)
    soon = datetime.now(UTC) + timedelta(seconds=1)
    await store.add_attempt(request_id, state.subroutes[0], not_before=soon)
    rows = await served.pool.fetch("SELECT attempt, state FROM subroute")
    assert [tuple(row) for row in rows] == [(1, "skipped")]


@pytest.mark.spec("SWB-38.1")
async def test_the_thread_of_a_cancelled_request_goes_on_and_its_next_message_is_woken(served: Served):
    first, second = [await a_waiting_request(served.pool, number) for number in (1, 2)]
    held = await leased(served, first)
    queue = LeasedQueue(served.pool, "inbox_work")
    assert await queue.claim(second) is None, "it waits for the first one"
    await cancelled(served, first)
    assert served.woken == [first, second]
    assert await queue.claim(second) is not None
    with pytest.raises(LeaseLost):
        await queue.defer(held, 1.0)
    assert await queue.claim(first) is not None, "its end is told"


async def test_only_an_operator_ends_a_request(served: Served):
    request_id = await a_waiting_request(served.pool)
    async with served.http("dashboard", "page") as ops:
        refused = await ops.post(f"/requests/{request_id}/cancel", json=WHY)
    assert refused.status_code == 403
    assert await served.pool.fetchval("SELECT final_state_at FROM message_inbox") is None


@pytest.mark.spec("SWB-38.1")
async def test_an_end_that_does_not_know_of_a_reroute_is_not_written(served: Served):
    request_id = await a_waiting_request(served.pool)
    store = DispatchStore(served.pool)
    await store.commit_plan(await leased(served, request_id), plan_of(request_id), quarantined=())
    state = await store.load(request_id)
    assert isinstance(state, RequestState)
    await store.mark_ended(
        state.subroutes[0].subrequest_id, error=None, response={"status": "ok"}, duration_ms=1.0
    )
    seen = await store.load(request_id)
    assert isinstance(seen, RequestState)
    async with served.http() as ops:
        await ops.put("/butlers/health", json=HEALTH)
        body = {"butler": "finance", "to": "health", "reason": "meant otherwise"}
        answer = await ops.post(f"/requests/{request_id}/reroute", json=body)
    assert answer.status_code == 200, answer.text
    assert await store.conclude(request_id, conclude(seen)) is None
    rows = await served.pool.fetch("SELECT target, state FROM subroute ORDER BY attempt")
    assert [tuple(row) for row in rows] == [("finance", "ok"), ("health", "pending")]
