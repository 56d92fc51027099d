"""A dashboard with a Switchboard behind it, and an operator who signs in."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import asyncpg
import httpx

from butler_kit.db import SchemaPlan
from butler_messenger.sql import MIGRATIONS as MESSENGER
from tests.support.butlers import FakeMessenger
from tests.support.dashboard import DASHBOARD_PLAN, DashboardServed, dashboard_served
from tests.support.database import Provision
from tests.support.keys import HouseholdKeys
from tests.support.switchboard import SHARED_PLAN, SWITCHBOARD_PLAN, with_household
from tests.support.switchboard_service import Household, Running

__all__ = ["PAGE", "Desk", "desk_of", "hidden"]

PAGE = {"accept": "text/html"}
OTHER_PLAN = SchemaPlan("messenger", "butler_messenger", "password-of-messenger", MESSENGER)


@dataclass(frozen=True)
class Desk:
    """A dashboard and the Switchboard behind it."""

    home: Household
    served: DashboardServed
    admin: asyncpg.Connection
    """Whoever may write, to arrange what is shown."""
    running: Running

    async def signed_in(self, http: httpx.AsyncClient, role: str, receiver: str) -> None:
        token = self.served.keys.sign("ada", role, receiver=receiver)
        answer = await http.post("/login", data={"token": token, "next": "/backfills"})
        assert answer.status_code == 303, answer.text

    async def operator(self, http: httpx.AsyncClient) -> None:
        await self.signed_in(http, "operator", "switchboard")

    async def audited(self, operation: str) -> list[tuple[str, str]]:
        """Who did what, of the operations like this one."""
        rows = await self.home.pool.fetch(
            "SELECT actor, operation FROM dashboard_audit_log WHERE operation LIKE $1 ORDER BY audit_id",
            operation,
        )
        return [(row["actor"], row["operation"]) for row in rows]


@asynccontextmanager
async def desk_of(provisioned: Provision, folder: Any, *more: SchemaPlan) -> AsyncIterator[Desk]:
    plans = (SWITCHBOARD_PLAN, SHARED_PLAN, OTHER_PLAN, *more)
    database = await provisioned(*plans, readers=(DASHBOARD_PLAN,), lived=with_household)
    keys = HouseholdKeys(folder / "keys")
    messenger = FakeMessenger(keys)
    await messenger.start()
    admin = await database.admin()
    await admin.execute("SET search_path = switchboard, messenger")
    home = Household(database, keys, await database.pool("switchboard"), messenger)
    try:
        async with home.run() as running:
            url = f"{running.url}/mcp"
            async with dashboard_served(database, folder, keys=keys, switchboard_mcp_url=url) as served:
                yield Desk(home, served, admin, running)
    finally:
        await admin.close()
        await messenger.aclose()


def hidden(page: str, name: str) -> str:
    """A field of the first form of a page."""
    found = re.search(f'name="{name}" value="([^"]+)"', page)
    assert found is not None, f"no field {name}"
    return found.group(1)
