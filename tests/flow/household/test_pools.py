"""What each process of a household has open at the database while it has much to do, as the server counts it."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from tests.flow.household.load import Load
from tests.support.household import Place, RunningPlace

BUTLERS = ("switchboard", "messenger", "general", "relationship", "health", "finance", "travel")
AUDIT = "switchboard-audit"
DEADLINE_S = 240.0


async def connected(running: RunningPlace) -> Counter[str]:
    rows = await running.rows(
        "SELECT application_name, count(*) AS many FROM pg_stat_activity GROUP BY application_name"
    )
    return Counter({row["application_name"]: row["many"] for row in rows})


@pytest.mark.spec("CON-2.9")
async def test_no_butler_of_a_busy_household_has_more_than_ten_connections_or_less_than_two(
    fresh_place: Place,
) -> None:
    async with fresh_place.up() as running:
        await running.back({})
        load = Load(running, number=1)
        ended = asyncio.create_task(_ended(load))
        most, least = Counter[str](), await connected(running)
        async with asyncio.timeout(DEADLINE_S):
            while not ended.done():
                now = await connected(running)
                most |= now
                least &= now
                await asyncio.sleep(0.1)
        await ended
    assert {name: most[name] for name in BUTLERS if most[name] > 10} == {}
    assert {name: least[name] for name in BUTLERS if least[name] < 2} == {}
    assert 1 <= least[AUDIT] <= most[AUDIT] <= 2


async def _ended(load: Load) -> None:
    """Every message has come to its end, and is answered once and kept once."""
    await load.send()
    await load.check(await load.settled())
