"""An operator's order on a record, from Switchboard's tool to the specialist that keeps it, and its audit."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import pytest

from butler_kit.mcp import ToolError
from tests.integration.specialist.household import CountingSwitchboard, Place, plan_for
from tests.support.beside_switchboard import serving
from tests.support.dashboard_rows import add_record
from tests.support.database import Provision
from tests.support.switchboard_service import Household, Running


@pytest.fixture
async def travel(provisioned: Provision, tmp_path: Path, home: Household) -> Place:
    database = await provisioned(plan_for("travel"))
    pool = await database.pool("travel")
    return Place(tmp_path, "travel", database, pool, home.keys, CountingSwitchboard())


async def order(running: Running, tool: str, *, role: str = "operator", **args: Any) -> dict[str, Any]:
    token = running.household.keys.sign("ada", role, receiver="switchboard")
    asked = {"butler": "travel", "reason": "told by phone", "idempotency_key": str(uuid4()), **args}
    return await running.call(token, tool, asked)


async def refused(running: Running, tool: str, **args: Any) -> tuple[bool, str]:
    with pytest.raises(ToolError) as found:
        await order(running, tool, **args)
    assert found.value.error is not None
    return found.value.error.retryable, found.value.error.message


async def test_an_order_on_a_record_is_done_by_its_butler_once_and_audited_as_the_operators(
    home: Household, travel: Place
) -> None:
    at = datetime(2026, 11, 20, tzinfo=UTC)
    async with travel.pool.acquire() as connection:
        record = str(
            await add_record(cast(Any, connection), "travel", "Train on Friday", kind="train", at=at)
        )
    which: dict[str, Any] = {"record_id": record, "version": 1}
    async with home.run() as running:
        async with serving(travel, running):
            for _ in range(2):
                answer = await order(running, "record.withdraw", **which, idempotency_key="page:1")
            assert (answer["repeated"], answer["withdrawn"]) == (True, True)
            edit: dict[str, Any] = {
                "record_id": record,
                "version": 1,
                "values": {"text": "Train on Saturday"},
            }
            assert await refused(running, "record.edit", **edit) == (
                False,
                "It was changed meanwhile; look at it as it is now.",
            )
            assert "no tool" in (await refused(running, "record.withdraw", role="dashboard", **which))[1]
            assert "No butler 'opera'" in (await refused(running, "record.undo", butler="opera", **which))[1]
            await home.pool.execute(
                "UPDATE butler_registry SET tools = '{route.execute}' WHERE name = 'travel'"
            )
            await running.switchboard.parts.registry.refresh()
            assert "of a release that cannot" in (await refused(running, "record.undo", **which))[1]
            await home.pool.execute(
                "UPDATE butler_registry SET tools = '{record.undo}' WHERE name = 'travel'"
            )
            await running.switchboard.parts.registry.refresh()
        retryable, said = await refused(running, "record.undo", record_id=record, version=2)
        assert (retryable, "travel cannot be reached now" in said) == (True, True)
    [kept] = await travel.records()
    [change] = await travel.pool.fetch("SELECT sender FROM record_changes")
    assert (kept["version"], change["sender"]) == (2, "ada")
    rows = await home.pool.fetch(
        "SELECT actor, operation, result FROM dashboard_audit_log WHERE operation LIKE 'record.%' ORDER BY audit_id"
    )
    assert [tuple(row) for row in rows] == [
        ("ada", "record.withdraw", "ok"),
        ("ada", "record.edit", "refused"),
    ]
