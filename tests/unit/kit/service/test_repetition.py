"""Upkeep that goes on through failures and ends when it is told to."""

from __future__ import annotations

import asyncio

import pytest

from butler_contracts.errors import TargetUnavailable
from butler_kit.service import repeat
from butler_kit.time import wait_until_set


async def test_work_that_fails_is_done_again_until_the_stop() -> None:
    stopping, turns = asyncio.Event(), 0

    async def work() -> None:
        nonlocal turns
        turns += 1
        if turns == 3:
            stopping.set()
        raise TargetUnavailable("database: away")

    async with asyncio.timeout(90):
        await repeat(work, every_s=3600, retry_s=0.0, stopping=stopping, what="upkeep")
    assert turns == 3


async def test_work_is_spread_over_the_replicas() -> None:
    stopping, turns = asyncio.Event(), 0

    async def work() -> None:
        nonlocal turns
        turns += 1
        if turns == 2:
            stopping.set()

    async with asyncio.timeout(90):
        await repeat(work, every_s=3600, spread=lambda: 0.0, stopping=stopping, what="upkeep")
    assert turns == 2


async def test_a_defect_is_not_taken_for_an_outage() -> None:
    async def work() -> None:
        raise KeyError("a defect")

    with pytest.raises(KeyError):
        await repeat(work, every_s=1, stopping=asyncio.Event(), what="upkeep")


async def test_a_pause_tells_whether_the_event_ended_it() -> None:
    event = asyncio.Event()
    assert not await wait_until_set(event, 0.0)
    event.set()
    assert await wait_until_set(event, 3600.0)
