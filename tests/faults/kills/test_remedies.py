"""A Messenger killed between the owner's press and its effect: the message is sent again once (ADR 0108)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from butler_kit.faults import points
from tests.faults.household import Armed
from tests.faults.kills.test_approvals import PATIENCE_S, messenger
from tests.faults.ledger import LEDGER
from tests.integration.messenger.household import BEN, Place, household
from tests.integration.messenger.test_approvals import told
from tests.integration.messenger.test_owner_notes import buttons_of, lost, press
from tests.support.database import Provision


@pytest.fixture
async def place(provisioned: Provision, tmp_path: Path) -> AsyncIterator[Place]:
    async with household(provisioned, tmp_path) as made:
        yield made


@pytest.mark.parametrize("point", [points.OPERATION_BEFORE_COMMIT, points.OPERATION_COMMITTED])
async def test_a_kill_at_any_step_of_the_owners_press_sends_it_again_once(
    place: Place, tmp_path: Path, point: str
) -> None:
    armed = Armed(tmp_path / "faults")
    async with messenger(place, armed, {}) as (client, process):
        await lost(place, client)
        again = (await buttons_of(place))["Send it again"]
        armed.arm([f"{point}@delivery.replay"])
        with pytest.raises((ConnectionError, httpx.TransportError)):
            await press(client, again)
        async with asyncio.timeout(PATIENCE_S):
            assert await process.wait() < 0
    LEDGER.kills += 1
    async with place.messenger() as client:
        assert (await press(client, again))["said"] == "It is sent again."
        await place.telegram.until(lambda api: len(told(place, BEN)) == 1)
        late = await press(client, again, number=2)
    assert "it was replayed by Ada" in late["said"]
    LEDGER.messages += 1
    LEDGER.doubles += len(told(place, BEN)) - 1
    assert len(told(place, BEN)) == 1
