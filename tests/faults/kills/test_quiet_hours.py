"""A Messenger killed while a message waits for the morning, or just after that: it goes out once (ADR 0080)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest

from butler_kit.faults import points
from tests.faults.household import Armed
from tests.faults.kills.test_approvals import PATIENCE_S, messenger
from tests.faults.ledger import LEDGER
from tests.integration.messenger.household import Place, household
from tests.integration.messenger.test_quiet_hours import (
    NIGHT_S,
    asked,
    low,
    told,
    wish,
    with_digest,
    with_quiet,
)
from tests.support.database import Provision


@pytest.fixture
async def place(provisioned: Provision, tmp_path: Path) -> AsyncIterator[Place]:
    async with household(provisioned, tmp_path) as made:
        yield made


async def test_a_kill_before_it_is_kept_or_after_it_is_queued_sends_it_once(
    place: Place, tmp_path: Path
) -> None:
    await with_quiet(place)
    armed = Armed(tmp_path / "faults")
    async with messenger(place, armed, {}) as (client, process):
        armed.arm([points.ADMIT_BEFORE_COMMIT])
        with pytest.raises(ConnectionError):
            await asked(client, wish("good morning"))
        await _killed(process)
    async with place.messenger() as client:
        state, delivery_id = await asked(client, wish("good morning"))
    assert (state, told(place)) == ("queued", [])
    await place.database.shift_clock(timedelta(seconds=NIGHT_S))
    armed.arm([points.QUIET_RELEASED])
    async with messenger(place, armed, {}, serving=False) as (client, process):
        await _killed(process)
    async with place.messenger():
        await place.until_status(delivery_id, "sent")
    LEDGER.messages += 1
    LEDGER.doubles += len(told(place)) - 1
    assert told(place) == ["[finance] good morning"]
    [attempt] = await place.rows(
        "SELECT outcome FROM delivery_attempts WHERE delivery_id = $1", UUID(delivery_id)
    )
    assert attempt["outcome"] == "sent"


@pytest.mark.parametrize("point", [points.QUIET_BEFORE_COMMIT, points.QUIET_RELEASED])
async def test_a_kill_while_a_digest_is_made_sends_it_once_and_loses_nothing(
    place: Place, tmp_path: Path, point: str
) -> None:
    await with_digest(place)
    async with place.messenger() as client:
        kept = [(await asked(client, low(text)))[1] for text in ("one", "two", "three")]
    await place.database.shift_clock(timedelta(seconds=NIGHT_S))
    armed = Armed(tmp_path / "faults")
    armed.arm([point])
    async with messenger(place, armed, {}, serving=False) as (_, process):
        await _killed(process)
    async with place.messenger():
        for delivery_id in kept:
            await place.until_status(delivery_id, "sent")
    LEDGER.messages += 1
    LEDGER.doubles += len(told(place)) - 1
    assert told(place) == ["[finance] one\n\ntwo\n\nthree"]


async def _killed(process: asyncio.subprocess.Process) -> None:
    async with asyncio.timeout(PATIENCE_S):
        assert await process.wait() < 0
    LEDGER.kills += 1
