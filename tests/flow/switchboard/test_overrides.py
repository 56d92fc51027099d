"""An operator ends a request that moves, once, whoever else is at it (SWB-38, CON-4.1, D70, ADR 0075)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from butler_contracts.notify import NotifyDelivery, NotifyRequestV1
from butler_kit.mcp import ToolError
from tests.support.butlers import accepts, accepts_then_answers
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household, Running, until

BILL = "I paid the gas bill of 40 euro"
WHY = {"reason": "written twice"}
LEVELS = (
    "fanout_completion_latency_ms_count",
    "interactive_terminal_latency_ms_count",
    "subroute_result_total",
)


@asynccontextmanager
async def operator(running: Running, subject: str = "ada") -> AsyncIterator[httpx.AsyncClient]:
    token = running.household.keys.sign(subject, "operator", receiver="switchboard")
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=f"{running.url}/ops/v1", headers=headers, timeout=60) as client:
        yield client


async def under_way(home: Household, running: Running, number: int = 1) -> UUID:
    """A request whose butler has taken it and says nothing more."""
    home.butler("finance").behaviour = accepts()
    request_id = await running.accepted(telegram(number, BILL))

    async def taken() -> bool:
        return [row["state"] for row in await home.subroutes(request_id)] == ["accepted"]

    await until(taken, what="a branch that is accepted")
    return request_id


async def audited(home: Household) -> list[tuple[Any, ...]]:
    rows = await home.pool.fetch(
        "SELECT actor, operation, reason, result FROM dashboard_audit_log"
        " WHERE operation LIKE 'request.%' ORDER BY audit_id"
    )
    return [tuple(row) for row in rows]


@pytest.mark.spec("SWB-38.1")
async def test_a_cancelled_request_is_over_by_name_and_its_butler_is_told(home: Household):
    async with home.run() as running, operator(running) as ops:
        request_id = await under_way(home, running)
        answer = (await ops.post(f"/requests/{request_id}/cancel", json=WHY)).json()
        row = await home.settled(request_id)
        view = (await ops.get(f"/requests/{request_id}")).json()
        listed = (await ops.get("/requests", params={"state": "cancelled"})).json()["requests"]
    [branch] = await home.subroutes(request_id)
    assert (answer["state"], answer["stopped"][0]["target"], answer["stopped"][0]["was"]) == (
        "cancelled",
        "finance",
        "accepted",
    )
    assert (row["lifecycle_state"], row["error_class"]) == ("cancelled", None)
    assert view["ended_by_operator"] == {
        "action": "request.cancel",
        "by": "ada",
        "reason": "written twice",
        "operation_uid": answer["operation_uid"],
    }
    assert view["dispatch_outcomes"][0]["status"] == "skipped"
    assert (branch["state"], branch["error_message"]) == ("skipped", "cancelled by ada: written twice")
    assert home.butler("finance").recalled == [branch["subrequest_id"]]
    assert [one["request_id"] for one in listed] == [str(request_id)]
    assert await audited(home) == [("ada", "request.cancel", "written twice", "ok")]
    assert home.messenger.withdrawn == [request_id]
    [told] = home.messenger.replies()
    assert "operator stopped this" in str(told.delivery.message)
    assert home.messenger.reactions(request_id)[-1] == "👾"


@pytest.mark.spec("SWB-38.1")
async def test_a_force_completed_request_keeps_the_annotation_and_alarms_nobody(home: Household):
    async with home.run() as running, operator(running) as ops:
        request_id = await under_way(home, running)
        answer = (await ops.post(f"/requests/{request_id}/complete", json={"reason": "paid by hand"})).json()
        row = await home.settled(request_id)
        page = await running.metrics()
    assert (answer["state"], row["lifecycle_state"]) == ("force_completed", "force_completed")
    assert 'lifecycle_transition_total{state="force_completed"} 1.0' in page
    assert all(f"{level}{{" not in page for level in LEVELS), "neither good nor bad"
    assert (row["ended_by_operator"]["by"], row["ended_by_operator"]["reason"]) == ("ada", "paid by hand")
    assert len(home.butler("finance").recalled) == 1
    assert (home.messenger.replies(), home.messenger.withdrawn) == ([], [])
    assert home.messenger.reactions(request_id)[-1] == "✅"


@pytest.mark.spec("SWB-38.1")
async def test_a_cancel_names_what_was_called_outside_before(home: Household):
    home.butler("finance").called = [
        {"server": "home", "tool": "lamp_on", "state": "returned"},
        {"server": "home", "tool": "door_open", "state": "begun"},
    ]
    async with home.run() as running, operator(running) as ops:
        request_id = await under_way(home, running)
        await ops.post(f"/requests/{request_id}/cancel", json=WHY)
        await home.settled(request_id)
        view = (await ops.get(f"/requests/{request_id}")).json()
    [part] = view["subroutes"]
    assert part["error_message"] == (
        "cancelled by ada: written twice; called outside before: home lamp_on, home door_open (no answer seen)"
    )


@pytest.mark.spec("SWB-38.1")
async def test_after_a_cancel_the_butlers_answer_and_its_words_are_refused(home: Household):
    async with home.run() as running, operator(running) as ops:
        request_id = await under_way(home, running)
        await ops.post(f"/requests/{request_id}/cancel", json=WHY)
        await home.settled(request_id)
        finance = home.butler("finance")
        [envelope] = finance.got
        told = NotifyRequestV1(
            origin_butler="finance",
            delivery=NotifyDelivery(intent="reply", channel="telegram", message="noted"),
            request_context=envelope.request_context,
        )
        begun = await finance.started(envelope)
        with pytest.raises(ToolError, match="was cancelled by an operator"):
            await finance.tell("notify", notify_request=told.to_wire())
        status = await finance.complete(envelope, result={"reply": "noted"})
    row = await home.row(request_id)
    assert (begun["status"], status, row["lifecycle_state"]) == ("ended", "late", "cancelled")
    assert len(home.messenger.replies()) == 1, "Switchboard's own word and no other"


@pytest.mark.spec("SWB-38.1")
async def test_two_operators_at_once_over_two_replicas_end_it_once(home: Household):
    async with home.run() as one, home.run() as other, operator(one) as left, operator(other, "ben") as right:
        request_id = await under_way(home, one)
        path = f"/requests/{request_id}"
        answered = await asyncio.gather(
            *(left.post(f"{path}/cancel", json=WHY) for _ in range(3)),
            *(right.post(f"{path}/complete", json=WHY) for _ in range(3)),
        )
        row = await home.settled(request_id)
    won = [answer.json() for answer in answered if answer.status_code == 200]
    lost = [answer for answer in answered if answer.status_code != 200]
    assert [one["state"] for one in won] == [row["lifecycle_state"]]
    assert {answer.status_code for answer in lost} == {409}
    assert all(
        f"has ended already: {row['lifecycle_state']}" in answer.json()["error"]["message"] for answer in lost
    )
    assert sorted(result for *_, result in await audited(home)) == ["ok", *["refused"] * 5]
    assert len(home.butler("finance").recalled) == 1


@pytest.mark.spec("SWB-38.1")
async def test_the_same_order_again_has_the_same_answer_and_ends_nothing_twice(home: Household):
    key = {"Idempotency-Key": str(uuid4())}
    async with home.run() as running, operator(running) as ops:
        request_id = await under_way(home, running)
        path = f"/requests/{request_id}/cancel"
        first, second = await asyncio.gather(
            ops.post(path, json=WHY, headers=key), ops.post(path, json=WHY, headers=key)
        )
        await home.settled(request_id)
        third = await ops.post(path, json=WHY, headers=key)
    documents = [answer.json() for answer in (first, second, third)]
    assert sorted(document.pop("repeated") for document in documents) == [False, True, True]
    assert documents[0] == documents[1] == documents[2]
    assert len(await audited(home)) == 1


@pytest.mark.spec("SWB-38.1")
async def test_a_cancel_against_a_completing_butler_has_one_winner(home: Household):
    """Ten requests, each answered and cancelled at once: its row says which was first, and all else agrees."""
    home.butler("finance").behaviour = accepts()
    async with home.run() as running, operator(running) as ops:
        finance = home.butler("finance")
        texts = [telegram(number, BILL, chat=str(number)) for number in range(1, 11)]
        requests = [await running.accepted(text) for text in texts]
        envelopes = {one.request_context.request_id: one for one in await finance.received(10)}
        orders = (ops.post(f"/requests/{one}/cancel", json=WHY) for one in requests)
        ends = (finance.complete(envelopes[one], result={"reply": "noted"}) for one in requests)
        given, _ = await asyncio.gather(asyncio.gather(*orders), asyncio.gather(*ends))
        rows = [await home.settled(one) for one in requests]
    for answer, row in zip(given, rows, strict=True):
        ended = "cancelled" if answer.status_code == 200 else "parsed"
        assert row["lifecycle_state"] == ended, answer.text
        assert (row["ended_by_operator"] is not None) == (ended == "cancelled")
        states = [branch["state"] for branch in await home.subroutes(row["request_id"])]
        assert states in (["ok"], ["skipped"])
        assert ended == "cancelled" or states == ["ok"]
    assert await home.pool.fetchval("SELECT count(*) FROM dead_letter") == 0


async def test_a_request_nobody_can_read_is_cancelled_all_the_same(home: Household):
    async with home.run() as running, operator(running) as ops:
        request_id = await under_way(home, running)
        await home.pool.execute(
            "UPDATE message_inbox SET request_context = '{}' WHERE request_id = $1", request_id
        )
        answer = await ops.post(f"/requests/{request_id}/cancel", json=WHY)
        row = await home.row(request_id)
    assert (answer.status_code, row["lifecycle_state"]) == (200, "cancelled")


async def test_what_has_ended_or_never_was_is_not_ended(home: Household):
    home.butler("finance").behaviour = accepts_then_answers()
    async with home.run() as running, operator(running) as ops:
        done = await home.settled(await running.accepted(telegram(1, BILL)))
        over = await ops.post(f"/requests/{done['request_id']}/cancel", json=WHY)
        unknown = await ops.post(f"/requests/{uuid4()}/complete", json=WHY)
        verb = await ops.post(f"/requests/{done['request_id']}/forget", json=WHY)
    assert (over.status_code, unknown.status_code, verb.status_code) == (409, 404, 400)
    assert "has ended already: parsed" in over.json()["error"]["message"]
