"""What a cancelled request wanted to tell: withdrawn unless a provider may have seen it (SWB-38, D70, ADR 0075)."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

import pytest

from butler_kit.mcp import ToolError
from tests.integration.messenger.household import Client, Place, notify, request_context
from tests.support.telegram_api import Fault

GATED: dict[str, Any] = {"modules": {"approvals": {"gatedTools": ["telegram_reply_to_message"]}}}


def answer(context: dict[str, Any], text: str) -> dict[str, Any]:
    return notify(text, intent="reply", context=context, idempotency_key=text)


async def withdrawn(place: Place, messenger: Client, context: dict[str, Any]) -> list[str]:
    token = place.keys.switchboard(origin="switchboard")
    said = await messenger.tool(
        "messenger_request_withdraw", {"request_id": context["request_id"]}, token=token
    )
    return list(said["withdrawn"])


async def delivery(place: Place, text: str, status: str) -> str:
    """The id of the delivery of a text, once it has this status."""
    async with asyncio.timeout(90):
        while True:
            rows = await place.rows(
                "SELECT delivery_id, status FROM delivery_requests WHERE notify_request #>> '{delivery,message}' = $1",
                text,
            )
            if rows and rows[0]["status"] == status:
                return str(rows[0]["delivery_id"])
            await asyncio.sleep(0.02)


@pytest.mark.spec("SWB-38.1")
async def test_what_waits_behind_another_is_withdrawn_and_what_is_at_its_provider_is_not(
    place: Place,
) -> None:
    place.telegram.script(Fault("sendMessage", "hang", count=1))
    context = request_context()
    async with place.messenger() as messenger:
        calls = [asyncio.create_task(messenger.notify(answer(context, "first")))]
        first = await delivery(place, "first", "in_progress")
        calls.append(asyncio.create_task(messenger.notify(answer(context, "second"))))
        second = await delivery(place, "second", "pending")
        assert await withdrawn(place, messenger, context) == [second]
        assert await withdrawn(place, messenger, context) == []
        row = await place.row(second)
        queued = await place.rows("SELECT item_id FROM delivery_work")
        assert (await place.row(first))["status"] == "in_progress"
        await asyncio.gather(*calls)
    assert row["status"] == "failed"
    assert "an operator cancelled the request" in row["error_message"]
    assert [str(one["item_id"]) for one in queued] == [first]
    assert "second" not in [sent["text"] for sent in place.telegram.sent]


SEEN = {
    "marker": "INSERT INTO delivery_marker (delivery_id, part, attempt, marked_at) VALUES ($1, 0, 1, now())"
    " RETURNING part",
    "receipt": "INSERT INTO delivery_receipts (delivery_id, part, provider_delivery_id, evidence, received_at)"
    " VALUES ($1, 0, 'm1', 'response', now()) RETURNING part",
}


@pytest.mark.spec("SWB-38.1")
async def test_what_a_provider_may_have_of_what_waits_again_is_not_withdrawn(place: Place) -> None:
    place.telegram.script(Fault("sendMessage", "hang", count=1))
    context = request_context()
    async with place.messenger() as messenger:
        calls = [asyncio.create_task(messenger.notify(answer(context, "first")))]
        await delivery(place, "first", "in_progress")
        calls.append(asyncio.create_task(messenger.notify(answer(context, "second"))))
        second = await delivery(place, "second", "pending")
        for table, noted in SEEN.items():
            await place.rows(noted, UUID(second))
            assert await withdrawn(place, messenger, context) == [], table
            name = "delivery_marker" if table == "marker" else "delivery_receipts"
            await place.rows(f"DELETE FROM {name} WHERE delivery_id = $1 RETURNING part", UUID(second))
        assert (await place.row(second))["status"] == "pending"
        assert await withdrawn(place, messenger, context) == [second]
        await asyncio.gather(*calls)


async def test_what_waits_for_an_approval_needs_none_any_more_and_others_wait_on(place: Place) -> None:
    ours, others = request_context(), request_context()
    async with place.messenger(spec=GATED) as messenger:
        await messenger.notify(answer(ours, "ours"))
        await messenger.notify(answer(others, "others"))
        held = await delivery(place, "ours", "pending_approval")
        assert await withdrawn(place, messenger, ours) == [held]
        late = await messenger.post(
            f"/ops/v1/approvals/{held}/approve", {"reason": "it is right", "requested_by": "ana"}
        )
        await delivery(place, "others", "pending_approval")
        with pytest.raises(ToolError):
            await messenger.tool("messenger_request_withdraw", {"request_id": ours["request_id"]})
    assert late.status_code == 409
    assert (await place.row(held))["status"] == "failed"
    [lapsed] = await place.rows("SELECT decided_at FROM delivery_approval WHERE delivery_id = $1", UUID(held))
    over = f"its time was over at {lapsed['decided_at']:%Y-%m-%d %H:%M} UTC"
    assert over in late.json()["error"]["message"]
