"""A real specialist beside a real Switchboard, both in the test's own loop."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from butler_switchboard.registry.records import Declaration
from tests.integration.specialist.household import Client, Place
from tests.support.switchboard_service import Running, until

__all__ = ["registered_tools", "serving"]


@asynccontextmanager
async def serving(place: Place, running: Running) -> AsyncIterator[Client]:
    """The specialist, declared and registered with what it serves."""
    place.switchboard.url = f"{running.url}/mcp"
    async with place.specialist() as client:
        butlers = running.switchboard.parts.butlers
        declared = Declaration(role="specialist", endpoint_url=f"{client.base}/mcp")
        await butlers.declare(place.name, declared, actor="test")

        async def registered() -> bool:
            return await registered_tools(running, place.name) != set()

        await until(registered, what="the specialist being registered")
        await running.switchboard.parts.registry.refresh()
        yield client


async def registered_tools(running: Running, name: str) -> set[str]:
    """What the butler said that it serves."""
    pool = running.household.pool
    return set(await pool.fetchval("SELECT tools FROM butler_registry WHERE name = $1", name) or ())
