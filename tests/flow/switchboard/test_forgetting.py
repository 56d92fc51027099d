"""An operator sees how much butlers know of whom, and has a person forgotten by all of them, once (ADR 0116)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from butler_contracts.errors import TargetUnavailable
from butler_contracts.memory import FORGET_TOOL, PEOPLE_TOOL, Forgotten
from butler_kit.auth import Caller
from butler_kit.mcp.server import ToolServer
from tests.flow.switchboard.test_overrides import operator
from tests.support.butlers import FakeButler
from tests.support.switchboard_service import Household

REASON = {"reason": "they moved out"}
GONE = UUID(int=0x60E)
"""Somebody who is no contact any more."""


class Remembering(FakeButler):
    """A butler that knows two facts of one person; while it is `away` it answers nothing about that."""

    person: UUID
    facts = 2
    away = False

    async def register(
        self, *, tools: tuple[str, ...] = ("route.execute", FORGET_TOOL, PEOPLE_TOOL)
    ) -> dict[str, Any]:
        return await super().register(tools=tools)

    def offer(self, server: ToolServer) -> None:
        @server.tool(FORGET_TOOL, {"type": "object"}, roles=("switchboard",))
        async def forget(_: Caller, args: dict[str, Any]) -> dict[str, Any]:
            self._look()
            assert (args["person"], args["everything"]) == (str(self.person), True)
            gone, self.facts = self.facts, 0
            return Forgotten(forgotten=gone).to_wire()

        @server.tool(PEOPLE_TOOL, {"type": "object"}, roles=("switchboard",))
        async def people(_: Caller, __: dict[str, Any]) -> dict[str, Any]:
            self._look()
            counts = {"facts": self.facts, "preferences": 0, "episodes": 0}
            known = {"person": str(self.person), **counts, "since": "2026-11-01T08:00:00Z"}
            return {"people": [known] if self.facts else []}

    def _look(self) -> None:
        if self.away:
            raise TargetUnavailable("the memory is away")


@asynccontextmanager
async def remembering(home: Household, person: UUID, *names: str) -> AsyncIterator[list[Remembering]]:
    """Butlers of these names that remember, beside the household's others."""
    butlers = [Remembering(name, home.keys) for name in names]
    try:
        for one in butlers:
            one.person = person
            await one.start()
            home.butlers[one.name] = one
        yield butlers
    finally:
        for one in butlers:
            await one.aclose()


async def member(home: Household) -> tuple[UUID, str]:
    row = await home.pool.fetchrow("SELECT contact_id, name FROM shared.contacts ORDER BY name LIMIT 1")
    assert row is not None
    return row["contact_id"], row["name"]


def forgotten(answer: httpx.Response) -> dict[str, int]:
    return {one["butler"]: one["things"] for one in answer.json()["forgotten"]}


async def found_in_messages(home: Household, person: UUID) -> None:
    await home.pool.execute(
        "INSERT INTO extraction_queue (item_id, lane, source, available_at, enqueued_at)"
        " VALUES ($1, 'default', $2, now(), now())",
        uuid4(),
        str(person),
    )


async def test_a_person_is_forgotten_by_all_that_remember_once_and_it_is_audited(home: Household):
    person, name = await member(home)
    async with remembering(home, person, "memo", "notes") as butlers, home.run() as running:
        await found_in_messages(home, person)
        async with operator(running) as http:
            listed = (await http.get("/memory")).json()
            assert [(one["name"], one["butler"], one["facts"]) for one in listed["known"]] == [
                (name, "memo", 2),
                (name, "notes", 2),
            ]
            assert (await http.get("/memory", params={"person": str(GONE)})).json()["known"] == []
            key = {"Idempotency-Key": "one-order"}
            first = await http.post(f"/memory/{person}/forget", json=REASON, headers=key)
            assert forgotten(first) == {"memo": 2, "notes": 2}
            assert (first.json()["name"], first.json()["repeated"]) == (name, False)
            butlers[0].facts = 1  # told after the order
            again = await http.post(f"/memory/{person}/forget", json=REASON, headers=key)
            assert (forgotten(again), again.json()["repeated"]) == ({"memo": 2, "notes": 2}, True)
            assert butlers[0].facts == 1
        assert await home.pool.fetchval("SELECT count(*) FROM extraction_queue") == 0
        rows = await home.pool.fetch(
            "SELECT actor, reason FROM dashboard_audit_log WHERE operation = 'memory.forget'"
        )
        assert [(row["actor"], row["reason"]) for row in rows] == [("ada", REASON["reason"])]


async def test_who_is_no_contact_any_more_is_listed_and_forgotten_too(home: Household):
    async with remembering(home, GONE, "memo"), home.run() as running, operator(running) as http:
        [known] = (await http.get("/memory")).json()["known"]
        assert (known["person"], known["name"]) == (str(GONE), None)
        done = await http.post(f"/memory/{GONE}/forget", json=REASON)
        assert forgotten(done) == {"memo": 2}
        assert (await http.get("/memory")).json() == {"known": [], "silent": []}


async def test_a_butler_that_cannot_be_asked_is_named_and_the_order_can_be_given_again(home: Household):
    async with remembering(home, GONE, "memo", "notes") as butlers, home.run() as running:
        butlers[1].away = True
        async with operator(running) as http:
            listed = (await http.get("/memory")).json()
            assert ([one["butler"] for one in listed["known"]], listed["silent"]) == (["memo"], ["notes"])
            key = {"Idempotency-Key": "one-order"}
            failed = await http.post(f"/memory/{GONE}/forget", json=REASON, headers=key)
            assert failed.status_code == 503
            assert failed.json()["error"]["message"].startswith("notes: could not be asked")
            butlers[1].away = False
            done = await http.post(f"/memory/{GONE}/forget", json=REASON, headers=key)
            assert forgotten(done) == {"memo": 0, "notes": 2}


@pytest.mark.parametrize("role", ["butler", "dashboard"])
async def test_nobody_but_an_operator_has_somebody_forgotten(home: Household, role: str):
    async with remembering(home, GONE, "memo") as [memo], home.run() as running, operator(running) as http:
        claims = {"name": "travel"} if role == "butler" else {}
        token = home.keys.sign("travel", role, **claims)
        refused = await http.post(
            f"/memory/{GONE}/forget", json=REASON, headers={"Authorization": f"Bearer {token}"}
        )
        assert (refused.status_code, memo.facts) == (403, 2)


async def test_where_nobody_remembers_the_order_is_refused(home: Household):
    async with home.run() as running, operator(running) as http:
        refused = await http.post(f"/memory/{GONE}/forget", json=REASON)
        assert refused.status_code == 409
        assert "No butler remembers here" in refused.json()["error"]["message"]
