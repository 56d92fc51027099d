"""What routing and dispatch see of the registry: fresh, judged at the moment of the question."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from butler_kit.db import Pool
from butler_kit.time import ManualClock, SystemClock
from butler_switchboard.registry.eligibility import Hold
from butler_switchboard.registry.view import Registry
from butler_switchboard.routing.prompt import system_text
from tests.integration.switchboard.registry.household import Household, declaration, registration
from tests.support.database import Database
from tests.support.switchboard import butler


def offered(household: Household) -> str:
    """The registry's part of the routing prompt."""
    return system_text(household.registry.view()).rpartition("Butlers:")[2]


@pytest.mark.spec("SWB-09.1")
async def test_the_routing_prompt_is_made_of_the_registry_as_it_is_now(household: Household):
    await household.introduce(
        "finance", description="Money.", triggers=("receipts",), capabilities=("expenses",)
    )
    await household.registry.refresh()
    before = offered(household)
    assert all(word in before for word in ("finance", "Money.", "receipts", "expenses"))
    assert "gardening" not in before
    said = registration(
        description="Plants.",
        triggers=("watering",),
        capabilities=("calendar",),
        required_information=("which plant",),
    )
    await household.butlers.declare("gardening", declaration("gardening"), actor="operator")
    await household.butlers.register(butler("gardening"), said)
    await household.registry.refresh()
    after = offered(household)
    assert all(word in after for word in ("gardening", "Plants.", "watering", "calendar", "which plant"))


@pytest.mark.spec("SWB-10.4")
async def test_a_butler_in_quarantine_or_silent_is_not_offered_to_new_routes(
    household: Household, database: Database
):
    await household.introduce("finance")
    await household.introduce("health")
    assert await household.eligible("finance")
    await household.butlers.quarantine("finance", Hold("wrong answers"), actor="ada")
    assert not await household.eligible("finance")
    assert "finance" not in offered(household)
    await database.shift_clock(timedelta(seconds=100))
    assert not await household.eligible("health"), "stale, though nobody has recorded it yet"
    await household.butlers.sweep()
    assert await household.log("health") == [
        ("stale", "active", "alive", "butler:health"),
        ("active", "stale", "heartbeat_missed", "eligibility-sweep"),
    ]


async def test_switchboard_and_messenger_are_never_targets_of_routing(household: Household):
    await household.introduce("messenger", role="messenger")
    await household.introduce("finance")
    await household.registry.refresh()
    assert household.registry.view().names == ("finance",)
    assert household.registry.endpoint("messenger") == "http://127.0.0.1:1/messenger/mcp"


@pytest.mark.spec("SWB-35.1")
async def test_a_butler_is_capable_of_what_it_registered_with(household: Household):
    await household.introduce("finance", "receipts_search")
    await household.butlers.declare("health", declaration("health"), actor="operator")
    await household.registry.refresh()
    assert household.registry.capable("finance", "route.execute")
    assert not household.registry.capable("finance", "calendar_add")
    assert not household.registry.capable("health", "route.execute"), "it has not said yet what it can do"
    assert not household.registry.capable("nobody", "route.execute")
    expected = [name for name in ("finance", "health", "nobody") if household.registry.expected(name)]
    assert expected == ["health"]
    assert household.registry.endpoint("nobody") is None


async def test_between_two_reads_the_ttl_goes_on_by_the_monotonic_clock(household: Household):
    await household.introduce("finance")
    clock = ManualClock(SystemClock().now())
    registry = Registry(household.store, clock)
    await registry.refresh()
    clock.advance(80)
    assert registry.view().eligible("finance")
    clock.step(3_600)
    assert registry.view().eligible("finance"), "a correction of the wall clock is no silence"
    clock.advance(15)
    assert not registry.view().eligible("finance")


def lost(registry: Registry) -> set[str]:
    return {name for name, presence in registry.presence().items() if presence.lost}


async def test_a_butler_is_lost_after_two_ttls_of_silence_that_this_process_could_have_heard(
    household: Household, database: Database
):
    await household.introduce("finance")
    await database.shift_clock(timedelta(seconds=600))
    clock = ManualClock(SystemClock().now())
    registry = Registry(household.store, clock)
    await registry.refresh()
    assert lost(registry) == set(), "this process has only just begun to listen"
    clock.advance(179)
    assert lost(registry) == set()
    clock.advance(2)
    assert lost(registry) == {"finance"}
    await household.butlers.heartbeat(butler("finance"))
    await registry.refresh()
    assert lost(registry) == set()


async def test_a_change_is_seen_at_once_by_the_process_that_made_it(household: Household):
    stopping = asyncio.Event()
    slow = household.registry
    slow._refresh_s = 3_600.0
    loop = asyncio.create_task(slow.run(stopping))
    try:
        await household.introduce("finance")
        async with asyncio.timeout(90):
            while not slow.view().eligible("finance"):
                await asyncio.sleep(0.01)
    finally:
        loop.cancel()


async def test_an_outage_leaves_the_last_snapshot(household: Household, pool: Pool):
    await household.introduce("finance")
    await household.registry.refresh()
    await pool.close()
    stopping = asyncio.Event()
    loop = asyncio.create_task(household.registry.run(stopping))
    await asyncio.sleep(0.05)
    assert household.registry.view().eligible("finance")
    assert not loop.done()
    loop.cancel()
