"""A specialist killed while it folds, merges or erases what it remembers: told again, each is done whole and once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest

from butler_contracts.errors import ButlerError
from butler_kit.faults import points
from butler_kit.faults.binding import FAULTS_DIR
from butler_kit.mcp import CachedMCPClient, ToolError
from tests.faults.household import Armed
from tests.faults.kills.test_upcoming import PATIENCE_S, PROGRAM
from tests.faults.ledger import LEDGER
from tests.integration.specialist.household import Client, Place, envelope, household, request_context
from tests.support.database import Provision
from tests.support.loopback import free_port

SPEC: dict[str, Any] = {"modules": {"memory": {}}}
ADA = "telegram:1001"
CONTACT = UUID(int=0xADA)
FORGET = {"person": str(CONTACT), "idempotency_key": "once", "everything": True}
SAID = ("The boiler rattles", "The boiler man came")


@pytest.fixture
async def place(provisioned: Provision, tmp_path: Path) -> AsyncIterator[Place]:
    async with household(provisioned, tmp_path, "general") as made:
        made.more_environment["BUTLERS_REPLICA"] = "general-0"
        yield made


async def call(place: Place, client: Client, tool: str, **args: Any) -> dict[str, Any]:
    token = place.keys.as_switchboard(place.name)
    desk = CachedMCPClient(f"{client.base}/mcp", lambda: token, timeout_s=20.0)
    try:
        return await desk.call(tool, args)
    finally:
        await desk.aclose()


async def killed_over(place: Place, armed: Armed, point: str, tool: str, **args: Any) -> None:
    """One life that ends in the middle of a call."""
    armed.arm([point])
    async with place.process(free_port(), program=PROGRAM, spec=SPEC) as (child, client):
        with pytest.raises((ButlerError, ToolError, httpx.HTTPError, ConnectionError)):
            await call(place, client, tool, **args)
        async with asyncio.timeout(PATIENCE_S):
            assert await child.wait() < 0
    LEDGER.kills += 1


async def prepared(place: Place) -> None:
    """Two messages of one person that are in no episode, and two statements of another that say the same thing."""
    async with place.specialist(spec=SPEC) as client:
        for text in SAID:
            who = request_context(source_sender_identity="1001", source_thread_identity="1001")
            await client.done(envelope(text, butler=place.name, context=who))
        for number, statement in enumerate(("I live in Graz", "I like olives")):
            await call(
                place, client, "memory_remember",
                person=str(CONTACT), statement=statement, said_by="1001", said_through="telegram",
                idempotency_key=f"{number}",
            )  # fmt: skip
    await place.pool.execute(
        "UPDATE records SET title = 'I live in Linz', code = 'home' WHERE title = 'I like olives'"
    )


async def episodes(place: Place, person: str) -> list[str]:
    rows = await place.pool.fetch("SELECT words FROM memory_episodes WHERE person = $1", person)
    return [row["words"] for row in rows]


async def statements(place: Place) -> list[str]:
    rows = await place.pool.fetch(
        "SELECT title FROM records WHERE kind IN ('fact', 'preference') AND withdrawn_at IS NULL"
    )
    return [row["title"] for row in rows]


@pytest.mark.parametrize("deed", ["fold", "merge"])
@pytest.mark.parametrize("point", [points.MEMORY_BEFORE_COMMIT, points.MEMORY_COMMITTED])
async def test_a_kill_in_the_consolidation_leaves_each_message_in_one_episode_and_one_statement_a_slot(
    place: Place, tmp_path: Path, deed: str, point: str
) -> None:
    await prepared(place)
    armed = Armed(tmp_path / "faults")
    place.more_environment[FAULTS_DIR] = str(armed.folder)
    await killed_over(place, armed, f"{point}@{deed}", "memory_consolidate")
    async with place.process(free_port(), program=PROGRAM, spec=SPEC) as (_, client):
        for _ in range(2):
            await call(place, client, "memory_consolidate")
    LEDGER.messages += 1
    assert await episodes(place, ADA) == ["\n".join(SAID)]
    assert await statements(place) == ["I live in Linz"]
    assert await place.pool.fetchval("SELECT count(*) FROM record_changes WHERE cause = 'superseded'") == 1


@pytest.mark.parametrize("point", [points.MEMORY_BEFORE_COMMIT, points.MEMORY_COMMITTED])
async def test_whoever_is_erased_is_erased_whole_by_the_same_order_again(
    place: Place, tmp_path: Path, point: str
) -> None:
    await prepared(place)
    await place.pool.execute("UPDATE route_inbox SET teller = $1", str(CONTACT))
    async with place.specialist(spec=SPEC) as client:
        await call(place, client, "memory_consolidate")
    assert await episodes(place, str(CONTACT)) == ["\n".join(SAID)]
    armed = Armed(tmp_path / "faults")
    place.more_environment[FAULTS_DIR] = str(armed.folder)
    await killed_over(place, armed, f"{point}@erase", "memory_forget", **FORGET)
    kept = await episodes(place, str(CONTACT))
    assert kept == (["\n".join(SAID)] if point == points.MEMORY_BEFORE_COMMIT else [])
    async with place.process(free_port(), program=PROGRAM, spec=SPEC) as (_, client):
        await call(place, client, "memory_forget", **FORGET)
        await call(place, client, "memory_consolidate")
    LEDGER.messages += 1
    assert (await episodes(place, str(CONTACT)), await statements(place)) == ([], [])
    assert await place.pool.fetchval("SELECT count(*) FROM record_changes") == 0
