"""An operator's orders on records, passed on by Switchboard: withdrawn, edited, undone; each once, by whom is kept."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from butler_kit.mcp import CachedMCPClient, ToolError
from tests.integration.specialist.household import Client, Place, envelope

SPENT = "We spent 60 EUR on groceries at Lidl"


class Desk:
    """Switchboard's side of the orders."""

    def __init__(self, place: Place, client: Client) -> None:
        self.place = place
        self.client = client

    async def call(self, tool: str, token: str | None = None, **args: Any) -> dict[str, Any]:
        token = token or self.place.keys.as_switchboard(self.place.name)
        client = CachedMCPClient(f"{self.client.base}/mcp", lambda: token, timeout_s=20.0)
        asked = {"reason": "told by phone", "requested_by": "ada", "idempotency_key": str(uuid4()), **args}
        try:
            return await client.call(tool, asked)
        finally:
            await client.aclose()

    async def refused(self, tool: str, **args: Any) -> str:
        with pytest.raises(ToolError) as refused:
            await self.call(tool, **args)
        assert refused.value.error is not None
        return refused.value.error.message


async def spent(place: Place, client: Client) -> tuple[Desk, dict[str, Any]]:
    await client.done(envelope(SPENT))
    [record] = await place.records()
    return Desk(place, client), {"record_id": str(record["record_id"]), "version": 1}


async def changes(place: Place) -> list[dict[str, Any]]:
    return [dict(row) for row in await place.pool.fetch("SELECT * FROM record_changes ORDER BY seq")]


async def test_a_record_that_is_withdrawn_is_kept_with_who_ordered_it_and_can_be_put_back(place: Place):
    async with place.specialist() as client:
        desk, which = await spent(place, client)
        assert (await desk.call("record.withdraw", **which))["withdrawn"]
        [record] = await place.records()
        [change] = await changes(place)
        assert (record["withdrawn_at"] is not None, record["version"]) == (True, 2)
        assert (change["cause"], change["sender"], change["source_channel"]) == (
            "withdrawn",
            "ada",
            "operator",
        )
        assert change["former"]["withdrawn_at"] is None
        await client.done(envelope("How much did we spend this month?"))
        assert "60" not in str(place.switchboard.notifies[-1].delivery.message)
        back = await desk.call("record.undo", **{**which, "version": 2})
        assert (back["withdrawn"], back["version"]) == (False, 3)
        [record] = await place.records()
        assert (record["withdrawn_at"], record["text"]) == (None, SPENT)


async def test_an_edit_keeps_the_former_values_and_questions_are_answered_by_the_new_ones(place: Place):
    async with place.specialist() as client:
        desk, which = await spent(place, client)
        values = {"amount": "66,50", "text": "We spent 66.50 EUR on groceries", "occurred_on": "2026-11-19"}
        await desk.call("record.edit", **which, values=values)
        [record] = await place.records()
        [change] = await changes(place)
        assert (str(record["amount"]), str(record["occurred_on"])) == ("66.50", "2026-11-19")
        assert (change["former"]["amount"], change["cause"]) == (60, "corrected")
        undone = await desk.call("record.undo", record_id=which["record_id"], version=2)
        assert undone["version"] == 3
        [record] = await place.records()
        assert (str(record["amount"]), record["text"]) == ("60", SPENT)


async def test_an_order_that_comes_again_changes_nothing_more(place: Place):
    async with place.specialist() as client:
        desk, which = await spent(place, client)
        first = await desk.call("record.withdraw", **which, idempotency_key="once")
        assert await desk.call("record.withdraw", **which, idempotency_key="once") == first
        assert len(await changes(place)) == 1


async def test_what_was_changed_meanwhile_withdrawn_or_is_not_there_is_said_and_left_alone(place: Place):
    async with place.specialist() as client:
        desk, which = await spent(place, client)
        assert "never changed" in await desk.refused("record.undo", **which)
        await client.done(envelope("Undo that"))
        assert "changed meanwhile" in await desk.refused("record.withdraw", **which)
        now = {**which, "version": 2}
        assert "withdrawn already" in await desk.refused("record.withdraw", **now)
        assert "withdrawn already" in await desk.refused("record.edit", **now, values={"amount": "1"})
        assert "not kept here" in await desk.refused("record.withdraw", record_id=str(uuid4()), version=1)
        assert len(await changes(place)) == 1


async def test_values_that_cannot_be_kept_are_named_by_their_fields(place: Place):
    async with place.specialist() as client:
        desk, which = await spent(place, client)
        said = await desk.refused(
            "record.edit",
            **which,
            values={"amount": "a lot", "occurred_on": "soon", "code": "X", "text": " "},
        )
        for part in (
            "amount: expected a number",
            "occurred_on: expected a day",
            "code: this record",
            "text: ",
        ):
            assert part in said
        assert "Nothing is different" in await desk.refused("record.edit", **which, values={"amount": "60"})
        assert await changes(place) == []


async def test_a_change_that_is_a_day_old_is_not_undone(place: Place):
    async with place.specialist() as client:
        desk, which = await spent(place, client)
        await desk.call("record.withdraw", **which)
        await place.pool.execute("UPDATE record_changes SET changed_at = changed_at - interval '25 hours'")
        assert "24 hours" in await desk.refused("record.undo", **{**which, "version": 2})


async def test_nobody_but_switchboard_orders_here(place: Place):
    async with place.specialist() as client:
        desk, which = await spent(place, client)
        keys = place.keys
        for token in (
            keys.operator(receiver="finance"),
            keys.butler("health", receiver="finance"),
            keys.sign("ada", "dashboard", receiver="finance"),
        ):
            assert "no tool" in await desk.refused("record.withdraw", token=token, **which)
        assert await changes(place) == []


async def test_what_the_operator_changed_is_not_undone_by_the_person_who_told_it(place: Place):
    async with place.specialist() as client:
        desk, which = await spent(place, client)
        await client.done(envelope("No, 70"))
        await desk.call("record.edit", record_id=which["record_id"], version=2, values={"amount": "66"})
        await client.done(envelope("Undo that"))
        [record] = await place.records()
        assert str(record["amount"]) == "66"
