"""Two Switchboards on one database, one of them standing still: plans, branches and ends stay what they are (D12)."""

from __future__ import annotations

import asyncio
import signal
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from butler_contracts.errors import ErrorClass, ErrorDetail
from butler_contracts.route import RouteEnvelopeV1
from butler_switchboard.dispatch.model import SubrouteState
from butler_switchboard.dispatch.store import DispatchStore
from tests.faults.ledger import LEDGER
from tests.flow.switchboard.test_processes import check_nothing_lost_or_doubled, declare, process, ready
from tests.support.butlers import FakeButler, accepts, accepts_then_answers
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household, until

BILL = "I paid the gas bill of 40 euro"
SILENCE = ErrorDetail(error_class=ErrorClass.TIMEOUT, message="finance did not answer", retryable=False)


@pytest.mark.faults_full
async def test_a_switchboard_that_stood_still_in_a_dispatch_changes_nothing_afterwards(
    home: Household, tmp_path: Path
) -> None:
    called, go_on, normal = asyncio.Event(), asyncio.Event(), accepts_then_answers()

    async def held_once(butler: FakeButler, envelope: RouteEnvelopeV1) -> dict[str, Any]:
        if not called.is_set():
            called.set()
            await go_on.wait()
        return await normal(butler, envelope)

    for butler in home.butlers.values():
        butler.behaviour = held_once
    async with process(home, tmp_path) as stalled, process(home, tmp_path) as rescuer:
        await declare(home, rescuer, stalled)
        first = await stalled.ingest(1, BILL, "1")
        await asyncio.wait_for(called.wait(), 60)
        stalled.child.send_signal(signal.SIGSTOP)
        LEDGER.outages += 1
        await home.pool.execute("UPDATE inbox_work SET lease_until = clock_now()")
        accepted: dict[int, UUID] = {1: first}
        accepted |= {n: await rescuer.ingest(n, BILL, "1") for n in range(2, 6)}
        await home.idle(deadline_s=120)
        before = await everything(home)
        go_on.set()
        stalled.child.send_signal(signal.SIGCONT)
        await until(lambda: ready(stalled), what="the stalled Switchboard going on", deadline_s=90)
        accepted[6] = await stalled.ingest(6, BILL, "1")
        await check_nothing_lost_or_doubled(home, accepted)
        assert {key: row for key, row in (await everything(home)).items() if key in before} == before
    LEDGER.messages += len(accepted)


async def everything(home: Household) -> dict[tuple[str, UUID], str]:
    """Plans, branches and ends, by id."""
    found: dict[tuple[str, UUID], str] = {}
    for table, key in (("route_plan", "request_id"), ("subroute", "subrequest_id")):
        for row in await home.pool.fetch(f"SELECT {key} AS id, to_json({table})::text AS body FROM {table}"):
            found[table, row["id"]] = row["body"]
    for row in await home.pool.fetch("SELECT request_id, final_state_at FROM message_inbox"):
        found["end", row["request_id"]] = str(row["final_state_at"])
    return found


@pytest.mark.parametrize("meanwhile", ["started", "answered"])
async def test_a_branch_is_given_up_only_as_it_was_seen(home: Household, meanwhile: str) -> None:
    """A stale worker saw silence; its target has begun, or even ended, since."""
    home.butler("finance").behaviour = accepts()
    async with home.run() as running:
        request = await running.accepted(telegram(1, BILL))
        [sent] = await home.butler("finance").received()
        store = DispatchStore(home.pool)

        async def accepted() -> bool:
            state = await store.load(request)
            return state is not None and any(s.state is SubrouteState.ACCEPTED for s in state.subroutes)

        await until(accepted, what="an accepted branch")
        state = await store.load(request)
        assert state is not None
        [seen] = state.subroutes
        if meanwhile == "started":
            await home.butler("finance").started(sent)
        else:
            assert await home.butler("finance").complete(sent, result={"reply": "noted"}) == "recorded"
        assert await store.mark_given_up(seen, SILENCE) is None
        if meanwhile == "started":
            assert await home.butler("finance").complete(sent, result={"reply": "noted"}) == "recorded"
        row = await home.settled(request)
    assert row["lifecycle_state"] == "parsed"


async def test_a_refused_try_does_not_end_a_branch_that_another_try_got_accepted(home: Household) -> None:
    home.butler("finance").behaviour = accepts()
    async with home.run() as running:
        request = await running.accepted(telegram(1, BILL))
        [sent] = await home.butler("finance").received()
        store = DispatchStore(home.pool)
        state = await store.load(request)
        assert state is not None
        [branch] = state.subroutes
        before = type(branch)(
            branch.subrequest_id, branch.segment_id, branch.target, 1, branch.position, SubrouteState.PENDING
        )
        await store.mark_accepted(
            state,
            before,
            at=datetime.now(UTC),
            deadline=datetime.now(UTC) + timedelta(minutes=10),
            duration_ms=1.0,
        )
        assert await store.mark_given_up(before, SILENCE) is None
        assert await home.butler("finance").complete(sent, result={"reply": "noted"}) == "recorded"
        assert (await home.settled(request))["lifecycle_state"] == "parsed"
