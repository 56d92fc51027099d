"""Which tools butlers really serve, listed at their endpoints, and what Switchboard does about channel tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import butler_specialist.app
from butler_contracts.day import DAY_TOOL
from butler_contracts.errors import ValidationFailed
from butler_contracts.record_orders import RECORD_TOOLS
from butler_kit.auth import Caller, Role
from butler_kit.mcp.authenticated import authenticated_server
from butler_kit.mcp.server import ToolServer
from butler_switchboard.registry.ownership import channel_tools
from tests.integration.specialist.household import Client, CountingSwitchboard, Place, plan_for
from tests.support.beside_switchboard import registered_tools, serving
from tests.support.database import Provision
from tests.support.running import listed_tools
from tests.support.switchboard import BOT
from tests.support.switchboard_service import Household

SENDING = "telegram_send_message"
SERVED = {"route.cancel", "route.execute", DAY_TOOL, *RECORD_TOOLS}


@pytest.fixture
async def travel(provisioned: Provision, tmp_path: Path, home: Household) -> Place:
    """A real specialist beside the household's other butlers."""
    database = await provisioned(plan_for("travel"))
    pool = await database.pool("travel")
    return Place(tmp_path, "travel", database, pool, home.keys, CountingSwitchboard())


async def offered(home: Household, client: Client) -> set[str]:
    """What `tools/list` shows to anybody, whatever the role."""
    keys = home.keys
    tokens = (
        keys.as_switchboard("travel"),
        keys.butler("finance", receiver="travel"),
        keys.connector("telegram_bot", BOT, receiver="travel"),
        keys.operator(receiver="travel"),
        keys.sign("dashboard", "dashboard", receiver="travel"),
    )
    assert len(tokens) == len(Role)
    return set().union(*[await listed_tools(client.base, token) for token in tokens])


@pytest.mark.spec("SWB-40.1")
async def test_a_specialist_serves_no_channel_tool_and_registers_exactly_what_it_serves(
    home: Household, travel: Place
) -> None:
    async with home.run() as running, serving(travel, running) as client:
        served = await offered(home, client)
        assert served == await registered_tools(running, "travel") == SERVED
        assert channel_tools(served) == ()
        assert running.switchboard.parts.registry.view().eligible("travel")


@pytest.mark.spec("SWB-40.1")
async def test_a_specialist_that_serves_a_channel_tool_is_quarantined_with_it(
    home: Household, travel: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def with_a_channel_tool(*args: Any, **named: Any) -> ToolServer:
        server = authenticated_server(*args, **named)

        @server.tool(SENDING, {"type": "object"}, roles=(Role.OPERATOR,))
        async def send(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
            raise ValidationFailed("nobody is to be told anything here")

        return server

    monkeypatch.setattr(butler_specialist.app, "authenticated_server", with_a_channel_tool)
    async with home.run() as running, serving(travel, running) as client:
        served = await offered(home, client)
        assert served == await registered_tools(running, "travel") == {*SERVED, SENDING}
        view = running.switchboard.parts.registry.view()
        state = "SELECT eligibility_state || ': ' || eligibility_reason FROM butler_registry WHERE name = 'travel'"
        assert await home.pool.fetchval(state) == "quarantined: channel_tool_ownership"
        assert not view.eligible("travel")
