"""A Messenger killed between an approval and its effect: the message goes out once, whoever asks again (ADR 0072)."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest

from butler_kit.faults import points
from butler_kit.faults.binding import FAULTS_DIR
from tests.faults.household import Armed
from tests.faults.ledger import LEDGER
from tests.integration.messenger.household import BEN, Client, Place, household
from tests.integration.messenger.test_approval_rules import allowed
from tests.integration.messenger.test_approvals import GATED, decided, held, told, wish
from tests.support.database import Provision
from tests.support.loopback import free_port
from tests.support.switchboard_service import until

PATIENCE_S = 120.0


@pytest.fixture
async def place(provisioned: Provision, tmp_path: Path) -> AsyncIterator[Place]:
    async with household(provisioned, tmp_path) as made:
        yield made


@asynccontextmanager
async def messenger(
    place: Place, armed: Armed, spec: Mapping[str, Any] = GATED, *, serving: bool = True
) -> AsyncIterator[tuple[Client, asyncio.subprocess.Process]]:
    """One life of a Messenger of its own, which meets what is armed, before it is `serving` or after."""
    port, config = free_port(), place.folder / "butler.toml"
    config.write_text(place.rendered(spec).replace("port = 0", f"port = {port}"), encoding="utf-8")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "butler_messenger", "--config", str(config)),
        env={**os.environ, **place.env, FAULTS_DIR: str(armed.folder)},
    )
    client = Client(place, f"http://127.0.0.1:{port}")

    async def serves() -> bool:
        try:
            return (await client.get("/readyz")).status_code == 200
        except httpx.TransportError:
            return False

    try:
        if serving:
            await until(serves, what="Messenger serves", deadline_s=PATIENCE_S)
        yield client, process
    finally:
        await client.aclose()
        if process.returncode is None:
            process.kill()
        await process.wait()


@pytest.mark.parametrize(
    "point",
    [
        f"{points.OPERATION_BEFORE_COMMIT}@approval.approve",
        f"{points.OPERATION_COMMITTED}@approval.approve",
        points.APPROVAL_DECIDED,
        points.APPROVAL_RELEASED,
    ],
)
async def test_a_kill_at_any_step_of_an_approval_sends_it_once(
    place: Place, tmp_path: Path, point: str
) -> None:
    armed = Armed(tmp_path / "faults")
    async with messenger(place, armed) as (client, process):
        delivery_id = await held(client)
        armed.arm([point])
        with pytest.raises(httpx.TransportError):
            await decided(client, delivery_id, "approve")
        async with asyncio.timeout(PATIENCE_S):
            assert await process.wait() < 0
    LEDGER.kills += 1
    async with place.messenger(spec=GATED) as client:
        again = await decided(client, delivery_id, "approve")
        lost = point.startswith(points.OPERATION_BEFORE_COMMIT)
        assert again.status_code == (200 if lost else 409)
        await place.until_status(delivery_id, "sent")
    LEDGER.messages += 1
    LEDGER.doubles += len(told(place, BEN)) - 1
    assert len(told(place, BEN)) == 1
    [attempt] = await place.rows(
        "SELECT outcome FROM delivery_attempts WHERE delivery_id = $1", UUID(delivery_id)
    )
    assert attempt["outcome"] == "sent"


@pytest.mark.parametrize(
    "point", [points.ADMIT_BEFORE_COMMIT, points.APPROVAL_DECIDED, points.APPROVAL_RELEASED]
)
async def test_a_kill_at_any_step_of_what_a_rule_allows_sends_it_once(
    place: Place, tmp_path: Path, point: str
) -> None:
    armed = Armed(tmp_path / "faults")
    async with messenger(place, armed) as (client, process):
        first = await held(client)
        await allowed(client, first)
        await place.until_status(first, "sent")
        armed.arm([point])
        with pytest.raises(ConnectionError):
            await client.notify(wish("And bring wine", "y"))
        async with asyncio.timeout(PATIENCE_S):
            assert await process.wait() < 0
    LEDGER.kills += 1
    async with place.messenger(spec=GATED) as client:
        again = await client.notify(wish("And bring wine", "y"))
        assert again.delivery is not None
        await place.until_status(again.delivery.delivery_id, "sent")
    LEDGER.messages += 1
    LEDGER.doubles += len(told(place, BEN)) - 2
    assert len(told(place, BEN)) == 2
