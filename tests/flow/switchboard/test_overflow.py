"""A tier with all the messages that it may have: what becomes of the next one, and of the oldest (SWB-14.1, D79)."""

from __future__ import annotations

import asyncio
from uuid import UUID

import pytest

from butler_kit.mcp import ToolError
from butler_kit.runtime import SessionJob
from butler_switchboard.routing.prompt import ROUTE_TOOL
from butler_switchboard.wiring import Switchboard
from tests.flow.switchboard.test_dead_letters import operator
from tests.support.switchboard import mail, telegram
from tests.support.switchboard_service import Household, Running, until

BUFFER = """
[buffer]
worker_count = 1
scanner_interval_s = 0.2
scanner_grace_s = 0
overflow = "{}"
[buffer.tiers.default]
max_backlog = 4
"""


def held_until(released: asyncio.Event, switchboard: Switchboard) -> None:
    """Let every routing session wait for `released`, then choose `general`."""

    async def program(job: SessionJob) -> None:
        await released.wait()
        await job.tools.call(ROUTE_TOOL, {"butler": "general", "prompt": "hello", "confidence": 1.0})

    prepared = switchboard.rules.prepared
    switchboard.rules.prepared = lambda session_id, _: prepared(session_id, program)  # type: ignore[method-assign,assignment]


async def fill(running: Running, home: Household) -> list[UUID]:
    """One message in the only worker's hands, three that wait behind it."""
    requests = [await running.accepted(telegram(1, chat="1"))]

    async def in_hand() -> bool:
        return bool(await home.pool.fetchval("SELECT count(*) FROM inbox_work WHERE lease_id IS NOT NULL"))

    await until(in_hand, what="the worker has the first message")
    return requests + [await running.accepted(telegram(number, chat=str(number))) for number in (2, 3, 4)]


@pytest.mark.spec("SWB-14.1")
@pytest.mark.parametrize("policy", ["reject", "defer"])
async def test_the_configured_policy_decides_about_the_next_message_of_a_full_tier(
    home: Household, policy: str
):
    released = asyncio.Event()
    async with home.run(BUFFER.format(policy), prepare=lambda made: held_until(released, made)) as running:
        try:
            requests = await fill(running, home)
            late = telegram(9, chat="9")
            if policy == "defer":
                requests.append(await running.accepted(late))
            else:
                with pytest.raises(
                    ToolError, match="tier default has all the unfinished messages"
                ) as refused:
                    await running.ingest(late)
                assert refused.value.error is not None
                assert refused.value.error.error_class == "overload_rejected"
                assert refused.value.error.retry_after_s
            urgent = telegram(10, chat="10", control={"policy_tier": "interactive"})
            requests.append(await running.accepted(urgent))
        finally:
            released.set()
        for request in requests:
            assert (await home.settled(request))["lifecycle_state"] == "parsed"
    assert await home.pool.fetchval("SELECT count(*) FROM message_inbox") == len(requests)


@pytest.mark.spec("SWB-14.1")
async def test_the_oldest_that_is_let_go_ends_as_overload_with_a_dead_letter_and_one_who_waits_is_told(
    home: Household,
):
    released = asyncio.Event()
    async with home.run(BUFFER.format("shed"), prepare=lambda made: held_until(released, made)) as running:
        try:
            first, oldest, *others = await fill(running, home)
            others.append(await running.accepted(telegram(9, chat="9")))

            async def gone() -> bool:
                lane = await home.pool.fetchval("SELECT lane FROM inbox_work WHERE item_id = $1", oldest)
                return bool(lane == "shed")

            await until(gone, what="the oldest message being let go")
        finally:
            released.set()
        for request in (first, *others):
            assert (await home.settled(request))["lifecycle_state"] == "parsed"
        row = await home.settled(oldest)
        assert (row["lifecycle_state"], row["error_class"]) == ("errored", "overload_rejected")
        letters = await home.pool.fetch("SELECT request_id, error_class FROM dead_letter")
        assert [tuple(letter) for letter in letters] == [(oldest, "overload_rejected")]
        [reply] = home.messenger.replies()
        assert str(oldest) in str(reply.delivery.message)
        assert "Please send it again later. (overload_rejected)" in str(reply.delivery.message)
        async with operator(running) as ops:
            replayed = await ops.post(f"/requests/{oldest}/replay", json={"reason": "there is room again"})
        assert replayed.status_code == 200, replayed.text
        assert (await home.settled(oldest))["lifecycle_state"] == "parsed"
        outcome = await home.pool.fetchval("SELECT outcome FROM dead_letter")
    assert outcome == "parsed"


async def test_a_flood_of_mail_that_is_let_go_is_not_answered_by_another_one(home: Household):
    released = asyncio.Event()
    token = home.keys.connector("imap", "imap:home@example.org")
    async with home.run(BUFFER.format("shed"), prepare=lambda made: held_until(released, made)) as running:
        try:
            for number in range(8):
                await running.call(
                    token, "ingestion.ingest", {"envelope": mail(f"<{number}@example.org>").to_wire()}
                )
        finally:
            released.set()
        await home.idle()
    letters = await home.pool.fetchval("SELECT count(*) FROM dead_letter")
    assert letters >= 1
    assert home.messenger.replies() == []
