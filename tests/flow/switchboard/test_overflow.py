"""Every queue full at once: what the configured policy does with the next message (SWB-14.1, D5)."""

from __future__ import annotations

import asyncio
from uuid import UUID

import pytest

from butler_kit.mcp import ToolError
from butler_kit.runtime import SessionJob
from butler_switchboard.routing.prompt import ROUTE_TOOL
from butler_switchboard.wiring import Switchboard
from tests.support.switchboard import BOT, telegram
from tests.support.switchboard_service import Household, Running, until

TIERS = ("high_priority", "interactive", "default")
BUFFER = """
[buffer]
queue_capacity = 1
worker_count = 1
scanner_interval_s = 0.2
scanner_grace_s = 0
overflow = "{}"
"""


def held_until(released: asyncio.Event, switchboard: Switchboard) -> None:
    """Let every routing session wait for `released`, then choose `general`."""

    async def program(job: SessionJob) -> None:
        await released.wait()
        await job.tools.call(ROUTE_TOOL, {"butler": "general", "prompt": "hello", "confidence": 1.0})

    def prepare(session_id: UUID, *_: object) -> None:
        switchboard.rules._programs[session_id] = program

    switchboard.rules.prepare = prepare  # type: ignore[method-assign, assignment]


async def fill(running: Running, home: Household) -> list[UUID]:
    """One message in the only worker's hands and one in each tier."""
    token = home.keys.connector("telegram_bot", BOT, max_tier="high_priority")
    requests: list[UUID] = [await running.accepted(telegram(1, chat="1"))]

    async def in_hand() -> bool:
        return bool(await home.pool.fetchval("SELECT count(*) FROM inbox_work WHERE lease_id IS NOT NULL"))

    await until(in_hand, what="the worker has the first message")
    for number, tier in enumerate(TIERS, start=2):
        envelope = telegram(number, chat=str(number), control={"policy_tier": tier})
        answer = await running.call(token, "ingestion.ingest", {"envelope": envelope.to_wire()})
        requests.append(UUID(answer["request_id"]))
    return requests


@pytest.mark.spec("SWB-14.1")
@pytest.mark.parametrize("policy", ["reject", "shed", "defer"])
async def test_the_configured_policy_decides_once_the_last_tier_is_full(home: Household, policy: str):
    released = asyncio.Event()
    async with home.run(BUFFER.format(policy), prepare=lambda made: held_until(released, made)) as running:
        try:
            requests = await fill(running, home)
            with pytest.raises(ToolError, match="every queue is full"):
                await running.ingest(telegram(8, chat="8", control={"policy_tier": "interactive"}))
            late = telegram(9, chat="9", control={"policy_tier": "default"})
            if policy == "defer":
                requests.append(await running.accepted(late))
            else:
                with pytest.raises(ToolError, match="every queue is full"):
                    await running.ingest(late)
        finally:
            released.set()
        for request in requests:
            assert (await home.settled(request))["lifecycle_state"] == "parsed"
    assert await home.pool.fetchval("SELECT count(*) FROM message_inbox") == len(requests)
